"""How many digits two computations of the same quantity agree to."""

from fractions import Fraction
from typing import Any

from mpmath import mp

from numeric.precise.convert import largest, number


def digits_of_agreement(a: Any, b: Any, *, cap: int | None = None) -> int:
    """Return the number of decimal digits to which ``a`` and ``b`` agree.

    That is floor(-log10(|a - b| / max(|a|, |b|))), at least 0 and at most ``cap`` (the working
    precision ``mp.dps`` unless given). For vectors and matrices |.| is the largest absolute
    entry, so that small entries count relative to the large ones. Two zeros agree to the cap; a
    zero and anything else agree to no digit.

    Raises :class:`ValueError` when the shapes differ or an entry is not finite.

    >>> from mpmath import mp
    >>> with mp.workdps(40):
    ...     digits_of_agreement(mp.pi, mp.pi + mp.mpf("3e-26"))
    26
    >>> digits_of_agreement([1, 2], [1, 2])
    15
    """
    cap = mp.dps if cap is None else cap
    left, left_shape = _flatten(a)
    right, right_shape = _flatten(b)
    if left_shape != right_shape:
        raise ValueError(f"shapes {left_shape} and {right_shape} differ")
    if not all(mp.isfinite(value) for value in left + right):
        raise ValueError("not a finite number")
    # The inputs may carry more digits than the working precision: do not round them off.
    with mp.extradps(cap + 5):
        difference = largest(x - y for x, y in zip(left, right, strict=True))
        size = largest(left + right)
        if difference == 0:
            return cap
        digits = int(mp.floor(-mp.log10(difference / size)))
    return max(0, min(digits, cap))


def _flatten(value: Any) -> tuple[list[Any], tuple[int, ...]]:
    """Return the entries of a number, vector or matrix, and its shape."""
    if isinstance(value, mp.matrix):
        return list(value), (value.rows, value.cols)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        parts = [_flatten(entry) for entry in value]
        shapes = {shape for _, shape in parts}
        if len(shapes) > 1:
            raise ValueError("not rectangular")
        inner = shapes.pop() if shapes else ()
        return [entry for part, _ in parts for entry in part], (len(parts), *inner)
    if isinstance(value, Fraction):
        with mp.extradps(mp.dps + 5):
            return [number(value)], ()
    return [mp.mpmathify(value)], ()
