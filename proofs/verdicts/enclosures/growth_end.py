"""The end of a solution by a linear function of the covariance that grows like its square."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from flint import fmpq_mat

from numeric.enclosures.system import fraction, to_flint
from numeric.lyapunov import Certificate
from proofs import language as la
from proofs.builder import Summand
from proofs.claims.covariance_blowup_lyapunov import CLAIM as GROWTH
from proofs.claims.covariance_blowup_lyapunov import GROWING
from proofs.terms import Term, substitute
from proofs.verdicts.enclosures.coordinates import Coordinates, vector
from proofs.verdicts.enclosures.tubes import Bounds, Lifetimes, Tubes
from proofs.verdicts.lyapunov import where_positive
from proofs.verdicts.workspace import UNIT


def by_growth(
    tubes: Tubes,
    certificate: Certificate,
    centre: tuple[Fraction, ...],
    radius: Fraction,
) -> Lifetimes | None:
    """0 <= T <= 1/w near a point; None when tr(P Sigma) >= w > 0 is not seen there.

    Args:
        certificate: tr(P Sigma)' >= s tr(P Sigma)^2 where positive, for the scale s.
    """
    of, p = tubes.coordinates, tubes.p
    weights = _weights(of, certificate)
    if weights is None:
        return None
    w, _ = _least(weights, centre, radius)
    if w <= 0:
        return None
    near = tubes.near(centre, radius)
    inside = of.inside(near)
    P = la.literal(certificate.P)
    above = _above(of, near, weights, centre, radius, P)
    full = {**of.heads.terms, "Sigma0": of.start, "T": of.end, "Sigma": of.curve}
    instance = {**full, "P": P, "c": of.scale}
    state = la.mat("Z", of.d, of.d)
    value = la.tr(la.mul(P, state))
    plain = la.minus(of.heads.plain_velocity(P, state), la.mul(value, value))
    stated = substitute(GROWING, instance)
    grows = where_positive(of.work, of.heads, certificate, plain, stated)
    mass = la.tr(la.mul(P, of.start))
    scaled = la.mul(of.scale, mass)
    positive = p.positive(
        scaled, Summand(UNIT, core=above), Summand(UNIT, coefficient=w), strict=True
    )
    mass_positive = _unscaled(of, positive, mass)
    ends = p.lemma(
        GROWTH.id,
        of.bridge[0],
        grows,
        mass_positive,
        inside.start,
        inside.solution,
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
    lasts = p.fact("lifetime-nonnegative", inside.solution)
    upper = p.fact("lifetimes-transitive", ends, ordered)
    return tubes.lifetimes(near, centre, radius, Bounds(Fraction(0), lasts, 1 / w, upper))


def _weights(of: Coordinates, certificate: Certificate) -> tuple[Fraction, ...] | None:
    """p_k with P = sum of p_k P_k, None where P is not in their span."""
    d = len(certificate.P)
    places = [(i, j) for i in range(d) for j in range(i, d)]
    if len(places) != of.system.size:
        return None
    columns = fmpq_mat([[P[i, j] for P in of.system.functionals] for i, j in places])
    P = to_flint(certificate.P)
    found = columns.solve(fmpq_mat([[P[i, j]] for i, j in places]))
    return tuple(map(fraction, found.entries()))


def _least(
    weights: tuple[Fraction, ...], centre: tuple[Fraction, ...], radius: Fraction
) -> tuple[Fraction, Fraction]:
    """w, below p^T x where |x - M| <= r, and k with p^T (x - M) >= -(k |p|^2 + r^2/k)/2."""
    gram = sum((a * a for a in weights), Fraction(0))
    k = near_root(radius * radius / gram)
    value = sum((a * b for a, b in zip(weights, centre, strict=True)), Fraction(0))
    return value - (k * gram + radius * radius / k) / 2, k


def _above(
    of: Coordinates,
    near: int,
    weights: tuple[Fraction, ...],
    centre: tuple[Fraction, ...],
    radius: Fraction,
    P: Term,
) -> int:
    """s tr(P Sigma0) - w >= 0, from |k p + D|^2 >= 0 for D = x - M."""
    p = of.p
    w, k = _least(weights, centre, radius)
    normal, middle = vector(weights), vector(centre)
    state = of.of(of.start)
    apart = la.minus(state, middle)
    full = la.add(la.scale(k, normal), apart)
    half = 1 / (2 * k)
    value = la.mul(la.tp(normal), state)
    above = p.positive(
        la.minus(value, la.number(w)),
        Summand(full, coefficient=half),
        Summand(UNIT, core=p.part(near, 2), coefficient=half),
    )
    symmetric = p.fact("semidefinite-symmetric", p.part(near, 1))
    same = p.entries(value, la.mul(of.scale, la.tr(la.mul(P, of.start))), symmetric)
    return p.replace(same, above, lambda f: la.le(la.number(w), f))


def _unscaled(of: Coordinates, positive: int, mass: Term) -> int:
    """tr(P Sigma0) > 0, from s tr(P Sigma0) > 0."""
    p = of.p
    definite = p.fact("definite-inverse", of.bridge[0])
    inverse, cancels = p.part(definite, 1), p.part(p.fact("inverse", p.part(definite, 0)), 0)
    both = p.positive(
        la.mul(p[inverse].args[0], p[positive].args[0]),
        Summand(UNIT, scalars=(inverse, positive)),
        strict=True,
    )
    same = p.algebra(p[both].args[0], mass, (cancels, lambda f: la.mul(f, mass)))
    return p.replace(same, both, la.pd)


def near_root(number: Fraction) -> Fraction:
    """A number > 0 near the square root of one > 0, short."""
    shift = 2 * max(0, 30 - (number.numerator.bit_length() - number.denominator.bit_length()) // 2)
    root = isqrt((number.numerator << shift) // number.denominator) + 1
    return Fraction(root, 1 << (shift // 2))
