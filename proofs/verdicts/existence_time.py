"""A proved lower bound of the blow-up time, for a given start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from proofs import language as la
from proofs.builder import Summand
from proofs.checkers import rational
from proofs.claims.covariance_equation import S
from proofs.claims.covariance_existence_time import (
    CLAIM,
    DRIFT,
    NORM_A,
    NORM_V,
    RATE,
    START,
    a,
    m,
    v,
)
from proofs.terms import Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.norms import OUT_OF_RANGE, SLACK, above, array, decimal
from proofs.verdicts.problem import CovarianceProblem, Problem, Rows
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id
NAME = CLAIM.hypotheses[-2]


def apply(problem: Problem) -> tuple[Application, ...]:
    """The hypotheses hold for every start; the bound itself needs a given one."""
    if problem.start is None:
        return (Application(ID, (Hypothesis(NAME, True, "for every Sigma0"),)),)
    try:
        findings: tuple[Finding, ...] = (_finding(problem),)
    except OUT_OF_RANGE:
        findings = ()
    return (Application(ID, (Hypothesis(NAME, True),), findings),)


def _finding(problem: Problem) -> Finding:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    drift = Drift.of(problem, (problem.V,), (problem.score,))
    norm_v, norm_a = drift.norms[0]
    full = {
        **problem.terms,
        "v": la.number(norm_v),
        "a": la.number(norm_a),
        "m": la.number(drift.start),
    }
    premises = [
        work.prove(substitute(la.pd(v), full)),
        work.prove(substitute(la.pd(a), full)),
        work.prove(substitute(NORM_V, full)),
        score_bound(work, substitute(NORM_A, full), problem.score),
        *start_bounds(work, full),
        work.solution(),
    ]
    theorem = work.p.lemma(ID, *premises, **full)
    return drift.finding(work, theorem, {**full, "s": la.number(drift.half)}, (DRIFT, RATE, S))


@dataclass(frozen=True)
class Drift:
    """Rational bounds of what makes the covariance of some heads grow.

    Attributes:
        norms: bounds of |V_h| and |A_h|.
        start: bound of Sigma0.
        half: sigma with S <= 2 sigma I for the sum S of all S_h.
        halves: sigma_h with S_h <= 2 sigma_h I, for each head.
    """

    norms: tuple[tuple[Fraction, Fraction], ...]
    start: Fraction
    half: Fraction
    halves: tuple[Fraction, ...]

    @property
    def products(self) -> Fraction:
        """The sum of |V_h| |A_h|."""
        return sum((v * a for v, a in self.norms), Fraction(0))

    @classmethod
    def of(
        cls, problem: CovarianceProblem, values: tuple[Rows, ...], scores: tuple[Rows, ...]
    ) -> Drift:
        """Bounds found in floating point and rounded up; they are tested exactly later."""
        scale = float(problem.scale_squared or 1) ** 0.5
        pairs = [(array(V), array(A) * scale) for V, A in zip(values, scores, strict=True)]
        norms = tuple((above(np.linalg.norm(V, 2)), above(np.linalg.norm(A, 2))) for V, A in pairs)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows fails the test
            drifts = [V @ A + (V @ A).T for V, A in pairs]
        assert isinstance(problem.start, tuple)
        start = above(np.linalg.eigvalsh(array(problem.start))[-1])
        products = [v * a for v, a in norms]
        half = _half(sum(drifts), sum(products, Fraction(0)))
        halves = tuple(_half(S, product) for S, product in zip(drifts, products, strict=True))
        return cls(norms, start, half, halves)

    def finding(
        self,
        work: Workspace,
        theorem: int,
        full: Mapping[str, Term],
        parts: tuple[Term, Term, Term],
    ) -> Finding:
        """T >= 1 / (rate m), from the claim's second conclusion and its DRIFT, RATE and S."""
        p = work.p
        drift, rate, total = (substitute(part, full) for part in parts)
        condition = p.conjunction(
            drift_bound(work, drift, total, self.half), work.prove(la.pd(rate))
        )
        lasting = p.at(p.part(theorem, 1), full["s"], condition)
        return self.lasting(work, p.part(lasting, 0), self.products + self.half)

    def lasting(self, work: Workspace, step: int, rate: Fraction) -> Finding:
        """The finding of a step that proves T >= 1 / (rate m), for the value of the rate."""
        p, problem = work.p, work.problem
        # a short rational below 1 / (rate m)
        exact = 1 / (rate * self.start)
        time = min(decimal(float(exact * (1 - Fraction(SLACK)))), exact)
        (bound,) = p[step].args[0].args
        gap = la.minus(bound, la.number(time))
        shorter = p.replace(
            p.algebra(la.number(exact - time), gap), p.definite(la.number(exact - time)), la.psd
        )
        ordered = p.fact("lifetimes-ordered", shorter, a=la.number(time), b=bound)
        p.fact("lifetimes-transitive", ordered, step)
        conclusion = la.at_most(la.finite(la.number(time)), problem.terms["T"])
        return Finding(
            "existence", "unknown", problem.statement(conclusion), p.proof(), time=(time, None)
        )


def start_bounds(work: Workspace, full: Mapping[str, Term]) -> tuple[int, int, int]:
    """Steps that prove m > 0, Sigma0 <= m I and Sigma0 >= 0."""
    return (
        work.prove(substitute(la.pd(m), full)),
        work.prove(substitute(START, full)),
        work.prove(substitute(la.psd(full["Sigma0"]), full)),
    )


def score_bound(work: Workspace, proposition: Term, score: Rows) -> int:
    """|A| <= a for A = s * score, with s^2 replaced by its value."""
    if work.problem.scale_squared is None:
        return work.prove(proposition)
    matrix = proposition.args[0]
    value = work.value(matrix)
    assert value is not None
    square = la.mul(la.tp(la.literal(score)), la.literal(score))
    return work.p.positive(
        matrix,
        Summand(
            la.identity(work.problem.terms["d"]),
            core=work.p.definite(Term("literal", data=value.plain)),
        ),
        by=[(work.scale_square(), lambda h: la.scale(-1, la.scale(h, square)))],
    )


def drift_bound(work: Workspace, proposition: Term, drift: Term, half: Fraction) -> int:
    """S <= 2 half I."""
    if work.problem.scale_squared is None:
        return work.prove(proposition)
    value = work.value(drift)
    assert value is not None
    low, high, above, below = work.scale_bounds()
    one = la.identity(work.problem.terms["d"])
    edge = high if half >= 0 else low
    core = rational.total(
        rational.scaled(rational.identity(value.scaled.rows), 2 * half / edge),
        rational.scaled(value.scaled, Fraction(-1)),
    )
    # 2 half I - s S' = s (2 half/edge I - S') + 2 half (1 - s/edge) I
    return work.p.positive(
        proposition.args[0],
        Summand(
            one,
            core=work.p.definite(Term("literal", data=core)),
            scalars=(work.scale_positive(),),
        ),
        Summand(one, scalars=(below if half >= 0 else above,), coefficient=2 * abs(half) / edge),
    )


def _half(drift: Any, product: Fraction) -> Fraction:
    """sigma with S <= 2 sigma I, not far above, such that product + sigma > 0."""
    slack = decimal(SLACK)
    half = decimal(np.linalg.eigvalsh(drift)[-1] / 2) + slack * product
    return max(half, slack - product)
