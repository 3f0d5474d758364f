"""Several heads: a lower bound of the blow-up time from norms."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma0, symmetrised
from proofs.claims.covariance_existence_time import (
    START,
    comparison,
    drift_at_most,
    lasts,
    lasts_until,
    m,
    s,
)
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.claims.head_growth import (
    HALF,
    TOP,
    Head,
    I,
    c,
    drift_bound,
    growth,
    growth_bound,
    u,
)
from proofs.claims.multihead_equation import SOLUTION, Ah, F, H, S, Vh, h
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    family,
    forall,
    identity,
    implies,
    lam,
    minus,
    mul,
    pd,
    psd,
    scale,
    total,
)
from proofs.terms import ONE

v, a = family("v", H, ONE, ONE), family("a", H, ONE, ONE)
vh, ah = at(v, h), at(a, h)
HEADS = forall(h, conj(*Head.hypotheses(Vh, Ah, vh, ah)))
#: sum over h of v_h a_h
TOTAL = total(h, mul(vh, ah))
RATE = add(TOTAL, s)
DRIFT = drift_at_most(S)
#: s_h with S_h <= 2 s_h I for each head, instead of one s for their sum
each = family("s", H, ONE, ONE)
sh = at(each, h)
PARTS = total(h, sh)
EACH_RATE = add(TOTAL, PARTS)
EACH_DRIFT = forall(h, drift_at_most(symmetrised(Vh, Ah), sh))
UNIT = identity(ONE)


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    norms = p.specialise(p.assume(HEADS), h)
    steps = tuple(p.part(norms, i) for i in range(4))
    head = Head.of(p, (Vh, Ah, vh, ah), (steps[0], steps[1], steps[2], steps[3]))
    small, below = p.assume(pd(m)), p.assume(START)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    drift = p.assume(conj(DRIFT, pd(RATE)))

    one = p.generalise(h, growth_bound(p, head, p.assume(TOP)))
    growing = p.fact("sum-nonnegative", one, f=lam(h, growth(head)))
    bound = p.positive(
        comparison(F, RATE),
        Summand(UNIT, core=growing),
        Summand(scale(c, u), core=p.part(drift, 0), coefficient=HALF),
    )
    stays = p.lemma(RANK.id, start, solution)
    sharp = lasts_until(p, RATE, (solution, stays, small, p.part(drift, 1), below, bound))
    sharp = p.for_all(s, conj(DRIFT, pd(RATE)), sharp)

    # S <= 2 sum |V_h| |A_h|: take s = sum v_h a_h
    body = minus(scale(2, scale(mul(vh, ah), I)), symmetrised(Vh, Ah))
    apart = p.fact("sum-nonnegative", p.generalise(h, drift_bound(p, head)), f=lam(h, body))
    plain = p.positive(minus(scale(2, scale(TOTAL, I)), S), Summand(I, core=apart))
    product = p.positive(mul(vh, ah), Summand(UNIT, scalars=(steps[0], steps[1])), strict=True)
    products = p.fact("sum-positive", p.generalise(h, product), f=lam(h, mul(vh, ah)))
    twice = p.positive(add(TOTAL, TOTAL), Summand(UNIT, core=products, coefficient=2), strict=True)

    # S <= 2 sum s_h: take s = sum s_h
    separate = p.assume(conj(EACH_DRIFT, pd(EACH_RATE)))
    body = minus(scale(2, scale(sh, I)), symmetrised(Vh, Ah))
    apart = p.fact("sum-nonnegative", p.part(separate, 0), f=lam(h, body))
    summed = p.positive(minus(scale(2, scale(PARTS, I)), S), Summand(I, core=apart))
    by_parts = p.at(sharp, PARTS, p.conjunction(summed, p.part(separate, 1)))
    by_parts = p.for_all(each, conj(EACH_DRIFT, pd(EACH_RATE)), by_parts)
    p.conjunction(p.at(sharp, TOTAL, p.conjunction(plain, twice)), sharp, by_parts)
    return p.proof()


CLAIM = Claim(
    id="covariance.multihead-existence-time",
    title="Several heads: the solution exists at least until 1 / (2 |Sigma0| sum |V_h| |A_h|)",
    source="new",
    statement=Statement(
        (HEADS, pd(m), START, psd(Sigma0), SOLUTION),
        conj(
            lasts(add(TOTAL, TOTAL)),
            forall(s, implies(conj(DRIFT, pd(RATE)), lasts(RATE))),
            forall(each, implies(conj(EACH_DRIFT, pd(EACH_RATE)), lasts(EACH_RATE))),
        ),
    ),
    hypotheses=(
        "v_h, a_h > 0 bound the norms of V_h and A_h",
        "m > 0",
        "m bounds Sigma0",
        "Sigma0 positive semidefinite",
        "Sigma solves the multi-head covariance equation",
    ),
    prove=prove,
    note="Sigma(t) <= m / (1 - rate m t) I until then: a start for the layer that comes next.",
)
