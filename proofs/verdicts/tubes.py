"""From one start: tubes follow the solution until a linear function of it decides.

A tube is a polynomial in time with error bounds, from ``numeric.tubes``. The proof goes back from
the last one: what starts near its end has a lifetime between bounds, hence what starts near the
end of the tube before, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from numeric.exact import Matrix
from numeric.lyapunov import Certificate
from numeric.tubes import Step
from proofs import language as la
from proofs.builder import Summand
from proofs.claims.covariance_blowup_lyapunov import CLAIM as GROWTH
from proofs.claims.covariance_blowup_lyapunov import GROWING
from proofs.claims.covariance_enclosure import CLAIM as ENCLOSURE
from proofs.claims.covariance_enclosure import NORMS
from proofs.facts.enclosures import square
from proofs.language import INFINITY
from proofs.terms import Term, substitute
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.base import Finding
from proofs.verdicts.each_head import at_head, cases
from proofs.verdicts.lyapunov import where_positive
from proofs.verdicts.workspace import UNIT, Workspace

t, r = la.real("t"), la.real("r")


@dataclass(frozen=True)
class Lifetimes:
    """A step "for all Sigma0, Sigma, T: from near a matrix, lower <= T <= upper".

    Attributes:
        step: its index.
        centre, radius: what near means.
        lower, upper: rationals; None where there is no bound.
    """

    step: int
    centre: Term
    radius: Fraction
    lower: Fraction
    upper: Fraction | None


class Tubes:
    """The proof under construction, about one head or several from a given start."""

    def __init__(self, heads: AsHeads, norms: Sequence[tuple[Fraction, Fraction]]) -> None:
        self.heads = heads
        lemmas = {claim.id: claim.lemma() for claim in (ENCLOSURE, GROWTH)}
        self.work = Workspace(heads.problem, lemmas)
        self.p = self.work.p
        d = heads.terms["d"]
        self.start, self.end = la.mat("Sigma0", d, d), la.lifetime("T")
        self.curve = la.time_to("Sigma", d, d)
        bounds = {
            name: Term("family", tuple(la.number(pair[i]) for pair in norms))
            for i, name in enumerate("va")
        }
        mine = {"Sigma0": self.start, "T": self.end, "Sigma": self.curve}
        self.full = {**heads.terms, **mine, **bounds}
        stated, count = substitute(NORMS, self.full), len(norms)
        each = [
            self.p.conjunction(*map(self.work.prove, at_head(stated, i, count).args))
            for i in range(count)
        ]
        self.norms = cases(self.work, stated, each)

    def near(self, centre: Term, radius: Fraction) -> Term:
        """Sigma on [0, T) is the maximal solution from Sigma0 >= 0, near a matrix."""
        apart = square(la.minus(self.start, centre))
        return la.conj(
            la.maximal(self.end, self.curve, self.heads.field, self.start),
            la.psd(self.start),
            la.le(apart, la.mul(la.number(radius), la.number(radius))),
        )

    def _lifetimes(
        self,
        near: int,
        bounds: Sequence[int],
        centre: Term,
        radius: Fraction,
        lower: Fraction,
        upper: Fraction | None,
    ) -> Lifetimes:
        p = self.p
        step = p.discharge(p[near], p.conjunction(*bounds) if len(bounds) > 1 else bounds[0])
        for variable in (self.end, self.curve, self.start):
            step = p.generalise(variable, step)
        return Lifetimes(step, centre, radius, lower, upper)

    # The last tube

    def last(self, certificate: Certificate | None, centre: Matrix, radius: Fraction) -> Lifetimes:
        """T >= 0, and T <= 1/w where y = tr(P Sigma0) >= w > 0, with y' >= y^2 where y > 0."""
        p, M = self.p, la.literal(centre)
        near = p.assume(self.near(M, radius))
        lasts = p.fact("lifetime-nonnegative", p.part(near, 0))
        bound = None if certificate is None else self._ends(certificate, centre, radius, near)
        if bound is None:
            return self._lifetimes(near, [lasts], M, radius, Fraction(0), None)
        upper, ends = bound
        return self._lifetimes(near, [lasts, ends], M, radius, Fraction(0), upper)

    def _ends(
        self, certificate: Certificate, centre: Matrix, radius: Fraction, near: int
    ) -> tuple[Fraction, int] | None:
        """1/w and the step T <= 1/w; None when y is not seen to be positive."""
        p, full = self.p, self.full
        M, P = la.literal(centre), la.literal(certificate.P)
        mass = la.tr(la.mul(P, self.start))
        # tr(P D) >= -(k |P|^2 + |D|^2/k)/2 for D = Sigma0 - M, from |k P + D|^2 >= 0
        gram = sum(x * x for row in certificate.P for x in row)
        k = _root(radius * radius / gram)
        w = certificate.trace_with(centre) - (k * gram + radius * radius / k) / 2
        if w <= 0:
            return None
        full_square = la.add(la.scale(k, P), la.minus(self.start, M))
        apart = p.fact(
            "trace-nonnegative",
            p.positive(la.mul(la.tp(full_square), full_square), Summand(full_square)),
        )
        half = 1 / (2 * k)
        summands = [la.scale(half, p[use].args[0]) for use in (apart, p.part(near, 2))]
        total = p.positive(
            la.add(*summands),
            Summand(UNIT, core=apart, coefficient=half),
            Summand(UNIT, core=p.part(near, 2), coefficient=half),
        )
        symmetric = p.fact("semidefinite-symmetric", p.part(near, 1))
        same = p.entries(la.add(*summands), la.minus(mass, la.number(w)), symmetric)
        above = p.replace(same, total, la.psd)
        positive = p.positive(
            mass, Summand(UNIT, core=above), Summand(UNIT, coefficient=w), strict=True
        )
        one = la.number(1)
        instance = {**full, "P": P, "c": one}
        state = la.mat("Z", full["d"], full["d"])
        value = la.tr(la.mul(P, state))
        plain = la.minus(self.heads.plain_velocity(P, state), la.mul(value, value))
        stated = substitute(GROWING, instance)
        ends = p.lemma(
            GROWTH.id,
            self.work.prove(la.pd(one)),
            where_positive(self.work, self.heads, certificate, plain, stated),
            positive,
            p.part(near, 1),
            p.part(near, 0),
            **instance,
        )
        (bound,) = p[ends].args[1].args
        definite = p.fact("definite-inverse", positive)
        inverse, cancels = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 0)
        # 1/w - 1/y = (y - w)/(w y)
        later = p.positive(
            la.minus(la.number(1 / w), bound),
            Summand(UNIT, core=above, scalars=(inverse,), coefficient=1 / w),
            by=[(cancels, lambda f: la.scale(-1 / w, f))],
        )
        ordered = p.fact("lifetimes-ordered", later, a=bound, b=la.number(1 / w))
        return 1 / w, p.fact("lifetimes-transitive", ends, ordered)

    # A tube, from what follows it

    def before(self, step: Step, after: Lifetimes) -> Lifetimes:
        """The lifetimes of what starts near the start of a tube, from those near its end."""
        p = self.p
        length = la.number(step.length)
        curve = la.lam(t, la.polynomial(t, step.coefficients))
        beginning = la.at(curve, la.number(0))
        near = p.assume(self.near(beginning, step.start))
        moves = p.differentiate(INFINITY, curve)
        instance = {
            **self.full,
            "s": length,
            "r": la.number(step.start),
            "e": la.number(step.tube),
            "c": la.number(step.defect),
            "y": la.number(step.size),
            "m": la.number(step.rounding),
            "M": la.literal(step.centre),
            "Y": curve,
            "G": p[moves].args[2],
        }
        stated = [substitute(h, instance) for h in ENCLOSURE.statement.hypotheses]
        found = p.lemma(
            ENCLOSURE.id,
            self.norms,
            p.part(near, 1),
            p.part(near, 0),
            moves,
            self._near_curve(stated[4], length),
            p.conjunction(*(self._constant(part) for part in stated[5].args)),
            p.part(near, 2),
            self._constant(stated[7]),
            **instance,
        )
        bounds = self._through(step, instance, found, after)
        lower, upper = after.lower + step.length, after.upper
        upper = None if upper is None else upper + step.length
        return self._lifetimes(near, bounds, beginning, step.start, lower, upper)

    def _near_curve(self, stated: Term, length: Term) -> int:
        """Symmetric, bounded, with a small defect on [0, s]."""
        p = self.p
        symmetric, *bounds = stated.args
        inside, equation = la.at(symmetric.args[0], t).args
        left, right = equation.args
        turned = p.generalise(t, p.discharge(inside, p.entries(left, right)))
        values = [la.at(bound.args[0], t).args[1].args[0] for bound in bounds]
        return p.conjunction(turned, *(p.nonnegative(value, t, length) for value in values))

    def _constant(self, proposition: Term) -> int:
        """psd or pd of an expression of literals."""
        return self.p.definite(proposition.args[0], proposition.op == "pd")

    def _through(
        self, step: Step, instance: Mapping[str, Term], found: int, after: Lifetimes
    ) -> list[int]:
        """Bounds of T, from a step that there is a Z where the solution goes on."""
        p, d, length = self.p, self.full["d"], instance["s"]
        Z, S, Y = la.mat("Z", d, d), la.lifetime("S"), la.time_to("Y", d, d)
        outer = p.assume(la.at(p[found].args[0], Z))
        middle = p.assume(la.at(p[p.part(outer, 2)].args[0], S))
        inner = p.assume(la.at(p[middle].args[0], Y))
        shifted = p.part(inner, 2)
        small = p[p.part(outer, 1)].args[0]
        radius = la.mul(la.number(after.radius), la.number(after.radius))
        wider = p.definite(la.minus(radius, small.args[0]))
        M = instance["M"]
        close = p.positive(
            la.minus(radius, square(la.minus(Z, M))),
            Summand(UNIT, core=p.part(outer, 1)),
            Summand(UNIT, core=wider),
        )
        if after.centre != M:
            same = p.entries(M, after.centre)
            close = p.replace(same, close, lambda f: la.le(square(la.minus(Z, f)), radius))
        reached = p.conjunction(p.part(inner, 0), p.part(outer, 0), close)
        known = after.step
        for value in (Z, Y, S):
            known = p.specialise(known, value)
        known = p.modus_ponens(known, reached)
        results = []
        for place, (bound, part) in enumerate(((after.lower, 1), (after.upper, 0))):
            if bound is None:
                continue
            own = known if after.upper is None else p.part(known, place)
            later = p.at(p.part(shifted, part), la.number(bound), own)
            total = la.add(length, la.number(bound))
            same = p.algebra(total, la.number(step.length + bound))
            side = (
                (lambda f: la.at_most(la.finite(f), self.end))
                if part
                else (lambda f: la.at_most(self.end, la.finite(f)))
            )
            results.append(p.replace(same, later, side))
        both = p.conjunction(*results) if len(results) > 1 else results[0]
        both = p.obtain(middle, Y, both)
        both = p.obtain(p.part(outer, 2), S, both)
        both = p.obtain(found, Z, both)
        return [p.part(both, i) for i in range(len(results))] if len(results) > 1 else [both]

    # The given start

    def finding(self, first: Lifetimes) -> Finding:
        """What holds for the solution itself."""
        p, problem = self.p, self.heads.problem
        start = problem.terms["Sigma0"]
        apart = square(la.minus(start, first.centre))
        radius = la.mul(la.number(first.radius), la.number(first.radius))
        close = p.definite(la.minus(radius, apart))
        reached = p.conjunction(self.heads.solution(self.work), self.work.start(), close)
        known = first.step
        for value in (start, problem.terms["Sigma"], problem.terms["T"]):
            known = p.specialise(known, value)
        known = p.modus_ponens(known, reached)
        verdict = "unknown" if first.upper is None else "blow-up"
        time = (first.lower, first.upper)
        return Finding("existence", verdict, problem.statement(p[known]), p.proof(known), time=time)


def _root(number: Fraction) -> Fraction:
    """A number > 0 near a square root, where that is in the range of floating point."""
    value = float(number) ** 0.5
    return Fraction(value) if value > 0 else Fraction(1, 2**500)
