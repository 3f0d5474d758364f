"""Turning the tensors of a checkpoint into a model: heads are slices of the weights.

With weights as (output) x (input) matrices, head h of a layer of ``heads`` heads of dimension
k = d / heads has Q, K and V the rows h k to (h + 1) k of the query, key and value weights, k x d,
W the same columns of the output weight, d x k, and the biases likewise. The bias of the output
map is the ``output_bias`` of the layer.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numeric.checkpoints.config import Config, read_config
from numeric.checkpoints.layouts import Stack, find_stack, refuse_by_name
from numeric.errors import FieldError
from numeric.exact import Vector
from numeric.matrices import ExactMatrix
from numeric.model import Head, Layer, Model, check_number
from numeric.safetensors import READABLE, TensorFile, open_tensors, tensor_fault

MAX_WEIGHT_BYTES = 2**30
"""Most bytes of attention weights that are read at once."""

TIME = Fraction(1)
"""How long a layer acts: a residual connection is one step of length 1."""

Floats = NDArray[np.floating[Any]]


def load_checkpoint(
    path: str | os.PathLike[str],
    *,
    layer: int | None = None,
    head: int | None = None,
    heads: int | None = None,
) -> Model:
    """Read a checkpoint; see :func:`numeric.loading.load_model` for the arguments and errors."""
    with open_tensors(path) as tensors:
        names = tensors.entries
        refuse_by_name(names)
        stack = find_stack(names)
        if layer is not None:
            check_number("layer", layer, stack.count)
        numbers = range(stack.count) if layer is None else (layer,)
        config = read_config(os.fspath(path))
        d = _width(tensors, stack)
        _check_shapes(tensors, stack, d)
        count = _heads(config, heads, d, os.fspath(path))
        _check_size(tensors, stack, len(numbers))
        if head is not None:
            check_number("head", head, count)
        chosen = range(count) if head is None else (head,)
        time = TIME if layer is None else None
        layers = tuple(_layer(tensors, stack, n, count, chosen, config, time) for n in numbers)
    causal = stack.layout.causal or (config is not None and config.causal)
    return Model(
        variant="softmax",
        layers=layers,
        alpha0=(Fraction(0),) * d,
        mask="causal" if causal else None,
        source=os.fspath(path),
    )


def _heads(config: Config | None, heads: int | None, d: int, path: str) -> int:
    """Return the number of heads that the user or ``config.json`` gives."""
    given = None if config is None else config.heads
    if config is not None and config.width not in (None, d):
        raise FieldError(
            None, f"d = {d}, but {config.path} says {config.width}: it is of another model"
        )
    if heads is None and given is None:
        beside = os.path.join(os.path.dirname(path), "config.json")
        raise FieldError(
            None,
            "the weights do not tell the number of heads, expected "
            f'{{"num_attention_heads": N}} in {beside}, or heads=N',
        )
    if heads is not None and (type(heads) is not int or heads < 1):
        raise FieldError(None, f"heads={heads!r}, expected a positive integer")
    if heads is not None and given is not None and heads != given:
        assert config is not None
        raise FieldError(None, f"heads={heads}, but {config.path} says {given}")
    count = heads or given
    assert count is not None
    if d % count:
        raise FieldError(None, f"d = {d} is no multiple of {count} heads")
    return count


def _width(tensors: TensorFile, stack: Stack) -> int:
    """Return d, the number of rows and columns of the first output weight."""
    name = stack.stem(0) + stack.layout.output + ".weight"
    shape = _entry(tensors, name, stack).shape
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise tensor_fault(name, f"wrong shape {_times(shape)}, expected d x d")
    return shape[0]


def _check_shapes(tensors: TensorFile, stack: Stack, d: int) -> None:
    """Refuse tensors that are missing, misshaped or unknown, in any layer."""
    layout = stack.layout
    foreign = stack.foreign(tensors.entries)
    if foreign is not None:
        raise tensor_fault(
            foreign, f"not supported: no part of the attention of {layout.name} as known here"
        )
    stems = [stack.stem(layer) for layer in range(stack.count)]
    for role in (*layout.inputs, layout.output):
        rows = d if role == layout.output else d * 3 // len(layout.inputs)
        shape = (d, rows) if layout.transposed else (rows, d)
        biased = any(f"{stem}{role}.bias" in tensors.entries for stem in stems)
        for stem in stems:
            _expect(tensors, f"{stem}{role}.weight", shape, stack)
            if biased:
                _expect(tensors, f"{stem}{role}.bias", (rows,), stack)


def _expect(tensors: TensorFile, name: str, shape: tuple[int, ...], stack: Stack) -> None:
    found = _entry(tensors, name, stack).shape
    if found != shape:
        raise tensor_fault(
            name,
            f"wrong shape {_times(found)}, expected {_times(shape)} ({stack.layout.name} naming)",
        )


def _entry(tensors: TensorFile, name: str, stack: Stack) -> Any:
    if name not in tensors.entries:
        raise tensor_fault(
            name, f"missing, expected in a file with the names of {stack.layout.name}"
        )
    return tensors.entries[name]


def _check_size(tensors: TensorFile, stack: Stack, layers: int) -> None:
    entry = tensors.entries[stack.stem(0) + stack.layout.output + ".weight"]
    total = 4 * layers * entry.shape[0] ** 2 * max(READABLE.get(entry.dtype, 4), 4)
    if total > MAX_WEIGHT_BYTES:
        raise FieldError(
            None,
            f"{total} bytes of attention weights, at most {MAX_WEIGHT_BYTES} are read at once: "
            "choose a layer",
        )


@dataclass(frozen=True)
class _Weights:
    """Maps of a layer, (output) x (input), and their biases: query, key, value; output."""

    inputs: list[tuple[Floats, Floats | None]]
    output: Floats
    output_bias: Floats | None


def _weights(tensors: TensorFile, stack: Stack, layer: int) -> _Weights:
    layout, stem = stack.layout, stack.stem(layer)

    def read(role: str) -> tuple[Floats, Floats | None]:
        weight = tensors.read(f"{stem}{role}.weight")
        bias = f"{stem}{role}.bias"
        return (
            weight.T if layout.transposed else weight,
            tensors.read(bias) if bias in tensors.entries else None,
        )

    inputs: list[tuple[Floats, Floats | None]] = []
    for role in layout.inputs:
        weight, bias = read(role)
        parts = 3 // len(layout.inputs)
        biases = [None] * parts if bias is None else np.split(bias, parts)
        inputs += zip(np.split(weight, parts), biases, strict=True)
    return _Weights(inputs, *read(layout.output))


def _layer(
    tensors: TensorFile,
    stack: Stack,
    layer: int,
    count: int,
    chosen: range | tuple[int, ...],
    config: Config | None,
    time: Fraction | None,
) -> Layer:
    """Read a layer of ``count`` heads, of which those in ``chosen`` are kept."""
    weights = _weights(tensors, stack, layer)
    k = weights.output.shape[0] // count
    scale_squared = Fraction(1, k) if config is None else config.scale_squared(k, layer)
    heads = []
    for h in chosen:
        part = slice(h * k, (h + 1) * k)
        matrices = [ExactMatrix.from_array(weight[part]) for weight, _ in weights.inputs]
        biases = [_vector(bias, part) for _, bias in weights.inputs]
        heads.append(
            Head(
                V=matrices[2],
                W=ExactMatrix.from_array(weights.output[:, part]),
                Q=matrices[0],
                K=matrices[1],
                b_q=biases[0],
                b_k=biases[1],
                b_v=biases[2],
                scale_squared=scale_squared,
                index=h,
            )
        )
    together = len(chosen) == count
    return Layer(
        heads=tuple(heads),
        time=time,
        output_bias=_vector(weights.output_bias, slice(None)) if together else None,
        index=layer,
    )


def _vector(values: Floats | None, part: slice) -> Vector | None:
    return None if values is None else tuple(map(Fraction, values[part].tolist()))


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "()"
