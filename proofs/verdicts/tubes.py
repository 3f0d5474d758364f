"""From one start: the solution is followed by tubes, until a function of it decides.

A tube is a polynomial in time with error bounds, from ``numeric.tubes``. The proof goes back from
the last tube: whatever starts near its end has a lifetime between bounds, hence whatever starts near
the end of the tube before, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from numeric.exact import Matrix
from numeric.tubes import Step
from proofs import language as la
from proofs.claims.covariance_enclosure import CLAIM as ENCLOSURE
from proofs.claims.covariance_enclosure import NORMS
from proofs.facts.enclosures import square
from proofs.language import INFINITY
from proofs.terms import Term, substitute
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.each_head import at_head, cases
from proofs.verdicts.workspace import Workspace

T, t, r = la.lifetime("T"), la.real("t"), la.real("r")


@dataclass(frozen=True)
class Lifetimes:
    """A step "for all Sigma0, Sigma, T: near(Sigma0) implies lower <= T <= upper".

    Attributes:
        step: its index.
        lower, upper: rationals; None where there is no bound.
    """

    step: int
    lower: Fraction
    upper: Fraction | None


class Tubes:
    """The proof under construction, about one head or several from a given start."""

    def __init__(self, heads: AsHeads, norms: Sequence[tuple[Fraction, Fraction]]) -> None:
        self.heads = heads
        self.work = Workspace(heads.problem, {ENCLOSURE.id: ENCLOSURE.lemma()})
        self.p = self.work.p
        full = heads.terms
        d = full["d"]
        self.d, self.field = d, heads.field
        self.start, self.end = la.mat("Sigma0", d, d), la.lifetime("T")
        self.curve = la.time_to("Sigma", d, d)
        values, scores = (
            Term("family", tuple(la.number(pair[i]) for pair in norms)) for i in (0, 1)
        )
        self.full = {**full, "Sigma0": self.start, "T": self.end, "Sigma": self.curve}
        self.bounds = {"v": values, "a": scores}
        stated = substitute(NORMS, {**self.full, **self.bounds})
        count = len(norms)
        each = [
            self.p.conjunction(*map(self.work.prove, at_head(stated, i, count).args))
            for i in range(count)
        ]
        self.norms = cases(self.work, stated, each)

    def near(self, state: Term, curve: Term, end: Term, centre: Matrix, radius: Fraction) -> Term:
        """A maximal solution from a state >= 0 within a radius of a matrix."""
        apart = la.minus(state, la.literal(centre))
        return la.conj(
            la.maximal(end, curve, self.field, state),
            la.psd(state),
            la.le(square(apart), la.number(radius * radius)),
        )

    def lasts(self, end: Term, lower: Fraction, upper: Fraction | None) -> Term:
        """lower <= T <= upper."""
        later = la.at_most(la.finite(la.number(lower)), end)
        if upper is None:
            return later
        return la.conj(later, la.at_most(end, la.finite(la.number(upper))))

    def for_all(self, hypothesis: Term, use: int) -> int:
        """For all Sigma0, Sigma, T with the hypothesis."""
        result = self.p.discharge(hypothesis, use)
        for variable in (self.end, self.curve, self.start):
            result = self.p.generalise(variable, result)
        return result

    def before(self, step: Step, after: Lifetimes | None) -> Lifetimes:
        """The lifetimes of what starts near the start of a tube, from those near its end."""
        p, full = self.p, self.full
        centre = step.coefficients[0]
        hypothesis = self.near(self.start, self.curve, self.end, centre, step.start)
        near = p.assume(hypothesis)
        length = la.number(step.length)
        curve = la.lam(t, _horner(step.coefficients))
        moves = p.differentiate(INFINITY, curve)
        velocity = p[moves].args[2]
        numbers = {
            "s": length,
            "r": la.number(step.start),
            "e": la.number(step.tube),
            "c": la.number(step.defect),
            "y": la.number(step.size),
            "m": la.number(step.rounding),
            "M": la.literal(step.centre),
        }
        instance = {**full, **self.bounds, **numbers, "Y": curve, "G": velocity}
        stated = [substitute(h, instance) for h in ENCLOSURE.statement.hypotheses]
        steps = [
            self.norms,
            p.part(near, 1),
            p.part(near, 0),
            moves,
            self._near_curve(stated[4], length),
            p.conjunction(*(self._constant(part) for part in stated[5].args)),
            self._starts(p.part(near, 2), stated[6], curve, centre),
            self._constant(stated[7]),
        ]
        found = p.lemma(ENCLOSURE.id, *steps, **instance)
        return self._through(step, hypothesis, found, after)

    def _near_curve(self, stated: Term, length: Term) -> int:
        """Symmetric, bounded, with a small defect on [0, s]."""
        p = self.p
        symmetric, *bounds = stated.args
        body = symmetric.args[0]
        inside, equation = la.at(body, t).args
        turned = p.generalise(t, p.discharge(inside, self._same(equation)))
        proved = [p.nonnegative(la.at(b.args[0], t).args[1].args[0], t, length) for b in bounds]
        return p.conjunction(turned, *proved)

    def _same(self, equation: Term) -> int:
        return self.p.entries(*equation.args)

    def _constant(self, proposition: Term) -> int:
        """psd or pd of an expression of literals."""
        return self.p.definite(proposition.args[0], proposition.op == "pd")

    def _starts(self, near: int, stated: Term, curve: Term, centre: Matrix) -> int:
        """|Sigma0 - Y(0)|^2 <= r^2."""
        p = self.p
        same = p.algebra(la.literal(centre), la.at(curve, la.number(0)))
        bound = stated.args[0].args[0]
        moved = p.replace(
            same, near, lambda f: la.le(square(la.minus(self.start, f)), p[near].args[0].args[0])
        )
        again = p.algebra(p[moved].args[0].args[0], bound)
        return p.replace(
            again,
            moved,
            lambda f: la.psd(la.minus(f, square(la.minus(self.start, la.at(curve, la.number(0)))))),
        )

    def _through(
        self, step: Step, hypothesis: Term, found: int, after: Lifetimes | None
    ) -> Lifetimes:
        """lower and upper, from a step that there is a Z where the solution goes on."""
        p = self.p
        length = la.number(step.length)
        Z, S = la.mat("Z", self.d, self.d), la.lifetime("S")
        Y = la.time_to("Y", self.d, self.d)
        outer = p.assume(la.at(p[found].args[0], Z))
        goes_on = p.part(outer, 2)
        middle = p.assume(la.at(p[goes_on].args[0], S))
        inner = p.assume(la.at(p[middle].args[0], Y))
        solution, shifted = p.part(inner, 0), p.part(inner, 2)
        lower = step.length + (Fraction(0) if after is None else after.lower)
        raise NotImplementedError
