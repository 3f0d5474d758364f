"""The end of a solution in an invariant cone, from which its lifetime is bounded on both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

from numeric.enclosures.cones import Cone, Speed
from numeric.enclosures.system import fraction
from numeric.enclosures.taylor import form_norms, spectral_norm
from proofs import language as la
from proofs.builder import Builder, Summand
from proofs.claims.covariance_blowup_cone import CLAIM as BLOWUP
from proofs.claims.covariance_bounded_cone import CLAIM as BOUNDED
from proofs.facts.enclosures import square
from proofs.terms import Term, sort_of, substitute
from proofs.verdicts.enclosures.coordinates import Coordinates, Inside, literal, vector
from proofs.verdicts.enclosures.growth_end import near_root
from proofs.verdicts.enclosures.tubes import Bounds, Lifetimes, Tubes
from proofs.verdicts.workspace import UNIT

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Arrival:
    """A ball in the coordinates of a cone.

    Attributes:
        own: those coordinates.
        near: the assumption that Sigma0 is near the given point.
        inside: about the solution and its coordinates.
        start: y0, those of Sigma0.
        middle, reach: q and r.
        ball: |y0 - q| <= r.
    """

    own: Coordinates
    near: int
    inside: Inside
    start: Term
    middle: Vector
    reach: Fraction
    ball: int


def arrival_at(tubes: Tubes, cone: Cone, centre: Vector, radius: Fraction) -> Arrival | None:
    """None where the ball is not on the side of the cone."""
    of, p = tubes.coordinates, tubes.p
    inverse = cone.frame.inv()
    moved = inverse * fmpq_mat([[fmpq(a.numerator, a.denominator)] for a in centre])
    middle, factor = tuple(map(fraction, moved.entries())), spectral_norm(inverse)
    reach = factor * radius
    if middle[0] <= reach:
        return None
    own = of.moved(cone.system, form_norms(cone.system))
    near = tubes.near(centre, radius)
    inside = own.inside(near)
    start = p[inside.vector].args[3]
    ball = _turned(of, own, near, inverse, factor, (middle, reach), (centre, radius))
    return Arrival(own, near, inside, start, middle, reach, ball)


def by_decay(
    tubes: Tubes, cone: Cone, speed: Speed, centre: Vector, radius: Fraction
) -> Lifetimes | None:
    """T = oo near a point, where y' <= 0 in the cone; None when the ball is not inside it."""
    p, arrival = tubes.p, arrival_at(tubes, cone, centre, radius)
    if arrival is None:
        return None
    own = arrival.own
    terms = cone_terms(own, cone)
    size, n = 1 + fraction(cone.wider) ** 2, cone.system.size
    instance = {
        **terms,
        "T": p[arrival.inside.vector].args[0],
        "x": p[arrival.inside.vector].args[1],
        "x0": arrival.start,
        "b": la.number(-fraction(speed.least)),
        "N": la.literal([[size * (i == j == 0) for j in range(n)] for i in range(n)]),
    }
    stated = [substitute(h, instance) for h in BOUNDED.statement.hypotheses]
    starts = p.at(in_ball(own, cone, instance, arrival, None), arrival.start, arrival.ball)
    found = p.lemma(
        BOUNDED.id,
        p.polynomial(own.field),
        arrival.inside.vector,
        p.definite(stated[2].args[0], True),
        p.definite(stated[3].args[0]),
        p.part(starts, 0),
        p.part(starts, 1),
        _settles(own, cone, speed, size, stated[6]),
        **instance,
    )
    forever = arrival.own.endless(arrival.near, found)
    bounds = Bounds(Fraction(0), None, forever=forever)
    return tubes.lifetimes(arrival.near, centre, radius, bounds)


