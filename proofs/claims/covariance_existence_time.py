"""A lower bound of the blow-up time from the norms of V, A and Sigma0."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import SOLUTION, A, F, S, Sigma, Sigma0, T, V, d, t
from proofs.claims.covariance_rank import CLAIM as RANK
from proofs.claims.head_growth import (
    HALF,
    LENGTH,
    TOP,
    Head,
    I,
    Z,
    c,
    drift_bound,
    growth_bound,
    u,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    at_most,
    conj,
    finite,
    forall,
    identity,
    implies,
    inv,
    le,
    minus,
    mul,
    number,
    on_lifetime,
    pd,
    psd,
    real,
    scale,
    tp,
    within,
)
from proofs.terms import ONE, Term

v, a, m, s = (real(name) for name in ("v", "a", "m", "s"))
#: v, a > 0 bound the norms of V and A, and Sigma0 <= m I
V_POSITIVE, A_POSITIVE, NORM_V, NORM_A = Head.hypotheses(V, A, v, a)
START = le(Sigma0, scale(m, I))


def drift_at_most(drift: Term, bound: Term = s) -> Term:
    """S <= 2 s I."""
    return le(drift, scale(2, scale(bound, I)))


DRIFT = drift_at_most(S)
RATE = add(mul(v, a), s)


def lasts(rate: Term) -> Term:
    """T >= 1 / (rate m), and Sigma(t) <= m / (1 - rate m t) I on [0, 1 / (rate m))."""
    end = finite(inv(mul(rate, m)))
    return conj(
        at_most(end, T),
        on_lifetime(
            end,
            lambda t: le(
                at(Sigma, t), scale(mul(m, inv(minus(number(1), mul(rate, m, t)))), identity(d))
            ),
        ),
    )


def comparison(field: Term, rate: Term) -> Term:
    """rate c^2 |u|^2 - u^T F(Z) u."""
    return minus(scale(rate, scale(mul(c, c), LENGTH)), mul(tp(u), at(field, Z), u))


def lasts_until(p: Builder, rate: Term, steps: tuple[int, int, int, int, int, int]) -> int:
    """What :func:`lasts` says, by comparison with the scalar equation c' = rate c^2.

    ``steps`` prove maximal(T, Sigma, F, Sigma0), constant rank on [0, T), m > 0, rate > 0,
    Sigma0 <= m I, and comparison(F, rate) >= 0 under the assumption TOP.
    """
    solution, stays, small, positive, below, bound = steps
    field = p[solution].args[2]
    everywhere = p.generalise(Z, p.generalise(c, p.generalise(u, p.discharge(TOP, bound))))
    now = p.part(p.at(stays, t, p.assume(within(t, T))), 0)
    return p.fact(
        "riccati-comparison",
        p.polynomial(field),
        solution,
        p.for_all(t, within(t, T), now),
        small,
        positive,
        below,
        everywhere,
        X=Sigma,
        F=field,
        s=m,
        r=rate,
    )


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    steps = [p.assume(premise) for premise in Head.hypotheses(V, A, v, a)]
    head = Head.of(p, (V, A, v, a), (steps[0], steps[1], steps[2], steps[3]))
    small, below = p.assume(pd(m)), p.assume(START)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    drift = p.assume(conj(DRIFT, pd(RATE)))
    growing = growth_bound(p, head, p.assume(TOP))
    bound = p.positive(
        comparison(F, RATE),
        Summand(identity(ONE), core=growing),
        Summand(scale(c, u), core=p.part(drift, 0), coefficient=HALF),
    )
    stays = p.lemma(RANK.id, start, solution)
    sharp = lasts_until(p, RATE, (solution, stays, small, p.part(drift, 1), below, bound))
    sharp = p.for_all(s, conj(DRIFT, pd(RATE)), sharp)

    # S <= 2 |V| |A|: take s = v a
    product = mul(v, a)
    twice = p.positive(
        add(product, product),
        Summand(identity(ONE), scalars=(head.v_positive, head.a_positive), coefficient=2),
        strict=True,
    )
    p.conjunction(p.at(sharp, product, p.conjunction(drift_bound(p, head), twice)), sharp)
    return p.proof()


CLAIM = Claim(
    id="covariance.existence-time",
    title="The solution exists at least until 1 / (2 |V| |A| |Sigma0|), and longer when S is small",
    source="new",
    statement=Statement(
        (V_POSITIVE, A_POSITIVE, NORM_V, NORM_A, pd(m), START, psd(Sigma0), SOLUTION),
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
    note="Sigma(t) <= m / (1 - rate m t) I until then: a start for the layer that comes next.",
)
