"""Theorems on the covariance under L2 attention, at exact parameters."""
