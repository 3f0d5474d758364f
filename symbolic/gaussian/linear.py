"""Linear attention on Gaussians: the velocity is V times the second moment times the tilt."""

from symbolic.calculus import gradient, jacobian
from symbolic.gaussian.base import (
    GAMMA,
    TILT,
    GaussianReduction,
    Step,
    from_velocity,
    log_transform,
    second_moment,
)
from symbolic.nodes import Gaussian
from symbolic.notation import Sigma, alpha, x, y
from symbolic.variants import table


def derive() -> GaussianReduction:
    """B = V (Sigma + alpha alpha^T) A and c = 0 (arXiv:2501.18322)."""
    linear = table()["linear"]
    definition = linear.velocity(x, Gaussian(alpha, Sigma), form="A")
    tilt = gradient(linear.score(x, y, form="A"), y)
    velocity = jacobian(linear.value(y), y) * second_moment() * tilt
    steps = [
        Step("definition", definition, r"linear attention on $\mathcal{N}(\alpha, \Sigma)$", GAMMA),
        Step("log transform", log_transform(), "exponential moments of a Gaussian", r"L(\eta)"),
        Step("second moment", second_moment(), r"Hessian of $e^L$ at $\eta = 0$"),
        Step(
            "tilt",
            tilt,
            TILT,
            r"\eta",
        ),
    ]
    return from_velocity("linear", steps, velocity)


REDUCTIONS = {"linear": derive}
