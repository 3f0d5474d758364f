"""Pictures of a stack of layers. Matplotlib is imported only when one is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numeric.stack import Size, StackEvolution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, VERMILION, BLACK = "#0072B2", "#D55E00", "#000000"
"""Colours that are told apart without red or green (Okabe and Ito)."""

RESIDUAL: dict[str, Any] = {"color": BLUE, "marker": "o", "markersize": 6, "linewidth": 2.5}
FLOW: dict[str, Any] = {"color": VERMILION, "marker": "s", "markersize": 4, "linewidth": 1.2}
"""Both are to be seen where they agree."""

LARGEST: dict[str, Any] = {"linestyle": "--", "markerfacecolor": "white"}

MOST_TICKS = 12
"""Layers that are all numbered: of more, every second, and so on."""


def plot_stack(
    evolution: StackEvolution, *, existence: Sequence[Sequence[float]] | None = None
) -> Figure:
    """Draw the size of the covariance against the layer, for residual steps and flow.

    The flow ends where it seems to blow up. When times are known for the layers one by one, a
    second picture below shows them in the unit of the equation: where each layer alone seems to
    blow up, and what ``existence`` says.

    Args:
        evolution: what :func:`numeric.stack.evolve` returned.
        existence: for each layer, times until which the covariance is proved to exist with single
            heads of it, positive; infinite ones are left out.

    Returns:
        A figure 6 inches wide, 4 high or 7 with the second picture; save it with
        ``figure.savefig(path)``.

    Raises:
        ValueError: ``existence`` has not one entry for each layer.

    >>> from numeric import examples
    >>> from numeric.heads import float_layers
    >>> from numeric.stack import evolve
    >>> layers = float_layers(examples.load("softmax-two-layers"))
    >>> plot_stack(evolve(layers, [[1, 0], [0, 1]])).get_size_inches()
    array([6., 4.])
    """
    from matplotlib.figure import Figure

    layers = evolution.layers
    if existence is not None and len(existence) != len(layers):
        raise ValueError(f"existence: {len(existence)} layers, expected {len(layers)}")
    below = existence is not None or any(record.alone is not None for record in layers)
    figure = Figure(figsize=(6, 7 if below else 4), layout="constrained")
    axes = figure.subplots(2 if below else 1, squeeze=False)[:, 0]
    _draw_sizes(axes[0], evolution)
    if below:
        _draw_times(axes[1], evolution, existence or [[] for _ in layers])
    return figure


def _draw_sizes(axes: Axes, evolution: StackEvolution) -> None:
    """Draw trace and largest eigenvalue before layer 0 and after each layer."""
    layers = evolution.layers
    residual = [evolution.start, *(record.residual for record in layers)]
    flow = [evolution.start, *(record.flow_end for record in layers)]
    for name, sizes, style in (("residual steps", residual, RESIDUAL), ("flow", flow, FLOW)):
        known = [(place, size) for place, size in enumerate(sizes) if size is not None]
        _draw_curve(axes, known, "log10_trace", f"{name}: trace", style)
        _draw_curve(axes, known, "log10_largest", f"{name}: largest eigenvalue", style | LARGEST)
    number = evolution.blow_up_layer
    if number is not None:
        record, time = layers[number], evolution.blow_up_time
        assert record.flow is not None
        assert record.flow.time is not None
        share = record.flow.time / record.time if math.isfinite(record.time) else 0.5
        label = f"flow blows up at t ≈ {time:.3g}"
        axes.axvline(number + share, color=VERMILION, linestyle=":", linewidth=2, label=label)
    ticks = _ticks(len(layers))
    axes.set_xticks([0, *(n + 1 for n in ticks)], ["start", *map(str, ticks)])
    axes.set_xlabel("after layer")
    axes.set_ylabel("size of Σ (log₁₀)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def _draw_curve(
    axes: Axes, known: list[tuple[int, Size]], quantity: str, label: str, style: dict[str, Any]
) -> None:
    places = [place for place, _ in known]
    axes.plot(places, [getattr(size, quantity) for _, size in known], label=label, **style)


def _draw_times(
    axes: Axes, evolution: StackEvolution, existence: Sequence[Sequence[float]]
) -> None:
    """Draw times of single layers and heads, and the times for which the layers act."""
    layers = evolution.layers
    proved = [(n, t) for n, times in enumerate(existence) for t in times if math.isfinite(t)]
    alone = [
        (n, record.alone.time)
        for n, record in enumerate(layers)
        if record.alone is not None and record.alone.time is not None
    ]
    acting = [(n, record.time) for n, record in enumerate(layers) if math.isfinite(record.time)]
    for points, label, style in (
        (acting, "time of the layer", {"color": BLACK, "marker": "_", "markersize": 24}),
        (alone, "layer alone: blow-up", FLOW | {"marker": "*", "markersize": 12}),
        (proved, "single heads: proved to exist until", RESIDUAL | {"markersize": 5, "alpha": 0.6}),
    ):
        if points:
            axes.plot(*zip(*points, strict=True), linestyle="none", label=label, **style)
    axes.set_yscale("log")
    axes.set_xlim(-0.5, len(layers) - 0.5)
    axes.set_xticks(_ticks(len(layers)))
    axes.set_xlabel("layer")
    axes.set_ylabel("time t")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def _ticks(layers: int) -> range:
    every = math.ceil(layers / MOST_TICKS)
    return range(every - 1, layers, every)
