"""Heads that commute with Sigma0 and S: the closed form, its blow-up time, and its limit."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_commuting_blowup import CLAIM as BLOW_UP
from proofs.claims.covariance_commuting_limit import CLAIM as LIMITS
from proofs.claims.covariance_equation import Sigma0, d, t
from proofs.claims.covariance_multihead_commuting import CLAIM as ONE_HEAD
from proofs.claims.covariance_multihead_commuting import (
    COMBINED,
    COMMUTING,
    ONE_FIELD,
    S_LETTER,
)
from proofs.claims.multihead_equation import F, S
from proofs.claims.square_root_form import M as OF_ONE_HEAD
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    conj,
    eq,
    escapes,
    finite,
    identity,
    implies,
    inv,
    lam,
    limit,
    lmax,
    maximal,
    minus,
    mul,
    pd,
    pinv,
    psd,
    rank,
    root,
    scale,
    tp,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term, substitute

R, I = root(Sigma0), identity(d)  # noqa: E741 (the identity matrix)
#: M = Sigma0^{1/2} S Sigma0^{1/2}, and the same as the claims for one head write it
M = mul(R, S, R)
_INSTANCE = {"V": I, "A": COMBINED}
ONE_M = substitute(OF_ONE_HEAD, _INSTANCE)


def curve(matrix: Term) -> Term:
    """t -> Sigma0^{1/2} (I - t M)^{-1} Sigma0^{1/2}."""
    return lam(t, mul(R, inv(minus(I, scale(t, matrix))), R))


def end(matrix: Term) -> Term:
    """1 / lambda_max(M)."""
    return finite(inv(lmax(matrix)))


def projector(matrix: Term) -> Term:
    """The orthogonal projector on the kernel of M."""
    negated = scale(-1, matrix)
    return minus(I, mul(pinv(negated), negated))


def target(matrix: Term) -> Term:
    """Sigma0^{1/2} (I - M^+ M) Sigma0^{1/2}."""
    return mul(R, projector(matrix), R)


def endless(matrix: Term, field: Term) -> Term:
    return maximal(INFINITY, curve(matrix), field, Sigma0)


def ending(matrix: Term, field: Term) -> Term:
    stop, X = end(matrix), curve(matrix)
    return conj(maximal(stop, X, field, Sigma0), escapes(stop, X))


def converges(matrix: Term) -> Term:
    """The limit and its rank."""
    place = target(matrix)
    return conj(limit(curve(matrix), place), eq(rank(place), minus(rank(Sigma0), rank(matrix))))


X, LARGEST = curve(M), lmax(M)
DECAYS, GROWS = psd(scale(-1, LARGEST)), pd(LARGEST)


def prove() -> Proof:
    p = Builder({claim.id: claim.lemma() for claim in (BLOW_UP, LIMITS, ONE_HEAD)})
    start, commuting = p.assume(psd(Sigma0)), p.assume(COMMUTING)
    symmetric = p.algebra(tp(Sigma0), Sigma0, start)
    same = p.algebra(ONE_M, M)
    drift = substitute(OF_ONE_HEAD.args[1], _INSTANCE)
    one_head = (
        start,
        p.algebra(mul(I, Sigma0), mul(Sigma0, I)),
        p.algebra(mul(I, drift), mul(drift, I)),
    )

    def of_the_heads(solution: int) -> int:
        """maximal(T, X, F, Sigma0) from a step for the one head."""
        stop = p[solution].args[0]
        back = p.part(p.lemma(ONE_HEAD.id, symmetric, commuting, T=stop, Sigma=X), 1)
        return p.modus_ponens(back, solution)

    # lambda_max <= 0: M <= 0
    decays = p.assume(DECAYS)
    above = p.part(p.fact("largest-eigenvalue", p.algebra(tp(M), M), M=M), 0)
    negative = p.positive(scale(-1, M), Summand(I, core=above), Summand(I, scalars=(decays,)))
    negative = p.replace(p.algebra(M, ONE_M), negative, lambda h: psd(scale(-1, h)))
    limits = p.lemma(LIMITS.id, *one_head, negative, **_INSTANCE)
    global_solution = p.replace(same, p.part(limits, 0), lambda h: endless(h, ONE_FIELD))
    reached = p.conjunction(p.part(limits, 1), p.part(limits, 2))
    reached = p.replace(same, reached, converges)
    decaying = p.conjunction(of_the_heads(global_solution), p.part(reached, 0), p.part(reached, 1))
    decaying = p.discharge(DECAYS, decaying)

    # lambda_max > 0
    grows = p.replace(p.algebra(M, ONE_M), p.assume(GROWS), lambda h: pd(lmax(h)))
    blow_up = p.modus_ponens(p.part(p.lemma(BLOW_UP.id, *one_head, **_INSTANCE), 1), grows)
    blow_up = p.replace(same, blow_up, lambda h: ending(h, ONE_FIELD))
    growing = p.conjunction(of_the_heads(p.part(blow_up, 0)), p.part(blow_up, 1))
    p.conjunction(decaying, p.discharge(GROWS, growing))
    return p.proof()


CLAIM = Claim(
    id="covariance.multihead-commuting-blowup",
    title="Heads that commute with Sigma0 and S: closed form, blow-up at 1 / lambda_max(M), limit",
    source="new",
    statement=Statement(
        (psd(Sigma0), COMMUTING),
        conj(
            implies(DECAYS, conj(endless(M, F), *converges(M).args)),
            implies(GROWS, ending(M, F)),
        ),
    ),
    hypotheses=(
        "Sigma0 positive semidefinite",
        "V_h commutes with Sigma0 and with S for every head",
    ),
    prove=prove,
    note="Pi is the orthogonal projector on ker M.",
    notation=(
        S_LETTER,
        Definition("M", M),
        Definition("X", X),
        Definition("Pi", projector(M)),
    ),
)
