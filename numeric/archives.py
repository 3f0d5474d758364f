"""Reading ``.npz`` files: the fields of a parameter file as arrays.

Names are those of the JSON fields, with dots and numbers from 0 where JSON nests:

    Q, heads.0.Q, layers.1.heads.0.Q, layers.1.time, positions.0.mass

Words (variant, scale, mask, comment) and rationals "p/q" are arrays of strings, a number is an
array of shape (). Pickled objects are never read, and no size is believed before it is compared
with the size of the file.
"""

from __future__ import annotations

import io
import math
import os
import struct
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numeric.errors import FieldError
from numeric.files import opened, size_of
from numeric.rationals import quote

MAX_BYTES = 2**30
"""Most bytes of all arrays of a file, uncompressed."""

MAX_ARRAYS = 100_000
"""Most arrays of a file."""

_DAMAGED = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error),
    *(EOFError, NotImplementedError, RuntimeError, ValueError, UnicodeDecodeError),
)


def read_archive(path: str | os.PathLike[str]) -> dict[str, object]:
    """Return the nested fields of an ``.npz`` file: dicts, lists, arrays, strings and numbers.

    Raises :class:`numeric.errors.ParameterError` when it cannot be read or is too large.
    """
    source = os.fspath(path)
    with opened(path, "an .npz file") as stream:
        try:
            size_of(stream, source, "an .npz file")
            return _nested(_arrays(stream))
        except FieldError as error:
            raise error.in_source(source) from None


def _arrays(stream: Any) -> dict[str, object]:
    try:
        archive = zipfile.ZipFile(stream)
    except _DAMAGED:
        raise FieldError(None, "damaged or truncated, or no .npz file") from None
    members = archive.infolist()
    if len(members) > MAX_ARRAYS:
        raise FieldError(None, f"{len(members)} arrays, at most {MAX_ARRAYS} are read")
    total = sum(member.file_size for member in members)
    if total > MAX_BYTES:
        raise FieldError(None, f"{total} bytes when uncompressed, at most {MAX_BYTES} are read")
    result: dict[str, object] = {}
    for member in members:
        name = member.filename.removesuffix(".npy")
        if name == member.filename:
            raise FieldError(None, f"holds {quote(name)}, expected arrays (.npy) only")
        if name in result:
            raise FieldError(None, f"array {quote(name)} appears twice")
        try:
            # Reads no more than file_size, and checks the sum.
            data = archive.read(member)
        except _DAMAGED:
            raise FieldError(None, f"array {quote(name)} is damaged") from None
        try:
            result[name] = _plain(_array(data))
        except FieldError as error:
            raise FieldError(None, f"array {quote(name)}: {error.message}") from None
    return result


def _array(data: bytes) -> NDArray[Any]:
    """Return the array of an ``.npy`` file, as a view of its bytes."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, fortran, dtype = read(stream)
    except (*_DAMAGED, KeyError, TypeError, SyntaxError):
        raise FieldError(None, "no .npy file of version 1 or 2") from None
    if dtype.hasobject:
        raise FieldError(None, "pickled objects, expected numbers or strings")
    if dtype.kind not in "iufU" or (dtype.kind == "f" and dtype.itemsize > 8):
        raise FieldError(None, f"dtype {dtype}, expected float16 to float64, integers or strings")
    start = stream.tell()
    # Of Python's integers, which do not overflow.
    wanted = math.prod(map(int, shape)) * dtype.itemsize
    if min(shape, default=0) < 0 or wanted != len(data) - start:
        listed = " x ".join(map(str, shape)) or "()"
        raise FieldError(
            None, f"{len(data) - start} bytes, expected {wanted} for {dtype} of shape {listed}"
        )
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype="U1")
    values = np.frombuffer(data, dtype=dtype, offset=start)
    return values.reshape(shape, order="F" if fortran else "C")


def _plain(values: NDArray[Any]) -> object:
    """Return what a field reader takes: float arrays as they are, the rest as lists."""
    return values if values.dtype.kind == "f" and values.ndim else values.tolist()


def _nested(flat: dict[str, object]) -> dict[str, object]:
    """Turn names with dots into dicts, and dicts of numbers from 0 into lists."""
    root: dict[str, Any] = {}
    for name, value in flat.items():
        *parts, last = name.split(".")
        if len(parts) > 4 or not all((*parts, last)):
            raise FieldError(None, f"array {quote(name)}: no name of a field")
        node: Any = root
        for part in parts:
            node = node.setdefault(part, {})
            if not isinstance(node, dict):
                raise FieldError(None, f"array {quote(name)}: {quote(part)} is an array itself")
        if last in node:
            raise FieldError(None, f"array {quote(name)}: there are arrays below it")
        node[last] = value
    return {name: _listed(value, name) for name, value in root.items()}


def _listed(node: object, place: str) -> object:
    if not isinstance(node, dict):
        return node
    below = {key: _listed(value, f"{place}.{key}") for key, value in node.items()}
    if not all(key.isdecimal() and key.isascii() for key in below):
        return below
    wanted = [str(i) for i in range(len(below))]
    missing = next((key for key in wanted if key not in below), None)
    if missing is not None:
        raise FieldError(
            None, f"arrays {quote(place + '.N')}: number {missing} is missing, of {len(below)}"
        )
    return [below[key] for key in wanted]
