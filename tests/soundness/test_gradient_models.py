"""The claims on gradient flows and second variations, for particles whose motion is known.

All hypotheses hold and so does the conclusion; and for each hypothesis there is a motion for which
only that one fails, and the conclusion with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from soundness_models import Discrete, Model, real

from proofs.claims.base import ledger
from proofs.claims.gradient_none_multihead import J
from proofs.claims.variation_softmax_two_points import R, along
from proofs.language import exists

Values = dict[str, Any]
LEDGER = ledger()
TIMES = (0.0, 0.1, 0.35, 0.6)
MASSES = (0.5, 0.2, 0.4)
STARTS = np.array([[0.9, -0.3], [0.2, 0.6], [-0.7, 0.5]])
TURNS = np.array([[0.5, 0.8], [-0.9, 0.3], [0.6, -0.5]])
A = np.array([[0.5, 1.0], [1.0, -0.5]])
B = np.array([[2.0, 1.0], [1.0, 1.0]])
SKEW = np.array([[0.0, 1.0], [-1.0, 0.0]])
FACTOR = -1.5
Q = np.array([[1.0, 0.5], [-0.3, 1.0]])


def family(members: Any) -> Callable[[int], Any]:
    return lambda i: members[i - 1]


def curve(value: Callable[[float], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda t: value(float(t[0, 0]))[:, None]


def motion(at: Callable[[float], np.ndarray], slope: Callable[[float], np.ndarray]) -> Values:
    """The curves of three particles, at(t) and slope(t) of shape 3 x 2."""
    return {
        "n": 3,
        "d": 2,
        "m": family([real(mass) for mass in MASSES]),
        "X": family([curve(lambda t, i=i: at(t)[i]) for i in range(3)]),
        "U": family([curve(lambda t, i=i: slope(t)[i]) for i in range(3)]),
        "T": 0.7,
    }


def wave(t: float) -> np.ndarray:
    return STARTS + np.sin(t) * TURNS + t * t * STARTS[::-1]


def wave_slope(t: float) -> np.ndarray:
    return np.cos(t) * TURNS + 2 * t * STARTS[::-1]


WAVES = motion(wave, wave_slope)


def matrices(A: np.ndarray, B: np.ndarray, c: float, sign: float = 1) -> Values:
    """With B V = sign c A."""
    return {"A": A, "B": B, "c": real(c), "V": sign * c * np.linalg.inv(B) @ A}


def several(A: np.ndarray, B: np.ndarray, c: float, sign: float = 1) -> Values:
    """Two heads, with B V_h = sign c A_h."""
    scores = (A, np.diag([1.0, -0.4]) + 0.3 * A)
    heads = [matrices(score, B, c, sign) for score in scores]
    return {**heads[0], "H": 2, **{x: family([head[x] for head in heads]) for x in "AV"}}


NEGATIVE = {"m": family([real(0.5), real(-0.2), real(0.4)])}
STILL = {"U": family([curve(lambda t: np.zeros(2))] * 3)}


def verdict(name: str, values: Values) -> tuple[list[int], bool]:
    """The hypotheses that fail, counted from 0, and whether the conclusion holds."""
    claim = LEDGER[name]
    sizes = {letter: value for letter, value in values.items() if isinstance(value, int)}
    states = [np.array([[0.4], [-0.8]]), np.array([[-1.0], [0.3]]), *STARTS[:, :, None]]
    model = Model(sizes, {k: v for k, v in values.items() if k not in sizes}, TIMES, states)
    failing = [i for i, h in enumerate(claim.statement.hypotheses) if not model(h)]
    return failing, model(claim.statement.conclusion)


SCORES = ("softmax", "exponential", "linear", "sigmoid")


@pytest.mark.parametrize("variant", SCORES)
@pytest.mark.parametrize("heads", [matrices, several], ids=["one head", "two heads"])
def test_attention_by_scores(variant: str, heads: Callable[..., Values]):
    if heads is several and variant == "softmax":
        return  # there is no such claim
    name = f"gradient.{'multihead-' if heads is several else ''}{variant}"
    assert verdict(name, WAVES | heads(A, B, FACTOR)) == ([], True)
    not_symmetric, indefinite = A + SKEW, np.array([[1.0, 2.0], [2.0, 1.0]])
    changes = [
        (0, heads(not_symmetric, B, FACTOR)),
        (1, heads(A, indefinite, FACTOR)),
        (2, heads(A, B, FACTOR, sign=-1)),
        (3, heads(A, B, FACTOR) | NEGATIVE),
        (4, heads(A, B, FACTOR) | STILL),
    ]
    for hypothesis, change in changes:
        assert verdict(name, WAVES | change) == ([hypothesis], False)


def test_mean_shift():
    name = "gradient.l2"
    values = WAVES | {"k": 2, "Q": Q}
    assert verdict(name, values) == ([], True)
    for hypothesis, change in ((0, NEGATIVE), (1, STILL), (2, {"Q": np.array([[1.0, 2.0]] * 2)})):
        assert verdict(name, values | change) == ([hypothesis], False)


# Motions by an equation ------------------------------------------------------------------------


def solution(field: Callable[[np.ndarray], np.ndarray], start: np.ndarray) -> Callable:
    found = solve_ivp(
        lambda t, z: field(z),
        (0, 0.8),
        start.ravel(),
        rtol=1e-11,
        atol=1e-12,
        dense_output=True,
        method="DOP853",
    )
    return found.sol


def weights(points: np.ndarray, A: np.ndarray) -> np.ndarray:
    """m_j exp(<A x_i, x_j>)."""
    return np.exp(points @ A.T @ points.T) * np.array(MASSES)


def softmax(points: np.ndarray, A: np.ndarray, V: np.ndarray) -> np.ndarray:
    table = weights(points, A)
    return (table / table.sum(axis=1, keepdims=True)) @ points @ V.T


def attended(given: Values, factor: float = 1) -> Values:
    """Particles that move with a multiple of softmax attention."""

    def field(points: np.ndarray) -> np.ndarray:
        return factor * softmax(points.reshape(3, 2), given["A"], given["V"])

    path = solution(lambda z: field(z).ravel(), STARTS)
    at = lambda t: path(t).reshape(3, 2)  # noqa: E731
    return motion(at, lambda t: field(at(t))) | given


def test_dissipation():
    name = "gradient.dissipation"
    assert verdict(name, attended(matrices(A, B, FACTOR))) == ([], True)
    changes = [
        (0, attended(matrices(A + SKEW, B, FACTOR))),
        (1, attended(matrices(A, -B, FACTOR))),
        (2, attended(matrices(A, B, FACTOR, sign=-1))),
        (4, attended(matrices(A, B, FACTOR), factor=2)),
    ]
    for hypothesis, change in changes:
        assert verdict(name, change) == ([hypothesis], False)


def acceleration(
    points: np.ndarray, speeds: np.ndarray, total: float = 1, twisted: bool = True
) -> np.ndarray:
    """Along geodesics; ``total`` multiplies what the others add to the derivative of Z.

    Without ``twisted`` there is no Z in front of the acceleration.
    """
    table = weights(points, A)
    mass = table.sum(axis=1)
    own, others = speeds @ A @ points.T, points @ A @ speeds.T
    change = (table * (own + total * others)).sum(axis=1)
    square = np.einsum("ia,ab,ib->i", speeds, B, speeds)
    force = (table * (square[:, None] + square)) @ points @ A.T / 2
    turned = np.linalg.solve(B, force.T).T - change[:, None] * speeds
    return turned / mass[:, None] if twisted else turned


def geodesic(total: float = 1, twisted: bool = True) -> Values:
    def field(z: np.ndarray) -> np.ndarray:
        points, speeds = z.reshape(2, 3, 2)
        return np.concatenate([speeds, acceleration(points, speeds, total, twisted)]).ravel()

    path = solution(field, np.concatenate([STARTS, TURNS]))
    at = lambda t: path(t).reshape(2, 3, 2)  # noqa: E731
    moving = motion(lambda t: at(t)[0], lambda t: at(t)[1])
    turning = [curve(lambda t, i=i: acceleration(*at(t), total, twisted)[i]) for i in range(3)]
    return moving | {"C": family(turning), "A": A, "B": B}


def test_second_variation():
    name = "variation.softmax"
    assert verdict(name, geodesic()) == ([], True)
    hypotheses = LEDGER[name].hypotheses
    turning = [curve(lambda t, i=i: acceleration(wave(t), wave_slope(t))[i]) for i in range(3)]
    changes = [
        ("the masses are positive", geodesic() | NEGATIVE),
        ("A symmetric", geodesic() | {"A": A + SKEW}),
        ("B positive definite", geodesic() | {"B": B + SKEW}),
        ("U changes with the accelerations C", geodesic() | WAVES | {"C": family(turning)}),
        ("X moves along a geodesic", geodesic(total=0)),
    ]
    for hypothesis, change in changes:
        failing, holds = verdict(name, change)
        assert (hypotheses.index(hypothesis) in failing, holds) == (True, False)


def test_second_variation_at_one_token():
    name = "variation.softmax-dirac"

    def turned(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return (u @ B @ u) * np.linalg.solve(B, A @ x) - 2 * (u @ A @ x) * u

    def field(z: np.ndarray) -> np.ndarray:
        return np.concatenate([z[2:], turned(z[:2], z[2:])])

    path = solution(field, np.array([0.4, -0.3, 0.8, 0.5]))
    values = {
        "d": 2,
        "A": A,
        "B": B,
        "x": curve(lambda t: path(t)[:2]),
        "u": curve(lambda t: path(t)[2:]),
        "a": curve(lambda t: turned(path(t)[:2], path(t)[2:])),
        "T": 0.7,
    }
    assert verdict(name, values) == ([], True)

    def along(x: Callable, u: Callable) -> Values:
        """Any curve, with the acceleration that a geodesic would have."""
        return {"x": curve(x), "u": curve(u), "a": curve(lambda t: turned(x(t), u(t)))}

    rest = curve(lambda t: np.zeros(2))
    start, speed = np.array([0.4, -0.3]), np.array([0.8, 0.5])
    straight = along(lambda t: start + t * speed, lambda t: speed)
    changes = [
        (0, along(lambda t: 2 * path(t)[:2], lambda t: path(t)[2:])),
        (1, straight),
        (4, straight | {"a": rest}),
        (5, along(lambda t: start, lambda t: 0 * speed)),
    ]
    for hypothesis, change in changes:
        failing, holds = verdict(name, values | change)
        assert (hypothesis in failing, holds) == (True, hypothesis == 5)


def energy(points: np.ndarray, masses: np.ndarray) -> float:
    return float(masses @ np.exp(points @ A @ points.T) @ masses) / 2


def light_token(s: float, a: np.ndarray, x: np.ndarray, v: np.ndarray) -> float:
    """The second derivative of the energy over the squared speed, by differences in time."""
    masses, points, speeds = np.array([1, s * s]), np.array([a, x]), np.array([0 * v, v])
    table = np.exp(points @ A @ points.T) * masses
    mass = table.sum(axis=1)
    square = np.array([0, v @ B @ v])
    change = (table * (speeds @ A @ points.T + points @ A @ speeds.T)).sum(axis=1)
    force = (table * (square[:, None] + square)) @ points @ A / 2
    turns = (np.linalg.solve(B, force.T).T - change[:, None] * speeds) / mass[:, None]

    def later(t: float) -> float:
        return energy(points + t * speeds + t * t / 2 * turns, masses)

    h = 1e-3
    second = (16 * (later(h) + later(-h)) - later(2 * h) - later(-2 * h) - 30 * later(0)) / 12
    return second / h**2 / (s * s * mass[1] * square[1])


def test_a_light_token():
    claim = LEDGER["variation.softmax-two-points"]
    assert claim.statement.conclusion == exists(R, along(R))
    a, x, v = STARTS[0], STARTS[1], TURNS[0]
    inverse = np.linalg.inv(B)

    def ratio(s: np.ndarray) -> np.ndarray:
        if abs(s[0, 0]) < 0.05:
            return real((A @ a) @ inverse @ A @ (a + x) / 2)
        return real(light_token(s[0, 0], a, x, v))

    given = {"A": A, "B": B, "a": a[:, None], "x": x[:, None], "v": v[:, None]}
    for wrong in (0, 1):
        values = given | ({"x": x[:, None] + 1} if wrong else {})
        model = Model({"d": 2}, values | {"R": ratio}, (0.0, 0.3, 0.7, 1.3))
        assert all(map(model, claim.statement.hypotheses))
        assert model(along(R)) == (not wrong)


# Sinkhorn --------------------------------------------------------------------------------------


def potential(time: float) -> Callable[[np.ndarray], np.ndarray]:
    """phi(x), from the symmetric fixed point at the particles."""
    points, mass = wave(time), np.array(MASSES) / sum(MASSES)
    table = np.exp(points @ A @ points.T)
    scaling = np.ones(3)
    for _ in range(10_000):
        new = np.sqrt(scaling / (table @ (mass * scaling)))
        if np.abs(new / scaling - 1).max() < 1e-15:
            break
        scaling = new
    return lambda x: real(-np.log(np.exp(x[:, 0] @ A @ points.T) @ (mass * scaling)))


def test_entropic_transport():
    name = "gradient.sinkhorn"
    mass = family([real(m / sum(MASSES)) for m in MASSES])
    start = Discrete([x[:, None] for x in STARTS], [m / sum(MASSES) for m in MASSES])
    assert start.integrate(lambda x: real(1)) == pytest.approx(1)

    def follow(i: int, t: float) -> float:
        return float(potential(t)(wave(t)[i][:, None])[0, 0])

    def slope(t: float, i: int) -> np.ndarray:
        h = 1e-4
        return np.array([(follow(i, t + h) - follow(i, t - h)) / (2 * h)])

    values = WAVES | {
        "m": mass,
        "phi": lambda t: potential(float(t[0, 0])),
        "g": family([curve(lambda t, i=i: slope(t, i)) for i in range(3)]),
    }
    assert verdict(name, values | matrices(A, B, FACTOR)) == ([], True)
    hypotheses = LEDGER[name].hypotheses
    # the conclusion does not mention the potential
    changes = [
        ("B V = c A", matrices(A, B, FACTOR, sign=-1)),
        ("X moves with the velocities U", matrices(A, B, FACTOR) | STILL),
    ]
    for hypothesis, change in changes:
        failing, holds = verdict(name, values | change)
        assert (hypotheses.index(hypothesis) in failing, holds) == (True, False)


# Energies of two tokens ------------------------------------------------------------------------

#: motions of two tokens: the first moves, both move, and neither does
PATHS = [
    (lambda t: STARTS[:2] + t * TURNS[:2], lambda t: TURNS[:2]),
    (lambda t: STARTS[1:] + np.sin(t) * TURNS[:2], lambda t: np.cos(t) * TURNS[:2]),
    (lambda t: STARTS[:2], lambda t: 0 * STARTS[:2]),
]
MOTIONS = [
    family([curve(lambda t, path=path, i=i: path(t)[i]) for i in range(2)])
    for pair in PATHS
    for path in pair
]
PAIR = {"d": 2, "m": family([real(mass) for mass in MASSES[:2]]), "B": B}


def of_pair(name: str, values: Values) -> tuple[list[int], bool]:
    claim = LEDGER[name]
    given = PAIR | values
    sizes = {letter: value for letter, value in given.items() if isinstance(value, int)}
    vectors = [np.array([[0.4], [-0.8]]), np.array([[1.0], [0.3]]), np.zeros((2, 1))]
    others = {k: v for k, v in given.items() if k not in sizes}
    model = Model(sizes, others, TIMES, vectors, motions=MOTIONS)
    failing = [i for i, h in enumerate(claim.statement.hypotheses) if not model(h)]
    return failing, model(claim.statement.conclusion)


def pair_energy_of(kernel: Callable[[np.ndarray, np.ndarray], float], factor: float) -> Callable:
    mass = MASSES[:2]

    def energy(x: np.ndarray) -> Callable:
        def value(y: np.ndarray) -> np.ndarray:
            both = (x, y)
            total = sum(
                mass[i] * mass[j] * kernel(both[i], both[j]) for i in (0, 1) for j in (0, 1)
            )
            return real(factor * total / 2)

        return value

    return energy


def test_the_converse_for_softmax():
    """The energy of softmax is one; and with another V, or a score matrix that is not symmetric,
    what is concluded fails, and there is no energy: not that one, at least."""
    name = "gradient.softmax-converse"
    energy = pair_energy_of(lambda x, y: float(np.exp((A @ x).T @ y)[0, 0]), FACTOR)
    given = matrices(A, B, FACTOR)
    assert of_pair(name, given | {"E": energy}) == ([], True)
    mean = pair_energy_of(lambda x, y: float((x.T @ y)[0, 0]), 2.0)
    values = {"A": np.zeros((2, 2)), "V": 2 * np.linalg.inv(B), "E": mean}
    assert of_pair(name, values) == ([], True)
    for wrong in ({"A": A + SKEW}, {"V": given["V"] + np.linalg.inv(B)}, {"V": np.eye(2) + SKEW}):
        assert of_pair(name, given | {"E": energy} | wrong) == ([0], False)
    assert of_pair(name, given | {"E": energy} | NEGATIVE)[0] == [0, 1]


def test_l2_has_no_energy():
    name = "gradient.none.l2"
    nothing = {
        "k": 1,
        "Q": np.array([[1.0, 2.0]]),
        "V": np.zeros((2, 2)),
        "E": lambda x: lambda y: real(0),
    }
    assert of_pair(name, nothing) == ([], True)
    # without scores the velocity is a mean, which has an energy
    mean = pair_energy_of(lambda x, y: float((x.T @ y)[0, 0]), 2.0)
    free = {"k": 1, "Q": np.zeros((1, 2)), "V": 2 * np.linalg.inv(B), "E": mean}
    assert of_pair(name, free) == ([], True)
    kernel = pair_energy_of(lambda x, y: float(np.exp(-np.sum((Q @ (x - y)) ** 2))), 1.0)
    wrong = {"k": 2, "Q": Q, "V": np.eye(2), "B": 2 * Q.T @ Q, "E": kernel}
    assert of_pair(name, wrong) == ([1], False)


def test_masked_attention_has_no_energy():
    name = "gradient.none.masked"
    given = {
        "A": A,
        "V": np.zeros((2, 2)),
        "f": lambda x: 2 * x,
        "G": lambda x: lambda y: (1 + x.T @ x) * B,
        "E": lambda x: lambda y: x.T @ x,
    }
    assert of_pair(name, given) == ([], True)
    assert of_pair(name, given | {"V": np.eye(2)}) == ([2], False)


def test_turning_tokens():
    """At the equilibrium tokens turn, with the discriminant of the linearisation negative."""
    scores, values = np.log(2) * np.arange(3), np.array([2.0, 90.0, -85.0])

    def velocities(z: np.ndarray) -> np.ndarray:
        table = np.exp(np.einsum("h,i,j->hij", scores, z, z))
        return np.einsum("h,hij,j->i", values, table / table.sum(axis=2, keepdims=True), z)

    start, h = np.array([2.0, 1.0]), 1e-5
    assert np.abs(velocities(start)).max() < 1e-12
    slope = np.stack(
        [(velocities(start + h * e) - velocities(start - h * e)) / (2 * h) for e in np.eye(2)],
        axis=1,
    )
    assert np.iscomplex(np.linalg.eigvals(slope)).all()
    stated = Model({}, {})(J)
    assert slope == pytest.approx(stated, abs=1e-6)
