"""Rigorous enclosures of solutions of quadratic systems x' = f(x), and cones that decide.

What is found here in floating point is proposed; the kernel tests it exactly.
"""
