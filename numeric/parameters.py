"""Parameter files: one attention head, read exactly.

A parameter file is a JSON object

    {"variant": "softmax", "Q": k x d, "K": k x d, "V": d x d, "scale": "1/sqrt(d)",
     "b_q": k, "b_k": k, "b_v": d, "Sigma0": d x d, "alpha0": d, "comment": "..."}

with ``"A"`` (d x d) allowed in place of Q and K, and a low-rank value matrix W V allowed as
``"V"`` (r x d) with ``"W"`` (d x r). Scores are <Qx + b_q, Ky + b_k> and values are
W (V y + b_v), in the notation of Castin, Ablin, Carrillo and Peyré, arXiv:2501.18322, with
A = scale K^T Q. For l2 attention, whose kernel is exp(-|scale Qx - Ky|^2), the scale multiplies Q
only.

Every number is kept as an exact rational. All numbers are dimensionless. Standard library only.
"""

import difflib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from numeric.exact import (
    Matrix,
    Vector,
    apply,
    multiply,
    negative_direction,
    quadratic_form,
    square_root,
    transpose,
)
from numeric.rationals import (
    RationalError,
    describe,
    json_constant,
    json_float,
    json_integer,
    quote,
    to_fraction,
)

VARIANTS = ("softmax", "l2", "sinkhorn", "sigmoid", "linear", "exponential")
"""The attention variants that a parameter file can name."""

MAX_BYTES = 64 * 2**20
"""Largest JSON file read, in bytes."""

MAX_DIMENSION = 128
"""Largest token dimension d: exact elimination in pure Python takes seconds there."""

_FIELDS = (
    *("variant", "A", "Q", "K", "V", "W", "b_q", "b_k", "b_v"),
    *("Sigma0", "alpha0", "scale", "comment"),
)
_SEVERAL_HEADS_FIELDS = ("heads", "layers", "mask", "positions")


class ParameterError(ValueError):
    """A parameter file cannot be used; ``str()`` is one line naming file, field and fault."""


class _FieldError(Exception):
    """A fault in one field (or in the whole file, when the field is None)."""

    def __init__(self, name: str | None, message: str) -> None:
        self.name = name
        self.message = message

    def in_source(self, source: str) -> ParameterError:
        place = "" if self.name is None else f"field {self.name}: "
        return ParameterError(f"{_one_line(source)}: {place}{self.message}")


