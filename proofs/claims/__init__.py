"""The ledger: one file a claim.  A new file with a ``CLAIM`` is picked up by itself."""
