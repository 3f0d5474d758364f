"""A given start that lies exactly on a self-similar ray."""

from __future__ import annotations

from fractions import Fraction

from proofs import language as la
from proofs.claims.covariance_self_similar import CLAIM, PROBE
from proofs.language import INFINITY
from proofs.terms import Literal, Term, substitute
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.exact import Value
from proofs.verdicts.problem import SCALE, Problem, to_rows
from proofs.verdicts.steps import (
    flipped,
    scaled_inverse_bounds,
    transfer_limit,
    unique,
)
from proofs.verdicts.workspace import Workspace, brief

ID = CLAIM.id


def apply(problem: Problem) -> tuple[Application, ...]:
    """Test F(Sigma0) = c Sigma0 exactly."""
    name = CLAIM.hypotheses[0]
    if problem.start is None:
        return (Application(ID, (Hypothesis(name, None, "needs a given Sigma0"),)),)
    work = Workspace(problem)
    image = work.value(la.at(problem.field, problem.terms["Sigma0"]))
    assert image is not None
    start = problem.terms["Sigma0"].data
    assert isinstance(start, Literal)
    rate, scaled, witness = _rate(image, start)
    if rate is None:
        return (Application(ID, (Hypothesis(name, False, witness),)),)
    held = Hypothesis(name, True, f"c = {brief(rate)}" + (" s" if scaled else ""))
    c = la.mul(SCALE, la.number(rate)) if scaled else la.number(rate)
    findings = _blow_up(problem, c, rate, scaled) if rate > 0 else _global(problem, c, rate)
    return (Application(ID, (held,), findings),)


def _rate(image: Value, start: Literal) -> tuple[Fraction | None, bool, str | None]:
    """c with F(Sigma0) = c Sigma0 (times s when the second part is true), or a witness."""
    if not image.is_plain and not image.is_scaled:
        return None, False, "F(Sigma0) mixes rational and irrational entries"
    scaled = image.is_scaled
    value = image.scaled if scaled else image.plain
    pairs = list(zip(value.entries, start.entries, strict=True))
    index = next((i for i, (_, s) in enumerate(pairs) if s), None)
    rate = Fraction(0) if index is None else pairs[index][0] / pairs[index][1]
    for i, (f, s) in enumerate(pairs):
        if f != rate * s:
            row, column = divmod(i, start.columns)
            return (
                None,
                scaled,
                (
                    f"entry ({row + 1}, {column + 1}) of F(Sigma0) is {brief(f)}; "
                    f"in c Sigma0 it would be {brief(rate * s)}"
                ),
            )
    return rate, scaled, None


def _theorem(work: Workspace, c: Term) -> int:
    problem = work.problem
    terms = {name: problem.terms[name] for name in ("V", "A", "Sigma0")}
    start = problem.terms["Sigma0"]
    ray = work.p.algebra(la.at(problem.field, start), la.scale(c, start))
    return work.p.lemma(ID, ray, **terms, c=c)


def _blow_up(problem: Problem, c: Term, rate: Fraction, scaled: bool) -> tuple[Finding, ...]:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p = work.p
    theorem = _theorem(work, c)
    start = problem.terms["Sigma0"].data
    assert isinstance(start, Literal)
    index = next(i for i in range(start.rows) if start[i, i])
    probe = la.literal([[Fraction(i == index)] for i in range(start.rows)])
    instance = {**problem.terms, "w": probe, "c": c}
    positive = work.prove(la.pd(c))
    mass = work.prove(la.pd(substitute(PROBE, instance)))
    growing = p.specialise(p.modus_ponens(p.part(theorem, 0), positive), probe)
    end, _ = unique(work, p.part(p.modus_ponens(growing, mass), 0))
    lifetime = problem.terms["T"]
    if scaled:
        low, high, later, earlier = scaled_inverse_bounds(work, c, rate, positive)
        inverse = la.inv(c)
        back = flipped(work, end)
        bounds = [
            p.replace(
                back,
                p.fact("lifetimes-ordered", later, a=la.number(low), b=inverse),
                lambda h: la.at_most(la.finite(la.number(low)), h),
            ),
            p.replace(
                back,
                p.fact("lifetimes-ordered", earlier, a=inverse, b=la.number(high)),
                lambda h: la.at_most(h, la.finite(la.number(high))),
            ),
        ]
        p.conjunction(*bounds)
        conclusion = blow_up_between(lifetime, low, high)
        time = (low, high)
    else:
        exact = p.algebra(la.inv(c), la.number(1 / rate))
        p.replace(exact, end, lambda h: la.eq(lifetime, la.finite(h)))
        conclusion = la.eq(lifetime, la.finite(la.number(1 / rate)))
        time = (1 / rate, 1 / rate)
    existence = Finding("existence", "blow-up", problem.statement(conclusion), p.proof(), time=time)
    return (existence,)


