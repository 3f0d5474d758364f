"""What all reductions share: the transform of a Gaussian, and the affine lemma.

For mu = N(alpha, Sigma), with Sigma positive semidefinite and possibly singular, the logarithm of
int exp(<eta, y>) dmu(y) is <eta, alpha> + <eta, Sigma eta>/2.  Where the kernel is quadratic in y,
with Hessian -P, a second integral enters: the logarithm of int exp(<eta, z> - <z, P z>/2) dN(0,
Sigma)(z) is <eta, C eta>/2 and a constant, C = (I + Sigma P)^{-1} Sigma = Sigma (I + P Sigma)^{-1}
symmetric.  The rest is differentiation.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Identity, MatrixExpr, MatrixSymbol, ZeroMatrix

from symbolic.calculus import gradient, jacobian
from symbolic.latex import latex
from symbolic.nodes import Inner
from symbolic.notation import C, Sigma, alpha, d, eta, x

TILT = r"the score is $\langle \eta, y\rangle$ with this tilt, its gradient in $y$"
DAMPED = r"log of the Gaussian integral with the tilt $\eta$, up to a constant"
"""Reasons that several derivations give."""

GAMMA = r"\Gamma_\mu(x)"
"""The velocity, in LaTeX."""


@dataclass(frozen=True)
class Step:
    """One step of a derivation: what was obtained, and why.

    ``reason`` has formulas between dollar signs; ``left`` is LaTeX of what the expression equals,
    empty where that has no letter.
    """

    name: str
    expression: Expr | MatrixExpr
    reason: str
    left: str = ""


@dataclass(frozen=True)
class GaussianReduction:
    """Velocity B x + c on N(alpha, Sigma), and alpha' and Sigma' from it.

    ``velocity`` d x 1, ``linear`` (B) d x d, ``constant`` (c) d x 1, ``mean_rhs`` d x 1,
    ``covariance_rhs`` d x d, all in terms of letters; ``steps`` lead to the velocity.  ``mean``
    and ``covariance`` are the letters of alpha and Sigma, ``definitions`` abbreviations among the
    letters, each with what it stands for.

    >>> from symbolic.gaussian import reduction
    >>> softmax = reduction("softmax")
    >>> softmax.linear, softmax.mean_rhs
    (V*Sigma*A, V*alpha + V*Sigma*A*alpha)
    """

    variant: str
    steps: tuple[Step, ...]
    velocity: MatrixExpr
    linear: MatrixExpr
    constant: MatrixExpr
    mean_rhs: MatrixExpr
    covariance_rhs: MatrixExpr
    mean: MatrixSymbol = alpha
    covariance: MatrixSymbol = Sigma
    definitions: tuple[tuple[MatrixSymbol, MatrixExpr], ...] = ()

    def latex(self) -> dict[str, str]:
        """LaTeX of the equations for ``mean`` and ``covariance``."""
        return {
            "mean": rf"\dot{latex(self.mean)} = {latex(self.mean_rhs)}",
            "covariance": rf"\dot{latex(self.covariance)} = {latex(self.covariance_rhs)}",
        }


def from_velocity(variant: str, steps: list[Step], velocity: MatrixExpr) -> GaussianReduction:
    """Affine lemma: velocity B x + c gives alpha' = B alpha + c, Sigma' = B Sigma + Sigma B^T.

    Raises ValueError when the velocity is not visibly affine in x.
    """
    linear = jacobian(velocity, x)
    constant = velocity.subs(x, ZeroMatrix(d, 1)).doit()
    return GaussianReduction(
        variant=variant,
        steps=(*steps, Step("velocity", velocity, "the steps above put together", GAMMA)),
        velocity=velocity,
        linear=linear,
        constant=constant,
        mean_rhs=(linear * alpha + constant).doit(),
        covariance_rhs=(linear * Sigma + Sigma * linear.T).doit(),
    )


def log_transform() -> Expr:
    """log int exp(<eta, y>) dN(alpha, Sigma)(y), a number."""
    return Inner(eta, alpha) + Inner(eta, Sigma * eta) / 2


def tilted_mean() -> MatrixExpr:
    """Mean of N(alpha, Sigma) reweighted by exp(<eta, y>): the gradient of `log_transform`.

    >>> tilted_mean()
    alpha + Sigma*eta
    """
    return gradient(log_transform(), eta)


def second_moment() -> MatrixExpr:
    """int y y^T dN(alpha, Sigma)(y) (d x d): the Hessian of the transform at eta = 0.

    The Hessian of exp(L) is exp(L) (Hess L + grad L grad L^T), and L = 0 at eta = 0.

    >>> second_moment()
    alpha*alpha.T + Sigma
    """
    mean = tilted_mean()
    hessian = jacobian(mean, eta) + mean * mean.T
    return hessian.subs(eta, ZeroMatrix(d, 1)).doit()


def damped_transform() -> Expr:
    """log int exp(<eta, z> - <z, P z>/2) dN(0, Sigma)(z) up to a constant, a number.

    C is the `damped_covariance` of P.
    """
    return Inner(eta, C * eta) / 2


def damped_covariance(precision: MatrixExpr) -> MatrixExpr:
    """C = (I + Sigma P)^{-1} Sigma (d x d) for a positive semidefinite ``precision`` P (d x d).

    The covariance of N(0, Sigma) reweighted by exp(-<z, P z>/2); for an invertible Sigma it is
    (Sigma^{-1} + P)^{-1}.

    >>> from symbolic.notation import P
    >>> damped_covariance(P)
    (I + Sigma*P)**(-1)*Sigma
    """
    return ((Identity(d) + Sigma * precision).inverse() * Sigma).doit()
