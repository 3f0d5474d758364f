"""The softmax solution blows up in a cone, but takes the L2 heads all time to get there."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from numeric.enclosures.cones import Cone, Speed, below, short
from numeric.enclosures.system import float_of, fraction, to_flint
from proofs import language as la
from proofs.builder import Summand
from proofs.checkers.rational import from_flint
from proofs.claims.covariance_clocked_cone import CLAIM as CLOCKED
from proofs.claims.covariance_l2_one_row import CLOCK, ENDLESS, HALF
from proofs.claims.growth import given, moving, product_of, same_velocity, throughout, with_velocity
from proofs.terms import Term, substitute
from proofs.verdicts.enclosures.cone_end import (
    Arrival,
    arrival_at,
    as_wanted,
    cone_terms,
    in_ball,
    invariance,
    small,
    wider_form,
)
from proofs.verdicts.enclosures.coordinates import literal, vector
from proofs.verdicts.enclosures.tubes import Bounds, Lifetimes, Tubes
from proofs.verdicts.l2.clock import Clock, Keys
from proofs.verdicts.l2.slowed import SlowedCoordinates
from proofs.verdicts.linear import solve
from proofs.verdicts.workspace import UNIT

t = la.real("t")


@dataclass(frozen=True)
class Spread:
    """How n w Sigma w^T grows with y in a cone, where coordinates are (y, z).

    Attributes:
        weights: l, with n w Sigma w^T = l^T (y, z).
        least: a number > 0 such that y l^T (y, z) - least y^2 = weight (P^2 y^2 - |z|^2) + a form.
        weight, rest: the number and the form, n x n, semidefinite.
    """

    weights: tuple[Fraction, ...]
    least: fmpq
    weight: fmpq
    rest: fmpq_mat


def spread(cone: Cone, keys: Keys) -> Spread | None:
    """None where it does not grow like y in the wider cone."""
    found = _weights(cone, keys)
    if found is None:
        return None
    weights = [fmpq(a.numerator, a.denominator) for a in found]
    others = np.array([float_of(a) for a in weights[1:]])
    first, wider = float_of(weights[0]), float_of(cone.wider)
    length = float(np.linalg.norm(others))
    weight = short(max(length, 1e-6 * abs(first)) / (2 * wider))
    value = first - float_of(weight) * wider**2 - length**2 / (4 * float_of(weight))
    least = below(value - 1e-9 * abs(first))
    if least <= 0:
        return None
    n = cone.system.size
    rest = fmpq_mat(n, n)
    rest[0, 0] = weights[0] - least - weight * cone.wider**2
    for j in range(1, n):
        rest[0, j] = rest[j, 0] = weights[j] / 2
        rest[j, j] = weight
    return Spread(found, least, weight, rest)


def _weights(cone: Cone, keys: Keys) -> tuple[Fraction, ...] | None:
    """l with n w^T w = sum of l_k P_k, None where there is none."""
    row = to_flint(keys.row)
    size = fmpq(keys.size.numerator, keys.size.denominator)
    gram = (row.transpose() * row * size).entries()
    columns = fmpq_mat([P.entries() for P in cone.system.functionals]).transpose()
    found = solve(from_flint(columns), from_flint(fmpq_mat([[x] for x in gram])))
    return None if found is None else found.entries


def by_clock(
    tubes: Tubes,
    cone: Cone,
    speed: Speed,
    grows: Spread,
    centre: tuple[Fraction, ...],
    radius: Fraction,
) -> Lifetimes | None:
    """T = oo near a point; None when the ball there is not inside the cone."""
    p, arrival = tubes.p, arrival_at(tubes, cone, centre, radius)
    if arrival is None:
        return None
    own = arrival.own
    assert isinstance(own, SlowedCoordinates)
    clock = own.clock(arrival.near)
    z, scale = la.vec("z", own.n), own.scale
    runs = la.lam(z, la.add(la.scale(HALF, scale), la.mul(la.tp(vector(grows.weights)), z)))
    running = _running(own, clock, arrival, runs)
    factor = fraction(speed.most / grows.least)
    size = 1 + fraction(cone.wider) ** 2
    instance = {
        **cone_terms(own, cone),
        "T": clock.end,
        "x": p[arrival.inside.vector].args[1],
        "x0": arrival.start,
        "b": la.number(0),
        "c": la.number(factor),
        "s": la.number(size),
        "h": runs,
        "q": p[running].args[1],
    }
    stated = [substitute(h, instance) for h in CLOCKED.statement.hypotheses]
    starts = p.at(in_ball(own, cone, instance, arrival, None), arrival.start, arrival.ball)
    stops = p.lemma(
        CLOCKED.id,
        p.polynomial(own.field),
        arrival.inside.vector,
        p.definite(stated[2].args[0], True),
        *(p.definite(h.args[0]) for h in stated[3:6]),
        p.part(starts, 0),
        p.part(starts, 1),
        _follows(own, cone, speed, grows, factor, stated[8]),
        running,
        **instance,
    )
    forever = p.modus_ponens(clock.part(ENDLESS), _unless(own, clock, stops))
    bounds = Bounds(Fraction(0), None, forever=forever)
    return tubes.lifetimes(arrival.near, centre, radius, bounds)


def _running(own: SlowedCoordinates, clock: Clock, arrival: Arrival, runs: Term) -> int:
    """s q runs at the pace h(x), for the scale s and the clock q."""
    p, end = own.p, clock.end
    row, size = (own.keys.terms[name] for name in "wn")

    def paced(state: Term) -> Term:
        return la.mul(own.scale, la.add(la.number(HALF), la.mul(size, row, state, la.tp(row))))

    Z = la.mat("Z", own.d, own.d)
    declared = p.assume(la.symmetric(Z))
    same = p.entries(paced(Z), la.at(runs, own.of(Z)), declared)
    everywhere = p.for_all(Z, p[declared], same)
    state = la.at(p[arrival.inside.solution].args[1], t)
    positive = p.part(given(p, end, arrival.inside.stays), 0)
    now = p.at(everywhere, state, p.fact("semidefinite-symmetric", positive))
    equation = product_of(p, moving(p, end, own.scale), clock.part(CLOCK[1]))
    return same_velocity(p, with_velocity(p, equation, paced(state)), now)


def _follows(
    own: SlowedCoordinates, cone: Cone, speed: Speed, grows: Spread, factor: Fraction, stated: Term
) -> int:
    """What holds for all z in the wider cone: c y h(z) - y' is c y s/2 and forms."""
    p, z = own.p, la.vec("z", own.n)
    inside, parts = la.at(stated.args[0], z).args
    wider = p.assume(inside)
    above = p.part(wider, 0)
    outside = wider_form(p, cone, z, p.part(wider, 1))
    rises = [
        Summand(UNIT, core=outside, coefficient=fraction(speed.weights[0])),
        Summand(z, core=p.definite(literal(speed.rests[0]))),
        Summand(p[above].args[0], coefficient=fraction(speed.least)),
    ]
    exact = fmpq(factor.numerator, factor.denominator)
    slower = [
        Summand(UNIT, core=outside, coefficient=fraction(exact * grows.weight + speed.weights[1])),
        Summand(z, core=p.definite(literal(grows.rest * exact + speed.rests[1]))),
        Summand(UNIT, scalars=(above, own.bridge[0]), coefficient=factor / 2),
    ]
    pieces = [
        invariance(p, cone, z, above, outside, parts.args[0]),
        as_wanted(p, rises, parts.args[1].args[0]),
        as_wanted(p, slower, parts.args[2].args[0]),
        small(p, z, outside, parts.args[3]),
    ]
    return p.for_all(z, inside, p.conjunction(*pieces))


def _unless(own: SlowedCoordinates, clock: Clock, stops: int) -> int:
    """The softmax solution lasts forever if q is bounded, as it does if s q is."""
    p, r = own.p, la.real("r")
    bounded = p.assume(la.at(p[clock.part(ENDLESS)].args[0].args[0], r).args[0])
    gap = given(p, clock.end, bounded)
    scaled = la.minus(la.mul(own.scale, r), la.mul(own.scale, la.at(clock.time, t)))
    longer = p.positive(scaled, Summand(UNIT, core=gap, scalars=(own.bridge[0],)))
    never = p.at(stops, la.mul(own.scale, r), throughout(p, clock.end, longer))
    return p.for_all(r, p[bounded], never)