def by_cone(
    tubes: Tubes, cone: Cone, speed: Speed, centre: Vector, radius: Fraction
) -> Lifetimes | None:
    """Bounds of the lifetime near a point; None when the ball there is not inside the cone."""
    p, arrival = tubes.p, arrival_at(tubes, cone, centre, radius)
    if arrival is None:
        return None
    own, middle, reach = arrival.own, arrival.middle, arrival.reach
    lowest, highest = middle[0] - reach, middle[0] + reach
    first, last = 1 / (fraction(speed.most) * highest), 1 / (fraction(speed.least) * lowest)
    instance = {
        **cone_terms(own, cone),
        "T": tubes.coordinates.end,
        "x": p[arrival.inside.vector].args[1],
        "x0": arrival.start,
        "c": la.number(fraction(speed.least)),
        "b": la.number(fraction(speed.most)),
        "s": la.number(1 + fraction(cone.wider) ** 2),
        "r": la.number(first),
        "R": la.number(last),
    }
    stated = [substitute(h, instance) for h in BLOWUP.statement.hypotheses]
    scale = fraction(speed.most) * first, fraction(speed.least) * last
    starts = p.at(in_ball(own, cone, instance, arrival, scale), arrival.start, arrival.ball)
    found = p.lemma(
        BLOWUP.id,
        p.polynomial(own.field),
        arrival.inside.vector,
        *(p.definite(h.args[0], True) for h in stated[2:5]),
        p.part(starts, 0),
        p.part(starts, 1),
        _grows(own, cone, speed, stated[7]),
        p.part(starts, 2),
        p.part(starts, 3),
        **instance,
    )
    bounds = Bounds(first, p.part(found, 0), last, p.part(found, 1))
    return tubes.lifetimes(arrival.near, centre, radius, bounds)


def cone_terms(own: Coordinates, cone: Cone) -> dict[str, Term]:
    """What the variables of the claims on cones stand for: w = e_1, M = diag(p^2, -1, ..., -1)."""
    n, p2 = cone.system.size, fraction(cone.opening) ** 2
    diagonal = [p2, *[Fraction(-1)] * (n - 1)]
    return {
        "n": own.n,
        "f": own.field,
        "w": la.literal([[int(i == 0)] for i in range(n)]),
        "M": la.literal([[diagonal[i] * (i == j) for j in range(n)] for i in range(n)]),
        "k": la.number(fraction(cone.wider) ** 2 - p2),
        "m": la.number(fraction(cone.rate)),
    }


def _turned(
    of: Coordinates,
    own: Coordinates,
    near: int,
    inverse: fmpq_mat,
    factor: Fraction,
    ball: tuple[Vector, Fraction],
    given: tuple[Vector, Fraction],
) -> int:
    """|y0 - q| <= k r for y0 = W x0 and q = W M, from |x0 - M| <= r and |W| <= k."""
    p = of.p
    (middle, reach), (centre, radius) = ball, given
    matrix = literal(inverse)
    x, y = of.of(of.start), own.of(of.start)
    v = la.vec("v", of.n)
    apart = la.minus(v, vector(centre))
    close = p.assume(la.le(square(apart), la.mul(la.number(radius), la.number(radius))))
    full = factor * factor
    rest = la.minus(la.scale(full, la.identity(of.n)), la.mul(la.tp(matrix), matrix))
    there = la.minus(la.mul(matrix, v), vector(middle))
    reached = la.mul(la.number(reach), la.number(reach))
    summands = [
        Summand(UNIT, core=close, coefficient=full),
        Summand(apart, core=p.definite(rest)),
    ]
    image = as_wanted(p, summands, la.minus(reached, square(there)))
    moved = p.at(p.for_all(v, p[close], image), x, p.part(near, 2))
    symmetric = p.fact("semidefinite-symmetric", p.part(near, 1))
    same = p.entries(la.mul(matrix, x), y, symmetric)
    return p.replace(same, moved, lambda f: la.le(square(la.minus(f, vector(middle))), reached))


