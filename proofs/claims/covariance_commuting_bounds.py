"""The commuting case with rational data: two-sided bounds of the blow-up time."""

from __future__ import annotations

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_commuting_factored import CLAIM as FACTORED
from proofs.claims.covariance_commuting_factored import HYPOTHESES, E, N, X, k
from proofs.claims.covariance_equation import S_LETTER, SOLUTION, F, Sigma, Sigma0, T
from proofs.claims.roots import invertible_root
from proofs.kernel import Proof, Statement
from proofs.language import (
    at_most,
    conj,
    eq,
    finite,
    identity,
    inv,
    le,
    lmax,
    minus,
    mul,
    number,
    pd,
    psd,
    real,
    root,
    scale,
    tp,
    vec,
    zero,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE

low, high, w = real("low"), real("high"), vec("w", k)
ENERGY, FORM = mul(tp(w), E, w), mul(tp(w), N, w)
PREMISES = (
    psd(minus(E, scale(low, N))),
    pd(high),
    pd(ENERGY),
    le(ENERGY, scale(high, FORM)),
)
UNIT = identity(ONE)
C = root(E)
K = inv(C)
#: the pencil E - t N has the eigenvalues 1 - t lambda of this matrix, up to congruence
REDUCED = mul(K, N, K)
LARGEST = lmax(REDUCED)


def prove() -> Proof:
    p = Builder({FACTORED.id: FACTORED.lemma()})
    hypotheses = [p.assume(h) for h in HYPOTHESES]
    edge_low, positive_high, energy, reached = (p.assume(h) for h in PREMISES)
    solution = p.assume(SOLUTION)
    metric = hypotheses[0]
    square, left, right = invertible_root(p, E, metric)
    spectrum = p.fact("largest-eigenvalue", p.algebra(tp(REDUCED), REDUCED, metric), M=REDUCED)
    above = p.part(spectrum, 0)

    # lambda >= 1/high > 0, tested on C w
    definite_high = p.fact("definite-inverse", positive_high)
    one_high = p.part(p.fact("inverse", p.part(definite_high, 0)), 1)
    definite_energy = p.fact("definite-inverse", energy)
    one_energy = p.part(p.fact("inverse", p.part(definite_energy, 0)), 1)
    inverse_high, inverse_energy = p.part(definite_high, 1), p.part(definite_energy, 1)
    tested = p.algebra(
        mul(tp(mul(C, w)), minus(scale(LARGEST, identity(k)), REDUCED), mul(C, w)),
        minus(scale(LARGEST, ENERGY), FORM),
        (square, lambda h: scale(LARGEST, mul(tp(w), h, w))),
        (left, lambda h: scale(-1, mul(tp(w), C, K, N, h, w))),
        (right, lambda h: scale(-1, mul(tp(w), h, N, w))),
        metric,
    )
    excess = p.positive(
        minus(LARGEST, inv(high)),
        Summand(mul(C, w), core=above, scalars=(inverse_energy,)),
        Summand(UNIT, scalars=(inverse_energy, inverse_high, reached)),
        by=[
            (one_energy, lambda h: scale(-1, mul(h, minus(LARGEST, inv(high))))),
            (one_high, lambda h: scale(-1, mul(h, inv(ENERGY), FORM))),
            (tested, lambda h: scale(-1, mul(inv(ENERGY), h))),
        ],
    )
    positive = p.positive(
        LARGEST, Summand(UNIT, core=excess), Summand(UNIT, scalars=(inverse_high,)), strict=True
    )
    definite = p.fact("definite-inverse", positive)
    reciprocal = p.part(p.fact("inverse", p.part(definite, 0)), 1)
    inverse = p.part(definite, 1)

    # r = 1/lambda and u = K e for the eigenvector e
    time, e = inv(LARGEST), vec("e", k)
    vector = p.assume(conj(eq(mul(tp(e), e), number(1)), eq(mul(REDUCED, e), scale(LARGEST, e))))
    length, equation = p.part(vector, 0), p.part(vector, 1)
    null_vector = mul(K, e)
    sandwich = p.algebra(
        mul(C, REDUCED, C),
        N,
        (right, lambda h: mul(h, N, K, C)),
        (left, lambda h: mul(N, h)),
    )
    edge = p.positive(
        minus(E, scale(time, N)),
        Summand(C, core=above, scalars=(inverse,)),
        by=[
            (reciprocal, lambda h: scale(-1, scale(h, mul(C, C)))),
            (square, lambda h: scale(-1, h)),
            (sandwich, lambda h: scale(time, h)),
        ],
    )
    null = p.algebra(
        mul(minus(E, scale(time, N)), null_vector),
        zero(k, ONE),
        (square, lambda h: scale(-1, mul(h, K, e))),
        (right, lambda h: mul(C, h, e)),
        (equation, lambda h: scale(-1, scale(time, mul(C, h)))),
        (right, lambda h: scale(time, mul(h, N, K, e))),
        (reciprocal, lambda h: scale(-1, scale(h, mul(C, e)))),
    )
    form = mul(tp(null_vector), E, null_vector)
    unit_form = p.algebra(
        form,
        number(1),
        (square, lambda h: scale(-1, mul(tp(e), K, h, K, e))),
        (right, lambda h: mul(tp(e), K, C, h, e)),
        (left, lambda h: mul(tp(e), h, e)),
        (length, itself),
    )
    mass = p.positive(form, Summand(UNIT), by=[(unit_form, itself)], strict=True)
    theorem = p.lemma(FACTORED.id, *hypotheses)
    explicit = p.specialise(p.specialise(p.part(theorem, 2), time), null_vector)
    explicit = p.part(p.modus_ponens(explicit, p.conjunction(inverse, edge, null, mass)), 0)
    same = p.part(
        p.fact(
            "uniqueness",
            p.smooth_along(F, T, Sigma),
            solution,
            explicit,
            F=F,
            X=Sigma,
            Y=X,
            X0=Sigma0,
        ),
        0,
    )
    back = p.replace(same, p.reflexivity(T), lambda h: eq(h, T))

    # low <= r <= high
    pencil_low = p.algebra(
        mul(tp(null_vector), minus(E, scale(low, N)), null_vector),
        minus(number(1), mul(low, LARGEST)),
        (unit_form, itself),
        (equation, lambda h: scale(-1, scale(low, mul(tp(e), h)))),
        (length, lambda h: scale(-1, scale(mul(low, LARGEST), h))),
    )
    later = p.positive(
        minus(time, low),
        Summand(null_vector, core=edge_low, scalars=(inverse,)),
        by=[
            (pencil_low, lambda h: scale(-1, scale(time, h))),
            (reciprocal, lambda h: scale(low, h)),
        ],
    )
    earlier = p.positive(
        minus(high, time),
        Summand(UNIT, scalars=(inverse, positive_high, excess)),
        by=[
            (reciprocal, lambda h: scale(-1, mul(h, high))),
            (one_high, lambda h: mul(h, time)),
        ],
    )
    lower = p.fact("lifetimes-ordered", later, a=low, b=time)
    upper = p.fact("lifetimes-ordered", earlier, a=time, b=high)
    lower = p.replace(back, lower, lambda h: at_most(finite(low), h))
    upper = p.replace(back, upper, lambda h: at_most(h, finite(high)))
    p.obtain(p.part(spectrum, 1), e, p.conjunction(lower, upper))
    return p.proof()


CLAIM = Claim(
    id="covariance.commuting-bounds",
    title="Bounds of the blow-up time in the commuting case, from exact tests of E - t N",
    source="commuting case of the paper, in factored form",
    statement=Statement(
        (*HYPOTHESES, *PREMISES, SOLUTION),
        conj(at_most(finite(low), T), at_most(T, finite(high))),
    ),
    hypotheses=(
        "E positive definite",
        "Sigma0 = L E^{-1} L^T",
        "V commutes with Sigma0",
        "V commutes with S",
        "E - low N positive semidefinite",
        "high > 0",
        "w^T E w > 0",
        "w^T (E - high N) w <= 0",
        "Sigma solves the covariance equation",
    ),
    prove=prove,
    notation=(S_LETTER, Definition("N", N), Definition("X", X)),
)
