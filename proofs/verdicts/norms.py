"""Rational bounds of norms, found in floating point; what uses them tests them exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from proofs.verdicts.problem import Rows

#: relative slack that is added to norms found in floating point
SLACK = 1e-9
#: numbers outside the range of floating point, or norms too rough for the exact test
OUT_OF_RANGE = (ArithmeticError, ValueError, np.linalg.LinAlgError)


def array(rows: Rows) -> np.ndarray:
    """A matrix in floating point."""
    return np.array([[float(x) for x in row] for row in rows])


def decimal(value: Any) -> Fraction:
    """A short rational near a number."""
    return Fraction(f"{float(value):.12e}")


def above(norm: Any) -> Fraction:
    """A short rational above a norm found in floating point, 1 for 0."""
    return decimal(float(norm) * (1 + SLACK)) if norm > 0 else Fraction(1)


def norm_above(rows: Rows, factor: float = 1.0) -> Fraction:
    """A short rational above the spectral norm of factor * matrix."""
    return above(np.linalg.norm(array(rows), 2) * factor)
