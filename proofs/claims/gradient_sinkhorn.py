"""Sinkhorn attention is a gradient flow of the entropic self-transport energy."""

from __future__ import annotations

from proofs.builder import Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import A, T, V, d, t
from proofs.claims.entropic_plan import (
    BALANCE,
    DENSITY,
    ENERGY,
    GAMMA,
    HALF,
    REGULAR,
    Plan,
    plan,
    potential,
)
from proofs.claims.gradient_flow import (
    CONSTANT,
    HYPOTHESIS_NAMES,
    ON_MATRICES,
    OTHER_PART,
    PART,
    B,
    Motion,
    Structure,
    c,
    x,
)
from proofs.claims.growth import (
    exponential_of,
    moving,
    product_of,
    same_velocity,
    sum_of,
    throughout,
    with_velocity,
)
from proofs.claims.particles import (
    LAW,
    MOTION,
    POSITIVE_MASSES,
    Ui,
    Xi,
    Xj,
    i,
    j,
    m,
    mi,
    mj,
    n,
    rewritten,
    summed,
    summed_curves,
)
from proofs.claims.schroedinger_system import velocity
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    curves,
    forall,
    identity,
    lam,
    mul,
    number,
    ode,
    scale,
    total,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE

#: the derivative of the potential along each particle
g = curves("g", n, ONE, ONE)
gi, gj = at(g, i, t), at(g, j, t)
FOLLOWED = forall(i, ode(T, lam(t, potential(Xi)), at(g, i)))
SHOWN = Structure(ENERGY, GAMMA, mi)


def prove() -> Proof:
    given = Motion()
    p = given.p
    symmetric, metric, relation = (p.assume(h) for h in ON_MATRICES)
    followed, regular, balance = (p.assume(h) for h in (FOLLOWED, REGULAR, BALANCE))
    inside = p.assume(within(t, T))

    first = exponential_of(p, p.specialise(followed, i))
    second = exponential_of(p, p.specialise(followed, j))
    pair = product_of(p, product_of(p, first, exponential_of(p, given.score)), second)
    pair = rewritten(p, pair, p.algebra(at(p[pair].args[1], t), plan(Xi, Xj)))
    part, other = mul(plan(Xi, Xj), add(gi, PART)), mul(plan(Xj, Xi), add(gj, OTHER_PART))
    pair = with_velocity(p, pair, add(part, other), symmetric)
    rate = p.lemma(
        "pair-energy",
        p.generalise(i, p.generalise(j, pair)),
        K=lam(i, lam(j, p[pair].args[1])),
        W=lam(i, lam(j, lam(t, part))),
        m=m,
    )
    weighed = product_of(p, moving(p, T, mi), p.specialise(followed, i))
    mean = summed_curves(p, i, weighed)
    opposite = product_of(p, moving(p, T, number(-1)), mean)
    masses = moving(p, T, scale(-HALF, total(i, mi)))
    both = sum_of(p, sum_of(p, opposite, rate), masses)
    now = Plan(
        p,
        symmetric,
        given.nonnegative,
        p.at(regular, t, inside),
        p.at(balance, t, inside),
    )
    unique, row = now.unique(), now.row()
    seen, whole = now.velocity(unique), now.energy(unique, row)
    weights = summed(p, i, p.algebra(mul(mi, p[row].args[0]), mi, (row, lambda h: mul(mi, h))))
    value = p.algebra(
        at(p[both].args[1], t),
        ENERGY,
        (whole, lambda h: scale(-1, h)),
        (weights, lambda h: scale(HALF, h)),
    )
    energy = p.fact("equal-paths", both, throughout(p, T, value), W=lam(t, ENERGY))
    scaled = product_of(p, moving(p, T, c), energy)
    share = mul(c, mi, total(j, scale(mj, mul(plan(Xi, Xj), PART))))
    one = p.algebra(
        share,
        SHOWN.inner_product,
        (seen, lambda h: scale(-1, scale(mi, mul(tp(Ui), B, h)))),
        (
            relation,
            lambda h: scale(-1, total(j, scale(mul(mi, mj, plan(Xi, Xj)), mul(tp(Ui), h, Xj)))),
        ),
    )
    drift = summed(
        p,
        i,
        p.algebra(
            mul(c, mi, gi, p[row].args[0]), mul(c, mi, gi), (row, lambda h: mul(c, mi, gi, h))
        ),
    )
    flow = p.algebra(
        at(p[scaled].args[2], t),
        total(i, SHOWN.inner_product),
        (summed(p, i, one), itself),
        (drift, itself),
    )
    last = same_velocity(p, scaled, flow)
    last = rewritten(p, last, p.algebra(at(p[last].args[1], t), SHOWN.scaled_energy))
    summand = Summand(identity(d), core=metric, scalars=(p.specialise(given.masses, i),))
    positive = p.positive(scale(mi, B), summand, strict=True)
    p.conjunction(throughout(p, T, p.generalise(i, positive)), last)
    return p.proof()


CLAIM = Claim(
    id="gradient.sinkhorn",
    title="Sinkhorn attention is a gradient flow of half the entropic cost of self-transport",
    source="new",
    statement=Statement(
        (*ON_MATRICES, POSITIVE_MASSES, MOTION, FOLLOWED, REGULAR, BALANCE), SHOWN.statement
    ),
    hypotheses=(
        *HYPOTHESIS_NAMES,
        "the potential is differentiable along the particles",
        "the potential is continuous",
        "the plan has the marginals mu",
    ),
    prove=prove,
    note=f"{CONSTANT} The energy is half the mean of <A x, y> under the entropic plan of mu with "
    "itself, less half the relative entropy of the plan: half the largest value that this takes "
    "over all plans.",
    notation=(
        Definition("mu", lam(t, LAW)),
        Definition("kappa", lam(t, DENSITY)),
        Definition("Gamma", lam(t, lam(x, velocity(A, V, LAW, x)))),
    ),
)