@dataclass(frozen=True)
class Parameters:
    """The parameters of one attention head, exact.

    Build one with :func:`load` or :func:`from_mapping`, which validate. Matrices are tuples of
    rows of fractions. ``comment`` and ``source`` (where the parameters were read) do not count
    in comparisons.

    Attributes:
        variant: one of :data:`VARIANTS`.
        V: value matrix, d x d, or its r x d factor when ``W`` is given.
        W: left factor of the value matrix, d x r, or None.
        A: attention matrix, d x d, when it was given in place of Q and K.
        Q, K: query and key matrices, k x d, or None when A was given.
        b_q, b_k: query and key biases, length k, or None.
        b_v: value bias, as long as V has rows, or None.
        Sigma0: covariance at time 0, d x d symmetric positive semidefinite, or None when every
            positive definite one is meant.
        alpha0: mean at time 0, length d.
        scale_squared: square of the scale s > 0 of the scores.
    """

    variant: str
    V: Matrix
    alpha0: Vector
    W: Matrix | None = None
    A: Matrix | None = None
    Q: Matrix | None = None
    K: Matrix | None = None
    b_q: Vector | None = None
    b_k: Vector | None = None
    b_v: Vector | None = None
    Sigma0: Matrix | None = None
    scale_squared: Fraction = Fraction(1)
    comment: str | None = field(default=None, compare=False)
    source: str = field(default="parameters", compare=False)

    @property
    def dimension(self) -> int:
        """Token dimension d."""
        return len(self.V[0])

    @property
    def head_dimension(self) -> int | None:
        """Number k of rows of Q and K, None when A was given."""
        return None if self.Q is None else len(self.Q)

    @cached_property
    def value_matrix(self) -> Matrix:
        """The d x d matrix applied to tokens: V, or W V when W is given."""
        return self.V if self.W is None else multiply(self.W, self.V)

    @cached_property
    def value_bias(self) -> Vector:
        """The vector of length d added to values: b_v, or W b_v when W is given, or zero."""
        if self.b_v is None:
            return (Fraction(0),) * self.dimension
        return self.b_v if self.W is None else apply(self.W, self.b_v)

    @cached_property
    def A_unscaled(self) -> Matrix:
        """The d x d matrix K^T Q, or A as given: the attention matrix is ``scale`` times it."""
        if self.A is not None:
            return self.A
        if self.Q is None or self.K is None:
            raise ValueError("parameters without A, Q and K")
        return multiply(transpose(self.K), self.Q)

    @cached_property
    def tilt_unscaled(self) -> Vector:
        """The vector K^T b_q of length d: scores are y . scale (A_unscaled x + tilt) + f(x)."""
        if self.b_q is None or self.K is None:
            return (Fraction(0),) * self.dimension
        return apply(transpose(self.K), self.b_q)

    @property
    def scale(self) -> Fraction | None:
        """The scale s when it is rational, else None (``scale_squared`` is always exact)."""
        return square_root(self.scale_squared)

    @property
    def has_bias(self) -> bool:
        """Whether some bias is given and not zero."""
        return any(any(bias) for bias in (self.b_q, self.b_k, self.b_v) if bias is not None)

    def to_json(self) -> dict[str, object]:
        """Return the normal form: a JSON object, rationals as strings, absent fields left out.

        ``from_mapping(parameters.to_json())`` equals ``parameters``.
        """
        result: dict[str, object] = {"variant": self.variant}
        for name in ("A", "Q", "K", "V", "W", "Sigma0"):
            matrix = getattr(self, name)
            if matrix is not None:
                result[name] = [[str(value) for value in row] for row in matrix]
        for name in ("b_q", "b_k", "b_v", "alpha0"):
            vector = getattr(self, name)
            if vector is not None:
                result[name] = [str(value) for value in vector]
        if self.A is None:
            result["scale"] = str(self.scale or f"sqrt({self.scale_squared})")
        if self.comment is not None:
            result["comment"] = self.comment
        return result


def load(path: str | os.PathLike[str]) -> Parameters:
    """Read a parameter file.

    Raises :class:`ParameterError` when the file cannot be read or is not a valid parameter file.
    """
    return parse(_read(path), source=os.fspath(path))


def parse(data: bytes, *, source: str) -> Parameters:
    """Read the bytes of a parameter file; ``source`` names it in errors."""
    return from_mapping(_decode(data, source), source=source)


def from_mapping(obj: object, *, source: str = "parameters") -> Parameters:
    """Validate a decoded parameter file.

    ``obj`` maps field names to numbers, strings, lists (or tuples, or arrays with a ``tolist``
    method). Raises :class:`ParameterError`, whose text starts with ``source``.
    """
    try:
        return _build(obj, source)
    except _FieldError as error:
        raise error.in_source(source) from None


def load_sigma0(path: str | os.PathLike[str], *, dimension: int | None = None) -> Matrix:
    """Read a covariance from a JSON file that holds a d x d matrix or an object with "Sigma0".

    Raises :class:`ParameterError` when it is not a symmetric positive semidefinite matrix, or is
    not ``dimension`` x ``dimension`` when that is given.
    """
    source = os.fspath(path)
    obj = _decode(_read(path), source)
    try:
        if isinstance(obj, dict):
            _reject_unknown(obj, (*_FIELDS, *_SEVERAL_HEADS_FIELDS))
            if "Sigma0" not in obj:
                raise _FieldError("Sigma0", "missing, expected a symmetric matrix")
            obj = obj["Sigma0"]
        elif not isinstance(obj, list):
            expected = 'expected a matrix or an object with "Sigma0"'
            raise _FieldError(None, f"{expected}, got {describe(obj)}")
        return _covariance(obj, dimension)
    except _FieldError as error:
        raise error.in_source(source) from None


