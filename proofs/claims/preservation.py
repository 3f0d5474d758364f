"""Gaussians stay Gaussian: the statement and its proof, for heads of any preserving variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from proofs.builder import Builder
from proofs.claims.affine_flow import affine_flow, preserved
from proofs.claims.covariance_equation import Sigma, Sigma0, T, t
from proofs.claims.covariance_rank import CONSTANT_RANK, rank_along
from proofs.claims.preserving_heads import COVARIANCE, LAW, Gaussian, Head, alpha, lemmas, x
from proofs.claims.regular_curves import Regular, solution
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    eq,
    forall,
    lam,
    mul,
    number,
    ode,
    on_lifetime,
    piecewise,
    psd,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

ALWAYS_POSITIVE = on_lifetime(T, lambda t: psd(at(Sigma, t)))
START = eq(at(Sigma, number(0)), Sigma0)
MU = Definition("mu", LAW)


@dataclass(frozen=True)
class Layer:
    """Heads, or families of heads, whose velocities add up."""

    heads: tuple[Head, ...]

    @property
    def velocity(self) -> Term:
        """t -> x -> Gamma_mu(x) at mu = N(alpha(t), Sigma(t))."""
        return lam(t, lam(x, _sum([head.velocity(at(LAW, t), x) for head in self.heads])))

    def affine(self, point: Term) -> Term:
        return _sum([head.total(head.affine(point)) for head in self.heads])

    @property
    def linear(self) -> Term:
        return _sum([head.total(head.linear) for head in self.heads])

    @property
    def constant(self) -> Term:
        return _sum([head.total(head.constant) for head in self.heads])

    @property
    def needs_positive(self) -> bool:
        return any(head.needs_positive for head in self.heads)

    # The statement

    @property
    def regular(self) -> tuple[Term, ...]:
        """The parameters are piecewise continuous, one hypothesis for each head or family."""
        found = []
        for head in self.heads:
            parts = conj(*(piecewise(T, curve) for curve in head.curves))
            found.append(parts if head.index is None else forall(head.index, parts))
        return tuple(found)

    @property
    def equation(self) -> Term:
        growth = mul(self.linear, COVARIANCE)
        return ode(T, Sigma, lam(t, add(growth, tp(growth))))

    @property
    def mean_equation(self) -> Term:
        velocities = [head.total(head.mean_velocity) for head in self.heads]
        return ode(T, alpha, lam(t, _sum(velocities)))

    @property
    def statement(self) -> Statement:
        positive = (ALWAYS_POSITIVE,) if self.needs_positive else ()
        return Statement(
            (
                psd(Sigma0),
                *positive,
                *self.regular,
                self.equation,
                START,
                self.mean_equation,
            ),
            conj(CONSTANT_RANK, *preserved(LAW, self.velocity, x, self.affine(x)).args),
        )

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """A name for each hypothesis of the statement."""
        return (
            "Sigma0 positive semidefinite",
            *(["Sigma stays positive semidefinite"] if self.needs_positive else []),
            *(
                f"the parameters of {head.variant} are piecewise continuous in time"
                for head in self.heads
            ),
            "Sigma solves the covariance equation",
            "Sigma starts at Sigma0",
            "alpha solves the mean equation",
        )

    # The proof

    def prove(self) -> Proof:
        needed = lemmas() if self.needs_positive else {}
        p = Builder(needed)
        inside = within(t, T)
        start = p.assume(psd(Sigma0))
        positive = None
        if self.needs_positive:
            positive = p.at(p.assume(ALWAYS_POSITIVE), t, p.assume(inside))
        regular = [p.assume(part) for part in self.regular]
        equation, initial = p.assume(self.equation), p.assume(START)
        mean = p.assume(self.mean_equation)
        now = Gaussian(positive, solution(p, mean), solution(p, equation))
        stays = self._rank(p, now, regular, equation, initial, start)
        positive = p.part(p.at(stays, t, p.assume(inside)), 0)
        formula = self._velocity_formula(p, positive)
        solves = affine_flow(
            p,
            equation=equation,
            mean=mean,
            linear=lam(t, self.linear),
            constant=lam(t, self.constant),
            positive=positive,
            formula=formula,
            velocity=self.velocity,
        )
        p.conjunction(stays, p.for_all(t, inside, p.generalise(x, formula)), solves)
        return p.proof()

    def _rank(
        self,
        p: Builder,
        now: Gaussian,
        regular: Sequence[int],
        equation: int,
        initial: int,
        start: int,
    ) -> int:
        """Sigma(t) >= 0 and rank Sigma(t) = rank Sigma0, as Sigma' = B Sigma + (B Sigma)^T."""
        curves, equal = [], []
        for head, assumed in zip(self.heads, regular, strict=True):
            curve, same = _regular_linear(p, head, now, assumed)
            curves.append(curve)
            equal.append(same)
        B = reduce(lambda left, right: left + right, curves)
        stated = p[equation].args[2]
        product = mul(B.now, COVARIANCE)
        congruence = add(product, tp(product))
        rewritten = p.algebra(
            at(stated, t),
            congruence,
            *((same, lambda h: add(mul(h, COVARIANCE), tp(mul(h, COVARIANCE)))) for same in equal),
        )
        linear_equation = p.fact(
            "equal-velocities",
            equation,
            p.for_all(t, within(t, T), rewritten),
            H=lam(t, congruence),
        )
        flow = p.fact(
            "linear-congruence-flow",
            B.step,
            linear_equation,
            initial,
            p.algebra(tp(Sigma0), Sigma0, start),
            B=B.curve,
        )
        return rank_along(p, flow, start)

    def _velocity_formula(self, p: Builder, positive: int) -> int:
        """Gamma_mu(x) = affine(x) for t in [0, T)."""
        uses = [head.summed(p, head.prove_velocity(p, positive)) for head in self.heads]
        return p.algebra(at(self.velocity, t, x), self.affine(x), *uses)


def _regular_linear(p: Builder, head: Head, now: Gaussian, assumed: int) -> tuple[Regular, int]:
    """B of a head, or summed over a family, as a piecewise curve; and a step that it is B."""
    own = assumed if head.index is None else p.specialise(assumed, head.index)
    parameters = tuple(Regular(p, p.part(own, i)) for i in range(len(head.names)))
    curve = head.regular(p, now, parameters)
    same = head.prove_linear(p, now, curve)
    if head.index is None:
        return curve, same
    family = lam(head.index, curve.curve)
    everyone = p.fact("sum-piecewise", p.generalise(head.index, curve.step), f=family)
    result = Regular(p, everyone)
    return result, p.algebra(head.total(head.linear), result.now, head.summed(p, same))


def _sum(terms: Sequence[Term]) -> Term:
    return terms[0] if len(terms) == 1 else add(*terms)
