"""What is drawn, not how it looks."""

import math

import numpy as np
import pytest

from numeric.heads import FloatHead, FloatLayer
from numeric.plots import plot_stack
from numeric.stack import evolve

# Sigma' = rate Sigma^2
LAYERS = [
    FloatLayer((FloatHead(V=rate * np.eye(2), Q=np.eye(2) / 2),), time)
    for rate, time in ((-1, 1.0), (4, 1.0), (1, 1.0), (-1, math.inf))
]


def curves(axes):
    return {line.get_label(): np.array(line.get_data()) for line in axes.get_lines()}


def test_sizes_against_the_layer():
    evolution = evolve(LAYERS, np.eye(2))
    figure = plot_stack(evolution)
    (axes,) = figure.axes
    drawn = curves(axes)
    assert tuple(figure.get_size_inches()) == (6, 4)
    residual = [evolution.start, *(record.residual for record in evolution.layers[:3])]
    expected = [range(4), [size.log10_trace for size in residual]]
    assert np.array_equal(drawn["residual steps: trace"], expected)
    flow = [evolution.start.log10_largest, evolution.layers[0].flow_end.log10_largest]
    assert np.array_equal(drawn["flow: largest eigenvalue"], [[0, 1], flow])
    # From 1/2 it takes 1/2 to blow up: half way between the ends of layers 0 and 1.
    assert drawn["flow blows up at t ≈ 1.5"][0] == pytest.approx([1.5, 1.5])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["start", *"0123"]


def test_times_below(tmp_path):
    evolution = evolve(LAYERS, np.eye(2), alone=True)
    figure = plot_stack(evolution, existence=[[0.5, math.inf], [0.1, 0.2], [], [math.inf]])
    drawn = curves(figure.axes[1])
    assert np.array_equal(
        drawn["single heads: proved to exist until"], [[0, 1, 1], [0.5, 0.1, 0.2]]
    )
    assert drawn["layer alone: blow-up"] == pytest.approx(np.array([[1, 2], [0.25, 1]]))
    assert np.array_equal(drawn["time of the layer"], [[0, 1, 2], [1, 1, 1]])
    figure.savefig(tmp_path / "stack.png")
    assert (tmp_path / "stack.png").read_bytes().startswith(b"\x89PNG")


def test_many_layers_and_no_blow_up():
    (axes,) = plot_stack(evolve(LAYERS[:1] * 40, np.eye(2))).axes
    assert len(axes.get_xticks()) <= 13
    assert not any("blows up" in label for label in curves(axes))


def test_existence_for_other_layers():
    with pytest.raises(ValueError, match="1 layers, expected 4"):
        plot_stack(evolve(LAYERS, np.eye(2)), existence=[[1.0]])