def _build(obj: object, source: str) -> Parameters:
    if not isinstance(obj, Mapping):
        raise _FieldError(None, f"expected a JSON object, got {describe(obj)}")
    for name in _SEVERAL_HEADS_FIELDS:
        if name in obj:
            raise _FieldError(
                name, "not supported: this version reads one head and one layer, without a mask"
            )
    _reject_unknown(obj, _FIELDS)
    variant = _variant(obj)
    comment = obj.get("comment")
    if comment is not None and not isinstance(comment, str):
        raise _FieldError("comment", f"expected a string, got {describe(comment)}")

    value, left = _value_factors(obj)
    d = len(value[0])
    attention, query, key = _score_matrices(obj, variant, d)
    if query is None and ("b_q" in obj or "b_k" in obj):
        name = "b_q" if "b_q" in obj else "b_k"
        raise _FieldError(name, "a query or key bias needs Q and K, but A is given")
    k = 0 if query is None else len(query)
    return Parameters(
        variant=variant,
        V=value,
        W=left,
        A=attention,
        Q=query,
        K=key,
        b_q=_vector(obj["b_q"], "b_q", k, "k = rows of Q") if "b_q" in obj else None,
        b_k=_vector(obj["b_k"], "b_k", k, "k = rows of K") if "b_k" in obj else None,
        b_v=_vector(obj["b_v"], "b_v", len(value), "rows of V") if "b_v" in obj else None,
        Sigma0=_covariance(obj["Sigma0"], d) if "Sigma0" in obj else None,
        alpha0=(
            _vector(obj["alpha0"], "alpha0", d, "d = columns of V")
            if "alpha0" in obj
            else (Fraction(0),) * d
        ),
        scale_squared=_scale_squared(obj["scale"], k, d) if "scale" in obj else Fraction(1),
        comment=comment,
        source=source,
    )


def _variant(obj: Mapping[str, object]) -> str:
    expected = "expected one of " + ", ".join(VARIANTS)
    if "variant" not in obj:
        raise _FieldError("variant", f"missing, {expected}")
    variant = obj["variant"]
    if not isinstance(variant, str):
        raise _FieldError("variant", f"{expected}, got {describe(variant)}")
    if variant not in VARIANTS:
        hint = _closest(variant.lower(), VARIANTS)
        raise _FieldError("variant", f"unknown variant {quote(variant)}{hint}; {expected}")
    return variant


def _value_factors(obj: Mapping[str, object]) -> tuple[Matrix, Matrix | None]:
    """Return V and W, of shapes d x d and None or r x d and d x r."""
    if "V" not in obj:
        raise _FieldError("V", "missing, expected the value matrix, d x d")
    value = _matrix(obj["V"], "V")
    rows, d = _shape(value)
    if d > MAX_DIMENSION:
        raise _FieldError("V", f"dimension {d} is too large, at most {MAX_DIMENSION}")
    if "W" not in obj:
        if rows != d:
            raise _FieldError(
                "V", f"not square: shape {rows} x {d}, expected d x d (or r x d with W, d x r)"
            )
        return value, None
    if rows > d:
        raise _FieldError("V", f"shape {rows} x {d}, expected at most {d} rows beside W")
    left = _matrix(obj["W"], "W")
    _expect_shape(left, "W", (d, rows), f"as V is {rows} x {d}")
    return value, left


