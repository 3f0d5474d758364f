"""Curves that are piecewise continuous because of how they are built."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.builder import Builder
from proofs.claims.covariance_equation import T, t
from proofs.language import at, lam, within
from proofs.terms import Term


@dataclass(frozen=True)
class Regular:
    """A curve, with a step that proves it piecewise continuous on [0, T)."""

    p: Builder
    step: int

    @property
    def curve(self) -> Term:
        return self.p[self.step].args[1]

    @property
    def now(self) -> Term:
        """The value at t."""
        return at(self.curve, t)

    @property
    def T(self) -> Regular:
        """The transpose."""
        return Regular(self.p, self.p.fact("transpose-piecewise", self.step))

    def __mul__(self, other: Regular) -> Regular:
        return Regular(self.p, self.p.fact("product-piecewise", self.step, other.step))

    def __add__(self, other: Regular) -> Regular:
        return Regular(self.p, self.p.fact("two-summands-piecewise", self.step, other.step))

    def root(self, positive: int) -> Regular:
        """The root, from a step that the value at t is positive semidefinite, t in [0, T)."""
        always = self.p.for_all(t, within(t, T), positive)
        return Regular(self.p, self.p.fact("root-piecewise", self.step, always))

    def resolvent(self, positive: int) -> Regular:
        """(I + X)^{-1}, from a step that X(t) is positive semidefinite, t in [0, T)."""
        always = self.p.for_all(t, within(t, T), positive)
        return Regular(self.p, self.p.fact("inverse-piecewise", self.step, always))


def solution(p: Builder, equation: int) -> Regular:
    """A curve that solves an equation."""
    return Regular(p, p.fact("solution-piecewise", equation))


def constant(p: Builder, value: Term) -> Regular:
    """The curve t -> value."""
    return solution(p, p.differentiate(T, lam(t, value)))
