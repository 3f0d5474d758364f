"""The Lyapunov function tr(P Sigma), and what one head contributes to its decay."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.builder import Builder, Summand
from proofs.claims.covariance_equation import Sigma, Sigma0, T, covariance_field, d, t
from proofs.language import (
    add,
    at,
    inv,
    lam,
    le,
    limit_point,
    mat,
    maximal,
    minus,
    mul,
    number,
    on_lifetime,
    psd,
    root,
    scale,
    tp,
    tr,
    within,
    zero,
)
from proofs.terms import Term

P, Z = mat("P", d, d), mat("Z", d, d)


def trace_bound(end: Term) -> Term:
    """tr(P Sigma(t)) <= tr(P Sigma0) on [0, end)."""
    return on_lifetime(end, lambda t: le(tr(mul(P, at(Sigma, t))), tr(mul(P, Sigma0))))


@dataclass(frozen=True)
class Dissipative:
    """A head with N = P V symmetric positive semidefinite and A + A^T <= 0.

    The other fields are steps that prove P > 0, N >= 0 and -A - A^T >= 0.
    """

    V: Term
    A: Term
    metric: int
    value: int
    negative: int

    @property
    def N(self) -> Term:
        return mul(P, self.V)

    @property
    def H(self) -> Term:
        return add(self.A, tp(self.A))

    def form(self) -> Term:
        """R Z (-A - A^T) Z R with R = N^{1/2}, written as a congruence."""
        factor = mul(Z, root(self.N))
        return mul(tp(factor), scale(-1, self.H), factor)

    def power(self) -> Term:
        """-tr(P F(Z))."""
        return minus(number(0), tr(mul(P, at(covariance_field(self.V, self.A), Z))))

    def decay(self, p: Builder, positive: int) -> tuple[int, int]:
        """Steps form(Z) >= 0 and tr form(Z) = -tr(P F(Z)), from a step that proves psd(Z)."""
        square = p.part(p.fact("square-root", self.value, M=self.N), 1)
        factor = mul(Z, root(self.N))
        nonnegative = p.positive(self.form(), Summand(factor, core=self.negative))
        trace = p.algebra(
            tr(self.form()),
            self.power(),
            (square, lambda h: scale(-1, tr(mul(h, Z, self.H, Z)))),
            (
                p.fact("semidefinite-symmetric", self.value),
                lambda h: tr(mul(h, Z, tp(self.A), Z)),
            ),
            positive,
            self.metric,
        )
        return nonnegative, trace

    def annihilated(self, p: Builder, nonnegative: int, no_trace: int) -> int:
        """(A + A^T) Z V^T = 0, from steps form(Z) >= 0 and tr form(Z) = 0."""
        H, R = self.H, root(self.N)
        vanishing = p.fact("zero-trace", nonnegative, no_trace)
        kernel = p.fact("zero-form", self.negative, vanishing, M=scale(-1, H), Z=mul(Z, R))
        square = p.part(p.fact("square-root", self.value, M=self.N), 1)
        exists = p.part(p.fact("definite-inverse", self.metric), 0)
        inverse = p.part(p.fact("inverse", exists), 0)
        return p.algebra(
            mul(H, Z, tp(self.V)),
            zero(d, d),
            (inverse, lambda h: scale(-1, mul(H, Z, tp(self.V), h))),
            (
                p.fact("semidefinite-symmetric", self.value),
                lambda h: mul(H, Z, h, inv(P)),
            ),
            (square, lambda h: scale(-1, mul(H, Z, h, inv(P)))),
            (kernel, lambda h: scale(-1, mul(h, R, inv(P)))),
            self.metric,
        )


@dataclass(frozen=True)
class Decay:
    """Steps about a solution along which tr(P Sigma) does not grow.

    Attributes:
        endless: T = oo.
        bound: trace_bound(T).
        positive: psd(Sigma(t)) on [0, oo).
        at_limits: for all limit points Z: psd(Z) and tr(P F(Z)) = 0.
    """

    endless: int
    bound: int
    positive: int
    at_limits: int

    @classmethod
    def of(cls, p: Builder, solution: int, stays: int, metric: int, everywhere: int) -> Decay:
        """From maximal(T, Sigma, F, Sigma0), constant rank, P > 0 and tr(P F(Z)) <= 0."""
        field = p[solution].args[2]
        smooth = p.smooth_on_cone(field)
        now = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
        along = p.for_all(t, within(t, T), p.at(everywhere, at(Sigma, t), now))
        bound = p.fact("decreasing-form", solution, along, X=Sigma, F=field, P=P)
        positive = p.for_all(t, within(t, T), now)
        level = lam(t, tr(mul(P, Sigma0)))
        endless = p.fact(
            "bounded-solution",
            smooth,
            solution,
            positive,
            metric,
            p.continuous(level),
            bound,
            X=Sigma,
            b=level,
        )
        forever = p.replace(endless, solution, lambda end: maximal(end, Sigma, field, Sigma0))
        positive = p.replace(
            endless, positive, lambda end: on_lifetime(end, lambda t: psd(at(Sigma, t)))
        )
        at_limits = p.fact(
            "invariance-principle",
            smooth,
            forever,
            positive,
            metric,
            everywhere,
            X=Sigma,
            F=field,
        )
        return cls(endless, bound, positive, at_limits)

    def at_limit(self, p: Builder) -> tuple[int, int]:
        """Steps psd(Z) and tr(P F(Z)) = 0 for a limit point Z, which is assumed."""
        both = p.at(self.at_limits, Z, p.assume(limit_point(Sigma, Z)))
        return p.part(both, 0), p.part(both, 1)
