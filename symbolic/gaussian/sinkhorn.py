"""Sinkhorn attention on Gaussians: the doubly stochastic plan is Gaussian.

With xi = x - alpha and zeta = y - alpha the kernel exp(<A x, y>) is exp(<A xi, zeta>) up to factors
of x alone and of y alone, which alternating normalisation removes.  The ansatz multiplies it by
exp(-<xi, P xi>/2 - <zeta, R zeta>/2) and a constant; both marginals are right when P and R solve
the two marginal equations.  With M = W A W, W = Sigma^{1/2}, they are solved by functions of M M^T
and M^T M that are roots of e + m e^2 = 1.
"""

from sympy import Expr, Identity, MatrixExpr, Rational

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
from symbolic.nodes import Gaussian, Inner
from symbolic.notation import A, C, P, R, Sigma, alpha, d, eta, x, xi, y, zeta
from symbolic.variants import table

W = Sigma ** Rational(1, 2)
"""Sigma^{1/2} (d x d)."""
M = W * A * W
"""M = W A W (d x d): the score in coordinates in which the tokens are standard normal."""


def derive() -> GaussianReduction:
    """B = 2 V W (I + (I + 4 W A Sigma A^T W)^{1/2})^{-1} W A, alpha' = V alpha.

    W = Sigma^{1/2} (arXiv:2501.18322).
    """
    sinkhorn = table()["sinkhorn"]
    definition = sinkhorn.velocity(x, Gaussian(alpha, Sigma), form="A")
    score = sinkhorn.score(xi, zeta, form="A")
    ansatz = score - Inner(xi, P * xi) / 2 - Inner(zeta, R * zeta) / 2
    # At R = A W F W A^T, (I + Sigma R)^{-1} Sigma = W (I + M F M^T)^{-1} W with M F M^T = M M^T E,
    # and (I + M M^T E)^{-1} = E; likewise with the roles of P and R exchanged.
    E, F = contraction(M), contraction(M.T)
    row, column = (A.T * W * E * W * A).doit(), (A * W * F * W * A.T).doit()
    tilt = gradient(score, zeta)
    plan_mean = alpha + (W * E * W).doit() * tilt.subs(xi, x - alpha)
    value = jacobian(sinkhorn.value(y), y)
    steps = [
        Step(
            "definition", definition, r"Sinkhorn attention on $\mathcal{N}(\alpha, \Sigma)$", GAMMA
        ),
        Step(
            "ansatz",
            ansatz,
            r"log density of the plan, where $\xi = x - \alpha$ and $\zeta = y - \alpha$",
        ),
        Step("damped covariance", damped_covariance(R), "for the precision $R$ of the ansatz", "C"),
        Step(
            "damped transform",
            damped_transform(),
            DAMPED,
            r"L(\eta)",
        ),
        Step("row equation", marginal(score, zeta, xi, R), r"the integral over $\zeta$ is 1", "P"),
        Step("column equation", marginal(score, xi, zeta, P), r"the integral over $\xi$ is 1", "R"),
        Step(
            "row contraction",
            E,
            r"root of $E + M M^\top E^2 = I$; $M = W A W$, $W = \Sigma^{1/2}$",
            "E",
        ),
        Step("column contraction", F, r"the same with $M^\top$ in place of $M$", "F"),
        Step("row potential", row, r"from $(I + \Sigma R)^{-1} \Sigma = W E W$", "P"),
        Step("column potential", column, r"from $(I + \Sigma P)^{-1} \Sigma = W F W$", "R"),
        Step("tilt", tilt, r"gradient in $\zeta$ of the score, in the row of $\xi$", r"\eta"),
        Step("plan mean", plan_mean, "mean of $y$ given $x$ under the plan"),
    ]
    velocity = (value * alpha + value * (plan_mean - alpha)).doit()
    return from_velocity("sinkhorn", steps, velocity)


def marginal(score: Expr, over: MatrixExpr, at: MatrixExpr, precision: MatrixExpr) -> MatrixExpr:
    """The Hessian in ``at`` of log int exp(score - <over, precision over>/2) dN(0, Sigma)(over).

    The potential at ``at`` has to cancel it, so that it is its precision (d x d).

    >>> marginal(Inner(A * xi, zeta), zeta, xi, R)
    A.T*(I + Sigma*R)**(-1)*Sigma*A
    """
    transform = damped_transform().subs(eta, gradient(score, over))
    hessian = jacobian(gradient(transform, at), at)
    return hessian.subs(C, damped_covariance(precision)).doit()


def contraction(N: MatrixExpr) -> MatrixExpr:
    """E = 2 (I + (I + 4 N N^T)^{1/2})^{-1} (d x d), the root of E + N N^T E^2 = I with 0 < E <= I.

    >>> contraction(A)
    2*(I + (I + 4*A*A.T)**(1/2))**(-1)
    """
    identity = Identity(d)
    return 2 * (identity + (identity + 4 * (N * N.T).doit()) ** Rational(1, 2)).inverse()


REDUCTIONS = {"sinkhorn": derive}
