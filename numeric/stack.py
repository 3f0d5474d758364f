"""The covariance of Gaussian tokens through a stack of softmax attention layers.

Two evolutions from the same start, both of them evidence and no proof:

- the flow: layer l drives Sigma' = B_l Sigma + Sigma B_l^T for its time, where the layer before
  ended (:mod:`numeric.covariance`);
- the residual steps x -> x + time * (velocity of x), one a layer, on the whole residual stream
  without layer norm and without MLP: Sigma -> (I + time B_l) Sigma (I + time B_l)^T with
  B_l = B_l(Sigma). With time 1 this is what a network does with its attention layers; the flow is
  the limit of many short steps. Gaussians stay Gaussian, as the velocity is affine on them.

Both are computed on a factor of Sigma whose scale is kept apart as a logarithm, so that no size
is out of range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from numeric.covariance import Trend, checked_start, follow
from numeric.heads import FloatLayer, LinearPart
from numeric.rescaled import State

__all__ = ["LayerRecord", "Size", "StackEvolution", "evolve"]


@dataclass(frozen=True)
class Size:
    """How large a covariance is.

    Attributes:
        log10_trace: decimal logarithm of its trace, minus infinity for zero.
        log10_largest: decimal logarithm of its largest eigenvalue.
        effective_rank: (tr Sigma)^2 / tr(Sigma^2), from 1 to d, or 0 for zero.
    """

    log10_trace: float
    log10_largest: float
    effective_rank: float

    @classmethod
    def of(cls, state: State) -> Size:
        """Measure a state."""
        if state.log_trace == -np.inf:
            return cls(-math.inf, -math.inf, 0.0)
        gram = state.factor.T @ state.factor
        trace = state.log_trace / math.log(10)
        largest = float(np.linalg.eigvalsh(gram)[-1])
        return cls(trace, trace + math.log10(largest), float(1 / np.vdot(gram, gram)))


@dataclass(frozen=True)
class LayerRecord:
    """What one layer does.

    Attributes:
        time: how long it acts, may be infinite.
        flow: what the flow seems to do within the time of the layer: ``reached`` is the end of a
            finite time; with ``blow-up`` comes the time since the layer began. None when the flow
            does not get to this layer.
        flow_start: the covariance of the flow when the layer begins, None when it does not get
            there.
        flow_end: the covariance of the flow when the layer ends, in the limit for an infinite
            time; None when it does not get there.
        residual: the covariance after the residual step, None for an infinite time.
        alone: the trend of this layer from the start of the stack, for ever; None unless asked.
    """

    time: float
    flow: Trend | None
    flow_start: Size | None
    flow_end: Size | None
    residual: Size | None
    alone: Trend | None


@dataclass(frozen=True)
class StackEvolution:
    """The covariance from layer to layer: ``start`` is that of time 0."""

    start: Size
    layers: tuple[LayerRecord, ...]

    @property
    def blow_up_layer(self) -> int | None:
        """The layer, from 0, in which the flow seems to blow up, None if in none."""
        for number, record in enumerate(self.layers):
            if record.flow is not None and record.flow.verdict == "blow-up":
                return number
        return None

    @property
    def blow_up_time(self) -> float | None:
        """The time since the start of the stack at which the flow seems to blow up, or None."""
        number = self.blow_up_layer
        if number is None:
            return None
        flow = self.layers[number].flow
        assert flow is not None
        assert flow.time is not None
        return sum(record.time for record in self.layers[:number]) + flow.time


def evolve(
    layers: Sequence[FloatLayer], Sigma0: ArrayLike, *, alone: bool = False
) -> StackEvolution:
    """Follow flow and residual steps from ``Sigma0``, d x d symmetric positive semidefinite.

    Args:
        layers: at least one, of the same dimension d, in the order in which they act; only the
            last may act for ever.
        Sigma0: covariance at time 0.
        alone: whether to look at each layer by itself from ``Sigma0`` too, which takes as long
            again for each.

    Raises:
        ValueError: shapes that do not match, entries that are not finite, a time that is not
            positive, or an infinite one before the last.

    >>> from numeric import examples
    >>> from numeric.heads import float_layers
    >>> stack = examples.load("softmax-two-layers")
    >>> [record.flow.verdict for record in evolve(float_layers(stack), [[1, 0], [0, 1]]).layers]
    ['reached', 'reached']
    """
    start = checked_start([head for layer in layers for head in layer.heads], Sigma0)
    for number, layer in enumerate(layers):
        if not layer.time > 0 or (layer.time == math.inf and number < len(layers) - 1):
            raise ValueError(f"layer {number}: time {layer.time}")
    flow: State | None = start
    residual = start
    records = []
    for number, layer in enumerate(layers):
        single = follow(layer.heads, start, math.inf) if alone else None
        began, passage = flow, None
        if flow is not None:
            known = number == 0 and single is not None and _decides(single.trend, layer.time)
            passage = single if known else follow(layer.heads, flow, layer.time)
            assert passage is not None
            flow = passage.end
        if layer.time < math.inf:
            residual = step(layer, residual)
        records.append(
            LayerRecord(
                time=layer.time,
                flow=None if passage is None else passage.trend,
                flow_start=None if began is None else Size.of(began),
                flow_end=None if flow is None else Size.of(flow),
                residual=Size.of(residual) if layer.time < math.inf else None,
                alone=None if single is None else single.trend,
            )
        )
    return StackEvolution(Size.of(start), tuple(records))


def step(layer: FloatLayer, state: State) -> State:
    """Return the covariance after the residual step of a layer, of finite time."""
    linear = LinearPart(layer.heads)
    log = linear.log_speed + math.log(layer.time) + state.log_trace
    # The size of time * B(Sigma): the sum with I is divided by the larger of the two.
    growth = max(log, 0.0)
    G = state.factor
    factor = math.exp(-growth) * G + math.exp(log - growth) * linear(G)
    return State.from_factor(factor, state.log_trace + 2 * growth)


def _decides(trend: Trend, time: float) -> bool:
    """Whether the fate of a layer for ever is its fate for ``time``."""
    return time == math.inf or (trend.time is not None and trend.time < time)