def blow_up_between(lifetime: Term, low: Fraction, high: Fraction) -> Term:
    """low <= T <= high."""
    return la.conj(
        la.at_most(la.finite(la.number(low)), lifetime),
        la.at_most(lifetime, la.finite(la.number(high))),
    )


def _global(problem: Problem, c: Term, rate: Fraction) -> tuple[Finding, ...]:
    work = Workspace(problem, {ID: CLAIM.lemma()})
    p = work.p
    theorem = _theorem(work, c)
    decay = work.prove(la.psd(la.scale(-1, c)))
    explicit = p.modus_ponens(p.part(theorem, 1), decay)
    end, along = unique(work, explicit)
    existence = Finding(
        "existence",
        "global",
        problem.statement(la.eq(problem.terms["T"], INFINITY)),
        p.proof(end),
    )
    start = problem.terms["Sigma0"]
    if rate < 0:
        strict = work.prove(la.pd(la.scale(-1, c)))
        converges = p.modus_ponens(p.part(theorem, 2), strict)
        value = p[converges].args[1]
        moved = transfer_limit(work, along, converges)
        rows = tuple((Fraction(0),) * problem.dimension for _ in range(problem.dimension))
    else:
        value, rows = start, to_rows(_data(start))
        moved = _constant(work, along)
    literal = la.literal(rows)
    moved = p.replace(
        p.algebra(value, literal), moved, lambda h: la.limit(problem.terms["Sigma"], h)
    )
    rank = p.rank(literal)
    p.conjunction(end, moved, rank)
    conclusion = la.conj(
        la.eq(problem.terms["T"], INFINITY),
        la.limit(problem.terms["Sigma"], literal),
        p[rank],
    )
    limit = Finding(
        "limit",
        "converges",
        problem.statement(conclusion),
        p.proof(),
        rank=int(_data(p[rank].args[1]).entries[0]),
        covariance=rows,
    )
    return (existence, limit)


def _constant(work: Workspace, along: int) -> int:
    """The limit of a constant solution."""
    p, problem = work.p, work.problem
    d, start = problem.terms["d"], problem.terms["Sigma0"]
    full, none = la.identity(d), la.zero(d, d)
    still = p.fact("resolvent-limit", p.positive(none), N=none)
    product = p.fact(
        "limit-of-product", still, curve=p[still].args[0], Y=p[still].args[1], L=full, R=start
    )
    t = la.real("t")
    now = p.at(along, t, p.assume(la.within(t, INFINITY)))
    curve, sigma = p[product].args[0], problem.terms["Sigma"]
    same = p.algebra(la.at(curve, t), la.at(sigma, t), (now, lambda h: la.scale(-1, h)))
    moved = p.fact(
        "equal-curves", product, p.for_all(t, la.within(t, INFINITY), same), Y=curve, W=sigma
    )
    return p.replace(p.algebra(p[product].args[1], start), moved, lambda h: la.limit(sigma, h))


def _data(term: Term) -> Literal:
    assert isinstance(term.data, Literal)
    return term.data
