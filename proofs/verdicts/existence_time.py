"""A proved lower bound of the blow-up time, for a given start."""

from __future__ import annotations

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
    I,
    a,
    m,
    v,
)
from proofs.terms import Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.problem import Problem, Rows
from proofs.verdicts.workspace import Workspace

ID = CLAIM.id
NAME = CLAIM.hypotheses[-2]
#: relative slack that is added to norms found in floating point
SLACK = 1e-9


def apply(problem: Problem) -> tuple[Application, ...]:
    """The hypotheses hold for every start; the bound itself needs a given one."""
    if problem.start is None:
        return (Application(ID, (Hypothesis(NAME, True, "for every Sigma0"),)),)
    try:
        findings: tuple[Finding, ...] = (_finding(problem),)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        # numbers outside the range of floating point, or norms too rough for the exact test
        findings = ()
    return (Application(ID, (Hypothesis(NAME, True),), findings),)


def _finding(problem: Problem) -> Finding:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p = work.p
    scale = float(problem.scale_squared or 1) ** 0.5
    V, score = _array(problem.V), _array(problem.score) * scale
    start = _array(problem.start or ())
    drift = V @ score + (V @ score).T
    norm_v, norm_a = _above(np.linalg.norm(V, 2)), _above(np.linalg.norm(score, 2))
    size = _above(np.linalg.eigvalsh(start)[-1])
    half = _decimal(np.linalg.eigvalsh(drift)[-1] / 2) + _decimal(SLACK) * norm_v * norm_a
    half = max(half, _decimal(SLACK) - norm_v * norm_a)  # keeps the rate positive
    numbers = {"v": norm_v, "a": norm_a, "m": size, "s": half}
    full = {**problem.terms, **{name: la.number(x) for name, x in numbers.items()}}
    premises = [
        work.prove(substitute(la.pd(v), full)),
        work.prove(substitute(la.pd(a), full)),
        work.prove(substitute(NORM_V, full)),
        _score_bound(work, full),
        work.prove(substitute(la.pd(m), full)),
        work.prove(substitute(START, full)),
        work.prove(substitute(la.psd(full["Sigma0"]), full)),
        work.solution(),
    ]
    theorem = p.lemma(ID, *premises, **{name: full[name] for name in full if name != "s"})
    condition = p.conjunction(
        _drift_bound(work, full, half), work.prove(substitute(la.pd(RATE), full))
    )
    lasting = p.at(p.part(theorem, 1), full["s"], condition)
    # a short rational below 1 / (rate m)
    exact = 1 / ((norm_v * norm_a + half) * size)
    time = exact - exact * Fraction(SLACK)
    time = min(_decimal(float(time)), exact)
    bound = la.inv(la.mul(substitute(RATE, full), full["m"]))
    gap = la.minus(bound, la.number(time))
    shorter = p.replace(
        p.algebra(la.number(exact - time), gap), p.definite(la.number(exact - time)), la.psd
    )
    ordered = p.fact("lifetimes-ordered", shorter, a=la.number(time), b=bound)
    p.fact("lifetimes-transitive", ordered, lasting)
    conclusion = la.at_most(la.finite(la.number(time)), problem.terms["T"])
    return Finding(
        "existence", "unknown", problem.statement(conclusion), p.proof(), time=(time, None)
    )


def _score_bound(work: Workspace, full: dict[str, Term]) -> int:
    """|A| <= a, with s^2 replaced by its value."""
    proposition = substitute(NORM_A, full)
    if work.problem.scale_squared is None:
        return work.prove(proposition)
    matrix = proposition.args[0]
    value = work.value(matrix)
    assert value is not None
    score = la.literal(work.problem.score)
    square = la.mul(la.tp(score), score)
    return work.p.positive(
        matrix,
        Summand(substitute(I, full), core=work.p.definite(Term("literal", data=value.plain))),
        by=[(work.scale_square(), lambda h: la.scale(-1, la.scale(h, square)))],
    )


def _drift_bound(work: Workspace, full: dict[str, Term], half: Fraction) -> int:
    """S <= 2 half I."""
    proposition = substitute(DRIFT, full)
    if work.problem.scale_squared is None:
        return work.prove(proposition)
    value = work.value(substitute(S, full))
    assert value is not None
    low, high, above, below = work.scale_bounds()
    one = substitute(I, full)
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


def _array(rows: Rows) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in rows])


def _decimal(value: Any) -> Fraction:
    return Fraction(f"{float(value):.12e}")


def _above(norm: Any) -> Fraction:
    """A short rational above a norm found in floating point, 1 for 0."""
    return _decimal(float(norm) * (1 + SLACK)) if norm > 0 else Fraction(1)
