"""The commuting case in the paper's form, from the factored one with L = Sigma0^{1/2}, E = I."""

from __future__ import annotations

from collections.abc import Sequence

from proofs.builder import Builder, Summand
from proofs.claims.covariance_commuting_factored import CLAIM as FACTORED
from proofs.claims.covariance_commuting_factored import COMMUTING, N
from proofs.claims.covariance_commuting_factored import X as FACTORED_CURVE
from proofs.claims.covariance_equation import S_LETTER, A, S, Sigma0, V, d, t
from proofs.kernel import Lemma
from proofs.language import at, identity, inv, lam, minus, mul, psd, root, scale, tp
from proofs.printing.abbreviations import Definition
from proofs.terms import substitute

R = root(Sigma0)
#: M = Sigma0^{1/2} S Sigma0^{1/2}
M = mul(R, S, R)
X = lam(t, mul(R, inv(minus(identity(d), scale(t, M))), R))
HYPOTHESES = (psd(Sigma0), *COMMUTING)
HYPOTHESIS_NAMES = (
    "Sigma0 positive semidefinite",
    "V commutes with Sigma0",
    "V commutes with S",
)
#: Letters for printed statements; F comes last, to be appended.
LETTERS = (S_LETTER, Definition("M", M), Definition("X", X))
LEMMAS: dict[str, Lemma] = {FACTORED.id: FACTORED.lemma()}

_INSTANCE = {"L": R, "E": identity(d), "k": d}
#: the curve L (E - t N)^{-1} L^T and the matrix N at this instance
CURVE, MATRIX = substitute(FACTORED_CURVE, _INSTANCE), substitute(N, _INSTANCE)


def factored_theorem(p: Builder, hypotheses: Sequence[int]) -> int:
    """The conclusions of the factored claim, from steps that prove ``HYPOTHESES``."""
    start, commutes_start, commutes_drift = hypotheses
    one = p.positive(identity(d), Summand(identity(d)), strict=True)
    square = p.part(p.fact("square-root", start, M=Sigma0), 1)
    factored = p.algebra(Sigma0, mul(R, inv(identity(d)), tp(R)), (square, lambda h: scale(-1, h)))
    return p.lemma(
        FACTORED.id,
        one,
        factored,
        commutes_start,
        commutes_drift,
        V=V,
        A=A,
        Sigma0=Sigma0,
        L=R,
        E=identity(d),
    )


def same_curve(p: Builder) -> int:
    """The curve of the factored claim is ``X``."""
    return p.extensionality(t, p.algebra(at(CURVE, t), at(X, t)))


def same_matrix(p: Builder) -> int:
    """M is the matrix N of the factored claim."""
    return p.algebra(M, MATRIX)
