"""Two layers with two heads each in dimension one, with numbers: the claim is true of them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from soundness_models import Model, real

from proofs.claims.base import ledger

STATEMENT = ledger()["gaussian.layers"].statement
SWITCH, END = 0.5, 2.0
#: for each layer the letters of two heads
LAYERS = (
    {"Q": (1.0, 0.5), "K": (0.4, -1.0), "V": (-1.0, 0.3), "b_q": (0.3, -0.2), "b_k": (1.0, 0.5)},
    {"Q": (-0.7, 1.0), "K": (0.6, 0.2), "V": (0.5, -1.2), "b_q": (-0.4, 0.1), "b_k": (0.2, 2.0)},
)
VALUE_BIASES = ((0.2, -0.5), (-1.0, 0.4))
START, MEAN = 0.8, 0.6


def layer(time: float) -> dict[str, tuple[float, float]]:
    number = int(time >= SWITCH)
    return {**LAYERS[number], "b_v": VALUE_BIASES[number]}


def growth(time: float) -> float:
    """c(t) with Sigma' = 2 c Sigma^2."""
    now = layer(time)
    return sum(v * k * q for v, k, q in zip(now["V"], now["K"], now["Q"], strict=True))


def variance(time: float) -> float:
    early = min(time, SWITCH)
    return 1 / (1 / START - 2 * (growth(0) * early + growth(SWITCH) * (time - early)))


def mean_rate(time: float, mean: float, now: dict[str, tuple[float, float]]) -> float:
    return sum(
        v * (mean + variance(time) * k * (q * mean + b)) + b_v
        for v, k, q, b, b_v in zip(*(now[x] for x in ("V", "K", "Q", "b_q", "b_v")), strict=True)
    )


def mean_curve() -> Callable[[float], float]:
    """Layer by layer, and a little beyond the end."""
    pieces, start = [], MEAN
    for begin, end in ((0.0, SWITCH), (SWITCH, END)):
        letters = layer(begin)
        solved = solve_ivp(
            lambda t, y, now=letters: [mean_rate(t, y[0], now)],
            (begin, end),
            [start],
            rtol=1e-12,
            atol=1e-13,
            dense_output=True,
        )
        pieces.append(solved.sol)
        start = solved.y[0, -1]
    return lambda t: float(pieces[int(t >= SWITCH)](t)[0])


def model(**changed: Any) -> Model:
    alpha = mean_curve()

    def curves(name: str) -> Callable[[int], Callable[[np.ndarray], np.ndarray]]:
        return lambda h: lambda t: real(layer(t[0, 0])[name][h - 1])

    values = {
        **{name: curves(name) for name in ("Q", "K", "V", "b_q", "b_k", "b_v")},
        "Sigma": lambda t: real(variance(t[0, 0])),
        "alpha": lambda t: real(alpha(t[0, 0])),
        "Sigma0": real(START),
        "T": END,
    }
    return Model(
        {"d": 1, "k": 1, "H": 2},
        {**values, **changed},
        times=(0.0, 0.2, SWITCH, 1.1),
        states=[real(x) for x in (-1.0, 0.3, 2.0)],
    )


def test_the_claim_holds():
    chosen = model()
    assert not math.isclose(growth(0), growth(SWITCH))
    assert all(chosen(h) for h in STATEMENT.hypotheses)
    assert chosen(STATEMENT.conclusion)


@pytest.mark.parametrize(
    ("name", "value", "failing"),
    [
        ("Sigma0", real(-1.0), (0, 3)),
        ("Sigma", lambda t: real(variance(t[0, 0]) + 0.1), (2, 3, 4)),
        ("alpha", lambda t: real(MEAN), (4,)),
        # the switch comes too late by one moment: not right-continuous
        ("V", lambda h: lambda t: real(layer(t[0, 0] - 1e-12)["V"][h - 1]), (1, 2, 4)),
    ],
)
def test_hypotheses_can_fail(name: str, value: Any, failing: tuple[int, ...]):
    chosen = model(**{name: value})
    failed = [i for i, h in enumerate(STATEMENT.hypotheses) if not chosen(h)]
    assert failed == list(failing)


def test_conclusions_can_fail():
    """With other moments the law does not solve the equation, and a jump of the rank is seen."""
    parts = STATEMENT.conclusion.args
    resting = model(alpha=lambda t: real(MEAN))
    assert not resting(parts[2])
    vanishing = model(Sigma=lambda t: real(variance(t[0, 0]) if t[0, 0] < SWITCH else 0.0))
    assert not vanishing(parts[0])
    wrong = model(b_v=lambda h: lambda t: real(0.0))
    assert wrong(parts[1])
    assert not wrong(parts[2])
