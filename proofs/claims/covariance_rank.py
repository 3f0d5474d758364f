"""The covariance stays positive semidefinite and keeps its rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import SOLUTION, A, Sigma, Sigma0, T, V, d, t
from proofs.claims.ranks import rank_of_factors
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    eq,
    inv,
    invertible,
    lam,
    mat,
    mul,
    on_lifetime,
    psd,
    rank,
    scale,
    symmetric,
    time_to,
    tp,
    within,
)
from proofs.terms import Term

Z = mat("Z", d, d)


def constant_rank(
    p: Builder,
    positive: int,
    solution: int,
    linear: Term,
    regular: Callable[[int], Sequence[int]] = lambda positive: (),
) -> int:
    """Sigma(t) >= 0 and rank Sigma(t) = rank Sigma0 on [0, T).

    From steps psd(Sigma0) and maximal(T, Sigma, F, Sigma0), where F(Z) = B(Z) Z + Z B(Z)^T for
    symmetric Z and ``linear`` is Z -> B(Z).  ``regular`` makes the steps that show both fields
    smooth near Z from one that proves psd(Z), see :meth:`Builder.smooth_on_cone`.
    """
    field = p[solution].args[2]
    letter = p.assume(symmetric(Z))
    congruence = p.algebra(
        at(field, Z), add(mul(at(linear, Z), Z), mul(Z, tp(at(linear, Z)))), letter
    )
    flow = p.fact(
        "congruence-flow",
        p.smooth_on_cone(linear, regular),
        solution,
        positive,
        p.for_all(Z, symmetric(Z), congruence),
        p.smooth_on_cone(field, regular),
    )
    return rank_along(p, flow, positive)


def rank_along(p: Builder, flow: int, positive: int) -> int:
    """Sigma(t) >= 0 and rank Sigma(t) = rank Sigma0 on [0, T), from a step psd(Sigma0).

    ``flow`` is a step: there is Phi with Phi(t) invertible, Sigma(t) = Phi(t) Sigma0 Phi(t)^T.
    """
    Phi = time_to("Phi", d, d)
    now, propagator = at(Sigma, t), at(Phi, t)
    whole = p.assume(
        on_lifetime(
            T,
            lambda t: conj(
                invertible(at(Phi, t)), eq(at(Sigma, t), mul(at(Phi, t), Sigma0, tp(at(Phi, t))))
            ),
        )
    )
    pair = p.at(whole, t, p.assume(within(t, T)))
    inverse = p.fact("inverse", p.part(pair, 0))
    left_inverse = p.part(inverse, 1)
    moved = p.part(pair, 1)
    stays = p.positive(now, Summand(tp(propagator), core=positive), by=[(moved, itself)])
    not_more = rank_of_factors(p, moved, propagator, Sigma0, tp(propagator))
    back = inv(propagator)
    returned = p.algebra(
        Sigma0,
        mul(back, now, tp(back)),
        (moved, lambda h: scale(-1, mul(back, h, tp(back)))),
        (left_inverse, lambda h: scale(-1, mul(h, Sigma0, tp(mul(back, propagator))))),
        (left_inverse, lambda h: scale(-1, mul(Sigma0, tp(h)))),
    )
    not_less = rank_of_factors(p, returned, back, now, tp(back))
    same = p.fact("antisymmetry", not_more, not_less, a=rank(now), b=rank(Sigma0))
    result = p.for_all(t, within(t, T), p.conjunction(stays, same))
    return p.obtain(flow, Phi, result)


def prove() -> Proof:
    p = Builder()
    constant_rank(p, p.assume(psd(Sigma0)), p.assume(SOLUTION), lam(Z, mul(V, Z, A)))
    return p.proof()


CONSTANT_RANK = on_lifetime(
    T, lambda t: conj(psd(at(Sigma, t)), eq(rank(at(Sigma, t)), rank(Sigma0)))
)
CLAIM = Claim(
    id="covariance.rank",
    title="The covariance stays positive semidefinite and its rank is constant",
    source="affine lemma",
    statement=Statement((psd(Sigma0), SOLUTION), CONSTANT_RANK),
    hypotheses=("Sigma0 positive semidefinite", "Sigma solves the covariance equation"),
    prove=prove,
)
