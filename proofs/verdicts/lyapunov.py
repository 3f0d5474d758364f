"""Linear functions tr(P Sigma) that never grow, or blow up: found by semidefinite programming.

The search proposes exact matrices; what they prove is for the kernel to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from numeric.exact import negative_direction
from numeric.lyapunov import Certificate, Outcome, decrease, growth
from proofs import language as la
from proofs.builder import Summand, itself
from proofs.claims.covariance_blowup_lyapunov import CLAIM as GROWTH
from proofs.claims.covariance_blowup_lyapunov import GROWING
from proofs.claims.covariance_lyapunov import CLAIM as DECREASE
from proofs.claims.covariance_lyapunov import FALLING, NOT_GROWING
from proofs.claims.dissipation import trace_bound
from proofs.kernel import Lemma
from proofs.language import INFINITY
from proofs.terms import Term, substitute
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.cone_forms import UNIT, ConeForm, falling
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.limit_points import to_zero
from proofs.verdicts.problem import SCALE, Problem, Rows
from proofs.verdicts.steps import scaled_inverse_bounds
from proofs.verdicts.workspace import Workspace, show

METRIC = "P positive definite"
#: how a form is seen to be nonnegative on the cone, by the level of the relaxation
LEVELS = {
    0: "squares alone",
    1: "squares and norms",
    2: "squares, norms and variances",
    3: "squares, norms, variances and a slope",
}


def decreasing(problem: Problem | HeadsProblem, seconds: float) -> Application:
    """A function that never grows, for every start."""
    heads = AsHeads.of(problem)
    found = decrease(heads.pairs, seconds=seconds)
    if found.certificate is None:
        return Application(DECREASE.id, (_missing(METRIC, found),))
    return _decreasing(heads, found.certificate, found.level)


def growing(
    problem: Problem | HeadsProblem,
    seconds: float,
    lasting: Finding | None = None,
    level: int = 2,
) -> tuple[Application, Certificate | None]:
    """A function that grows at least like its square, and its certificate.

    Args:
        lasting: proves a time of existence from the given start.
        level: of the last relaxation, 3 takes longest; see :data:`LEVELS`.
    """
    heads = AsHeads.of(problem)
    found = growth(heads.pairs, problem.start, seconds=seconds, level=level)
    return _growing(heads, found, lasting), found.certificate


def _counted(terms: int) -> str:
    """How many terms."""
    return "one term" if terms == 1 else f"{terms} terms"


def _missing(name: str, found: Outcome) -> Hypothesis:
    return Hypothesis(name, None, f"none found: {found.status.value} ({LEVELS[found.level]})")


def _cone_form(certificate: Certificate) -> ConeForm:
    def literals(terms: Sequence[tuple[Fraction, Rows]]) -> tuple[tuple[Fraction, Term], ...]:
        return tuple((weight, la.literal(matrix)) for weight, matrix in terms)

    return ConeForm(
        literals(certificate.congruences),
        literals(certificate.squares),
        literals(certificate.variances),
    )


def _on_cone(work: Workspace, heads: AsHeads, form: ConeForm, plain: Term, statement: Term) -> int:
    """The step for ``statement``, "for all Z >= 0: N(Z) >= 0" with N = s * plain at Z.

    ``form`` shows plain >= 0; s is the irrational scale, or 1.
    """
    p, d = work.p, heads.problem.terms["d"]
    state = la.mat("Z", d, d)
    positive = p.assume(la.psd(state))
    step = form.prove(p, plain, state, positive)
    goal = la.at(statement.args[0], state).args[1].args[0]
    step = p.positive(goal, Summand(UNIT, core=step, scalars=_scalars(work, heads)))
    return p.for_all(state, la.psd(state), step)


def _scalars(work: Workspace, heads: AsHeads) -> tuple[int, ...]:
    return () if heads.problem.scale_squared is None else (work.scale_positive(),)


# A function that never grows


def _decreasing(heads: AsHeads, certificate: Certificate, level: int) -> Application:
    """Global and bounded for every start; to 0 where the function always falls."""
    problem, metric = heads.problem, la.literal(certificate.P)
    full = {**heads.terms, "P": metric}
    work = Workspace(problem, {DECREASE.id: DECREASE.lemma()})
    p = work.p
    form = _cone_form(certificate)
    state = la.mat("Z", full["d"], full["d"])
    plain = la.minus(la.number(0), heads.plain_velocity(metric, state))
    theorem = p.lemma(
        DECREASE.id,
        work.prove(la.pd(metric)),
        _on_cone(work, heads, form, plain, substitute(NOT_GROWING, full)),
        work.start(),
        heads.solution(work),
        **full,
    )
    endless = p.part(theorem, 0)
    conclusion = la.eq(full["T"], INFINITY)
    existence = Finding("existence", "global", problem.statement(conclusion), p.proof(endless))
    limit = _vanishing(work, heads, theorem, full, form, plain)
    if limit is None:
        bound = p.replace(endless, p.part(theorem, 1), lambda h: substitute(trace_bound(h), full))
        both = p.conjunction(bound, p.part(theorem, 2))
        limit = Finding("limit", "bounded", problem.statement(p[both]), p.proof(both))
    hypotheses = (
        Hypothesis(METRIC, True, f"P = {show(certificate.P)}"),
        Hypothesis(DECREASE.hypotheses[1], True, f"{_counted(form.count)}, {LEVELS[level]}"),
    )
    return Application(DECREASE.id, hypotheses, (existence, limit))


def _vanishing(
    work: Workspace,
    heads: AsHeads,
    theorem: int,
    full: Mapping[str, Term],
    form: ConeForm,
    plain: Term,
) -> Finding | None:
    """Sigma(t) -> 0, where tr(P F(Z)) <= -e tr(Z^2) with e > 0 can be seen in the form."""
    found = falling(form)
    if found is None:
        return None
    e, rest = found
    p, problem = work.p, heads.problem
    state = la.mat("Z", full["d"], full["d"])
    rate = la.number(e) if problem.scale_squared is None else la.scale(e, SCALE)
    statement = substitute(FALLING, {**full, "e": rate})
    remains = la.minus(plain, la.scale(e, la.tr(la.mul(state, state))))
    condition = p.conjunction(
        work.prove(statement.args[0]),
        _on_cone(work, heads, rest, remains, statement.args[1]),
    )
    converges = p.at(p.part(theorem, 3), rate, condition)
    return to_zero(work, p.part(theorem, 0), converges)


# A function that grows at least like its square


def _growing(heads: AsHeads, found: Outcome, lasting: Finding | None) -> Application:
    """Blow-up no later than 1 / (c tr(P Sigma0))."""
    name, certificate = GROWTH.hypotheses[1], found.certificate
    if certificate is None:
        return Application(GROWTH.id, (_missing(name, found),))
    rate = "1" if heads.problem.scale_squared is None else "scale"
    shown = f"P = {show(certificate.P)}, c = {rate}"
    if certificate.slope is not None:
        shown += f", L = {show(certificate.slope)}"
    held = Hypothesis(name, True, f"{shown}; {_counted(certificate.terms)}, {LEVELS[found.level]}")
    if heads.problem.start is not None:
        finding = _until(heads, certificate, lasting)
        return Application(GROWTH.id, (held, _above("tr(P Sigma0) > 0")), (finding,))
    if negative_direction(certificate.P) is None:
        finding = _from_every_start(heads, certificate)
        return Application(GROWTH.id, (held, _above("P positive semidefinite")), (finding,))
    undecided = Hypothesis(GROWTH.hypotheses[2], None, "depends on Sigma0, which is not given")
    return Application(GROWTH.id, (held, undecided))


def _above(name: str) -> Hypothesis:
    return Hypothesis(name, True)


def _grows(work: Workspace, heads: AsHeads, certificate: Certificate, above: int) -> int:
    """The step T <= 1 / (c tr(P Sigma0)), from one that proves tr(P Sigma0) > 0."""
    matrix = la.literal(certificate.P)
    full = {**heads.terms, "P": matrix, "c": _rate(heads)}
    state = la.mat("Z", full["d"], full["d"])
    square = la.tr(la.mul(matrix, state))
    plain = la.minus(heads.plain_velocity(matrix, state), la.mul(square, square))
    return work.p.lemma(
        GROWTH.id,
        work.prove(la.pd(full["c"])),
        where_positive(work, heads, certificate, plain, substitute(GROWING, full)),
        above,
        work.start(),
        heads.solution(work),
        **full,
    )


def where_positive(
    work: Workspace, heads: AsHeads, certificate: Certificate, plain: Term, statement: Term
) -> int:
    """The step for ``statement``, "for all Z >= 0 with y > 0: N(Z) >= 0", y = tr(P Z).

    N = s * plain; for a slope L the form shows plain - y tr(L Z) >= 0.
    """
    p, d = work.p, heads.problem.terms["d"]
    state = la.mat("Z", d, d)
    positive = p.assume(la.psd(state))
    value = la.tr(la.mul(la.literal(certificate.P), state))
    above = p.assume(la.pd(value))
    form, scalars, summands = plain, _scalars(work, heads), []
    if certificate.slope is not None:
        slope = la.literal(certificate.slope)
        form = la.minus(plain, la.mul(value, la.tr(la.mul(slope, state))))
        root = la.root(state)
        gram = p.positive(la.mul(root, slope, root), Summand(root, core=work.prove(la.psd(slope))))
        square = p.part(p.fact("square-root", positive, M=state), 1)
        level = p.positive(
            la.tr(la.mul(slope, state)),
            Summand(UNIT, core=p.fact("trace-nonnegative", gram)),
            by=[(square, lambda h: la.scale(-1, la.tr(la.mul(slope, h))))],
        )
        summands.append(Summand(UNIT, core=level, scalars=(*scalars, above)))
    step = _cone_form(certificate).prove(p, form, state, positive)
    goal = la.at(statement.args[0], state).args[1].args[1].args[0]
    step = p.positive(goal, Summand(UNIT, core=step, scalars=scalars), *summands)
    return p.for_all(state, la.psd(state), p.discharge(la.pd(value), step))


def _rate(heads: AsHeads) -> Term:
    return la.number(1) if heads.problem.scale_squared is None else SCALE


def _until(heads: AsHeads, certificate: Certificate, lasting: Finding | None) -> Finding:
    """Blow-up from the given start, after the time that is proved already."""
    problem = heads.problem
    lemmas = {GROWTH.id: GROWTH.lemma()}
    if lasting is not None:
        lemmas["lasting"] = Lemma(lasting.statement, lasting.proof)
    work = Workspace(problem, lemmas)
    p, lifetime, start = work.p, problem.terms["T"], problem.terms["Sigma0"]
    mass = la.tr(la.mul(la.literal(certificate.P), start))
    assert problem.start is not None
    value = certificate.trace_with(problem.start)
    above = work.prove(la.pd(mass))
    ends = _grows(work, heads, certificate, above)
    rate = la.mul(_rate(heads), mass)
    if problem.scale_squared is None:
        upper = 1 / value
        same = p.algebra(la.inv(rate), la.number(upper))
        ends = p.replace(same, ends, lambda h: la.at_most(lifetime, la.finite(h)))
    else:
        positive = p.positive(
            rate, Summand(UNIT, scalars=(work.scale_positive(),), coefficient=value), strict=True
        )
        _, upper, _, earlier = scaled_inverse_bounds(work, rate, value, positive)
        ordered = p.fact("lifetimes-ordered", earlier, a=la.inv(rate), b=la.number(upper))
        ends = p.fact("lifetimes-transitive", ends, ordered)
    lower = Fraction(0)
    if lasting is not None:
        assert lasting.time is not None
        lower = lasting.time[0]
        hypotheses = [work.assume(hypothesis) for hypothesis in problem.hypotheses]
        exists = p.lemma("lasting", *hypotheses, **lasting.statement.variables())
        ends = p.conjunction(exists, ends)
    return Finding(
        "existence",
        "blow-up",
        problem.statement(p[ends]),
        p.proof(ends),
        time=(lower, upper),
    )


def _from_every_start(heads: AsHeads, certificate: Certificate) -> Finding:
    """Blow-up from every Sigma0 > 0, where P >= 0 is not 0: P >= v v^T / v_i for a column v."""
    problem = heads.problem
    work = Workspace(problem, {GROWTH.id: GROWTH.lemma()})
    p, start = work.p, problem.terms["Sigma0"]
    matrix = certificate.P
    index = next(i for i, row in enumerate(matrix) if row[i])
    pivot, column = matrix[index][index], la.literal([[row[index]] for row in matrix])
    rest = la.literal(
        [
            [x - row[index] * other / pivot for x, other in zip(row, matrix[index], strict=True)]
            for row in matrix
        ]
    )
    positive = work.assume(la.pd(start))
    root = la.root(start)
    square = p.part(p.fact("square-root", p.fact("positive-definite", positive)), 1)
    gram = p.positive(la.mul(root, rest, root), Summand(root, core=work.prove(la.psd(rest))))
    none = la.literal([[0]] * len(matrix))
    zero = la.zero_like(column)
    nonzero = p.replace(
        p.algebra(none, zero), p.unequal(column, none), lambda h: la.negation(la.eq(column, h))
    )
    form = p.fact("definite-form", positive, nonzero, M=start, u=column)
    mass, remains = la.tr(la.mul(la.literal(matrix), start)), la.tr(la.mul(rest, start))
    expanded = p.entries(
        mass, la.add(remains, la.scale(1 / pivot, la.mul(la.tp(column), start, column))), positive
    )
    above = p.positive(
        mass,
        Summand(UNIT, core=p.fact("trace-nonnegative", gram)),
        Summand(UNIT, core=form, coefficient=1 / pivot),
        by=[(expanded, itself), (square, lambda h: la.scale(-1, la.tr(la.mul(rest, h))))],
        strict=True,
    )
    ends = _grows(work, heads, certificate, above)
    return Finding("existence", "blow-up", problem.statement(p[ends]), p.proof(ends))