def _score_matrices(
    obj: Mapping[str, object], variant: str, d: int
) -> tuple[Matrix | None, Matrix | None, Matrix | None]:
    """Return A, Q and K, of which either A or both Q and K are given."""
    if "A" in obj:
        if variant == "l2":
            raise _FieldError("A", "not for l2 attention, expected Q and K")
        for name in ("Q", "K"):
            if name in obj:
                raise _FieldError("A", f"given together with {name}, expected A or both Q and K")
        if "scale" in obj:
            raise _FieldError("scale", "not allowed with A, which is used as it is")
        attention = _matrix(obj["A"], "A")
        _expect_shape(attention, "A", (d, d), f"as V has {d} columns")
        return attention, None, None
    instead = "" if variant == "l2" else " (or A in place of both)"
    for name, other in (("Q", "K"), ("K", "Q")):
        if name not in obj:
            given = f"but {other} is given, " if other in obj else ""
            raise _FieldError(name, f"missing, {given}expected Q and K, k x d{instead}")
    query, key = _matrix(obj["Q"], "Q"), _matrix(obj["K"], "K")
    k = len(query)
    _expect_shape(query, "Q", (k, d), f"as V has {d} columns")
    _expect_shape(key, "K", (k, d), f"as Q is {k} x {d}")
    if k > d:
        raise _FieldError("Q", f"shape {k} x {d}, expected at most d = {d} rows (k <= d)")
    return None, query, key


def _scale_squared(value: object, k: int, d: int) -> Fraction:
    """Return the square of a scale given as a rational or as a root."""
    if isinstance(value, str):
        text = re.sub(r"\s", "", value)
        if text == "1/sqrt(k)":
            return Fraction(1, k)
        if text == "1/sqrt(d)":
            return Fraction(1, d)
        if root := re.fullmatch(r"(1/)?sqrt\((.*)\)", text):
            square = _positive(root.group(2))
            return 1 / square if root.group(1) else square
    return _positive(value) ** 2


def _positive(value: object) -> Fraction:
    try:
        number = to_fraction(value)
    except RationalError as error:
        raise _FieldError("scale", f'{error}, or "1/sqrt(k)" or "1/sqrt(d)"') from None
    if number <= 0:
        sign = "zero" if number == 0 else "negative"
        raise _FieldError("scale", f"{sign}, expected a positive number")
    return number


def _covariance(value: object, dimension: int | None) -> Matrix:
    """Read Sigma0, of shape d x d, symmetric and positive semidefinite."""
    name = "Sigma0"
    matrix = _matrix(value, name)
    rows, columns = _shape(matrix)
    if dimension is not None:
        _expect_shape(matrix, name, (dimension, dimension), f"as d is {dimension}")
    elif rows != columns:
        raise _FieldError(name, f"not square: shape {rows} x {columns}, expected d x d")
    elif rows > MAX_DIMENSION:
        raise _FieldError(name, f"dimension {rows} is too large, at most {MAX_DIMENSION}")
    for i in range(rows):
        for j in range(i):
            if matrix[i][j] != matrix[j][i]:
                raise _FieldError(
                    name,
                    f"not symmetric: row {j + 1}, column {i + 1} is {_short(matrix[j][i])} but "
                    f"row {i + 1}, column {j + 1} is {_short(matrix[i][j])}",
                )
    witness = negative_direction(matrix)
    if witness is not None:
        form = quadratic_form(matrix, witness)
        vector = ", ".join(str(entry) for entry in witness)
        raise _FieldError(
            name,
            f"not positive semidefinite: u = ({vector}) gives u^T Sigma0 u = {_short(form)} < 0",
        )
    return matrix


def _matrix(value: object, name: str) -> Matrix:
    listed = _as_list(value)
    if listed is None:
        raise _FieldError(name, f"expected a matrix (a list of rows), got {describe(value)}")
    if not listed:
        raise _FieldError(name, "empty, expected a matrix with at least one row")
    rows: list[Vector] = []
    for i, row in enumerate(listed, start=1):
        entries = _as_list(row)
        if entries is None:
            raise _FieldError(name, f"row {i}: expected a list of numbers, got {describe(row)}")
        if not entries:
            raise _FieldError(name, f"row {i} is empty, expected at least one number")
        if rows and len(entries) != len(rows[0]):
            raise _FieldError(
                name,
                f"not rectangular: row 1 has {_entries(len(rows[0]))}, row {i} has {len(entries)}",
            )
        rows.append(
            tuple(_entry(entry, name, f"row {i}, column {j}") for j, entry in enumerate(entries, 1))
        )
    return tuple(rows)


