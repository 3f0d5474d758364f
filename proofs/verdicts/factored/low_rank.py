"""Norm bounds of low-rank products from tests of small matrices.

For M = P N with P of r columns and N of r rows, let E = N N^T and G = P^T P (r x r).  Then

    b^2 (b^2 I - M M^T) = (b^2 I - M M^T)^2 + P (b^2 E - E G E) P^T,

so that |M| <= b follows from b > 0 and b^2 E - E G E >= 0: nothing of the size of M M^T has to be
formed.  The lemmas state this for the matrices of an attention head, V = W U and
A = s K^T Q, with U, Q, K of few rows and s^2 = q rational.
"""

from __future__ import annotations

from functools import cache

from proofs import language as la
from proofs.builder import Builder, Summand
from proofs.claims.covariance_equation import d, symmetrised
from proofs.claims.head_growth import Head, I, drift_bound, gram_at_most
from proofs.kernel import Lemma, Statement
from proofs.language import add, dim, eq, identity, le, mat, minus, mul, pd, psd, real, scale, tp
from proofs.terms import ONE, Term

r, k = dim("r"), dim("k")
W, U = mat("W", d, r), mat("U", r, d)
Q, K = mat("Q", k, d), mat("K", k, d)
V, A = mat("V", d, d), mat("A", d, d)
s, q, a, b, v = (real(name) for name in ("s", "q", "a", "b", "v"))

SQUARE = eq(mul(s, s), q)
SCORE = scale(s, mul(tp(K), Q))
#: a^2 >= q b^2, so that |s M| <= a when |M| <= b
SCALED = le(mul(q, mul(b, b)), mul(a, a))
UNIT = identity(ONE)
#: V A = s W N Q with N = U K^T, seen in the frame P = [W, Q^T], which is written with the
#: selectors E_1 = [I, 0] and E_2 = [0, I]: V A + A^T V^T = s P J P^T
n = dim("n")
E1, E2 = mat("E1", r, n), mat("E2", k, n)
SELECT = (
    eq(mul(E1, tp(E1)), identity(r)),
    eq(mul(E2, tp(E2)), identity(k)),
    eq(mul(E1, tp(E2)), la.zero(r, k)),
)
PRODUCT = mul(W, U)
MIDDLE = mul(U, tp(K))
FRAME = add(mul(W, E1), mul(tp(Q), E2))
J = add(mul(tp(E1), MIDDLE, E2), mul(tp(E2), tp(MIDDLE), E1))
GRAM = mul(tp(FRAME), FRAME)
#: 2 b C - C J C
SYMMETRIC_CORE = minus(scale(scale(2, b), GRAM), mul(GRAM, J, GRAM))


def core(left: Term, right: Term, bound: Term) -> Term:
    """b^2 E - E G E for M = left right."""
    E, G = mul(right, tp(right)), mul(tp(left), left)
    return minus(scale(mul(bound, bound), E), mul(E, G, E))


def _gram_bound(p: Builder, left: Term, right: Term, bound: Term, steps: tuple[int, int]) -> int:
    """b^2 I - M M^T >= 0 for M = left right, from steps that prove b > 0 and core >= 0."""
    positive, small = steps
    inverse = p.fact("definite-inverse", positive)
    unit = p.part(p.fact("inverse", p.part(inverse, 0)), 0)
    ratio = p.part(inverse, 1)
    square = mul(bound, bound)
    product = mul(left, right)
    slack = minus(scale(square, I), mul(product, tp(product)))
    # slack = (1/b)^2 (slack^2 + left core left^T)
    once = mul(bound, la.inv(bound))
    return p.positive(
        slack,
        Summand(slack, scalars=(ratio, ratio)),
        Summand(tp(left), core=small, scalars=(ratio, ratio)),
        by=[
            # b^2 (1/b)^2 slack = slack
            (unit, lambda h: scale(-1, scale(mul(h, once), slack))),
            (unit, lambda h: scale(-1, scale(h, slack))),
        ],
    )


def _scaled_bound(p: Builder, gram: Term, steps: tuple[int, int, int, int], whole: Term) -> int:
    """a^2 I - whole >= 0 for whole = s^2 gram.

    ``steps`` prove s^2 = q, b^2 I - gram >= 0, a^2 - q b^2 >= 0 and q >= 0.
    """
    square, below, room, factor = steps
    return p.positive(
        minus(scale(mul(a, a), I), whole),
        Summand(I, core=below, scalars=(factor,)),
        Summand(I, scalars=(room,)),
        by=[(square, lambda h: scale(-1, scale(h, gram)))],
    )


def _factor(p: Builder, square: int) -> int:
    """q >= 0 from s^2 = q."""
    return p.positive(q, Summand(s), by=[(square, lambda h: scale(-1, h))])


def _room(p: Builder, steps: tuple[int, int, int, int, int]) -> int:
    """a - s b >= 0 from steps that prove s^2 = q, s > 0, b > 0, a > 0 and a^2 - q b^2 >= 0."""
    square, scale_positive, b_positive, a_positive, room = steps
    total, gap = add(a, mul(s, b)), minus(a, mul(s, b))
    both = p.positive(mul(s, b), Summand(UNIT, scalars=(scale_positive, b_positive)), strict=True)
    parts = Summand(UNIT, scalars=(a_positive,)), Summand(UNIT, scalars=(both,))
    reciprocal = p.fact("definite-inverse", p.positive(total, *parts, strict=True))
    unit = p.part(p.fact("inverse", p.part(reciprocal, 0)), 0)
    return p.positive(
        gap,
        Summand(UNIT, scalars=(p.part(reciprocal, 1), room)),
        by=[
            (unit, lambda h: scale(-1, mul(h, gap))),
            (square, lambda h: scale(-1, mul(la.inv(total), h, b, b))),
        ],
    )


