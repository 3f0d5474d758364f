"""Cross-checks: one file a claim.  A new file with a ``CROSS_CHECK`` is picked up by itself."""
