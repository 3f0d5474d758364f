"""Attention models: several heads a layer, several layers in sequence, exact.

The velocity of a token x in a layer is the sum over its heads h of W_h (V_h m_h(x) + b_v,h), with
m_h(x) the mean of the tokens y under the attention of the head, plus ``output_bias``:

    x' = sum_h W_h (V_h m_h(x) + b_v,h) + output_bias.

So the sum over heads is exact, and no head carries a share of ``output_bias``. The layers follow
one another: the velocity is that of layer 0 for its time, then that of layer 1, and so on.

All numbers are dimensionless. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from numeric.errors import FieldError
from numeric.exact import Vector, square_root
from numeric.matrices import ExactMatrix

MASKS = ("causal",)
"""The masks that a parameter file can name."""


@dataclass(frozen=True)
class Head:
    """The weights of one attention head.

    Attributes:
        V: value matrix, d x d, or its r x d factor when ``W`` is given.
        W: left factor of the value matrix, d x r, or None.
        A: attention matrix, d x d, when it was given in place of Q and K.
        Q, K: query and key matrices, k x d, or None when A was given.
        b_q, b_k: query and key biases, length k, or None.
        b_v: value bias, as long as V has rows, or None.
        scale_squared: square of the scale s > 0 of the scores.
        index: place in the layer of the file, from 0; does not count in comparisons.
    """

    V: ExactMatrix
    W: ExactMatrix | None = None
    A: ExactMatrix | None = None
    Q: ExactMatrix | None = None
    K: ExactMatrix | None = None
    b_q: Vector | None = None
    b_k: Vector | None = None
    b_v: Vector | None = None
    scale_squared: Fraction = Fraction(1)
    index: int = field(default=0, compare=False)

    @property
    def dimension(self) -> int:
        """Token dimension d."""
        return self.V.columns

    @property
    def head_dimension(self) -> int | None:
        """Number k of rows of Q and K, None when A was given."""
        return None if self.Q is None else self.Q.rows

    @property
    def scale(self) -> Fraction | None:
        """The scale s when it is rational, else None (``scale_squared`` is always exact)."""
        return square_root(self.scale_squared)

    @property
    def has_bias(self) -> bool:
        """Whether some bias is given and not zero."""
        return any(any(bias) for bias in (self.b_q, self.b_k, self.b_v) if bias is not None)

    def to_json(self) -> dict[str, object]:
        """Return the fields of a parameter file, absent ones left out."""
        result: dict[str, object] = {}
        for name in ("A", "Q", "K", "V", "W"):
            matrix = getattr(self, name)
            if matrix is not None:
                result[name] = matrix.to_json()
        for name in ("b_q", "b_k", "b_v"):
            if getattr(self, name) is not None:
                result[name] = _strings(getattr(self, name))
        if self.A is None:
            result["scale"] = str(self.scale or f"sqrt({self.scale_squared})")
        return result


@dataclass(frozen=True)
class Layer:
    """Heads that act together for some time.

    Attributes:
        heads: at least one, of the same dimension d.
        time: how long the layer acts, > 0, or None for ever (the last layer only).
        output_bias: added to the sum over the heads, once: length d, or None.
        index: place in the file, from 0; does not count in comparisons.
    """

    heads: tuple[Head, ...]
    time: Fraction | None = None
    output_bias: Vector | None = None
    index: int = field(default=0, compare=False)

    @property
    def has_bias(self) -> bool:
        """Whether some bias of a head or of the output is given and not zero."""
        return any(self.output_bias or ()) or any(head.has_bias for head in self.heads)

    def to_json(self) -> dict[str, object]:
        """Return the fields of a parameter file, without the time."""
        if len(self.heads) == 1:
            result = self.heads[0].to_json()
        else:
            result = {"heads": [head.to_json() for head in self.heads]}
        if self.output_bias is not None:
            result["output_bias"] = _strings(self.output_bias)
        return result


@dataclass(frozen=True)
class Position:
    """The tokens at one position of a masked model, at time 0.

    Attributes:
        mass: share of the tokens, > 0. Only ratios matter, so that they need not sum to 1.
        alpha: mean, length d.
        Sigma: covariance, d x d symmetric positive semidefinite.
    """

    mass: Fraction
    alpha: Vector
    Sigma: ExactMatrix

    def to_json(self) -> dict[str, object]:
        """Return the fields of a parameter file."""
        return {
            "mass": str(self.mass),
            "alpha": _strings(self.alpha),
            "Sigma": self.Sigma.to_json(),
        }


@dataclass(frozen=True)
class Model:
    """Layers of attention heads and the initial data; ``comment`` and ``source`` do not compare.

    Build one with :func:`numeric.loading.load_model` or, from decoded fields,
    :func:`numeric.mappings.model_from_mapping`; both validate.

    Attributes:
        variant: one of :data:`numeric.mappings.VARIANTS`, for all heads.
        layers: at least one, of the same dimension d, in the order in which they act.
        alpha0: mean at time 0, length d (zero when positions are given).
        Sigma0: covariance at time 0, d x d symmetric positive semidefinite, or None when every
            positive definite one is meant.
        mask: one of :data:`MASKS`, or None: every token sees every token.
        positions: with a mask, the tokens at time 0 in their order, or None: any.
        source: where the model was read.

    >>> from numeric import examples
    >>> stack = examples.load("softmax-two-layers")
    >>> stack.dimension, [layer.time for layer in stack.layers]
    (2, [Fraction(1, 2), Fraction(1, 1)])
    """

    variant: str
    layers: tuple[Layer, ...]
    alpha0: Vector
    Sigma0: ExactMatrix | None = None
    mask: str | None = None
    positions: tuple[Position, ...] | None = None
    comment: str | None = field(default=None, compare=False)
    source: str = field(default="parameters", compare=False)

    @property
    def dimension(self) -> int:
        """Token dimension d."""
        return self.layers[0].heads[0].dimension

    @property
    def has_bias(self) -> bool:
        """Whether some bias is given and not zero."""
        return any(layer.has_bias for layer in self.layers)

    def select(self, *, layer: int | None = None, head: int | None = None) -> Model:
        """Return the model with one layer only, one head of every layer only, or both.

        Numbers count from 0, as tensor names do. A selected layer acts alone, hence for ever; a
        head selected by itself comes without ``output_bias``, which belongs to the layer as a
        whole. Raises
        :class:`numeric.errors.ParameterError` when there is no such layer or head.
        """
        try:
            layers = self.layers
            if layer is not None:
                check_number("layer", layer, len(layers))
                layers = (replace(layers[layer], time=None),)
            if head is not None:
                for one in layers:
                    check_number("head", head, len(one.heads))
                layers = tuple(
                    replace(
                        one,
                        heads=(one.heads[head],),
                        output_bias=one.output_bias if len(one.heads) == 1 else None,
                    )
                    for one in layers
                )
            return replace(self, layers=layers)
        except FieldError as error:
            raise error.in_source(self.source) from None

    def to_json(self) -> dict[str, object]:
        """Return the normal form: a JSON object, rationals as strings, absent fields left out.

        Large float matrices are ``{"float32": base64, "shape": [m, n]}``.
        ``model_from_mapping(model.to_json())`` equals ``model``.
        """
        result: dict[str, object] = {"variant": self.variant}
        if len(self.layers) == 1 and self.layers[0].time is None:
            result |= self.layers[0].to_json()
        else:
            result["layers"] = [
                layer.to_json() | {"time": "inf" if layer.time is None else str(layer.time)}
                for layer in self.layers
            ]
        if self.mask is not None:
            result["mask"] = self.mask
        if self.positions is not None:
            result["positions"] = [position.to_json() for position in self.positions]
        else:
            if self.Sigma0 is not None:
                result["Sigma0"] = self.Sigma0.to_json()
            if self.mask is None:
                result["alpha0"] = _strings(self.alpha0)
        if self.comment is not None:
            result["comment"] = self.comment
        return result


def check_number(what: str, number: int, count: int) -> None:
    """Refuse the number of a layer or head that is not one of 0 to ``count`` - 1."""
    if type(number) is not int or not 0 <= number < count:
        known = f"{what} 0 only" if count == 1 else f"{what}s 0 to {count - 1}"
        raise FieldError(None, f"no {what} {number!r}, expected {known}")


def _strings(vector: Vector) -> list[str]:
    return [str(value) for value in vector]