@cache
def value_norm() -> Lemma:
    """|W U| <= v."""
    p = Builder()
    product = mul(W, U)
    premises = (pd(v), psd(core(W, U, v)))
    steps = [p.assume(premise) for premise in premises]
    _gram_bound(p, W, U, v, (steps[0], steps[1]))
    return Lemma(Statement(premises, gram_at_most(mul(product, tp(product)), v)), p.proof())


@cache
def score_norm() -> Lemma:
    """|s K^T Q| <= a."""
    p = Builder()
    premises = (SQUARE, pd(b), psd(core(tp(Q), K, b)), SCALED)
    square, positive, small, room = (p.assume(premise) for premise in premises)
    below = _gram_bound(p, tp(Q), K, b, (positive, small))
    gram = mul(mul(tp(Q), K), tp(mul(tp(Q), K)))
    _scaled_bound(p, gram, (square, below, room, _factor(p, square)), mul(tp(SCORE), SCORE))
    return Lemma(Statement(premises, gram_at_most(mul(tp(SCORE), SCORE), a)), p.proof())


@cache
def drift() -> Lemma:
    """V A + A^T V^T <= 2 a I for A = s K^T Q."""
    p = Builder()
    premises = (SQUARE, pd(s), pd(b), pd(a), SCALED, *SELECT, pd(GRAM), psd(SYMMETRIC_CORE))
    steps = [p.assume(premise) for premise in premises]
    square, scale_positive, b_positive, a_positive, room = steps[:5]
    *select, grams, small = steps[5:]
    inverse = p.fact("definite-inverse", grams)
    cancels = p.fact("inverse", p.part(inverse, 0))
    right, left = p.part(cancels, 0), p.part(cancels, 1)
    frame, gram = FRAME, la.inv(GRAM)
    rest = minus(I, mul(frame, gram, tp(frame)))
    swapped = minus(scale(scale(2, b), I), mul(frame, J, tp(frame)))
    # with Y = P J P^T: 2 b I - Y = 2 b (I - P C^-1 P^T)^2 + P C^-1 (2 b C - C J C) C^-1 P^T
    below = p.positive(
        swapped,
        Summand(rest, scalars=(b_positive,), coefficient=2),
        Summand(mul(gram, tp(frame)), core=small),
        by=[
            p.part(inverse, 1),
            (left, lambda h: scale(-4, scale(b, mul(frame, h, gram, tp(frame))))),
            (left, lambda h: mul(frame, h, J, GRAM, gram, tp(frame))),
            (right, lambda h: mul(frame, J, h, tp(frame))),
        ],
    )
    wide = _room(p, (square, scale_positive, b_positive, a_positive, room))
    # P E_1^T = W and P E_2^T = Q^T, so that s P J P^T = S
    first, second, apart = select
    to_left = p.algebra(
        mul(frame, tp(E1)), W, (first, lambda h: mul(W, h)), (apart, lambda h: mul(tp(Q), tp(h)))
    )
    to_right = p.algebra(
        mul(frame, tp(E2)), tp(Q), (apart, lambda h: mul(W, h)), (second, lambda h: mul(tp(Q), h))
    )
    N = MIDDLE
    claim = le(symmetrised(PRODUCT, SCORE), scale(2, scale(a, I)))
    p.positive(
        claim.args[0],
        Summand(I, core=below, scalars=(scale_positive,)),
        Summand(I, scalars=(wide,), coefficient=2),
        by=[
            (
                to_left,
                lambda h: scale(s, add(mul(h, N, E2, tp(frame)), mul(frame, tp(E2), tp(N), tp(h)))),
            ),
            (to_right, lambda h: scale(s, add(mul(W, N, tp(h)), mul(h, tp(N), tp(W))))),
        ],
    )
    return Lemma(Statement(premises, claim), p.proof())


@cache
def dense_drift() -> Lemma:
    """V A + A^T V^T <= 2 a I for A = s K^T Q, from a test of size d."""
    p = Builder()
    small = le(symmetrised(V, mul(tp(K), Q)), scale(2, scale(b, I)))
    premises = (SQUARE, pd(s), pd(b), pd(a), SCALED, small)
    square, scale_positive, b_positive, a_positive, room, below = map(p.assume, premises)
    wide = _room(p, (square, scale_positive, b_positive, a_positive, room))
    claim = le(symmetrised(V, SCORE), scale(2, scale(a, I)))
    p.positive(
        claim.args[0],
        Summand(I, core=below, scalars=(scale_positive,)),
        Summand(I, scalars=(wide,), coefficient=2),
    )
    return Lemma(Statement(premises, claim), p.proof())


@cache
def plain_drift() -> Lemma:
    """V A + A^T V^T <= 2 v a I, from |V| <= v and |A| <= a."""
    p = Builder()
    premises = Head.hypotheses(V, A, v, a)
    steps = [p.assume(premise) for premise in premises]
    drift_bound(p, Head.of(p, (V, A, v, a), (steps[0], steps[1], steps[2], steps[3])))
    claim = le(symmetrised(V, A), scale(2, scale(mul(v, a), I)))
    return Lemma(Statement(premises, claim), p.proof())
