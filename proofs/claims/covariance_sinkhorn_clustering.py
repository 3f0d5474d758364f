"""Sinkhorn attention with P V_h = -A_h^T: tr(P Sigma) never grows, and limits have low rank."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_definite_value import at_limit_points
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d
from proofs.claims.covariance_sinkhorn_rank import CLAIM as RANK
from proofs.claims.dissipation import Decay, P, Z, trace_bound
from proofs.claims.gaussian_integrals import HALF
from proofs.claims.multihead_equation import Ah, H, Vh, h
from proofs.claims.opposite import (
    low_rank_steps,
    null,
    of_low_rank,
    rank_when_null,
    symmetric_part,
)
from proofs.claims.sinkhorn_equation import (
    SOLUTION,
    F,
    congruence,
    linear_part,
    regular_heads,
    same_linear_part,
)
from proofs.claims.sinkhorn_roots import Shrinking, gram, pull, shrinking, shrinking_steps
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    eq,
    family,
    forall,
    identity,
    lam,
    limit_point,
    minus,
    mul,
    number,
    pd,
    psd,
    root,
    scale,
    total,
    tp,
    tr,
    zero,
)
from proofs.terms import ONE

OPPOSITE = forall(h, eq(mul(P, Vh), scale(-1, tp(Ah))))
c = family("c", H, ONE, ONE)
#: N = sum over h of c_h (A_h + A_h^T)
N = total(h, scale(at(c, h), symmetric_part(Ah)))


W = root(Z)
M = mul(W, Ah, W)
E = shrinking(Ah, Z, tp(Ah))
#: M^T E M
FORM = mul(tp(M), E, M)
#: -tr(P F(Z))
POWER = minus(number(0), tr(mul(P, at(F, Z))))
TRACES = lam(h, scale(2, tr(FORM)))


@dataclass(frozen=True)
class Dissipation:
    """Steps about one head, where Z >= 0.

    Attributes:
        positive: psd(Z).
        square: W W = Z.
        shrinking: about E.
        nonnegative: M^T E M >= 0.
        traces: 2 tr(M^T E M) >= 0 for all h.
        power: the sum of these numbers is -tr(P F(Z)).
    """

    positive: int
    square: int
    shrinking: Shrinking
    nonnegative: int
    traces: int
    power: int

    @classmethod
    def of(cls, p: Builder, metric: int, value: int, positive: int) -> Dissipation:
        """From steps P > 0, P V_h = -A_h^T and psd(Z)."""
        square = p.part(p.fact("square-root", positive), 1)
        steps = shrinking_steps(p, Ah, tp(Ah), positive)
        nonnegative = p.positive(FORM, Summand(M, core=steps.positive))
        not_negative = p.fact("trace-nonnegative", nonnegative)
        twice = p.positive(
            scale(2, tr(FORM)), Summand(identity(ONE), core=not_negative, coefficient=2)
        )
        trace = p.algebra(
            scale(2, tr(FORM)),
            minus(number(0), tr(mul(P, congruence(linear_part(Vh, Ah, Z), Z)))),
            (same_linear_part(p, Vh, Ah, positive), lambda f: scale(2, tr(mul(P, f, Z)))),
            (value, lambda f: scale(2, tr(mul(f, pull(Ah, Z), Z)))),
            (square, lambda f: scale(2, tr(mul(tp(Ah), W, E, W, Ah, f)))),
            positive,
            metric,
        )
        same = p.extensionality(h, trace)
        power = p.algebra(total(h, at(TRACES, h)), POWER, (same, lambda f: total(h, at(f, h))))
        return cls(positive, square, steps, nonnegative, p.generalise(h, twice), power)

    def decreasing(self, p: Builder) -> int:
        """tr(P F(Z)) <= 0."""
        return p.replace(self.power, p.fact("sum-nonnegative", self.traces, f=TRACES), psd)

    def flat(self, p: Builder, no_power: int) -> int:
        """Z A_h Z = 0, from a step tr(P F(Z)) = 0."""
        none = p.algebra(
            p[self.power].args[0],
            number(0),
            (self.power, itself),
            (no_power, lambda f: scale(-1, f)),
        )
        twice = p.specialise(p.fact("sum-of-nonnegative-zero", self.traces, none, f=TRACES), h)
        no_trace = p.algebra(tr(FORM), number(0), (twice, lambda f: scale(HALF, f)))
        vanishing = p.fact("zero-trace", self.nonnegative, no_trace)
        killed = p.fact(
            "zero-form", p.fact("positive-definite", self.shrinking.positive), vanishing, M=E, Z=M
        )
        # (I + E M M^T) E = I
        undone = add(identity(d), mul(E, gram(Ah, Z, tp(Ah))))
        return p.algebra(
            mul(Z, Ah, Z),
            zero(d, d),
            (self.square, lambda f: scale(-1, mul(f, Ah, Z))),
            (self.square, lambda f: scale(-1, mul(W, W, Ah, f))),
            (self.shrinking.resolvent, lambda f: scale(-1, mul(W, tp(f), M, W))),
            (killed, lambda f: mul(W, undone, f, W)),
            self.positive,
        )


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    metric, value = p.assume(pd(P)), p.specialise(p.assume(OPPOSITE), h)
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    inside_cone = Dissipation.of(p, metric, value, p.assume(psd(Z)))
    everywhere = p.for_all(Z, psd(Z), inside_cone.decreasing(p))
    stays = p.lemma(RANK.id, start, solution)
    decay = Decay.of(p, solution, stays, metric, everywhere, lambda step: regular_heads(p, step))

    inside, no_power = decay.at_limit(p)
    flat = Dissipation.of(p, metric, value, inside).flat(p, no_power)
    each = p.generalise(h, p.conjunction(flat, rank_when_null(p, Ah, flat)))
    limits = p.for_all(Z, limit_point(Sigma, Z), p.conjunction(inside, each))

    # Z N Z = sum over h of c_h (Z A_h Z + its transpose) = 0
    body = mul(Z, scale(at(c, h), symmetric_part(Ah)), Z)
    weighted = p.algebra(
        body,
        zero(d, d),
        (flat, lambda f: scale(at(c, h), add(f, tp(f)))),
        inside,
    )
    same = p.extensionality(h, weighted)
    flat = p.algebra(mul(Z, N, Z), zero(d, d), (same, lambda f: total(h, at(f, h))))
    ranks = low_rank_steps(p, decay, metric, c, flat, inside)
    p.conjunction(decay.endless, decay.bound, limits, *ranks)
    return p.proof()


CLAIM = Claim(
    id="covariance.sinkhorn-clustering",
    title="Sinkhorn attention, P V_h = -A_h^T: global, bounded, limit points of low rank",
    source="new; generalises the clustering statement of the paper",
    statement=Statement(
        (pd(P), OPPOSITE, psd(Sigma0), SOLUTION),
        conj(
            eq(T, INFINITY),
            trace_bound(T),
            at_limit_points(conj(psd(Z), forall(h, conj(*null(Ah))))),
            *of_low_rank(N, c),
        ),
    ),
    hypotheses=(
        "P positive definite",
        "P V_h = -A_h^T for every head",
        "Sigma0 positive semidefinite",
        "Sigma solves the Sinkhorn covariance equation",
    ),
    prove=prove,
    note="P = I: V = -A^T, where A need not be symmetric; the trace of Sigma never grows. For one "
    "head and c = 1 or -1 the last two conclusions are about A + A^T or its opposite.",
)
