"""A lower bound of the blow-up time from the norms of V, A and Sigma0."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import SOLUTION, A, F, S, Sigma, Sigma0, T, V, d, t
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    at_most,
    conj,
    eq,
    finite,
    forall,
    identity,
    implies,
    inv,
    le,
    mat,
    minus,
    mul,
    pd,
    psd,
    real,
    root,
    scale,
    tp,
    vec,
    within,
)
from proofs.terms import ONE, Term

v, a, m, s, c = (real(name) for name in ("v", "a", "m", "s", "c"))
Z, u = mat("Z", d, d), vec("u", d)
I = identity(d)  # noqa: E741 (the identity matrix)
HALF = Fraction(1, 2)
#: |V| <= v, |A| <= a, Sigma0 <= m I
NORM_V = le(mul(V, tp(V)), scale(mul(v, v), I))
NORM_A = le(mul(tp(A), A), scale(mul(a, a), I))
START = le(Sigma0, scale(m, I))
DRIFT = le(S, scale(2, scale(s, I)))
RATE = add(mul(v, a), s)


def lasts(rate: Term) -> Term:
    """T >= 1 / (rate m)."""
    return at_most(finite(inv(mul(rate, m))), T)


def growth_bound(p: Builder, letters: dict[str, int]) -> int:
    """u^T F(Z) u <= (v a + s) c^2 |u|^2 when 0 <= Z <= c I and Z u = c u.

    With x = V^T u, y = A u and N = 2 Z - c I (so that |N| <= c):
    u^T F(Z) u = 2 c x^T Z y = c^2 x^T y + c x^T N y.
    """
    state = p.assume(conj(psd(Z), le(Z, scale(c, I)), eq(mul(Z, u), scale(c, u))))
    positive, below, top = (p.part(state, i) for i in range(3))
    W = root(Z)
    square = p.part(p.fact("square-root", positive, M=Z), 1)
    sandwich = p.algebra(
        mul(W, Z, W),
        mul(Z, Z),
        (square, lambda h: add(scale(-1, mul(W, h, W)), mul(h, W, W), mul(Z, h))),
    )
    x, y = mul(tp(V), u), mul(A, u)
    N = minus(scale(2, Z), scale(c, I))
    form = p.algebra(
        mul(tp(u), at(F, Z), u),
        scale(2, scale(c, mul(tp(x), Z, y))),
        (top, lambda h: mul(tp(u), V, Z, A, h)),
        (top, lambda h: mul(tp(h), tp(A), Z, tp(V), u)),
        positive,
    )
    inverse_v, inverse_a = letters["1/v"], letters["1/a"]
    one_v, one_a = letters["v/v"], letters["a/a"]
    length = mul(tp(u), u)
    cross, quadratic = mul(tp(x), N, y), mul(tp(y), N, N, y)
    ratio = mul(v, inv(a))
    return p.positive(
        minus(scale(RATE, scale(mul(c, c), length)), mul(tp(u), at(F, Z), u)),
        Summand(scale(c, u), core=letters["drift"], coefficient=HALF),
        Summand(
            scale(c, u), core=letters["V"], scalars=(letters["a"], inverse_v), coefficient=HALF
        ),
        Summand(
            scale(c, u), core=letters["A"], scalars=(letters["v"], inverse_a), coefficient=HALF
        ),
        Summand(mul(W, y), core=below, scalars=(letters["v"], inverse_a), coefficient=2),
        Summand(
            minus(scale(c, x), scale(ratio, mul(N, y))),
            scalars=(letters["a"], inverse_v),
            coefficient=HALF,
        ),
        by=[
            positive,
            (form, lambda h: scale(-1, h)),
            (one_v, lambda h: scale(-HALF, mul(h, a, v, c, c, length))),
            (one_a, lambda h: scale(-HALF, mul(h, a, v, c, c, length))),
            (one_v, lambda h: mul(h, a, inv(a), c, cross)),
            (one_a, lambda h: mul(h, c, cross)),
            (one_v, lambda h: scale(-HALF, mul(h, a, inv(a), ratio, quadratic))),
            (one_a, lambda h: scale(-HALF, mul(h, ratio, quadratic))),
            (square, lambda h: scale(-2, scale(mul(ratio, c), mul(tp(y), h, y)))),
            (sandwich, lambda h: scale(2, scale(ratio, mul(tp(y), h, y)))),
        ],
    )


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    names = {"v": pd(v), "a": pd(a), "V": NORM_V, "A": NORM_A}
    letters = {name: p.assume(premise) for name, premise in names.items()}
    small, below = p.assume(pd(m)), p.assume(START)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    for name in ("v", "a"):
        definite = p.fact("definite-inverse", letters[name])
        letters[f"1/{name}"] = p.part(definite, 1)
        letters[f"{name}/{name}"] = p.part(p.fact("inverse", p.part(definite, 0)), 0)

    drift = p.assume(conj(DRIFT, pd(RATE)))
    letters["drift"], rate = p.part(drift, 0), p.part(drift, 1)
    state = conj(psd(Z), le(Z, scale(c, I)), eq(mul(Z, u), scale(c, u)))
    bound = p.discharge(state, growth_bound(p, letters))
    everywhere = p.generalise(Z, p.generalise(c, p.generalise(u, bound)))
    stays = p.lemma(RANK.id, start, solution)
    now = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
    lasting = p.fact(
        "riccati-comparison",
        p.polynomial(F),
        solution,
        p.for_all(t, within(t, T), now),
        small,
        rate,
        below,
        everywhere,
        X=Sigma,
        F=F,
        s=m,
        r=RATE,
    )
    sharp = p.for_all(s, conj(DRIFT, pd(RATE)), lasting)

    # S <= 2 |V| |A|: take s = v a
    product = mul(v, a)
    ratio_v = mul(v, inv(a))
    plain = p.positive(
        minus(scale(2, scale(product, I)), S),
        Summand(I, core=letters["V"], scalars=(letters["a"], letters["1/v"])),
        Summand(I, core=letters["A"], scalars=(letters["v"], letters["1/a"])),
        Summand(minus(tp(V), scale(ratio_v, A)), scalars=(letters["a"], letters["1/v"])),
        by=[
            (letters["v/v"], lambda h: scale(-1, scale(mul(h, product), I))),
            (letters["a/a"], lambda h: scale(-1, scale(mul(h, product), I))),
            (letters["v/v"], lambda h: scale(mul(h, a, inv(a)), S)),
            (letters["a/a"], lambda h: scale(h, S)),
            (letters["v/v"], lambda h: scale(-1, scale(mul(h, a, inv(a), ratio_v), mul(tp(A), A)))),
            (letters["a/a"], lambda h: scale(-1, scale(mul(h, ratio_v), mul(tp(A), A)))),
        ],
    )
    twice = p.positive(
        add(product, product),
        Summand(identity(ONE), scalars=(letters["v"], letters["a"]), coefficient=2),
        strict=True,
    )
    p.conjunction(p.at(sharp, product, p.conjunction(plain, twice)), sharp)
    return p.proof()


CLAIM = Claim(
    id="covariance.existence-time",
    title="The solution exists at least until 1 / (2 |V| |A| |Sigma0|), and longer when S is small",
    source="new",
    statement=Statement(
        (pd(v), pd(a), NORM_V, NORM_A, pd(m), START, psd(Sigma0), SOLUTION),
        conj(
            lasts(add(mul(v, a), mul(v, a))),
            forall(s, implies(conj(DRIFT, pd(RATE)), lasts(RATE))),
        ),
    ),
    hypotheses=(
        "v > 0",
        "a > 0",
        "v bounds the norm of V",
        "a bounds the norm of A",
        "m > 0",
        "m bounds Sigma0",
        "Sigma0 positive semidefinite",
        "Sigma solves the covariance equation",
    ),
    prove=prove,
)
