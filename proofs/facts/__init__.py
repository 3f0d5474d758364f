"""Facts: the analysis and linear algebra that proofs may quote, each with a reference.

A fact is a schema: it holds for all values of its free variables.  To add one, append it to the
module of its subject.
"""
