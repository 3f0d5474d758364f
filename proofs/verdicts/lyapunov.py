"""Linear functions tr(P Sigma) that never grow, or blow up: found by semidefinite programming.

The search proposes exact matrices; what they prove is for the kernel to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from numeric.exact import negative_direction
from numeric.lyapunov import Certificate, Status, decrease, growth
from proofs import language as la
from proofs.builder import Summand, itself
from proofs.claims.covariance_blowup_lyapunov import CLAIM as GROWTH
from proofs.claims.covariance_blowup_lyapunov import GROWING
from proofs.claims.covariance_lyapunov import CLAIM as DECREASE
from proofs.claims.covariance_lyapunov import FALLING, NOT_GROWING
from proofs.claims.dissipation import trace_bound
from proofs.claims.multihead_equation import heads_field
from proofs.kernel import Lemma
from proofs.language import INFINITY
from proofs.terms import Literal, Term, size, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.cone_forms import UNIT, ConeForm, falling
from proofs.verdicts.heads_problem import HeadsProblem
from proofs.verdicts.one_head import with_field
from proofs.verdicts.problem import SCALE, Problem, Rows, to_literal, to_rows
from proofs.verdicts.steps import scaled_inverse_bounds
from proofs.verdicts.workspace import Workspace

METRIC = "P positive definite"
#: how a form is seen to be nonnegative on the cone, by the level of the relaxation
LEVELS = {0: "squares alone", 1: "squares and norms", 2: "squares, norms and variances"}


@dataclass(frozen=True)
class Searched:
    """A problem as several heads, whatever it was, with its matrices at hand."""

    problem: Problem | HeadsProblem
    heads: tuple[tuple[Rows, Rows], ...]

    @classmethod
    def of(cls, problem: Problem | HeadsProblem) -> Searched:
        if isinstance(problem, HeadsProblem):
            return cls(problem, tuple(zip(problem.values, problem.scores, strict=True)))
        return cls(problem, ((problem.V, problem.score),))

    def instance(self, P: Term) -> dict[str, Term]:
        """What the variables of the claims stand for."""
        terms = dict(self.problem.terms)
        if isinstance(self.problem, Problem):
            families = {name: Term("family", (terms[name],)) for name in ("V", "A")}
            terms |= {"H": size(1), **families}
        return {**terms, "P": P}

    def solution(self, work: Workspace) -> int:
        """The step that Sigma is the maximal solution for the heads."""
        step = work.solution()
        if isinstance(self.problem, HeadsProblem):
            return step
        terms = self.instance(self.problem.terms["Sigma0"])
        field, target = self.problem.field, heads_field(terms["V"], terms["A"], terms["Sigma0"])
        state = la.mat("Z", terms["d"], terms["d"])
        same = work.p.extensionality(
            state, work.p.algebra(la.at(field, state), la.at(target, state))
        )
        return with_field(work, step, same)

    def plain_velocity(self, P: Term, state: Term) -> Term:
        """tr(P F(Z)) for the scores without an irrational scale."""
        values = Term("family", tuple(to_literal(V) for V, _ in self.heads))
        scores = Term("family", tuple(to_literal(A) for _, A in self.heads))
        return la.tr(la.mul(P, la.at(heads_field(values, scores, state), state)))

    def start(self, work: Workspace) -> int:
        """The step Sigma0 >= 0."""
        start = self.problem.terms["Sigma0"]
        if self.problem.start is None:
            return work.p.fact("positive-definite", work.assume(la.pd(start)))
        return work.prove(la.psd(start))


def decreasing(problem: Problem | HeadsProblem, seconds: float) -> Application:
    """A function that never grows, for every start."""
    searched = Searched.of(problem)
    found = decrease(searched.heads, seconds=seconds)
    if found.certificate is None:
        return Application(DECREASE.id, (_missing(METRIC, found.status),))
    return _decreasing(searched, found.certificate, found.level)


def growing(
    problem: Problem | HeadsProblem, seconds: float, lasting: Finding | None = None
) -> tuple[Application, Certificate | None]:
    """A function that grows at least like its square, and its certificate.

    Args:
        lasting: proves a time of existence from the given start.
    """
    searched = Searched.of(problem)
    found = growth(searched.heads, problem.start, seconds=seconds)
    return _growing(searched, found.certificate, found.status, lasting), found.certificate


def _missing(name: str, status: Status) -> Hypothesis:
    return Hypothesis(name, None, f"none found: {status.value}")


def show(matrix: Rows) -> str:
    """A matrix in one line."""
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in matrix) + "]"


def _cone_form(certificate: Certificate) -> ConeForm:
    def literals(terms: Sequence[tuple[Fraction, Rows]]) -> tuple[tuple[Fraction, Term], ...]:
        return tuple((weight, la.literal(matrix)) for weight, matrix in terms)

    return ConeForm(
        literals(certificate.congruences),
        literals(certificate.squares),
        literals(certificate.variances),
    )


def _on_cone(
    work: Workspace, searched: Searched, form: ConeForm, plain: Term, statement: Term
) -> int:
    """The step for ``statement``, "for all Z >= 0: N(Z) >= 0" with N = s * plain at Z.

    ``form`` shows plain >= 0; s is the irrational scale, or 1.
    """
    p, d = work.p, searched.problem.terms["d"]
    state = la.mat("Z", d, d)
    positive = p.assume(la.psd(state))
    step = form.prove(p, plain, state, positive)
    goal = la.at(statement.args[0], state).args[1].args[0]
    scalars = () if searched.problem.scale_squared is None else (work.scale_positive(),)
    step = p.positive(goal, Summand(UNIT, core=step, scalars=scalars))
    return p.for_all(state, la.psd(state), step)


# A function that never grows


def _decreasing(searched: Searched, certificate: Certificate, level: int) -> Application:
    """Global and bounded for every start; to 0 where the function always falls."""
    problem, metric = searched.problem, la.literal(certificate.P)
    full = searched.instance(metric)
    work = Workspace(problem, {DECREASE.id: DECREASE.lemma()})
    p = work.p
    form = _cone_form(certificate)
    state = la.mat("Z", full["d"], full["d"])
    plain = la.minus(la.number(0), searched.plain_velocity(metric, state))
    theorem = p.lemma(
        DECREASE.id,
        work.prove(la.pd(metric)),
        _on_cone(work, searched, form, plain, substitute(NOT_GROWING, full)),
        searched.start(work),
        searched.solution(work),
        **full,
    )
    endless = p.part(theorem, 0)
    conclusion = la.eq(full["T"], INFINITY)
    existence = Finding("existence", "global", problem.statement(conclusion), p.proof(endless))
    limit = _vanishing(work, searched, theorem, full, form, plain)
    if limit is None:
        bound = p.replace(endless, p.part(theorem, 1), lambda h: substitute(trace_bound(h), full))
        both = p.conjunction(bound, p.part(theorem, 2))
        limit = Finding("limit", "bounded", problem.statement(p[both]), p.proof(both))
    hypotheses = (
        Hypothesis(METRIC, True, f"P = {show(certificate.P)}"),
        Hypothesis(DECREASE.hypotheses[1], True, f"{form.count} terms, {LEVELS[level]}"),
    )
    return Application(DECREASE.id, hypotheses, (existence, limit))


def _vanishing(
    work: Workspace,
    searched: Searched,
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
    p, problem = work.p, searched.problem
    state = la.mat("Z", full["d"], full["d"])
    rate = la.number(e) if problem.scale_squared is None else la.scale(e, SCALE)
    statement = substitute(FALLING, {**full, "e": rate})
    remains = la.minus(plain, la.scale(e, la.tr(la.mul(state, state))))
    condition = p.conjunction(
        work.prove(statement.args[0]),
        _on_cone(work, searched, rest, remains, statement.args[1]),
    )
    converges = p.at(p.part(theorem, 3), rate, condition)
    endless = p.part(theorem, 0)
    zero = la.zero(full["d"], full["d"])
    p.conjunction(endless, converges)
    rows = tuple((Fraction(0),) * problem.dimension for _ in range(problem.dimension))
    conclusion = la.conj(la.eq(full["T"], INFINITY), la.limit(full["Sigma"], zero))
    return Finding(
        "limit", "converges", problem.statement(conclusion), p.proof(), rank=0, covariance=rows
    )


# A function that grows at least like its square


def _growing(
    searched: Searched, certificate: Certificate | None, status: Status, lasting: Finding | None
) -> Application:
    """Blow-up no later than 1 / (c tr(P Sigma0))."""
    name = GROWTH.hypotheses[1]
    if certificate is None:
        return Application(GROWTH.id, (_missing(name, status),))
    rate = "1" if searched.problem.scale_squared is None else "scale"
    held = Hypothesis(name, True, f"P = {show(certificate.P)}, c = {rate}")
    if searched.problem.start is not None:
        finding = _until(searched, certificate, lasting)
        return Application(GROWTH.id, (held, _above("tr(P Sigma0) > 0")), (finding,))
    if negative_direction(certificate.P) is None:
        finding = _from_every_start(searched, certificate)
        return Application(GROWTH.id, (held, _above("P positive semidefinite")), (finding,))
    undecided = Hypothesis(GROWTH.hypotheses[2], None, "depends on Sigma0, which is not given")
    return Application(GROWTH.id, (held, undecided))


def _above(name: str) -> Hypothesis:
    return Hypothesis(name, True)


def _grows(work: Workspace, searched: Searched, certificate: Certificate, above: int) -> int:
    """The step T <= 1 / (c tr(P Sigma0)), from one that proves tr(P Sigma0) > 0."""
    matrix = la.literal(certificate.P)
    full = {**searched.instance(matrix), "c": _rate(searched)}
    state = la.mat("Z", full["d"], full["d"])
    square = la.tr(la.mul(matrix, state))
    plain = la.minus(searched.plain_velocity(matrix, state), la.mul(square, square))
    return work.p.lemma(
        GROWTH.id,
        work.prove(la.pd(full["c"])),
        _on_cone(work, searched, _cone_form(certificate), plain, substitute(GROWING, full)),
        above,
        searched.start(work),
        searched.solution(work),
        **full,
    )


def _rate(searched: Searched) -> Term:
    return la.number(1) if searched.problem.scale_squared is None else SCALE


def _until(searched: Searched, certificate: Certificate, lasting: Finding | None) -> Finding:
    """Blow-up from the given start, after the time that is proved already."""
    problem = searched.problem
    lemmas = {GROWTH.id: GROWTH.lemma()}
    if lasting is not None:
        lemmas["lasting"] = Lemma(lasting.statement, lasting.proof)
    work = Workspace(problem, lemmas)
    p, lifetime, start = work.p, problem.terms["T"], problem.terms["Sigma0"]
    mass = la.tr(la.mul(la.literal(certificate.P), start))
    value = certificate.trace_with(to_rows(_data(start)))
    above = work.prove(la.pd(mass))
    ends = _grows(work, searched, certificate, above)
    rate = la.mul(_rate(searched), mass)
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


def _from_every_start(searched: Searched, certificate: Certificate) -> Finding:
    """Blow-up from every Sigma0 > 0, where P >= 0 is not 0: P >= v v^T / v_i for a column v."""
    problem = searched.problem
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
    ends = _grows(work, searched, certificate, above)
    return Finding("existence", "blow-up", problem.statement(p[ends]), p.proof(ends))


def _data(term: Term) -> Literal:
    assert isinstance(term.data, Literal)
    return term.data
