"""Heads that keep Gaussians Gaussian, one class for each variant; their parameters vary in time.

For mu = N(alpha, Sigma) each velocity is affine, Gamma_mu(x) = B x + c.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from proofs.bridge import to_term
from proofs.builder import Builder, Summand, Use, itself
from proofs.claims import gaussian_sinkhorn_plan as sinkhorn
from proofs.claims import l2_velocity
from proofs.claims.covariance_equation import Sigma, d, t
from proofs.claims.gaussian_velocity import linear_velocity, softmax_velocity
from proofs.claims.regular_curves import Regular, constant
from proofs.claims.sinkhorn_roots import pull
from proofs.kernel import Lemma
from proofs.language import (
    add,
    at,
    gaussian,
    identity,
    inv,
    lam,
    minus,
    mul,
    scale,
    time_to,
    total,
    tp,
    vec,
    zero,
)
from proofs.terms import ONE, Term
from symbolic import notation
from symbolic.variants import lookup
from symbolic.variants.base import Form

alpha, x = time_to("alpha", d, ONE), vec("x", d)
#: mean and covariance at the time t, and the law as a curve
MEAN, COVARIANCE = at(alpha, t), at(Sigma, t)
LAW = lam(t, gaussian(MEAN, COVARIANCE))


@dataclass(frozen=True)
class Gaussian:
    """Steps on the Gaussian at a time t in [0, T).

    Attributes:
        positive: Sigma(t) is positive semidefinite; None as long as that is not known.
        mean, covariance: the curves alpha and Sigma.
    """

    positive: int | None
    mean: Regular
    covariance: Regular

    @property
    def cone(self) -> int:
        """The step that Sigma(t) is positive semidefinite.

        Raises:
            ValueError: that is not known.
        """
        if self.positive is None:
            raise ValueError("the proof does not know yet that Sigma(t) >= 0")
        return self.positive


class Head(ABC):
    """One head at the time t, or the heads of a family at one index.

    ``parameters`` are curves, or families of curves; ``index`` picks the member of a family.
    """

    variant: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    #: whether B makes sense for positive semidefinite matrices only
    needs_positive: ClassVar[bool]

    def __init__(self, parameters: tuple[Term, ...], index: Term | None = None) -> None:
        self.parameters, self.index = parameters, index

    @property
    def curves(self) -> tuple[Term, ...]:
        if self.index is None:
            return self.parameters
        return tuple(at(family, self.index) for family in self.parameters)

    @property
    def now(self) -> tuple[Term, ...]:
        """The parameters at t."""
        return tuple(at(curve, t) for curve in self.curves)

    def velocity(self, measure: Term, point: Term) -> Term:
        """Gamma_mu(x) from the table of variants; the sum over all heads of a family."""
        name = self.variant if self.index is None else f"multihead-{self.variant}"
        form: Form = "QK" if "Q" in self.names else "A"
        expression = lookup(name).velocity(notation.x, notation.mu, form=form)
        values = self.now
        letters = {"mu": measure, "x": point}
        if self.index is not None:
            values = tuple(lam(self.index, value) for value in values)
            letters["H"] = self.index.args[0].args[0]
        return to_term(expression, {**letters, **dict(zip(self.names, values, strict=True))})

    def total(self, term: Term) -> Term:
        """The sum of a term over the heads of a family."""
        return term if self.index is None else total(self.index, term)

    def summed(self, p: Builder, equation: int) -> Use:
        """How an equation for one head is used where the sum over all heads of a family stands."""
        if self.index is None:
            return equation, itself
        index = self.index
        return p.extensionality(index, equation), lambda family: total(index, at(family, index))

    @abstractmethod
    def affine(self, point: Term) -> Term:
        """B x + c, as it is stated."""

    @property
    def mean_velocity(self) -> Term:
        """The right-hand side of the equation of the mean, as it is stated."""
        return self.affine(MEAN)

    @property
    @abstractmethod
    def linear(self) -> Term:
        """B, as it is stated."""

    @property
    @abstractmethod
    def constant(self) -> Term:
        """c."""

    @abstractmethod
    def prove_velocity(self, p: Builder, positive: int) -> int:
        """Gamma_mu(x) = B x + c for one head, from a step that Sigma(t) >= 0."""

    @abstractmethod
    def regular(self, p: Builder, now: Gaussian, parameters: tuple[Regular, ...]) -> Regular:
        """B as a piecewise continuous curve of piecewise continuous parameters."""

    def prove_linear(self, p: Builder, now: Gaussian, regular: Regular) -> int:
        """The stated B is that curve at t."""
        return p.algebra(self.linear, regular.now)


class SoftmaxHead(Head):
    """V (alpha + Sigma A x)."""

    needs_positive = False
    variant, names = "softmax", ("V", "A")

    def affine(self, point: Term) -> Term:
        V, A = self.now
        return mul(V, add(MEAN, mul(COVARIANCE, A, point)))

    @property
    def linear(self) -> Term:
        V, A = self.now
        return mul(V, COVARIANCE, A)

    @property
    def constant(self) -> Term:
        return mul(self.now[0], MEAN)

    def prove_velocity(self, p: Builder, positive: int) -> int:
        return softmax_velocity(p, MEAN, COVARIANCE, x, positive, self.now)

    def regular(self, p: Builder, now: Gaussian, parameters: tuple[Regular, ...]) -> Regular:
        V, A = parameters
        return V * now.covariance * A


class LinearHead(Head):
    """V (Sigma + alpha alpha^T) A x."""

    needs_positive = False
    variant, names = "linear", ("V", "A")

    def affine(self, point: Term) -> Term:
        V, A = self.now
        return mul(V, add(COVARIANCE, mul(MEAN, tp(MEAN))), A, point)

    @property
    def linear(self) -> Term:
        V, A = self.now
        return mul(V, add(COVARIANCE, mul(MEAN, tp(MEAN))), A)

    @property
    def constant(self) -> Term:
        return zero(d, ONE)

    def prove_velocity(self, p: Builder, positive: int) -> int:
        return linear_velocity(p, MEAN, COVARIANCE, x, positive, self.now)

    def regular(self, p: Builder, now: Gaussian, parameters: tuple[Regular, ...]) -> Regular:
        V, A = parameters
        return V * (now.covariance + now.mean * now.mean.T) * A


class L2Head(Head):
    """V (I + 2 Sigma K^T K)^{-1} (alpha + 2 Sigma K^T Q x)."""

    needs_positive = True
    variant, names = "l2", ("Q", "K", "V")

    def affine(self, point: Term) -> Term:
        Q, K, V = self.now
        return l2_velocity.affine(Q, K, V, MEAN, COVARIANCE, point)

    @property
    def linear(self) -> Term:
        Q, K, V = self.now
        inverse = inv(l2_velocity.precision(K, COVARIANCE))
        return scale(2, mul(V, inverse, COVARIANCE, tp(K), Q))

    @property
    def constant(self) -> Term:
        _, K, V = self.now
        return mul(V, inv(l2_velocity.precision(K, COVARIANCE)), MEAN)

    def _lemma(self, p: Builder, positive: int) -> int:
        letters = dict(zip("QKV", self.now, strict=True))
        return p.lemma(l2_velocity.NAME, positive, alpha=MEAN, Sigma=COVARIANCE, **letters)

    def prove_velocity(self, p: Builder, positive: int) -> int:
        return p.specialise(p.part(self._lemma(p, positive), 1), x)

    def regular(self, p: Builder, now: Gaussian, parameters: tuple[Regular, ...]) -> Regular:
        Q, K, V = parameters
        W = now.covariance.root(now.cone)
        half = W * K.T * (K * W)
        doubled = half + half
        positive = p.positive(doubled.now, Summand(mul(K.now, W.now), coefficient=2))
        B = V * (W * doubled.resolvent(positive) * W) * (K.T * Q)
        return B + B

    def prove_linear(self, p: Builder, now: Gaussian, regular: Regular) -> int:
        Q, K, V = self.now
        shrinks = p.part(self._lemma(p, now.cone), 0)
        return p.algebra(
            self.linear,
            regular.now,
            now.cone,
            (shrinks, lambda h: scale(2, mul(V, h, tp(K), Q))),
        )


class SinkhornHead(Head):
    """V (alpha + W E W A (x - alpha)), with W = Sigma^{1/2}.

    Here E = 2 (I + (I + 4 W A Sigma A^T W)^{1/2})^{-1}.
    """

    needs_positive = True
    variant, names = "sinkhorn", ("V", "A")

    def affine(self, point: Term) -> Term:
        V, A = self.now
        return sinkhorn.affine(A, V, MEAN, COVARIANCE, point)

    @property
    def mean_velocity(self) -> Term:
        return mul(self.now[0], MEAN)

    @property
    def linear(self) -> Term:
        V, A = self.now
        return mul(V, pull(A, COVARIANCE))

    @property
    def constant(self) -> Term:
        V, A = self.now
        return mul(V, minus(MEAN, mul(pull(A, COVARIANCE), MEAN)))

    def prove_velocity(self, p: Builder, positive: int) -> int:
        V, A = self.now
        claim = sinkhorn.CLAIM.id
        plan = p.lemma(claim, positive, alpha=MEAN, Sigma=COVARIANCE, V=V, A=A)
        return p.specialise(p.part(plan, 3), x)

    def regular(self, p: Builder, now: Gaussian, parameters: tuple[Regular, ...]) -> Regular:
        V, A = parameters
        W = now.covariance.root(now.cone)
        gram = W * A * now.covariance * (A.T * W)
        inner = constant(p, identity(d)) + (gram + gram + (gram + gram))
        form = Summand(mul(A.T.now, W.now), core=now.cone, coefficient=4)
        inside = p.positive(inner.now, Summand(identity(d)), form)
        G = inner.root(inside)
        E = G.resolvent(p.part(p.fact("square-root", inside), 0))
        B = V * (W * E * W) * A
        return B + B


#: lemmas that the proofs of heads refer to
def lemmas() -> dict[str, Lemma]:
    return {l2_velocity.NAME: l2_velocity.lemma(), sinkhorn.CLAIM.id: sinkhorn.CLAIM.lemma()}
