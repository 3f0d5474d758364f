"""Masked linear attention on a law whose conditionals at every position are Gaussian.

The law mu of (tau, y) has positions tau of law theta, which do not move, and y of law
N(alpha_tau, Sigma_tau) given tau.  A token at position s sees the second moments of the past.
"""

from dataclasses import replace

from symbolic.calculus import gradient, jacobian
from symbolic.gaussian.base import TILT, GaussianReduction, Step, from_velocity, second_moment
from symbolic.nodes import Past, PositionIntegral, VectorMeasureIntegral, indexed
from symbolic.notation import M_s, Sigma, alpha, mu, s, theta, x, y
from symbolic.variants import lookup, table


def derive() -> GaussianReduction:
    """B_s = V M_s A and c = 0, with M_s the integral of second moments up to s (arXiv:2501.18322).

    M_s = int_{tau <= s} (Sigma_tau + alpha_tau alpha_tau^T) dtheta(tau); equations for every s.
    """
    linear = table()["linear"]
    definition = lookup("masked-linear").velocity(x, mu, form="A")
    tilt = gradient(linear.score(x, y, form="A"), y)
    past = Past(theta, s)
    moments = PositionIntegral(second_moment(), (alpha, Sigma), past)
    velocity = jacobian(linear.value(y), y) * M_s * tilt
    steps = [
        Step("definition", definition, r"masked linear attention on $\mu$", r"\Gamma_\mu(s, x)"),
        Step(
            "tilt",
            tilt,
            TILT,
            r"\eta",
        ),
        Step(
            "moments of the past",
            VectorMeasureIntegral(y * y.T, y, Past(mu, s)),
            "$V$ and the tilt do not depend on $y$",
            "M_s",
        ),
        Step("second moment", second_moment(), r"of $\mathcal{N}(\alpha, \Sigma)$"),
        Step(
            "moments by position",
            moments,
            r"$y$ given $\tau$ is $\mathcal{N}(\alpha_\tau, \Sigma_\tau)$",
            "M_s",
        ),
    ]
    reduction = from_velocity("masked-linear", steps, velocity)
    own = {letter: indexed(letter, "s") for letter in (alpha, Sigma)}
    return replace(
        reduction,
        mean_rhs=reduction.mean_rhs.xreplace(own),
        covariance_rhs=reduction.covariance_rhs.xreplace(own),
        mean=own[alpha],
        covariance=own[Sigma],
        definitions=((M_s, moments),),
    )


REDUCTIONS = {"masked-linear": derive}
