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

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from numeric.errors import FieldError, ParameterError
from numeric.exact import Matrix, Vector, apply, multiply, square_root, transpose
from numeric.fields import (
    MAX_DIMENSION,
    closest,
    expect_shape,
    read_covariance,
    read_matrix,
    read_scale_squared,
    read_vector,
    reject_unknown,
    shape_of,
)
from numeric.json_text import decode, read_bytes
from numeric.rationals import describe, quote

__all__ = [
    "VARIANTS",
    "ParameterError",
    "Parameters",
    "from_mapping",
    "load",
    "load_sigma0",
    "parse",
]

VARIANTS = ("softmax", "l2", "sinkhorn", "sigmoid", "linear", "exponential")
"""The attention variants that a parameter file can name."""

_FIELDS = (
    *("variant", "A", "Q", "K", "V", "W", "b_q", "b_k", "b_v"),
    *("Sigma0", "alpha0", "scale", "comment"),
)
_SEVERAL_HEADS_FIELDS = ("heads", "layers", "mask", "positions")


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
    return parse(read_bytes(path), source=os.fspath(path))


def parse(data: bytes, *, source: str) -> Parameters:
    """Read the bytes of a parameter file; ``source`` names it in errors."""
    return from_mapping(decode(data, source), source=source)


def from_mapping(obj: object, *, source: str = "parameters") -> Parameters:
    """Validate a decoded parameter file.

    ``obj`` maps field names to numbers, strings, lists (or tuples, or arrays with a ``tolist``
    method). Raises :class:`ParameterError`, whose text starts with ``source``.
    """
    try:
        return _build(obj, source)
    except FieldError as error:
        raise error.in_source(source) from None


def load_sigma0(path: str | os.PathLike[str], *, dimension: int | None = None) -> Matrix:
    """Read a covariance from a JSON file that holds a d x d matrix or an object with "Sigma0".

    Raises :class:`ParameterError` when it is not a symmetric positive semidefinite matrix, or is
    not ``dimension`` x ``dimension`` when that is given.
    """
    source = os.fspath(path)
    obj = decode(read_bytes(path), source)
    try:
        if isinstance(obj, dict):
            reject_unknown(obj, (*_FIELDS, *_SEVERAL_HEADS_FIELDS))
            if "Sigma0" not in obj:
                raise FieldError("Sigma0", "missing, expected a symmetric matrix")
            obj = obj["Sigma0"]
        elif not isinstance(obj, list):
            expected = 'expected a matrix or an object with "Sigma0"'
            raise FieldError(None, f"{expected}, got {describe(obj)}")
        return read_covariance(obj, dimension)
    except FieldError as error:
        raise error.in_source(source) from None


def _build(obj: object, source: str) -> Parameters:
    if not isinstance(obj, Mapping):
        raise FieldError(None, f"expected a JSON object, got {describe(obj)}")
    for name in _SEVERAL_HEADS_FIELDS:
        if name in obj:
            raise FieldError(
                name, "not supported: this version reads one head and one layer, without a mask"
            )
    reject_unknown(obj, _FIELDS)
    variant = _variant(obj)
    comment = obj.get("comment")
    if comment is not None and not isinstance(comment, str):
        raise FieldError("comment", f"expected a string, got {describe(comment)}")

    value, left = _value_factors(obj)
    d = len(value[0])
    attention, query, key = _score_matrices(obj, variant, d)
    if query is None and ("b_q" in obj or "b_k" in obj):
        name = "b_q" if "b_q" in obj else "b_k"
        raise FieldError(name, "a query or key bias needs Q and K, but A is given")
    k = 0 if query is None else len(query)
    return Parameters(
        variant=variant,
        V=value,
        W=left,
        A=attention,
        Q=query,
        K=key,
        b_q=read_vector(obj["b_q"], "b_q", k, "k = rows of Q") if "b_q" in obj else None,
        b_k=read_vector(obj["b_k"], "b_k", k, "k = rows of K") if "b_k" in obj else None,
        b_v=read_vector(obj["b_v"], "b_v", len(value), "rows of V") if "b_v" in obj else None,
        Sigma0=read_covariance(obj["Sigma0"], d) if "Sigma0" in obj else None,
        alpha0=(
            read_vector(obj["alpha0"], "alpha0", d, "d = columns of V")
            if "alpha0" in obj
            else (Fraction(0),) * d
        ),
        scale_squared=read_scale_squared(obj["scale"], k, d) if "scale" in obj else Fraction(1),
        comment=comment,
        source=source,
    )


def _variant(obj: Mapping[str, object]) -> str:
    expected = "expected one of " + ", ".join(VARIANTS)
    if "variant" not in obj:
        raise FieldError("variant", f"missing, {expected}")
    variant = obj["variant"]
    if not isinstance(variant, str):
        raise FieldError("variant", f"{expected}, got {describe(variant)}")
    if variant not in VARIANTS:
        hint = closest(variant.lower(), VARIANTS)
        raise FieldError("variant", f"unknown variant {quote(variant)}{hint}; {expected}")
    return variant


def _value_factors(obj: Mapping[str, object]) -> tuple[Matrix, Matrix | None]:
    """Return V and W, of shapes d x d and None or r x d and d x r."""
    if "V" not in obj:
        raise FieldError("V", "missing, expected the value matrix, d x d")
    value = read_matrix(obj["V"], "V")
    rows, d = shape_of(value)
    if d > MAX_DIMENSION:
        raise FieldError("V", f"dimension {d} is too large, at most {MAX_DIMENSION}")
    if "W" not in obj:
        if rows != d:
            raise FieldError(
                "V", f"not square: shape {rows} x {d}, expected d x d (or r x d with W, d x r)"
            )
        return value, None
    if rows > d:
        raise FieldError("V", f"shape {rows} x {d}, expected at most {d} rows beside W")
    left = read_matrix(obj["W"], "W")
    expect_shape(left, "W", (d, rows), f"as V is {rows} x {d}")
    return value, left


def _score_matrices(
    obj: Mapping[str, object], variant: str, d: int
) -> tuple[Matrix | None, Matrix | None, Matrix | None]:
    """Return A, Q and K, of which either A or both Q and K are given."""
    if "A" in obj:
        if variant == "l2":
            raise FieldError("A", "not for l2 attention, expected Q and K")
        for name in ("Q", "K"):
            if name in obj:
                raise FieldError("A", f"given together with {name}, expected A or both Q and K")
        if "scale" in obj:
            raise FieldError("scale", "not allowed with A, which is used as it is")
        attention = read_matrix(obj["A"], "A")
        expect_shape(attention, "A", (d, d), f"as V has {d} columns")
        return attention, None, None
    instead = "" if variant == "l2" else " (or A in place of both)"
    for name, other in (("Q", "K"), ("K", "Q")):
        if name not in obj:
            given = f"but {other} is given, " if other in obj else ""
            raise FieldError(name, f"missing, {given}expected Q and K, k x d{instead}")
    query, key = read_matrix(obj["Q"], "Q"), read_matrix(obj["K"], "K")
    k = len(query)
    expect_shape(query, "Q", (k, d), f"as V has {d} columns")
    expect_shape(key, "K", (k, d), f"as Q is {k} x {d}")
    if k > d:
        raise FieldError("Q", f"shape {k} x {d}, expected at most d = {d} rows (k <= d)")
    return None, query, key
