"""High-precision cross-checks: quantities computed from their definitions with mpmath.

Long sums are done in the ball arithmetic of FLINT; `characteristics` is in double precision.

The modules get plain parameters (integers, fractions, floats, strings or mpmath numbers; nested
sequences of them, or mpmath matrices) and use none of the formulas that they are there to check.
"""
