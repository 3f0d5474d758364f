"""What the gradient claims share: a velocity Gamma of particles is the gradient of an energy.

The energy F is an integral over pairs, and along every motion

    c F' = sum over i of m_i w_i <B U_i, Gamma_i>,   B > 0, w_i > 0,

which says that Gamma is the gradient of c F for the Riemannian metric on particles that has the
right side as its inner product of U and Gamma: a descent of F for c < 0, an ascent for c > 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from proofs.builder import Builder, Summand, Use, itself
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import A, T, V, d, t
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.growth import UNIT, moving, product_of, throughout, with_velocity
from proofs.claims.pair_energy import pair_energy
from proofs.claims.particles import (
    LAW,
    MOTION,
    POSITIVE_MASSES,
    Ui,
    Uj,
    Xi,
    Xj,
    i,
    j,
    m,
    mi,
    mj,
    n,
    nonnegative_masses,
    over_atoms,
    over_pairs,
    rewritten,
    summed,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    eq,
    exp,
    forall,
    identity,
    lam,
    mat,
    mul,
    ode,
    on_lifetime,
    pd,
    real,
    scale,
    symmetric,
    total,
    tp,
    vec,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

B, c = mat("B", d, d), real("c")
x, y = vec("x", d), vec("y", d)
HYPOTHESES = (symmetric(A), pd(B), eq(mul(B, V), scale(c, A)), POSITIVE_MASSES, MOTION)
HYPOTHESIS_NAMES = (
    "A symmetric",
    "B positive definite",
    "B V = c A",
    "the masses are positive",
    "X moves with the velocities U",
)
#: the part of the derivative of <A X_i, X_j> that is due to X_i, and the other one
PART, OTHER_PART = mul(tp(Ui), A, Xj), mul(tp(Uj), A, Xi)


def score(first: Term, second: Term) -> Term:
    """<A x, y>."""
    return mul(tp(mul(A, first)), second)


def kernel(first: Term, second: Term) -> Term:
    """exp(<A x, y>)."""
    return exp(score(first, second))


def inner_product(weight: Term, velocity: Term) -> Term:
    """w_i <B U_i, Gamma_i>."""
    return scale(weight, mul(tp(Ui), B, velocity))


def is_gradient(energy: Term, weight: Term, velocity: Term) -> Term:
    """The metric w_i B is positive, and c F' is the sum of the inner products."""
    metric = on_lifetime(T, lambda t: forall(i, pd(scale(weight, B))))
    change = ode(T, lam(t, scale(c, energy)), lam(t, total(i, inner_product(weight, velocity))))
    return conj(metric, change)


class Motion:
    """A proof that starts from HYPOTHESES, with what all of them need."""

    def __init__(self) -> None:
        self.p = p = Builder({"pair-energy": pair_energy()})
        self.symmetric, self.metric, self.relation, self.masses, self.motion = (
            p.assume(h) for h in HYPOTHESES
        )
        self.nonnegative = nonnegative_masses(p, self.masses)

    @cached_property
    def score(self) -> int:
        """ode(T, <A X_i, X_j>, its derivative)."""
        p, A_curve = self.p, moving(self.p, T, A)
        first = product_of(p, A_curve, p.specialise(self.motion, i))
        turned = p.fact("derivative-of-transpose", first)
        return product_of(p, turned, p.specialise(self.motion, j))

    def sum_of(self, whole: Term) -> int:
        """An integral against the law as a sum."""
        return over_atoms(self.p, self.nonnegative, whole)

    def positive_integral(self, whole: Term, positive: int) -> int:
        """Z > 0, for Z the integral of a function that a step proves positive at X_j."""
        p = self.p
        value = p[positive].args[0]
        member = p.positive(
            scale(mj, value),
            Summand(UNIT, scalars=(p.specialise(self.masses, j), positive)),
            strict=True,
        )
        members = lam(j, scale(mj, value))
        positive = p.fact("sum-positive", p.generalise(j, member), f=members)
        left, right = p[same := self.sum_of(whole)].args
        back = p.algebra(right, left, (same, lambda h: scale(-1, h)))
        return p.replace(back, positive, pd)

    def weighted(self, positive: int) -> int:
        """m_i Z > 0, from a step Z > 0."""
        p = self.p
        shares = (p.specialise(self.masses, i), positive)
        weight = mul(mi, p[positive].args[0])
        return p.positive(weight, Summand(UNIT, scalars=shares), strict=True)

    def change(self, equation: int, slope: Term, opposite: Term, *uses: Use) -> int:
        """ode(T, K_ij, W_ij + W_ji), with W_ij = slope_ij <A U_i, X_j>."""
        flow = add(mul(slope, PART), mul(opposite, OTHER_PART))
        return with_velocity(self.p, equation, flow, *uses)

    def conclude(
        self, energy: Term, change: int, weight: int, velocity: Term, local: Sequence[Use]
    ) -> Proof:
        """The proof of ``is_gradient``.

        Args:
            energy: F, a multiple of a double integral against the law.
            change: step ode(T, K_ij, W_ij + W_ji) for one pair of particles.
            weight: step w_i > 0.
            velocity: Gamma_i.
            local: equations by which c m_i (sum of m_j W_ij) is w_i <B U_i, Gamma_i>.
        """
        p = self.p
        _, pair, flow = p[change].args
        part = at(flow, t).args[0]
        rate = p.lemma(
            "pair-energy",
            p.generalise(i, p.generalise(j, change)),
            K=lam(i, lam(j, pair)),
            W=lam(i, lam(j, lam(t, part))),
            m=m,
        )
        scaled = product_of(p, moving(p, T, c), rate)
        multiple, whole = energy.args
        factor = mul(scale(-1, c), multiple)
        steps = over_pairs(p, self.nonnegative, whole)
        value = p.algebra(
            at(p[scaled].args[1], t),
            scale(c, energy),
            *((step, lambda h: scale(factor, h)) for step in steps),
        )
        product = inner_product(p[weight].args[0], velocity)
        share = scale(c, scale(mi, total(j, scale(mj, part))))
        flow_of_one = p.algebra(share, product, *local)
        flow = p.algebra(
            at(p[scaled].args[2], t), total(i, product), (summed(p, i, flow_of_one), itself)
        )
        last = rewritten(p, scaled, value, flow)
        metric = p.positive(
            scale(p[weight].args[0], B),
            Summand(identity(d), core=self.metric, scalars=(weight,)),
            strict=True,
        )
        p.conjunction(throughout(p, T, p.generalise(i, metric)), last)
        return p.proof()

    def relation_in(self, slope: Term) -> Use:
        """B V = c A, where c m_i (sum over j of m_j slope <A U_i, X_j>) becomes a sum with B V."""
        weight = mul(mi, mj, slope)
        return self.relation, lambda h: scale(-1, total(j, scale(weight, mul(tp(Ui), h, Xj))))


def claim(
    variant: str, title: str, energy: Term, weight: Term, prove: Callable[[], Proof], note: str
) -> Claim:
    """The claim gradient.variant."""
    gamma = velocity(variant, LAW, Xi)
    return Claim(
        id=f"gradient.{variant}",
        title=title,
        source=PAPER_ID if variant == "softmax" else "new",
        statement=Statement(HYPOTHESES, is_gradient(energy, weight, gamma)),
        hypotheses=HYPOTHESIS_NAMES,
        prove=prove,
        note=note,
        notation=(Definition("mu", LAW), Definition("Gamma", lam(x, velocity(variant, LAW, x)))),
    )
