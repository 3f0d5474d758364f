"""Matrices of floats: exact literals out of their bytes and back, and base64 of the bytes.

Between bytes and integers everything is done on the bits, whatever the mode of the FPU.  NumPy is
imported only where floats are.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from flint import fmpz, fmpz_mat

from proofs.codec.parts import CodecError, Json, check_shape, shown
from proofs.terms import Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FLOATS = {"float32": ("<f4", "<u4", 4, 23), "float64": ("<f8", "<u8", 8, 52)}
"""Kind -> types of the numbers and of their bits, bytes of an entry, bits of its fraction."""


def float_literal(kind: str, rows: int, columns: int, data: bytes) -> Literal:
    """The exact matrix of little-endian finite floats, row by row; ``kind`` is one of FLOATS."""
    import numpy as np

    _, bits, width, fraction = FLOATS[kind]
    raw = np.frombuffer(data, dtype=bits).astype(np.uint64)
    largest = (1 << 8 * width - fraction - 1) - 1
    exponents = (raw >> np.uint64(fraction)).astype(np.int64) & largest
    whole = (raw & np.uint64((1 << fraction) - 1)).astype(np.int64)
    whole += (exponents > 0).astype(np.int64) << fraction
    # entry = +-whole * 2^place, and whole is odd or 0
    place = np.maximum(exponents, 1) - (largest // 2 + fraction)
    zeros = np.where(whole, _bit_lengths(whole & -whole) - 1, 0)
    whole >>= zeros
    place += zeros
    shift = max(0, -int(place.min(where=whole != 0, initial=0)))
    place = np.where(whole, place + shift, 0)
    negative = raw >> np.uint64(8 * width - 1) != 0
    whole = np.where(negative, -whole, whole)
    if int((_bit_lengths(np.abs(whole)) + place).max()) < 64:
        numerators = (whole << place).tolist()
    else:
        numerators = [a << n for a, n in zip(whole.tolist(), place.tolist(), strict=True)]
    return Literal.from_integers(fmpz_mat(rows, columns, numerators), fmpz(1) << shift)


def literal_floats(literal: Literal) -> tuple[str, bytes] | None:
    """Kind and bytes of a matrix of floats, float32 when they are; None when some entry is none."""
    numerators, denominator = literal.integers
    if not _power_of_two(denominator):
        numerators, denominator = literal.flint.numer_denom()
        if not _power_of_two(denominator):
            return None
    wide = _nearest([int(x) for x in numerators.entries()], int(denominator))
    if wide is None:
        return None
    narrow = _as_float32(wide)
    kind, data = ("float64", wide.tobytes()) if narrow is None else ("float32", narrow.tobytes())
    exact = float_literal(kind, literal.rows, literal.columns, data) == literal
    return (kind, data) if exact else None


def packed(literal: Literal) -> list[Json] | None:
    """``["floats", kind, m, n, base64]``, None when some entry is no float."""
    floats = literal_floats(literal)
    if floats is None:
        return None
    kind, data = floats
    return ["floats", kind, literal.rows, literal.columns, base64.b64encode(data).decode("ascii")]


def unpacked(kind: object, rows: object, columns: object, text: object) -> Literal:
    """The matrix of ``["floats", kind, rows, columns, text]``.

    Nothing is allocated before the length of the base64 fits the shape.

    Raises:
        CodecError: it stands for none.
    """
    import numpy as np

    if not isinstance(kind, str) or kind not in FLOATS:
        raise CodecError(f'expected "float32" or "float64", not {shown(kind)}')
    if not isinstance(text, str):
        raise CodecError(f"expected a string in base64, not {shown(text)}")
    m, n = check_shape(rows, columns)
    number, bits, width, _ = FLOATS[kind]
    if len(text) != base64_length(m * n * width):
        raise CodecError(f"{len(text)} characters of base64 do not fit {m} x {n} numbers {kind}")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    # spare bits at the end may hold anything
    if len(data) != m * n * width or base64.b64encode(data).decode("ascii") != text:
        raise CodecError(f"{shown(text)} is not base64 of {m} x {n} numbers {kind}")
    values = np.frombuffer(data, dtype=number)
    if not np.isfinite(values).all():
        raise CodecError("a float is not a finite number")
    if (values.view(bits) == 1 << (8 * width - 1)).any():
        raise CodecError("a float is -0, which is written 0")
    if kind == "float64" and _as_float32(values) is not None:
        raise CodecError("all floats are float32 numbers, which are written as such")
    return float_literal(kind, m, n, data)


def base64_length(size: int) -> int:
    """Characters of the base64 of ``size`` bytes."""
    return 4 * -(-size // 3)


def _power_of_two(value: fmpz) -> bool:
    return int(value).bit_count() == 1


def _bit_lengths(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of integers in [0, 2^53), exact as floats."""
    import numpy as np

    exponents = values.astype("<f8").view("<u8") >> np.uint64(52)
    return np.where(values > 0, exponents.astype(np.int64) - 1022, 0)


def _nearest(numerators: list[int], denominator: int) -> NDArray[np.float64] | None:
    """The quotients by a power of 2 as floats, those that are floats exactly; None if too large."""
    import numpy as np

    try:
        whole = np.array(numerators, dtype=np.int64)
    except OverflowError:  # more than 63 bits
        try:
            return np.array([above / denominator for above in numerators], dtype="<f8")
        except OverflowError:
            return None
    with np.errstate(all="ignore"):
        return np.ldexp(whole.astype("<f8"), 1 - denominator.bit_length())


def _as_float32(wide: NDArray[np.float64]) -> NDArray[np.float32] | None:
    """The same numbers, None when some is no float32; compared by bits, with no mode of the FPU."""
    import numpy as np

    with np.errstate(all="ignore"):
        narrow = wide.astype("<f4")
        back = narrow.astype("<f8")
    return narrow if np.array_equal(back.view("<u8"), wide.view("<u8")) else None
