"""Decoded parameter files: nested mappings of fields, validated and turned into a model.

See :mod:`numeric.parameters` for the fields. Standard library only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from numeric.errors import FieldError, within
from numeric.exact import Vector
from numeric.fields import (
    closest,
    expect_shape,
    read_covariance,
    read_list,
    read_matrix,
    read_positive,
    read_scale_squared,
    read_vector,
    reject_unknown,
)
from numeric.matrices import ExactMatrix
from numeric.model import MASKS, Head, Layer, Model, Position
from numeric.rationals import describe, quote

VARIANTS = ("softmax", "l2", "sinkhorn", "sigmoid", "linear", "exponential")
"""The attention variants that a parameter file can name."""

HEAD_FIELDS = ("A", "Q", "K", "V", "W", "b_q", "b_k", "b_v", "scale")
LAYER_FIELDS = (*HEAD_FIELDS, "heads", "output_bias")
MODEL_FIELDS = (
    *("variant", *LAYER_FIELDS, "layers"),
    *("Sigma0", "alpha0", "mask", "positions", "comment"),
)
"""Every field that may stand at the top of a parameter file."""

Fields = Mapping[str, object]


def model_from_mapping(obj: object, *, source: str = "parameters") -> Model:
    """Validate a decoded parameter file.

    ``obj`` maps field names to numbers, strings, lists (or tuples, or arrays with a ``tolist``
    method) and, for heads, layers and positions, lists of such mappings. Raises
    :class:`numeric.errors.ParameterError`, whose text starts with ``source``.

    >>> head = {"A": [[-1]], "V": [[1]]}
    >>> model = model_from_mapping({"variant": "softmax", "heads": [head, head]})
    >>> model.dimension, len(model.layers[0].heads)
    (1, 2)
    >>> model_from_mapping({"variant": "softmax", "A": [[-1]], "V": [[1, 2]]})
    Traceback (most recent call last):
    ...
    numeric.errors.ParameterError: parameters: field V: not square: shape 1 x 2, expected d x d ...
    """
    try:
        return _model(obj, source)
    except FieldError as error:
        raise error.in_source(source) from None


def _model(obj: object, source: str) -> Model:
    fields = _mapping(obj, "a JSON object")
    if "weight_map" in fields:
        raise FieldError(
            "weight_map", "the index of a checkpoint in several files, expected one file"
        )
    if "time" in fields:
        raise FieldError("time", 'allowed only inside "layers"')
    reject_unknown(fields, MODEL_FIELDS)
    variant = _variant(fields)
    comment = fields.get("comment")
    if comment is not None and not isinstance(comment, str):
        raise FieldError("comment", f"expected a string, got {describe(comment)}")
    layers = _layers(fields, variant)
    d = layers[0].heads[0].dimension
    mask = _mask(fields)
    return Model(
        variant=variant,
        layers=layers,
        alpha0=(
            read_vector(fields["alpha0"], "alpha0", d, "d = columns of V")
            if "alpha0" in fields
            else (Fraction(0),) * d
        ),
        Sigma0=read_covariance(fields["Sigma0"], d) if "Sigma0" in fields else None,
        mask=mask,
        positions=_positions(fields["positions"], d) if "positions" in fields else None,
        comment=comment,
        source=source,
    )


def _mapping(obj: object, expected: str) -> Fields:
    if not isinstance(obj, Mapping):
        raise FieldError(None, f"expected {expected}, got {describe(obj)}")
    return obj


def _variant(fields: Fields) -> str:
    expected = "expected one of " + ", ".join(VARIANTS)
    if "variant" not in fields:
        raise FieldError("variant", f"missing, {expected}")
    variant = fields["variant"]
    if not isinstance(variant, str):
        raise FieldError("variant", f"{expected}, got {describe(variant)}")
    if variant not in VARIANTS:
        hint = closest(variant.lower(), VARIANTS)
        raise FieldError("variant", f"unknown variant {quote(variant)}{hint}; {expected}")
    return variant


def _mask(fields: Fields) -> str | None:
    if "mask" not in fields:
        if "positions" in fields:
            raise FieldError("positions", 'allowed only with "mask": "causal"')
        return None
    mask = fields["mask"]
    if not isinstance(mask, str) or mask not in MASKS:
        raise FieldError("mask", f'expected "causal", got {describe(mask)}')
    for name in ("Sigma0", "alpha0"):
        if name in fields:
            raise FieldError(
                name, "not allowed with a mask, which takes Sigma and alpha of every position"
            )
    return mask


def _positions(value: object, d: int) -> tuple[Position, ...]:
    result = []
    for i, item in enumerate(_non_empty(value, "positions")):
        with within(f"positions[{i}]"):
            fields = _mapping(item, "an object with mass, alpha and Sigma")
            reject_unknown(fields, ("mass", "alpha", "Sigma"))
            for name in ("mass", "alpha", "Sigma"):
                if name not in fields:
                    raise FieldError(name, "missing, expected mass, alpha and Sigma")
            mass = read_positive(fields["mass"], "mass")
            alpha = read_vector(fields["alpha"], "alpha", d, "d = columns of V")
            result.append(Position(mass, alpha, read_covariance(fields["Sigma"], d, "Sigma")))
    return tuple(result)


def _layers(fields: Fields, variant: str) -> tuple[Layer, ...]:
    if "layers" not in fields:
        return (_layer(fields, variant, None, fields.get("scale")),)
    _refuse_beside(fields, "layers", (name for name in LAYER_FIELDS if name != "scale"))
    listed = _non_empty(fields["layers"], "layers")
    layers: list[Layer] = []
    for i, item in enumerate(listed):
        with within(f"layers[{i}]"):
            one = _mapping(item, "an object with the fields of a layer")
            reject_unknown(one, (*LAYER_FIELDS, "time"))
            d = layers[0].heads[0].dimension if layers else None
            layer = _layer(one, variant, d, one.get("scale", fields.get("scale")))
            time = _time(one.get("time", 1), last=i + 1 == len(listed))
            layers.append(replace(layer, time=time, index=i))
    return tuple(layers)


def _time(value: object, *, last: bool) -> Fraction | None:
    if isinstance(value, str) and value.strip() == "inf":
        if not last:
            raise FieldError("time", '"inf" is for the last layer only')
        return None
    return read_positive(value, "time", ', or "inf"')


def _layer(fields: Fields, variant: str, d: int | None, scale: object | None) -> Layer:
    """Read a layer of dimension ``d``, if known; ``scale`` is for heads that have none."""
    if "heads" in fields:
        _refuse_beside(fields, "heads", (name for name in HEAD_FIELDS if name != "scale"))
        heads: list[Head] = []
        for i, item in enumerate(_non_empty(fields["heads"], "heads")):
            with within(f"heads[{i}]"):
                one = _mapping(item, "an object with the fields of a head")
                reject_unknown(one, HEAD_FIELDS)
                head = _head(one, variant, d, one.get("scale", scale))
                d = head.dimension
                heads.append(replace(head, index=i))
    else:
        heads = [_head(fields, variant, d, scale)]
        d = heads[0].dimension
    assert d is not None
    bias = None
    if "output_bias" in fields:
        bias = read_vector(fields["output_bias"], "output_bias", d, "d = columns of V")
    return Layer(tuple(heads), output_bias=bias)


def _head(fields: Fields, variant: str, dimension: int | None, scale: object | None) -> Head:
    value, left = _value_factors(fields, dimension)
    attention, query, key = _score_matrices(fields, variant, value.columns)
    if attention is not None and scale is not None:
        raise FieldError("scale", "not allowed with A, which is used as it is")
    if query is None and ("b_q" in fields or "b_k" in fields):
        name = "b_q" if "b_q" in fields else "b_k"
        raise FieldError(name, "a query or key bias needs Q and K, but A is given")
    k = 0 if query is None else query.rows

    def bias(name: str, length: int, meaning: str) -> Vector | None:
        return read_vector(fields[name], name, length, meaning) if name in fields else None

    return Head(
        V=value,
        W=left,
        A=attention,
        Q=query,
        K=key,
        b_q=bias("b_q", k, "k = rows of Q"),
        b_k=bias("b_k", k, "k = rows of K"),
        b_v=bias("b_v", value.rows, "rows of V"),
        scale_squared=(
            Fraction(1) if scale is None else read_scale_squared(scale, k, value.columns)
        ),
    )


def _value_factors(fields: Fields, dimension: int | None) -> tuple[ExactMatrix, ExactMatrix | None]:
    """Return V and W, of shapes d x d and None or r x d and d x r."""
    if "V" not in fields:
        raise FieldError("V", "missing, expected the value matrix, d x d")
    value = read_matrix(fields["V"], "V")
    rows, d = value.shape
    if dimension is not None and d != dimension:
        raise FieldError(
            "V", f"wrong shape {rows} x {d}, expected {dimension} columns, as the heads before"
        )
    if "W" not in fields:
        if rows != d:
            raise FieldError(
                "V", f"not square: shape {rows} x {d}, expected d x d (or r x d with W, d x r)"
            )
        return value, None
    if rows > d:
        raise FieldError("V", f"shape {rows} x {d}, expected at most {d} rows beside W")
    left = read_matrix(fields["W"], "W")
    expect_shape(left, "W", (d, rows), f"as V is {rows} x {d}")
    return value, left


def _score_matrices(
    fields: Fields, variant: str, d: int
) -> tuple[ExactMatrix | None, ExactMatrix | None, ExactMatrix | None]:
    """Return A, Q and K, of which either A or both Q and K are given."""
    if "A" in fields:
        if variant == "l2":
            raise FieldError("A", "not for l2 attention, expected Q and K")
        for name in ("Q", "K"):
            if name in fields:
                raise FieldError("A", f"given together with {name}, expected A or both Q and K")
        attention = read_matrix(fields["A"], "A")
        expect_shape(attention, "A", (d, d), f"as V has {d} columns")
        return attention, None, None
    instead = "" if variant == "l2" else " (or A in place of both)"
    for name, other in (("Q", "K"), ("K", "Q")):
        if name not in fields:
            given = f"but {other} is given, " if other in fields else ""
            raise FieldError(name, f"missing, {given}expected Q and K, k x d{instead}")
    query, key = read_matrix(fields["Q"], "Q"), read_matrix(fields["K"], "K")
    k = query.rows
    expect_shape(query, "Q", (k, d), f"as V has {d} columns")
    expect_shape(key, "K", (k, d), f"as Q is {k} x {d}")
    if k > d:
        raise FieldError("Q", f"shape {k} x {d}, expected at most d = {d} rows (k <= d)")
    return None, query, key


def _non_empty(value: object, name: str) -> Sequence[object]:
    listed = read_list(value, name)
    if not listed:
        raise FieldError(name, f"empty, expected at least one of the {name}")
    return listed


def _refuse_beside(fields: Fields, name: str, others: Iterable[str]) -> None:
    for other in others:
        if other in fields:
            raise FieldError(
                other, f"given together with {name}, expected inside each of the {name}"
            )
