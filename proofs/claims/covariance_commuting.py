"""The closed form of the covariance when V commutes with Sigma0 and with S."""

from __future__ import annotations

from proofs.builder import Builder
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import F_LETTER, F, Sigma0, T, along, d
from proofs.claims.square_root_form import (
    HYPOTHESES,
    HYPOTHESIS_NAMES,
    LEMMAS,
    LETTERS,
    M,
    X,
    factored_theorem,
    same_curve,
    same_matrix,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    at,
    conj,
    eq,
    identity,
    minus,
    number,
    ode,
    on_lifetime,
    pd,
    scale,
)

POSITIVE = on_lifetime(T, lambda t: pd(minus(identity(d), scale(t, M))))


def prove() -> Proof:
    p = Builder(LEMMAS)
    theorem = factored_theorem(p, [p.assume(h) for h in HYPOTHESES])
    positive = p.replace(
        same_matrix(p),
        p.assume(POSITIVE),
        lambda h: on_lifetime(T, lambda t: pd(minus(identity(d), scale(t, h)))),
    )
    solution = p.at(p.part(theorem, 0), T, positive)
    p.replace(
        same_curve(p),
        solution,
        lambda h: conj(ode(T, h, along(F, h)), eq(at(h, number(0)), Sigma0)),
    )
    return p.proof()


CLAIM = Claim(
    id="covariance.commuting",
    title="Closed form when V commutes with Sigma0 and S = V A + A^T V^T",
    source=f"{PAPER_ID}; V = I is the special case S = A + A^T",
    statement=Statement(
        (*HYPOTHESES, POSITIVE),
        conj(ode(T, X, along(F, X)), eq(at(X, number(0)), Sigma0)),
    ),
    hypotheses=(*HYPOTHESIS_NAMES, "I - t M positive definite on [0, T)"),
    prove=prove,
    notation=(*LETTERS, F_LETTER),
)