def in_ball(
    own: Coordinates,
    cone: Cone,
    instance: dict[str, Term],
    arrival: Arrival,
    scale: tuple[Fraction, Fraction] | None,
) -> int:
    """For all v within r of q: v is in the cone, and how its height bounds the lifetime."""
    p, v, middle = own.p, la.vec("v", own.n), arrival.middle
    q, r = vector(middle), arrival.reach
    apart = la.minus(v, q)
    ball = p.assume(la.le(square(apart), la.mul(la.number(r), la.number(r))))
    w, M = instance["w"], instance["M"]
    height = la.mul(la.tp(w), v)

    def beyond(sign: int) -> int:
        """sign (v_1 - q_1) + r >= 0, from |r e_1 + sign (v - q)|^2 >= 0."""
        bound = middle[0] - sign * r
        full = la.add(la.scale(r, w), la.scale(sign, apart))
        summands = [
            Summand(full, coefficient=1 / (2 * r)),
            Summand(UNIT, core=ball, coefficient=1 / (2 * r)),
        ]
        return as_wanted(p, summands, la.scale(sign, la.minus(height, la.number(bound))))

    low = beyond(1)
    above = p.positive(
        height,
        Summand(UNIT, core=low),
        Summand(UNIT, coefficient=middle[0] - r),
        strict=True,
    )
    cone_step = _cone_at(p, cone, v, apart, ball, middle, r, M)
    if scale is None:
        return p.for_all(v, p[ball], p.conjunction(above, cone_step))
    begin = p.positive(
        la.minus(la.number(1), la.mul(instance["b"], height, instance["r"])),
        Summand(UNIT, core=beyond(-1), coefficient=scale[0]),
    )
    end = p.positive(
        la.minus(la.mul(instance["c"], height, instance["R"]), la.number(1)),
        Summand(UNIT, core=low, coefficient=scale[1]),
    )
    return p.for_all(v, p[ball], p.conjunction(above, cone_step, begin, end))


def _cone_at(
    p: Builder,
    cone: Cone,
    v: Term,
    apart: Term,
    ball: int,
    middle: Vector,
    r: Fraction,
    M: Term,
) -> int:
    """v^T M v >= 0 where |v - q| <= r, for M >= -I, from |k M q + v - q|^2 >= 0."""
    p2 = fraction(cone.opening) ** 2
    image = (p2 * middle[0], *(-a for a in middle[1:]))
    length = sum((a * a for a in image), Fraction(0))
    k = near_root(r * r / length)
    value = p2 * middle[0] ** 2 - sum((a * a for a in middle[1:]), Fraction(0))
    rest = value - k * length - (1 + 1 / k) * r * r
    if rest < 0:
        raise ValueError("the ball is not inside the cone")
    more = p.definite(la.add(M, la.identity(sort_of(M).args[0])))
    summands = [
        Summand(apart, core=more),
        Summand(la.add(la.scale(k, vector(image)), apart), coefficient=1 / k),
        Summand(UNIT, core=ball, coefficient=1 + 1 / k),
        Summand(UNIT, coefficient=rest),
    ]
    return as_wanted(p, summands, la.mul(la.tp(v), M, v))


def _grows(own: Coordinates, cone: Cone, speed: Speed, stated: Term) -> int:
    """What holds for all z in the wider cone."""
    p = own.p
    z = la.vec("z", own.n)
    inside, parts = la.at(stated.args[0], z).args
    wider = p.assume(inside)
    outside = wider_form(p, cone, z, p.part(wider, 1))
    pieces = [
        invariance(p, cone, z, p.part(wider, 0), outside, parts.args[0]),
        *(
            _bounded(p, cone, z, outside, speed.weights[i], speed.rests[i], parts.args[1 + i])
            for i in range(2)
        ),
        small(p, z, outside, parts.args[3]),
    ]
    return p.for_all(z, inside, p.conjunction(*pieces))


def _settles(own: Coordinates, cone: Cone, speed: Speed, size: Fraction, stated: Term) -> int:
    """What holds for all z in the wider cone, with z^T N z = (1 + P^2) y^2."""
    p = own.p
    z = la.vec("z", own.n)
    inside, parts = la.at(stated.args[0], z).args
    wider = p.assume(inside)
    above = p.part(wider, 0)
    outside = wider_form(p, cone, z, p.part(wider, 1))
    weight, rest = speed.weights[1], speed.rests[1]
    falls = [
        Summand(UNIT, core=outside, scalars=(above,), coefficient=2 * size * fraction(weight)),
        Summand(z, core=p.definite(literal(rest)), scalars=(above,), coefficient=2 * size),
        Summand(p[above].args[0], scalars=(above,), coefficient=-2 * size * fraction(speed.most)),
    ]
    pieces = [
        invariance(p, cone, z, above, outside, parts.args[0]),
        _bounded(p, cone, z, outside, speed.weights[0], speed.rests[0], parts.args[1]),
        as_wanted(p, falls, parts.args[2].args[0]),
        small(p, z, outside, parts.args[3]),
    ]
    return p.for_all(z, inside, p.conjunction(*pieces))


