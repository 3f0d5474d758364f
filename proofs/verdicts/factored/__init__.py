"""Verdicts on large matrices that are kept as products of smaller ones."""
