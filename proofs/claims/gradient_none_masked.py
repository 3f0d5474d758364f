"""Causally masked softmax attention has no energy, in any causal metric."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself, replaced
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import V, d, t
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.growth import UNIT, inverted, moving, product_of, sum_of, with_velocity
from proofs.claims.line_velocity import cancelled, positive_exponential
from proofs.claims.particles import as_sums, rewritten
from proofs.claims.two_tokens import (
    FIRST,
    LAW,
    POSITIVE_MASSES,
    SECOND,
    E,
    U,
    X,
    k,
    m1,
    m2,
    without_form,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    eq,
    exp,
    forall,
    implies,
    inv,
    lam,
    minus,
    mul,
    number,
    ode,
    pd,
    scale,
    tp,
    vec,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term, function_sort, matrix_sort, variable

POINT = matrix_sort(d, ONE)
#: the force on the first token, which sees itself alone; the metric of the second one
force = variable("f", function_sort(POINT, POINT))
metric = variable("G", function_sort(POINT, function_sort(POINT, matrix_sort(d, d))))
a, w, y = vec("a", d), vec("w", d), vec("y", d)
x1, x2 = at(X, FIRST, t), at(X, SECOND, t)
GAMMA = velocity("softmax", LAW, x2)
RATE = add(
    mul(tp(at(U, FIRST, t)), at(force, x1)),
    mul(tp(at(U, SECOND, t)), at(metric, x1, x2), GAMMA),
)
MOTION = forall(k, ode(INFINITY, at(X, k), at(U, k)))
STRUCTURE = forall(
    X, forall(U, implies(MOTION, ode(INFINITY, lam(t, at(E, x1, x2)), lam(t, RATE))))
)
METRIC = forall(a, forall(y, pd(at(metric, a, y))))
HYPOTHESES = POSITIVE_MASSES, METRIC, STRUCTURE
ORIGIN = zero(d, ONE)


class Flows:
    """Steps on E along motions of one token, the other one at rest."""

    def __init__(self, p: Builder, structure: int) -> None:
        self.p, self.structure = p, structure

    def along(self, places: tuple[Term, Term], speeds: tuple[Term, Term]) -> int:
        """ode(oo, E, its derivative) for places that depend on t."""
        p = self.p
        steps = [
            with_velocity(p, moving(p, INFINITY, place), speed)
            for place, speed in zip(places, speeds, strict=True)
        ]
        path, flow = (lam(k, lam(t, at(Term("family", z), k))) for z in (places, speeds))
        motion = p.cases(lam(k, ode(INFINITY, at(path, k), at(flow, k))), steps)
        return p.modus_ponens(p.specialise(p.specialise(self.structure, path), flow), motion)

    def separated(self) -> int:
        """For all y: E(a, y) - E(a, 0) = E(0, y) - E(0, 0), as the first force ignores y."""
        p = self.p
        rests = [self.along((scale(t, a), z), (a, ORIGIN)) for z in (y, ORIGIN)]
        opposite = product_of(p, moving(p, INFINITY, number(-1)), rests[1])
        gap = with_velocity(p, sum_of(p, rests[0], opposite), zero(ONE, ONE))
        later = p.fact("time-before-infinity", p.definite(number(1)), t=number(1))
        same = p.at(p.fact("zero-derivative", gap), number(1), later)
        for old, new in ((scale(number(1), a), a), (scale(number(0), a), ORIGIN)):
            same = self._rewritten(same, p.algebra(old, new))
        return p.generalise(y, same)

    def _rewritten(self, step: int, equation: int) -> int:
        """A step with the left side of an equation replaced wherever it occurs."""
        known, old = self.p[step], self.p[equation].args[0]
        return self.p.replace(equation, step, lambda h: replaced(known, old, h))

    def moved(self, separated: int) -> int:
        """The change of E as the second token leaves 0 does not depend on the first one."""
        p = self.p
        place = scale(t, w)
        here, there = (self.along((z, place), (ORIGIN, w)) for z in (a, ORIGIN))
        known = p.specialise(separated, place)
        constant = minus(at(E, a, ORIGIN), at(E, ORIGIN, ORIGIN))
        shifted = sum_of(p, there, moving(p, INFINITY, constant))
        value = p.algebra(
            at(p[shifted].args[1], t), at(E, a, place), (known, lambda h: scale(-1, h))
        )
        shifted = rewritten(p, shifted, value)
        unique = p.fact("unique-derivative", here, shifted)
        start = p.fact("time-before-infinity", p.definite(number(0)), t=number(0))
        here = p.at(unique, number(0), start)
        return self._rewritten(here, p.algebra(scale(number(0), w), ORIGIN))


def prove() -> Proof:
    p = Builder()
    masses, positive, structure = (p.assume(h) for h in HYPOTHESES)
    flows = Flows(p, structure)
    same = flows.moved(flows.separated())
    nonnegative = p.generalise(k, p.fact("positive-definite", p.specialise(masses, k)))
    sides = [as_sums(p, nonnegative, p.reflexivity(side)) for side in p[same].args]
    # the second token, at 0, gives both of them the weight exp(0)
    share = exp(number(0))
    shares = [
        Summand(UNIT, scalars=(p.specialise(masses, i), positive_exponential(p, number(0))))
        for i in (FIRST, SECOND)
    ]
    mass = add(mul(m1, share), mul(m2, share))
    _, _, cancel = inverted(p, p.positive(mass, *shares, strict=True))
    form = mul(tp(w), at(metric, a, ORIGIN), V, a)
    product = p.algebra(
        mul(inv(mass), m1, share, form),
        number(0),
        (same, lambda h: h),
        (sides[0], lambda h: scale(-1, h)),
        (sides[1], lambda h: h),
    )
    cancels = [
        p.algebra(mul(mass, inv(mass)), number(1), (cancel, itself)),
        inverted(p, p.specialise(masses, FIRST))[2],
        inverted(p, positive_exponential(p, number(0)))[2],
    ]
    gone = p.generalise(w, cancelled(p, product, form, *cancels))
    here = p.specialise(p.specialise(positive, a), ORIGIN)
    p.generalise(a, without_form(p, here, gone, a))
    return p.proof()


CLAIM = Claim(
    id="gradient.none.masked",
    title="Causally masked softmax attention has no energy, in any causal metric",
    source="new",
    statement=Statement(HYPOTHESES, forall(a, eq(mul(V, a), zero(d, ONE)))),
    hypotheses=(
        "the masses are positive",
        "the metric of the second token is positive definite",
        "E is an energy of two tokens",
    ),
    prove=prove,
    note="The class: any function E of two tokens, of which the first sees itself alone. The "
    "force on the first token is any function of its place; that on the second one is its velocity "
    "times any positive definite matrix that depends on what it sees, both tokens. Unless V = 0 "
    "there is no such E. A force on the first token that depends on the second one is not causal; "
    "with such forces two tokens on the line can be a gradient.",
    notation=(Definition("mu", lam(X, lam(t, LAW))),),
)