def _vector(value: object, name: str, length: int, meaning: str) -> Vector:
    entries = _as_list(value)
    if entries is None:
        raise _FieldError(name, f"expected a list of numbers, got {describe(value)}")
    if len(entries) != length:
        raise _FieldError(
            name, f"has {_entries(len(entries))}, expected {length} (as many as {meaning})"
        )
    return tuple(_entry(entry, name, f"entry {i}") for i, entry in enumerate(entries, start=1))


def _entry(value: object, name: str, place: str) -> Fraction:
    try:
        return to_fraction(value)
    except RationalError as error:
        raise _FieldError(name, f"{place}: {error}") from None


def _as_list(value: object) -> Sequence[object] | None:
    """Return a list, tuple or array as a sequence, None for anything else."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return value if isinstance(value, (list, tuple)) else None


def _shape(matrix: Matrix) -> tuple[int, int]:
    return len(matrix), len(matrix[0])


def _expect_shape(matrix: Matrix, name: str, expected: tuple[int, int], reason: str) -> None:
    shape = _shape(matrix)
    if shape != expected:
        raise _FieldError(
            name,
            f"wrong shape {shape[0]} x {shape[1]}, "
            f"expected {expected[0]} x {expected[1]} ({reason})",
        )


def _reject_unknown(obj: Mapping[str, object], known: tuple[str, ...]) -> None:
    for name in obj:
        if name not in known:
            hint = _closest(str(name), known)
            listed = ", ".join(known)
            raise _FieldError(None, f"unknown field {quote(str(name))}{hint}; known: {listed}")


def _closest(name: str, candidates: tuple[str, ...]) -> str:
    """Return ", did you mean X?" for the candidate that looks most like ``name``, or ""."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return f", did you mean {quote(by_lower[close[0]])}?" if close else ""


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _short(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"about {float(value)!r}"


def _one_line(text: str) -> str:
    """Escape what could break a line or an output encoding, such as odd file names."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "replace").decode()
        for char in text
    )


def _read(path: str | os.PathLike[str]) -> bytes:
    source = os.fspath(path)
    too_large = _FieldError(None, f"larger than {MAX_BYTES // 2**20} MiB, the limit for JSON")
    try:
        if Path(path).is_file() and os.path.getsize(path) > MAX_BYTES:
            raise too_large.in_source(source)
        with open(path, "rb") as stream:
            # Pipes and devices do not tell their size.
            data = stream.read(MAX_BYTES + 1)
    except ParameterError:
        raise
    except FileNotFoundError:
        raise _FieldError(None, "no such file").in_source(source) from None
    except IsADirectoryError:
        raise _FieldError(None, "a directory, expected a JSON file").in_source(source) from None
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        raise _FieldError(None, reason).in_source(source) from None
    except ValueError:
        raise _FieldError(None, "not a valid file name").in_source(source) from None
    if len(data) > MAX_BYTES:
        raise too_large.in_source(source)
    return data


def _decode(data: bytes, source: str) -> object:
    """Decode JSON text, keeping numbers exact; raises :class:`ParameterError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 text at byte {error.start + 1}, expected JSON"
        raise _FieldError(None, reason).in_source(source) from None
    if not text.strip():
        raise _FieldError(None, "empty file, expected a JSON object").in_source(source)
    try:
        decoded: object = json.loads(
            text,
            parse_int=json_integer,
            parse_float=json_float,
            parse_constant=json_constant,
            object_pairs_hook=_unique_keys,
        )
    except _FieldError as error:
        raise error.in_source(source) from None
    except json.JSONDecodeError as error:
        truncated = "the text ends too early" if error.pos >= len(text.rstrip()) else error.msg
        reason = f"not valid JSON at line {error.lineno}, column {error.colno}: {truncated}"
        raise _FieldError(None, reason).in_source(source) from None
    except RecursionError:
        raise _FieldError(None, "nested too deeply").in_source(source) from None
    return decoded


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            # The decoder would silently keep the last one.
            raise _FieldError(None, f"field {quote(key)} appears twice")
        result[key] = value
    return result
