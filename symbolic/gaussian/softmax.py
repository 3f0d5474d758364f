"""Softmax attention on Gaussians: the velocity is V times the mean of the tilted Gaussian."""

from symbolic.calculus import gradient, jacobian
from symbolic.gaussian.base import (
    GAMMA,
    TILT,
    GaussianReduction,
    Step,
    from_velocity,
    log_transform,
    tilted_mean,
)
from symbolic.nodes import Gaussian
from symbolic.notation import Sigma, alpha, eta, x, y
from symbolic.variants import table


def derive() -> GaussianReduction:
    """B = V Sigma A and c = V alpha (arXiv:2501.18322)."""
    softmax = table()["softmax"]
    definition = softmax.velocity(x, Gaussian(alpha, Sigma), form="A")
    tilt = gradient(softmax.score(x, y, form="A"), y)
    velocity = jacobian(softmax.value(y), y) * tilted_mean().subs(eta, tilt)
    steps = [
        Step(
            "definition", definition, r"softmax attention on $\mathcal{N}(\alpha, \Sigma)$", GAMMA
        ),
        Step("log transform", log_transform(), "exponential moments of a Gaussian", r"L(\eta)"),
        Step(
            "tilted mean",
            tilted_mean(),
            r"gradient in $\eta$ of the log transform",
            r"\nabla L(\eta)",
        ),
        Step(
            "tilt",
            tilt,
            TILT,
            r"\eta",
        ),
    ]
    return from_velocity("softmax", steps, velocity)


REDUCTIONS = {"softmax": derive}
