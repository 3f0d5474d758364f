"""Parameters of one attention head, exact, and the fields of parameter files.

A parameter file is a JSON object

    {"variant": "softmax", "Q": k x d, "K": k x d, "V": d x d, "scale": "1/sqrt(d)",
     "b_q": k, "b_k": k, "b_v": d, "Sigma0": d x d, "alpha0": d, "comment": "..."}

with ``"A"`` (d x d) allowed in place of Q and K, and a low-rank value matrix W V allowed as
``"V"`` (r x d) with ``"W"`` (d x r). Scores are <Qx + b_q, Ky + b_k> and values are
W (V y + b_v), in the notation of Castin, Ablin, Carrillo and Peyré, arXiv:2501.18322, with
A = scale K^T Q. For l2 attention, whose kernel is exp(-|scale Qx - Ky|^2), the scale multiplies Q
only.

Several heads stand in ``"heads"``, each with the fields from A to scale, beside an optional
``"output_bias"`` (d) that the layer adds once. Several layers stand in ``"layers"``, each with
the fields of a head or of several, and a ``"time"``: 1 when left out, "inf" allowed for the last.
A model without ``"layers"`` acts for ever. A scale further out holds for the heads that have
none. A causal mask is ``"mask": "causal"`` with

    "positions": [{"mass": > 0, "alpha": d, "Sigma": d x d}, ...]

in place of Sigma0 and alpha0. Matrices may also be float weights in base64, see
:mod:`numeric.fields`. This module is for one head alone; :mod:`numeric.model` has the rest.

Every number is kept as an exact rational. All numbers are dimensionless. Standard library only.
"""

import os
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from numeric.errors import FieldError, ParameterError
from numeric.exact import Matrix, Vector, apply, multiply, square_root, transpose
from numeric.json_text import decode
from numeric.mappings import VARIANTS, model_from_mapping
from numeric.matrices import ExactMatrix
from numeric.model import Model

__all__ = [
    "VARIANTS",
    "ParameterError",
    "Parameters",
    "from_mapping",
    "load",
    "load_sigma0",
    "parse",
]

MAX_DIMENSION = 128
"""Largest token dimension d of a file of one head: its users do exact elimination on d x d."""


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

    >>> from numeric import examples
    >>> examples.load("softmax-clustering-rank-one").Sigma0[0]
    (Fraction(4, 1), Fraction(2, 1))
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

    @classmethod
    def from_model(cls, model: Model, *, layer: int = 0, head: int = 0) -> "Parameters":
        """Return one head of a model as if it were alone, for ever and without a mask.

        ``layer`` and ``head`` are places in ``model``, from 0. The initial data are those of the
        model; the time and the output bias of the layer do not count.
        """
        one = model.layers[layer].heads[head]

        def rows(matrix: ExactMatrix | None) -> Matrix | None:
            return None if matrix is None else matrix.fractions()

        return cls(
            variant=model.variant,
            V=one.V.fractions(),
            alpha0=model.alpha0,
            W=rows(one.W),
            A=rows(one.A),
            Q=rows(one.Q),
            K=rows(one.K),
            b_q=one.b_q,
            b_k=one.b_k,
            b_v=one.b_v,
            Sigma0=rows(model.Sigma0),
            scale_squared=one.scale_squared,
            comment=model.comment,
            source=model.source,
        )

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
    """Read a parameter file of one head, of any type that :mod:`numeric.loading` reads.

    Raises :class:`ParameterError` when the file cannot be read, is not a valid parameter file, or
    holds more than one head of one layer.
    """
    from numeric.loading import load_model

    return _alone(load_model(path))


def parse(data: bytes, *, source: str) -> Parameters:
    """Read the bytes of a JSON parameter file; ``source`` names it in errors."""
    return from_mapping(decode(data, source), source=source)


def from_mapping(obj: object, *, source: str = "parameters") -> Parameters:
    """Validate ``obj``, a decoded parameter file of one head; see :func:`model_from_mapping`.

    The text of a :class:`numeric.errors.ParameterError` starts with ``source``.

    >>> from_mapping({"variant": "softmax", "A": [[0.1]], "V": [["1/3"]]}).V
    ((Fraction(1, 3),),)
    """
    return _alone(model_from_mapping(obj, source=source))


def load_sigma0(path: str | os.PathLike[str], *, dimension: int | None = None) -> Matrix:
    """Read a covariance; see :func:`numeric.loading.load_covariance`, which this is for rows."""
    from numeric.loading import load_covariance

    return load_covariance(path, dimension=dimension).fractions()


def _alone(model: Model) -> Parameters:
    """Return the only head of a model that has nothing else."""
    try:
        heads = [len(layer.heads) for layer in model.layers]
        if sum(heads) > 1:
            parts = f"{len(heads)} layers" if len(heads) > 1 else f"{heads[0]} heads"
            raise FieldError(
                None, f"has {parts}, expected one head of one layer: choose a layer and a head"
            )
        layer = model.layers[0]
        if model.mask is not None:
            raise FieldError("mask", "not supported here, expected a model without a mask")
        if layer.time is not None:
            raise FieldError(
                "layers", 'the layer has a finite time, expected one layer of time "inf"'
            )
        if layer.output_bias is not None:
            raise FieldError("output_bias", "not supported here, expected b_v alone")
        if model.dimension > MAX_DIMENSION:
            raise FieldError(
                "V", f"dimension {model.dimension} is too large, at most {MAX_DIMENSION}"
            )
        return Parameters.from_model(model)
    except FieldError as error:
        raise error.in_source(model.source) from None