def wider_form(p: Builder, cone: Cone, z: Term, given: int) -> int:
    """z^T diag(P^2, -1, ..., -1) z >= 0, from the wider cone."""
    n, square_of = cone.system.size, fraction(cone.wider) ** 2
    entries = [square_of, *[Fraction(-1)] * (n - 1)]
    D = la.literal([[entries[i] * (i == j) for j in range(n)] for i in range(n)])
    value = la.mul(la.tp(z), D, z)
    return p.replace(p.entries(p[given].args[0], value), given, la.psd)


def invariance(p: Builder, cone: Cone, z: Term, above: int, outside: int, wanted: Term) -> int:
    """The derivative of the form of the cone, as y z^T S z and the sum over j."""
    n = cone.system.size
    y = p[above].args[0]
    P = fraction(cone.wider)
    definite = p.fact("definite-inverse", above)
    inverse, cancels = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 0)
    summands = [Summand(z, core=p.definite(literal(cone.rest)), scalars=(above,))]
    for j in range(1, n):
        unit = la.literal([[int(i == j)] for i in range(n)])
        others = la.literal([[int(i == k and i not in (0, j)) for k in range(n)] for i in range(n)])
        coordinate = la.mul(la.tp(unit), z)
        gap = as_wanted(
            p,
            [Summand(UNIT, core=outside), Summand(z, core=p.definite(others))],
            la.minus(la.mul(la.number(P * P), y, y), la.mul(coordinate, coordinate)),
        )
        for sign in (-1, 1):
            side = la.add(la.scale(P, y), la.scale(sign, coordinate))
            # 2 P y (P y + z_j) = (P y + z_j)^2 + P^2 y^2 - z_j^2
            positive = p.positive(
                side,
                Summand(side, scalars=(inverse,), coefficient=1 / (2 * P)),
                Summand(UNIT, core=gap, scalars=(inverse,), coefficient=1 / (2 * P)),
                by=[(cancels, _times(la.scale(-1, side)))],
            )
            form = cone.bounds[j - 1] - cone.cubic[j - 1] * sign
            core = p.definite(literal(_bordered(form)))
            summands.append(Summand(z, core=core, scalars=(positive,)))
    return as_wanted(p, summands, wanted.args[0])


def _times(value: Term) -> Callable[[Term], Term]:
    """f -> f value."""
    return lambda f: la.mul(f, value)


def _bordered(form: fmpq_mat) -> fmpq_mat:
    """A form of the coordinates after the first, as one of all."""
    n = form.nrows() + 1
    bordered = fmpq_mat(n, n)
    for i in range(1, n):
        for j in range(1, n):
            bordered[i, j] = form[i - 1, j - 1]
    return bordered


def _bounded(
    p: Builder,
    cone: Cone,
    z: Term,
    outside: int,
    weight: fmpq,
    rest: fmpq_mat,
    wanted: Term,
) -> int:
    """A bound of y', as t (P^2 y^2 - |z|^2) + z^T S z."""
    summands = [
        Summand(UNIT, core=outside, coefficient=fraction(weight)),
        Summand(z, core=p.definite(literal(rest))),
    ]
    return as_wanted(p, summands, wanted.args[0])


def small(p: Builder, z: Term, outside: int, wanted: Term) -> int:
    """|z|^2 <= (1 + P^2) y^2."""
    return as_wanted(p, [Summand(UNIT, core=outside)], wanted.args[0])


def as_wanted(p: Builder, summands: Sequence[Summand], value: Term) -> int:
    """psd of a polynomial in the entries that the summands add up to."""
    values = [value_of(p, summand) for summand in summands]
    total = la.add(*values) if len(values) > 1 else values[0]
    positive = p.positive(total, *summands)
    return p.replace(p.entries(total, value), positive, la.psd)


def value_of(p: Builder, summand: Summand) -> Term:
    """coefficient scalars F^T core F."""
    core = None if summand.core is None else p[summand.core].args[0]
    factors = [summand.factor] if core is None else [core, summand.factor]
    value = la.mul(la.tp(summand.factor), *factors)
    for scalar in summand.scalars:
        value = la.scale(p[scalar].args[0], value)
    return la.scale(Fraction(summand.coefficient), value)
