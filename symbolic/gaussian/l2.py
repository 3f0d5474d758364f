"""L2 attention on Gaussians: the score is quadratic in y, so that it tilts and damps the law."""

from dataclasses import replace

from sympy import Identity, MatrixExpr

from symbolic.calculus import gradient, jacobian
from symbolic.gaussian.base import (
    DAMPED,
    GAMMA,
    GaussianReduction,
    Step,
    damped_covariance,
    damped_transform,
    from_velocity,
)
from symbolic.nodes import Gaussian
from symbolic.notation import A, C, K, P, Q, Sigma, alpha, d, eta, score_matrix, x, y
from symbolic.variants import table


def derive() -> GaussianReduction:
    """B = 2 V (I + 2 Sigma K^T K)^{-1} Sigma A with A = K^T Q (arXiv:2501.18322).

    alpha' = V (I + 2 Sigma K^T K)^{-1} (I + 2 Sigma A) alpha.
    """
    l2 = table()["l2"]
    definition = l2.velocity(x, Gaussian(alpha, Sigma))
    slope = gradient(l2.score(x, y), y)
    precision = -jacobian(slope, y)
    tilt = slope.subs(y, alpha).doit()
    value = jacobian(l2.value(y), y)
    damped_mean = gradient(damped_transform(), eta)
    covariance = damped_covariance(precision)
    mean = alpha + damped_mean.subs(C, covariance).subs(eta, tilt)
    steps = [
        Step("definition", definition, r"L2 attention on $\mathcal{N}(\alpha, \Sigma)$", GAMMA),
        Step("precision", precision, "minus the Hessian in $y$ of the score", "P"),
        Step("tilt", tilt, r"gradient in $y$ of the score at $y = \alpha$", r"\eta"),
        Step(
            "damped covariance",
            damped_covariance(P),
            "for the precision $P$ that the kernel adds",
            "C",
        ),
        Step(
            "damped transform",
            damped_transform(),
            DAMPED,
            r"L(\eta)",
        ),
        Step(
            "damped mean",
            damped_mean,
            r"gradient in $\eta$, since $C$ is symmetric",
            r"\nabla L(\eta)",
        ),
    ]
    reduction = from_velocity("l2", steps, (value * mean).doit())
    return replace(
        reduction,
        linear=_with_score_matrix(reduction.linear),
        mean_rhs=_mean_rhs(value, precision, tilt),
        covariance_rhs=_with_score_matrix(reduction.covariance_rhs),
        definitions=((A, score_matrix()),),
    )


def _mean_rhs(value: MatrixExpr, precision: MatrixExpr, tilt: MatrixExpr) -> MatrixExpr:
    """The velocity at x = alpha with N^{-1} in front, N = I + Sigma P, as alpha = N^{-1} N alpha.

    What is left behind N^{-1} is N alpha + Sigma tilt, where the terms with K^T K cancel.
    """
    N = Identity(d) + Sigma * precision
    behind = (N * alpha + Sigma * tilt.subs(x, alpha)).expand().doit()
    return (value * N.inverse() * _with_score_matrix(jacobian(behind, alpha)) * alpha).doit()


def _with_score_matrix(expression: MatrixExpr) -> MatrixExpr:
    """The expression with A in place of K^T Q, and A^T in place of Q^T K."""
    for product, letter in ((K.T * Q, A), (Q.T * K, A.T)):
        expression = expression.subs(product, letter)
    return expression.doit()


REDUCTIONS = {"l2": derive}
