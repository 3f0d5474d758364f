"""Reading ``.safetensors`` files: a strict reader that touches the tensors that are asked for.

The format: eight bytes with the length N of the header (little-endian), N bytes of a JSON object
that gives dtype, shape and place of every tensor, and the tensors, which fill the rest without
gaps. Nothing is allocated on the word of the file: lengths are compared with its size first.
Tensors are read at their place, not mapped, so that a file that is cut or changed later cannot
change or crash what was read.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from numeric.errors import FieldError, one_line
from numeric.files import opened, size_of
from numeric.json_text import decode

MAX_HEADER_BYTES = 16 * 2**20
"""Longest header read, in bytes: that of a model with 100,000 tensors."""

READABLE = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
"""Bytes of an entry of the dtypes whose entries are exact floats here."""

_OTHER_BYTES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"), 1),
    **dict.fromkeys(("U16", "I16"), 2),
    **dict.fromkeys(("U32", "I32"), 4),
    **dict.fromkeys(("U64", "I64", "C64"), 8),
}

_EXPECTED = "a .safetensors file"
_LONGEST_NAME = 100


@dataclass(frozen=True)
class Entry:
    """A tensor of the header: dtype, shape, and first and last byte (excluded) in the data."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


class TensorFile:
    """An open ``.safetensors`` file; see :func:`open_tensors`.

    Attributes:
        entries: what the header says of every tensor, by name.
    """

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self._stream = stream
        self._source = source
        size = size_of(stream, source, _EXPECTED)
        self._start, header = _header(stream, size, source)
        self.entries = _entries(header, size - self._start)

    def read(self, name: str) -> NDArray[np.floating[Any]]:
        """Return a tensor as a float32 or float64 array with exactly its entries.

        Raises :class:`FieldError` when its dtype is not in :data:`READABLE`, an entry is not
        finite, or the file has become shorter.
        """
        entry = self.entries[name]
        if entry.dtype not in READABLE:
            listed = ", ".join(READABLE)
            raise tensor_fault(name, f"dtype {shown(entry.dtype)}, expected one of {listed}")
        self._stream.seek(self._start + entry.start)
        data = self._stream.read(entry.stop - entry.start)
        if len(data) != entry.stop - entry.start:
            raise tensor_fault(name, "the file has become shorter while it was read")
        if entry.dtype == "BF16":
            # The upper half of a float32.
            values = (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
        elif entry.dtype == "F16":
            values = np.frombuffer(data, "<f2").astype("<f4")
        else:
            values = np.frombuffer(data, "<f4" if entry.dtype == "F32" else "<f8")
        finite = np.isfinite(values)
        if not finite.all():
            first = int(np.argmin(finite))
            where = ", ".join(str(int(i)) for i in np.unravel_index(first, entry.shape))
            raise tensor_fault(
                name, f"entry [{where}] (from 0) is {values[first]}, expected finite numbers"
            )
        return values.reshape(entry.shape)


@contextmanager
def open_tensors(path: str | os.PathLike[str]) -> Iterator[TensorFile]:
    """Open a ``.safetensors`` file and check all of its header.

    Raises :class:`numeric.errors.ParameterError`, as every :class:`FieldError` raised inside the
    ``with`` block becomes one.
    """
    source = os.fspath(path)
    with opened(path, _EXPECTED) as stream:
        try:
            yield TensorFile(stream, source)
        except FieldError as error:
            raise error.in_source(source) from None


def tensor_fault(name: str, message: str) -> FieldError:
    """Return an error about one tensor."""
    return FieldError(None, f"tensor {shown(name)}: {message}")


def shown(name: str) -> str:
    """Return a name that a file gives, on one line and not too long."""
    line = one_line(name)
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 3] + "..."


def _header(stream: BinaryIO, size: int, source: str) -> tuple[int, object]:
    """Return where the tensors start and the decoded header."""
    if size < 10:
        reason = f"truncated: {size} bytes are too few for {_EXPECTED}"
        raise FieldError(None, reason)
    length = int.from_bytes(stream.read(8), "little")
    if length > size - 8:
        raise FieldError(
            None,
            f"truncated, or no .safetensors file: the header is said to have {length} bytes, but "
            f"{size - 8} follow",
        )
    if length > MAX_HEADER_BYTES:
        raise FieldError(
            None,
            f"the header is said to have {length} bytes, at most {MAX_HEADER_BYTES} are read",
        )
    data = stream.read(length)
    if len(data) != length or not data.startswith(b"{"):
        raise FieldError(None, "the header does not start with {: no .safetensors file")
    return 8 + length, decode(data, f"{source}: header")


def _entries(header: object, data_bytes: int) -> dict[str, Entry]:
    if not isinstance(header, dict):
        raise FieldError(None, "the header is not a JSON object")
    entries = {
        name: _entry(name, value, data_bytes)
        for name, value in header.items()
        if name != "__metadata__"
    }
    # The tensors lie one behind the other and fill the file.
    end, before = 0, ""
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].start, item[1].stop)):
        if entry.start < end:
            raise tensor_fault(name, f"overlaps tensor {shown(before)}")
        if entry.start > end:
            raise tensor_fault(name, f"starts at byte {entry.start}, expected {end}: a gap")
        end, before = entry.stop, name
    if end != data_bytes:
        raise FieldError(None, f"{data_bytes - end} bytes after the last tensor")
    return entries


def _entry(name: str, value: object, data_bytes: int) -> Entry:
    if not isinstance(value, dict) or set(value) != {"dtype", "shape", "data_offsets"}:
        raise tensor_fault(name, "expected dtype, shape and data_offsets in the header")
    dtype, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not isinstance(dtype, str):
        raise tensor_fault(name, "dtype: expected a string")
    if not _sizes(shape):
        raise tensor_fault(name, "shape: expected a list of integers >= 0")
    if not _sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise tensor_fault(name, "data_offsets: expected two integers, 0 <= start <= end")
    start, stop = offsets
    if stop > data_bytes:
        raise tensor_fault(
            name, f"truncated file: it ends at byte {stop} of the data, which has {data_bytes}"
        )
    width = READABLE.get(dtype) or _OTHER_BYTES.get(dtype)
    if width is not None and math.prod(shape) * width != stop - start:
        listed = " x ".join(map(str, shape)) or "()"
        raise tensor_fault(
            name,
            f"{stop - start} bytes, expected {math.prod(shape) * width} for {dtype} of shape "
            f"{listed}",
        )
    return Entry(dtype, tuple(shape), start, stop)


def _sizes(value: object) -> bool:
    """Whether it is a short list of integers >= 0 below 2^63."""
    return (
        isinstance(value, list)
        and len(value) <= 64
        and all(type(size) is int and 0 <= size < 2**63 for size in value)
    )
