"""Sinkhorn attention is a gradient flow of the entropic self-transport energy."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import A, T, V, d, t
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
    kernel,
    x,
    y,
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
    over_atoms,
    rewritten,
    summed,
    summed_curves,
)
from proofs.claims.schroedinger_system import velocity
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    balanced,
    continuous,
    curves,
    eq,
    exp,
    forall,
    identity,
    integral,
    lam,
    mul,
    number,
    ode,
    on_lifetime,
    scale,
    total,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, REAL, Term, function_sort, matrix_sort, variable

HALF = Fraction(1, 2)
POINT = matrix_sort(d, ONE)
#: the potential at each time, a function of the points; its derivative along each particle
phi = variable("phi", function_sort(REAL, function_sort(POINT, REAL)))
g = curves("g", n, ONE, ONE)
gi, gj = at(g, i, t), at(g, j, t)


def potential(point: Term) -> Term:
    return at(phi, t, point)


def plan(first: Term, second: Term) -> Term:
    """The density of the entropic plan, exp(phi(x)) exp(<A x, y>) exp(phi(y))."""
    return mul(exp(potential(first)), kernel(first, second), exp(potential(second)))


REGULAR = on_lifetime(T, lambda t: continuous(at(phi, t)))
BALANCE = on_lifetime(T, lambda t: forall(x, eq(integral(LAW, y, plan(x, y)), number(1))))
FOLLOWED = forall(i, ode(T, lam(t, potential(Xi)), at(g, i)))
#: half the energy: minus the mean of the potential
ENERGY = scale(-1, integral(LAW, x, potential(x)))
GAMMA = velocity(A, V, LAW, Xi)
SHOWN = Structure(ENERGY, GAMMA, mi)


def equal_integral(p: Builder, same: int, whole: Term) -> int:
    """The integral ``whole`` over y with its integrand rewritten by a step, at a free y."""
    functions = p.extensionality(y, same)
    start = p.reflexivity(whole)
    return p.replace(functions, start, lambda f: eq(whole, Term("integral", (LAW, f))))


def velocity_by_plan(
    p: Builder, symmetric: int, nonnegative: int, regular: int, balance: int
) -> int:
    """Gamma_i = sum over j of m_j plan_ij V X_j, by uniqueness of the plan."""
    product = mul(number(1), exp(potential(x)), exp(mul(tp(x), A, y)), exp(potential(y)))
    there = p.algebra(plan(x, y), product, symmetric)
    swapped = p.algebra(plan(y, x), product, symmetric)
    from_y = equal_integral(p, there, integral(LAW, y, plan(x, y)))
    one = p.replace(from_y, p.specialise(balance, x), lambda h: eq(h, number(1)))
    other = p.specialise(balance, y)
    functions = p.extensionality(x, swapped)
    turned = p.replace(functions, other, lambda f: eq(Term("integral", (LAW, f)), number(1)))
    phi_now = at(phi, t)
    integrable = p.fact("integrable-over-atoms", nonnegative, regular, x=LAW.args[1])
    unique = p.fact(
        "balanced-kernel",
        p.definite(number(1), strict=True),
        integrable,
        integrable,
        p.generalise(x, one),
        p.generalise(y, turned),
        nu=LAW,
        M=A,
        r=number(1),
        phi=phi_now,
        psi=phi_now,
    )
    table = GAMMA.args[1]
    weight = at(table, y).args[0]
    kernel_in_table = weight.args[0].args[0].args[1]
    scores = p.extensionality(
        x,
        p.extensionality(y, p.algebra(exp(mul(tp(x), A, y)), at(kernel_in_table, x, y), symmetric)),
    )
    stated = p.replace(
        scores,
        unique,
        lambda h: forall(x, forall(y, eq(at(balanced(LAW, h), x, y), product))),
    )
    here = p.specialise(p.specialise(stated, Xi), y)
    seen = plan(Xi, y)
    value = p.algebra(
        scale(weight, mul(V, y)),
        scale(seen, mul(V, y)),
        symmetric,
        (here, lambda h: scale(h, mul(V, y))),
    )
    rewritten_velocity = equal_integral(p, value, GAMMA)
    total_velocity = over_atoms(p, nonnegative, p[rewritten_velocity].args[1])
    return p.algebra(
        GAMMA, p[total_velocity].args[1], (rewritten_velocity, itself), (total_velocity, itself)
    )


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
    # the energy, as the plan has the marginals mu
    over = over_atoms(p, given.nonnegative, ENERGY.args[1])
    now = p.specialise(p.at(balance, t, inside), Xi)
    row = over_atoms(p, given.nonnegative, p[now].args[0])
    marginal = p.algebra(p[row].args[1], number(1), (row, lambda h: scale(-1, h)), (now, itself))
    weights = summed(
        p, i, p.algebra(scale(mi, p[row].args[1]), mi, (marginal, lambda h: scale(mi, h)))
    )
    value = p.algebra(
        at(p[both].args[1], t),
        ENERGY,
        (over, itself),
        (weights, lambda h: scale(HALF, h)),
    )
    energy = p.fact("equal-paths", both, throughout(p, T, value), W=lam(t, ENERGY))
    scaled = product_of(p, moving(p, T, c), energy)
    seen = velocity_by_plan(
        p, symmetric, given.nonnegative, p.at(regular, t, inside), p.at(balance, t, inside)
    )
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
            mul(c, mi, gi, p[row].args[1]), mul(c, mi, gi), (marginal, lambda h: mul(c, mi, gi, h))
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
    note=f"{CONSTANT} The energy is half of the largest value that the mean of <A x, y> less the "
    "relative entropy takes over the plans of mu with itself: by duality minus the mean of the "
    "Schroedinger potential.",
    notation=(
        Definition("mu", lam(t, LAW)),
        Definition("Gamma", lam(t, lam(x, velocity(A, V, LAW, x)))),
    ),
)
