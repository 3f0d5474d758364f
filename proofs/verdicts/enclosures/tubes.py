"""Bounds of the lifetime, from tubes around the solution.

The proof goes back from the last tube: what starts near its end has a lifetime between bounds,
hence what starts near the end of the tube before, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numeric.enclosures.taylor import Step
from proofs import language as la
from proofs.builder import Summand
from proofs.claims.covariance_enclosure import CLAIM as ENCLOSURE
from proofs.facts.enclosures import square
from proofs.language import INFINITY
from proofs.terms import Term, substitute
from proofs.verdicts.enclosures.coordinates import Coordinates, Inside, Moment, vector
from proofs.verdicts.workspace import UNIT

t = la.real("t")


@dataclass(frozen=True)
class Lifetimes:
    """A step "for all Sigma0, Sigma, T: from near a point, lower <= T <= upper".

    Attributes:
        step: its index.
        centre, radius: what near means.
        lower, upper: rationals; ``upper`` is None where there is no bound.
        forever: whether T = oo instead.
    """

    step: int
    centre: tuple[Fraction, ...]
    radius: Fraction
    lower: Fraction = Fraction(0)
    upper: Fraction | None = None
    forever: bool = False


@dataclass(frozen=True)
class Bounds:
    """Steps lower <= T and T <= upper, or T = oo, under the assumption near(T)."""

    lower: Fraction
    lasts: int | None
    upper: Fraction | None = None
    ends: int | None = None
    forever: int | None = None

    @property
    def steps(self) -> list[int]:
        return [step for step in (self.lasts, self.ends, self.forever) if step is not None]


class Tubes:
    """The lifetimes of what starts near a point."""

    def __init__(self, coordinates: Coordinates) -> None:
        self.coordinates = coordinates
        self.p = coordinates.p

    def near(self, centre: tuple[Fraction, ...], radius: Fraction) -> int:
        """The assumption that Sigma starts near a point."""
        return self.p.assume(self.coordinates.near(vector(centre), la.number(radius)))

    def lifetimes(
        self, near: int, centre: tuple[Fraction, ...], radius: Fraction, bounds: Bounds
    ) -> Lifetimes:
        """The bounds, for all that starts near a point."""
        p, of = self.p, self.coordinates
        steps = bounds.steps
        step = of.released(near, p.conjunction(*steps) if len(steps) > 1 else steps[0])
        step = p.discharge(p[near], step)
        for variable in (of.end, of.curve, of.start):
            step = p.generalise(variable, step)
        forever = bounds.forever is not None
        return Lifetimes(step, centre, radius, bounds.lower, bounds.upper, forever)

    def lasting(self, centre: tuple[Fraction, ...], radius: Fraction) -> Lifetimes:
        """T >= 0, which holds from anywhere."""
        near = self.near(centre, radius)
        lasts = self.p.fact("lifetime-nonnegative", self.p.part(near, 0))
        return self.lifetimes(near, centre, radius, Bounds(Fraction(0), lasts))

    def before(self, step: Step, after: Lifetimes) -> Lifetimes:
        """The lifetimes of what starts near the start of a tube, from those near its end."""
        centre, radius = step.curve[0], step.radius[0]
        near = self.near(centre, radius)
        inside = self.coordinates.inside(near)
        found = self._enclosed(step, near, inside, after)
        return self.lifetimes(near, centre, radius, self._through(step, inside, found, after))

    def _enclosed(self, step: Step, near: int, inside: Inside, after: Lifetimes) -> int:
        """s < T and the distance of the coordinates of Sigma(s) from M."""
        p, of = self.p, self.coordinates
        length = la.number(step.length)
        curve = la.lam(t, la.polynomial(t, step.curve))
        radius = la.lam(t, la.polynomial(t, [(a,) for a in step.radius]))
        moves, grows = p.differentiate(INFINITY, curve), p.differentiate(INFINITY, radius)
        end, vector_curve, _, start = p[inside.vector].args
        instance = {
            **of.quadratic,
            "T": end,
            "x": vector_curve,
            "x0": start,
            "y": curve,
            "v": p[moves].args[2],
            "r": radius,
            "g": p[grows].args[2],
            "s": length,
            "b": la.number(step.tube),
            "c": la.number(step.defect),
            "l": la.number(step.slope),
            "m": la.number(step.rounding),
            "e": la.number(after.radius),
            "M": vector(after.centre),
        }
        stated = [substitute(h, instance) for h in ENCLOSURE.statement.hypotheses]
        almost = [
            p.nonnegative(la.at(part.args[0], t).args[1].args[0], t, length)
            for part in stated[4].args
        ]
        return p.lemma(
            ENCLOSURE.id,
            of.norms,
            inside.vector,
            moves,
            grows,
            p.conjunction(*almost),
            p.conjunction(*map(self._constant, stated[5].args)),
            self._starts(step, near, stated[6]),
            self._constant(stated[7]),
            **instance,
        )

    def _starts(self, step: Step, near: int, stated: Term) -> int:
        """|x0 - y(0)| <= r(0), where y(0) and r(0) are values of polynomials."""
        p = self.p
        close = p.part(near, 2)
        centre, radius = vector(step.curve[0]), la.number(step.radius[0])
        start = self.coordinates.of(self.coordinates.start)
        first = la.at(la.lam(t, la.polynomial(t, step.curve)), la.number(0))
        wide = la.at(la.lam(t, la.polynomial(t, [(a,) for a in step.radius])), la.number(0))
        close = p.replace(
            p.entries(centre, first),
            close,
            lambda g: la.le(square(la.minus(start, g)), la.mul(radius, radius)),
        )
        return p.replace(
            p.entries(radius, wide),
            close,
            lambda g: la.le(square(la.minus(start, first)), la.mul(g, g)),
        )

    def _constant(self, proposition: Term) -> int:
        """psd or pd of an expression of literals."""
        return self.p.definite(proposition.args[0], proposition.op == "pd")

    def _through(self, step: Step, inside: Inside, found: int, after: Lifetimes) -> Bounds:
        """Bounds of T, from those of the lifetime after the time s."""
        p, of = self.p, self.coordinates
        moment = of.moment(inside, step.length, p.part(found, 0))
        state = la.at(of.curve, moment.time)
        again = p.fact("restart", moment.solution, moment.early, s=moment.time)
        S, Y = la.lifetime("S"), la.time_to("Y", of.d, of.d)
        outer = p.assume(la.at(p[again].args[0], S))
        inner = p.assume(la.at(p[outer].args[0], Y))
        shifted = p.part(inner, 2)
        positive = p.part(p.at(inside.stays, la.number(step.length), p.part(found, 0)), 0)
        reached = p.conjunction(p.part(inner, 0), positive, p.part(found, 1))
        known = after.step
        for value in (state, Y, S):
            known = p.specialise(known, value)
        known = p.modus_ponens(known, reached)
        parts = self._shifted(moment, shifted, known, after)
        both = p.conjunction(*parts) if len(parts) > 1 else parts[0]
        both = p.obtain(again, S, p.obtain(outer, Y, both))
        results = [p.part(both, i) for i in range(len(parts))] if len(parts) > 1 else [both]
        lower = after.lower + moment.passed
        if after.forever:
            return Bounds(lower, None, forever=results[0])
        if after.upper is None:
            return Bounds(lower, results[0])
        return Bounds(lower, results[0], after.upper + moment.passed, results[1])

    def _shifted(self, moment: Moment, shifted: int, known: int, after: Lifetimes) -> list[int]:
        """What the bounds of the lifetime after a time say of T."""
        p, end = self.p, self.coordinates.end
        if after.forever:
            return [p.modus_ponens(p.part(shifted, 2), known)]
        if moment.least is not None:
            return [self._later(moment, p.part(shifted, 1), known, after.lower)]
        results = []
        for part, bound in ((1, after.lower), (0, after.upper)):
            if bound is None:
                continue
            own = known if after.upper is None else p.part(known, 1 - part)
            later = p.at(p.part(shifted, part), la.number(bound), own)
            same = p.algebra(
                la.add(moment.time, la.number(bound)), la.number(moment.passed + bound)
            )

            def side(f: Term, part: int = part) -> Term:
                return la.at_most(la.finite(f), end) if part else la.at_most(end, la.finite(f))

            results.append(p.replace(same, later, side))
        return results

    def _later(self, moment: Moment, shifted: int, known: int, lower: Fraction) -> int:
        """A lower bound of T, from one of the lifetime after a time that is bounded below."""
        p = self.p
        assert moment.least is not None
        whole = p.at(shifted, la.number(lower), known)
        total, least = la.add(moment.time, la.number(lower)), la.number(moment.passed + lower)
        below = p.positive(la.minus(total, least), Summand(UNIT, core=moment.least))
        ordered = p.fact("lifetimes-ordered", below, a=least, b=total)
        return p.fact("lifetimes-transitive", ordered, whole)
