"""Theorems on the covariance under Sinkhorn attention, at exact parameters."""
