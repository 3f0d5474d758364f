"""The covariance equation of L2 attention, and the inverses in it.

One head has B(Z) = 2 V (I + 2 Z K^T K)^{-1} Z K^T Q, from ``gaussian.l2``.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofs.builder import Builder, Summand
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d
from proofs.language import (
    add,
    at,
    dim,
    family,
    head,
    identity,
    inv,
    lam,
    maximal,
    minus,
    mul,
    scale,
    total,
    tp,
)
from proofs.terms import Term, sort_of, variable

H, k = dim("H"), dim("k")
V, Q, K = family("V", H, d, d), family("Q", H, k, d), family("K", H, k, d)
h = head("h", H)
Vh, Qh, Kh = at(V, h), at(Q, h), at(K, h)


def precision(K: Term, covariance: Term) -> Term:
    """I + 2 Sigma K^T K."""
    return add(identity(sort_of(covariance).args[0]), scale(2, mul(covariance, tp(K), K)))


def linear_part(Q: Term, K: Term, V: Term, Z: Term) -> Term:
    """B(Z) = 2 V (I + 2 Z K^T K)^{-1} Z K^T Q."""
    return scale(2, mul(V, inv(precision(K, Z)), Z, tp(K), Q))


def head_field(Q: Term, K: Term, V: Term, Z: Term) -> Term:
    """B(Z) Z + Z B(Z)^T."""
    B = linear_part(Q, K, V, Z)
    return add(mul(B, Z), mul(Z, tp(B)))


def l2_field(Q: Term, K: Term, V: Term) -> Term:
    """Z -> the sum over h of B_h(Z) Z + Z B_h(Z)^T, for families."""
    index = variable("h", sort_of(V).args[0])
    Z = variable("Z", sort_of(at(V, index)))
    return lam(Z, total(index, head_field(at(Q, index), at(K, index), at(V, index), Z)))


F = l2_field(Q, K, V)
SOLUTION = maximal(T, Sigma, F, Sigma0)


def gram(K: Term, Z: Term) -> Term:
    """J = I + 2 K Z K^T."""
    return add(identity(sort_of(K).args[0]), scale(2, mul(K, Z, tp(K))))


@dataclass(frozen=True)
class Resolvent:
    """Steps about the inverses for one head and a state Z >= 0.

    Attributes:
        positive: Z >= 0.
        definite: J > 0.
        inverse_definite: J^{-1} > 0.
        right, left: J J^{-1} = I and J^{-1} J = I.
        invertible: I + 2 Z K^T K is invertible.
        known: (I + 2 Z K^T K)^{-1} = I - 2 Z K^T J^{-1} K.
        pushed: (I + 2 Z K^T K)^{-1} Z K^T = Z K^T J^{-1}.
    """

    K: Term
    Z: Term
    positive: int
    definite: int
    inverse_definite: int
    right: int
    left: int
    invertible: int
    known: int
    pushed: int

    @classmethod
    def of(cls, p: Builder, K: Term, Z: Term, positive: int) -> Resolvent:
        """From a step that proves psd(Z)."""
        n, J = sort_of(Z).args[0], gram(K, Z)
        definite = p.positive(
            J,
            Summand(identity(sort_of(K).args[0])),
            Summand(tp(K), core=positive, coefficient=2),
            strict=True,
        )
        pair = p.fact("definite-inverse", definite)
        inverse = p.fact("inverse", p.part(pair, 0))
        right, left = p.part(inverse, 0), p.part(inverse, 1)
        explicit = minus(identity(n), scale(2, mul(Z, tp(K), inv(J), K)))
        one = p.algebra(
            mul(explicit, precision(K, Z)),
            identity(n),
            (left, lambda g: scale(-2, mul(Z, tp(K), g, K))),
        )
        both = p.fact("one-sided-inverse", one)
        known = p.part(both, 1)
        pushed = p.algebra(
            mul(inv(precision(K, Z)), Z, tp(K)),
            mul(Z, tp(K), inv(J)),
            (known, lambda g: mul(g, Z, tp(K))),
            (left, lambda g: scale(-1, mul(Z, tp(K), g))),
        )
        return cls(
            K, Z, positive, definite, p.part(pair, 1), right, left, p.part(both, 0), known, pushed
        )

    @property
    def Ji(self) -> Term:
        """J^{-1}."""
        return inv(gram(self.K, self.Z))

    def simplified(self, p: Builder, Q: Term, V: Term) -> int:
        """B(Z) = 2 V Z K^T J^{-1} Q."""
        K, Z = self.K, self.Z
        return p.algebra(
            linear_part(Q, K, V, Z),
            scale(2, mul(V, Z, tp(K), self.Ji, Q)),
            (self.pushed, lambda g: scale(2, mul(V, g, Q))),
        )


def regular(p: Builder, positive: int, K: Term = K) -> tuple[int]:
    """A step: I + 2 Z K_h^T K_h is invertible for all h, from one that proves psd(Z)."""
    Z = p[positive].args[0]
    index = variable("h", sort_of(K).args[0])
    one = Resolvent.of(p, at(K, index), Z, positive)
    return (p.generalise(index, one.invertible),)
