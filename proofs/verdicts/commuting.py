"""A given start in the commuting case: exact bounds of the blow-up time, or the exact limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from numeric.exact import negative_direction
from proofs import language as la
from proofs.builder import Summand
from proofs.checkers import rational
from proofs.claims.covariance_commuting_bounds import CLAIM as BOUNDS
from proofs.claims.covariance_commuting_bounds import ENERGY, FORM
from proofs.claims.covariance_commuting_bounds import high as high_time
from proofs.claims.covariance_commuting_bounds import low as low_time
from proofs.claims.covariance_commuting_factored import CLAIM as FACTORED
from proofs.claims.covariance_commuting_factored import (
    COMMUTING,
    HYPOTHESES,
    E,
    N,
    singular_at,
)
from proofs.claims.covariance_commuting_factored_limit import CLAIM as LIMITS
from proofs.claims.covariance_equation import S
from proofs.language import INFINITY
from proofs.terms import Literal, Term, size, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.linear import factor_semidefinite, generalised_inverse_on_kernel
from proofs.verdicts.pencil import first_singular_time, simplest_between
from proofs.verdicts.problem import SCALE, Problem, to_rows
from proofs.verdicts.self_similar import blow_up_between
from proofs.verdicts.steps import unique
from proofs.verdicts.workspace import UNIT, Workspace, brief, null_vector

NEGATIVE_NAME = "M = Sigma0^{1/2} S Sigma0^{1/2} negative semidefinite"
POSITIVE_NAME = "M = Sigma0^{1/2} S Sigma0^{1/2} has a positive eigenvalue"
#: verdicts of the case M <= 0
DECAYING = ("global", "converges")
#: E - low N and high w^T N w - w^T E w
PENCIL_LOW = la.minus(E, la.scale(low_time, N))
REACHED = la.minus(la.scale(high_time, FORM), ENERGY)
NAMES = ("V commutes with Sigma0", "V commutes with S")


def apply(problem: Problem) -> tuple[Application, ...]:
    """Factor Sigma0 = L D L^T, E = D^{-1}, and decide by the pencil E - t L^T S L."""
    work = Workspace(problem)
    shared = []
    for name, proposition in zip(NAMES, COMMUTING, strict=True):
        decision = work.decide(substitute(proposition, problem.terms))
        witness = decision.witness
        if decision.holds is None:
            witness = "depends on Sigma0, which is not given"
        shared.append(Hypothesis(name, decision.holds, witness))
    start = problem.terms["Sigma0"].data
    commutes = all(h.holds for h in shared)
    negative = Hypothesis(NEGATIVE_NAME, None, "needs a given Sigma0")
    positive = Hypothesis(POSITIVE_NAME, None, "needs a given Sigma0")
    findings: tuple[Finding, ...] = ()
    if isinstance(start, Literal):
        factors = Factors.of(problem, start)
        direction = None if factors is None else factors.growing()
        growing = direction is not None
        witness = f"a vector with {direction}" if growing else None
        negative = Hypothesis(NEGATIVE_NAME, not growing, witness)
        positive = Hypothesis(POSITIVE_NAME, growing, witness)
        if factors is not None and commutes:
            findings = _ending(problem, factors) if growing else _limit(problem, factors)
    both = tuple(shared)
    return (
        Application("covariance.commuting", both),
        Application("covariance.commuting-blowup", both),
        Application("covariance.commuting-limit", (*both, negative)),
        Application(
            LIMITS.id, (*both, negative), tuple(f for f in findings if f.verdict in DECAYING)
        ),
        Application(
            BOUNDS.id, (*both, positive), tuple(f for f in findings if f.verdict not in DECAYING)
        ),
    )


@dataclass(frozen=True)
class Factors:
    """Sigma0 = L E^{-1} L^T with rational L (d x r) and diagonal E > 0, and N = L^T S L.

    ``form`` is N, or N / s for an irrational scale s.
    """

    left: Literal
    metric: Literal
    form: Literal
    instance: Mapping[str, Term]

    @classmethod
    def of(cls, problem: Problem, start: Literal) -> Factors | None:
        """The factors of a given start, None for Sigma0 = 0."""
        if not any(start.entries):
            return None
        left, diagonal = factor_semidefinite(start)
        metric = rational.inverted(diagonal)
        drift = Workspace(problem).value(substitute(S, problem.terms))
        assert metric is not None
        assert drift is not None
        core = drift.plain if problem.scale_squared is None else drift.scaled
        instance = {
            **problem.terms,
            "k": size(metric.rows),
            "L": Term("literal", data=left),
            "E": Term("literal", data=metric),
        }
        form = rational.product(rational.product(rational.transposed(left), core), left)
        return cls(left, metric, form, instance)

    def growing(self) -> str | None:
        """A vector w with w^T N w > 0, in words; None when N <= 0."""
        direction = negative_direction(to_rows(rational.scaled(self.form, Fraction(-1))))
        if direction is None:
            return None
        vector = Literal(len(direction), 1, tuple(Fraction(x) for x in direction))
        image = rational.product(self.left, vector)
        entries = ", ".join(brief(x) for x in image.entries)
        return f"u^T S u > 0 in the range of Sigma0: u = ({entries})"


def _ending(problem: Problem, factors: Factors) -> tuple[Finding, ...]:
    """The blow-up time: exact if it is rational, otherwise between rational bounds."""
    bracket = first_singular_time(factors.metric, factors.form)
    if problem.scale_squared is None:
        exact = _exact_blow_up(problem, factors, simplest_between(*bracket[:2]))
        if exact is not None:
            return (exact,)
    return _blow_up(problem, factors, bracket)


def _exact_blow_up(problem: Problem, factors: Factors, time: Fraction) -> Finding | None:
    """T = time, when E - time N is positive semidefinite and singular."""
    pencil = rational.total(factors.metric, rational.scaled(factors.form, -time))
    kernel = null_vector(pencil)
    if kernel is None or not rational.is_semidefinite(pencil):
        return None
    work = Workspace(problem, {FACTORED.id: FACTORED.lemma()})
    p, instance = work.p, factors.instance
    premises = [work.prove(substitute(h, instance)) for h in HYPOTHESES]
    r, u = la.number(time), Term("literal", data=kernel)
    parts = substitute(singular_at(r, u), instance).args
    singular = p.conjunction(*(work.prove(part) for part in parts))
    theorem = p.lemma(FACTORED.id, *premises, **instance)
    explicit = p.modus_ponens(p.specialise(p.specialise(p.part(theorem, 2), r), u), singular)
    end, _ = unique(work, p.part(explicit, 0))
    conclusion = la.eq(problem.terms["T"], la.finite(r))
    return Finding(
        "existence", "blow-up", problem.statement(conclusion), p.proof(end), time=(time, time)
    )


def _blow_up(
    problem: Problem, factors: Factors, bracket: tuple[Fraction, Fraction, Literal]
) -> tuple[Finding, ...]:
    instance, metric, form = factors.instance, factors.metric, factors.form
    work = Workspace(problem, {BOUNDS.id: BOUNDS.lemma()})
    p = work.p
    premises = [work.prove(substitute(h, instance)) for h in HYPOTHESES]
    low, high, witness = bracket
    w = Term("literal", data=witness)
    energy = _form(metric, witness)
    reached = _form(form, witness)
    if problem.scale_squared is None:
        times = {"low": la.number(low), "high": la.number(high)}
        at_times = {**instance, **times, "w": w}
        later = work.prove(la.psd(substitute(PENCIL_LOW, at_times)))
        earlier = work.prove(la.psd(substitute(REACHED, at_times)))
    else:
        low_scale, high_scale, above, below = work.scale_bounds()
        edge = p.definite(Term("literal", data=rational.total(metric, rational.scaled(form, -low))))
        excess = high * reached - energy
        share = high * reached / low_scale
        low, high = low / high_scale, high / low_scale
        times = {"low": la.number(low), "high": la.number(high)}
        at_times = {**instance, **times, "w": w}
        full = la.identity(instance["k"])
        # E - low N = (1 - s/s_high) E + (s/s_high) (E - low' N')
        later = p.positive(
            substitute(PENCIL_LOW, at_times),
            Summand(full, core=premises[0], scalars=(below,), coefficient=1 / high_scale),
            Summand(full, core=edge, scalars=(work.scale_positive(),), coefficient=1 / high_scale),
        )
        earlier = p.positive(
            substitute(REACHED, at_times),
            Summand(UNIT, scalars=(above,), coefficient=share),
            Summand(UNIT, coefficient=excess),
        )
    p.lemma(
        BOUNDS.id,
        *premises,
        later,
        work.prove(la.pd(times["high"])),
        work.prove(la.pd(substitute(ENERGY, at_times))),
        earlier,
        work.solution(),
        **at_times,
    )
    conclusion = blow_up_between(problem.terms["T"], low, high)
    existence = Finding(
        "existence", "blow-up", problem.statement(conclusion), p.proof(), time=(low, high)
    )
    return (existence,)


def _form(matrix: Literal, vector: Literal) -> Fraction:
    image = rational.product(rational.transposed(vector), matrix)
    return rational.product(image, vector).entries[0]


def _limit(problem: Problem, factors: Factors) -> tuple[Finding, ...]:
    instance, metric, form = factors.instance, factors.metric, factors.form
    work = Workspace(problem, {LIMITS.id: LIMITS.lemma()})
    p = work.p
    premises = [work.prove(substitute(h, instance)) for h in HYPOTHESES]
    G, Y = generalised_inverse_on_kernel(metric, form)
    solution = Term("literal", data=Y)
    split_by = []
    if problem.scale_squared is not None:
        _, cancel = work.scale_inverse()
        solution = la.scale(la.inv(SCALE), solution)
        image = la.literal(to_rows(rational.product(form, Y)))
        split_by = [(cancel, lambda h: la.scale(-1, la.scale(h, image)))]
    full = {**instance, "G": Term("literal", data=G), "Y": solution}
    n = substitute(N, full)
    negative = work.prove(la.psd(la.scale(-1, n)))
    kernel = work.prove(la.eq(la.mul(n, full["G"]), la.zero(full["k"], full["k"])))
    left = la.minus(la.identity(full["k"]), la.mul(full["E"], full["G"]))
    split = p.algebra(left, la.mul(n, solution), *split_by)
    theorem = p.lemma(LIMITS.id, *premises, negative, kernel, split, work.solution(), **full)
    endless, converges = p.part(theorem, 0), p.part(theorem, 1)
    existence = Finding(
        "existence",
        "global",
        problem.statement(la.eq(problem.terms["T"], INFINITY)),
        p.proof(endless),
    )
    value = work.value(p[converges].args[1])
    assert value is not None
    literal = Term("literal", data=value.plain)
    moved = p.replace(
        p.algebra(p[converges].args[1], literal),
        converges,
        lambda h: la.limit(problem.terms["Sigma"], h),
    )
    rank = p.rank(literal)
    p.conjunction(endless, moved, rank)
    limit = Finding(
        "limit",
        "converges",
        problem.statement(la.conj(p[endless], p[moved], p[rank])),
        p.proof(),
        rank=rational.rank(value.plain),
        covariance=to_rows(value.plain),
    )
    return (existence, limit)
