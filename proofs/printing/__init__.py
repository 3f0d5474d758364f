"""Statements and proofs in print: ``text`` for a terminal, ``latex`` for a paper.

Both walk the term in the same way (``expressions``, ``propositions``) and differ in their
notation only.  Nothing is added to what the term says.
"""
