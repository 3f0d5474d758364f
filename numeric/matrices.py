"""Exact matrices that may be large: rational entries, or float32 or float64 weights kept as bytes.

The 14 million bytes of attention weights of a small checkpoint would be some gigabyte as
fractions. A float is the exact rational that it is, so its bytes are an exact matrix as well.
The way a matrix is stored depends on its entries only:

===========  =======================================================================
``rational``  rows of fractions: at most :data:`SMALL` entries, or entries that are no floats
``float32``   little-endian bytes, row by row: all entries are float32 numbers
``float64``   the same: all entries are float64 numbers, and not all float32
===========  =======================================================================

so that equality of what is stored is equality of matrices, and hashes agree. NumPy is imported
only where arrays are.
"""

from __future__ import annotations

import array as machine
import base64
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from numeric.exact import Matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["rational", "float32", "float64"]

SMALL = 1024
"""Most entries of a matrix that is always kept as fractions, and written as strings in JSON."""

ITEM_BYTES = {"float32": 4, "float64": 8}
"""Bytes of an entry, by the kind of a float matrix."""


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class ExactMatrix:
    """A matrix of exact rationals, immutable, equal and hashed by its entries.

    Build one with :meth:`from_rows`, :meth:`from_array` or :meth:`from_bytes`, which choose how
    it is stored.

    Attributes:
        shape: numbers m of rows and n of columns, both at least 1.
        kind: how it is stored, see the module.
        data: rows of fractions, or m n floats as little-endian bytes.

    >>> ExactMatrix.from_rows([[Fraction(1, 3), Fraction(2)]])
    ExactMatrix(1 x 2, rational)
    """

    shape: tuple[int, int]
    kind: Kind
    data: Matrix | bytes

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[Fraction]]) -> ExactMatrix:
        """Return the matrix with these rows: at least one, not empty, of equal lengths."""
        shape = len(rows), len(rows[0])
        if shape[0] * shape[1] > SMALL:
            packed = _packed([value for row in rows for value in row])
            if packed is not None:
                return cls(shape, *packed)
        return cls(shape, "rational", tuple(tuple(row) for row in rows))

    @classmethod
    def from_array(cls, values: NDArray[np.floating[Any]]) -> ExactMatrix:
        """Return the matrix that an m x n array of float16, float32 or float64 is.

        Raises :class:`ValueError`, with row and column, when an entry is not finite.
        """
        import numpy as np

        wide = values.dtype.itemsize == 8
        # A copy: what is exact must not change later.
        copied = np.array(values, dtype="<f8" if wide else "<f4", order="C")
        rows, columns = copied.shape
        finite = np.isfinite(copied)
        if not finite.all():
            i, j = divmod(int(np.argmin(finite)), columns)
            raise ValueError(f"row {i + 1}, column {j + 1}: {copied[i, j]} is not a finite number")
        if rows * columns <= SMALL:
            exact = tuple(tuple(map(Fraction, row)) for row in copied.tolist())
            return cls((rows, columns), "rational", exact)
        if wide:
            with np.errstate(over="ignore", under="ignore"):
                narrow = copied.astype("<f4")
            if np.array_equal(narrow, copied):
                copied, wide = narrow, False
        # By its bits, as arithmetic may be set to flush the smallest numbers: -0 is 0.
        bits = copied.view("<u8" if wide else "<u4")
        bits[bits == (1 << 63 if wide else 1 << 31)] = 0
        return cls((rows, columns), "float64" if wide else "float32", copied.tobytes())

    @classmethod
    def from_bytes(cls, kind: str, data: bytes, shape: tuple[int, int]) -> ExactMatrix:
        """Return the matrix of m n little-endian floats, row by row; ``kind`` names their type.

        Raises :class:`ValueError` when an entry is not finite or the length does not fit.
        """
        import numpy as np

        dtype = {"float32": "<f4", "float64": "<f8"}[kind]
        return cls.from_array(np.frombuffer(data, dtype=dtype).reshape(shape))

    @property
    def rows(self) -> int:
        """Number m of rows."""
        return self.shape[0]

    @property
    def columns(self) -> int:
        """Number n of columns."""
        return self.shape[1]

    def fractions(self) -> Matrix:
        """Return the rows as tuples of fractions (made anew from floats: some 200 bytes each)."""
        if not isinstance(self.data, bytes):
            return self.data
        return self._rows_of([Fraction(value) for value in self._floats()])

    def integers(self) -> tuple[list[list[int]], int]:
        """Return integer rows N and a denominator D > 0, as small as can be, with N / D exact.

        For floats D is a power of two.
        """
        if isinstance(self.data, bytes):
            ratios = [value.as_integer_ratio() for value in self._floats()]
        else:
            ratios = [(value.numerator, value.denominator) for row in self.data for value in row]
        denominator = math.lcm(*{below for _, below in ratios})
        flat = [above * (denominator // below) for above, below in ratios]
        width = self.columns
        return [flat[i : i + width] for i in range(0, len(flat), width)], denominator

    def array(self) -> NDArray[np.float64]:
        """Return the nearest float64 array, read-only, m x n: exact unless ``kind`` is rational.

        Raises :class:`OverflowError` when an entry is beyond float64.
        """
        import numpy as np

        if isinstance(self.data, bytes):
            stored = np.frombuffer(self.data, dtype="<f4" if self.kind == "float32" else "<f8")
            result = stored.astype(np.float64).reshape(self.shape)
        else:
            result = np.array([[float(value) for value in row] for row in self.data])
        result.flags.writeable = False
        return result

    def to_json(self) -> object:
        """Return rows of rational strings, or ``{"float32": base64, "shape": [m, n]}``."""
        if not isinstance(self.data, bytes):
            return [[str(value) for value in row] for row in self.data]
        return {self.kind: base64.b64encode(self.data).decode("ascii"), "shape": list(self.shape)}

    def _floats(self) -> machine.array[float]:
        values: machine.array[float] = machine.array("f" if self.kind == "float32" else "d")
        assert isinstance(self.data, bytes)
        values.frombytes(self.data)
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def _rows_of(self, flat: list[Fraction]) -> Matrix:
        width = self.columns
        return tuple(tuple(flat[i : i + width]) for i in range(0, len(flat), width))

    def __repr__(self) -> str:
        return f"ExactMatrix({self.rows} x {self.columns}, {self.kind})"


def _packed(entries: list[Fraction]) -> tuple[Kind, bytes] | None:
    """Return the entries as the narrowest floats that all of them are, None when some is none."""
    floats: list[float] = []
    for value in entries:
        if value.denominator & (value.denominator - 1):
            return None
        try:
            nearest = float(value)
        except OverflowError:
            return None
        if Fraction(nearest) != value:
            return None
        floats.append(nearest)
    wide = machine.array("d", floats)
    narrow = machine.array("f", floats)
    packed = narrow if all(map(float.__eq__, wide, narrow)) else wide
    kind: Kind = "float32" if packed is narrow else "float64"
    if sys.byteorder == "big":
        packed.byteswap()
    return kind, packed.tobytes()
