"""Softmax layers one after another, as heads whose parameters vary with time."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.affine_flow import affine_flow, preserved
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.covariance_rank import CONSTANT_RANK, rank_along
from proofs.claims.gaussian_bias import (
    LAW,
    BiasedHead,
    alpha,
    covariance,
    k,
    mean,
    prove_velocity,
    velocity,
    x,
)
from proofs.claims.multihead_equation import H, h
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    curves,
    eq,
    forall,
    lam,
    mul,
    number,
    ode,
    piecewise,
    psd,
    total,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

Q, K, V = curves("Q", H, k, d), curves("K", H, k, d), curves("V", H, d, d)
b_q, b_k, b_v = curves("b_q", H, k, ONE), curves("b_k", H, k, ONE), curves("b_v", H, d, ONE)
PARAMETERS = (Q, K, V, b_q, b_k, b_v)
#: the head h at the time t, and all heads at the time t
HEAD = BiasedHead(*(at(letter, h, t) for letter in PARAMETERS))
LAYER = BiasedHead(*(lam(h, at(letter, h, t)) for letter in PARAMETERS))
#: A_h(t) = K_h(t)^T Q_h(t)
SCORE = mul(tp(HEAD.K), HEAD.Q)
VELOCITY = velocity("multihead-softmax", LAYER)

REGULAR = forall(h, conj(*(piecewise(T, at(letter, h)) for letter in (Q, K, V))))
GROWTH = mul(HEAD.V, covariance, SCORE, covariance)
EQUATION = ode(T, Sigma, lam(t, total(h, add(GROWTH, tp(GROWTH)))))
START = eq(at(Sigma, number(0)), Sigma0)


def affine(point: Term) -> Term:
    """The sum over heads of V_h (alpha + Sigma K_h^T (Q_h x + b_q,h)) + b_v,h, at the time t."""
    return total(h, HEAD.affine(point))


MEAN = ode(T, alpha, lam(t, affine(mean)))
#: t -> sum over h of V_h Sigma A_h, as products of two
LINEAR = lam(t, total(h, mul(mul(HEAD.V, covariance), SCORE)))


def linear_is_piecewise(p: Builder, regular: int, equation: int) -> int:
    """piecewise(T, LINEAR) from steps that prove REGULAR and EQUATION."""
    of_head = p.specialise(regular, h)
    queries, keys, values = (p.part(of_head, i) for i in range(3))
    left = p.fact("product-piecewise", values, p.fact("solution-piecewise", equation))
    right = p.fact("product-piecewise", p.fact("transpose-piecewise", keys), queries)
    head = p.fact("product-piecewise", left, right)
    return p.fact("sum-piecewise", p.generalise(h, head), f=lam(h, p[head].args[1]))


def prove() -> Proof:
    p = Builder()
    start, regular = p.assume(psd(Sigma0)), p.assume(REGULAR)
    equation, initial, mean_equation = p.assume(EQUATION), p.assume(START), p.assume(MEAN)
    inside, now = within(t, T), at(LINEAR, t)
    product = mul(now, covariance)
    congruence = add(product, tp(product))
    linear_equation = p.fact(
        "equal-velocities",
        equation,
        p.for_all(t, inside, p.algebra(at(EQUATION.args[2], t), congruence)),
        H=lam(t, congruence),
    )
    flow = p.fact(
        "linear-congruence-flow",
        linear_is_piecewise(p, regular, equation),
        linear_equation,
        initial,
        p.algebra(tp(Sigma0), Sigma0, start),
        B=LINEAR,
    )
    stays = rank_along(p, flow, start)

    positive = p.part(p.at(stays, t, p.assume(inside)), 0)
    families = p.extensionality(h, prove_velocity(p, positive, HEAD))
    formula = p.algebra(at(VELOCITY, t, x), affine(x), (families, lambda f: total(h, at(f, h))))
    tilt = mul(covariance, tp(HEAD.K), HEAD.b_q)
    solves = affine_flow(
        p,
        equation=equation,
        mean=mean_equation,
        linear=LINEAR,
        constant=lam(t, total(h, add(mul(HEAD.V, add(mean, tilt)), HEAD.b_v))),
        positive=positive,
        formula=formula,
        velocity=VELOCITY,
    )
    p.conjunction(stays, p.for_all(t, inside, p.generalise(x, formula)), solves)
    return p.proof()


CLAIM = Claim(
    id="gaussian.layers",
    title="Layers: Gaussians stay Gaussian when the parameters vary with time",
    source=PAPER_ID,
    statement=Statement(
        (psd(Sigma0), REGULAR, EQUATION, START, MEAN),
        conj(CONSTANT_RANK, *preserved(LAW, VELOCITY, x, affine(x)).args),
    ),
    hypotheses=(
        "Sigma0 positive semidefinite",
        "Q_h, K_h, V_h are piecewise continuous in time",
        "Sigma solves the covariance equation with A_h = K_h^T Q_h",
        "Sigma starts at Sigma0",
        "alpha solves the mean equation",
    ),
    prove=prove,
    note="Layers that act one after another are parameters that are constant between jumps. "
    "Derivatives are from the right, so that they exist at the jumps.",
    notation=(
        Definition("A", lam(h, lam(t, SCORE))),
        Definition("mu", LAW),
        Definition("Gamma", VELOCITY),
    ),
)
