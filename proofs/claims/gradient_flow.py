"""What the gradient claims share: a velocity Gamma of particles is the gradient of an energy.

The energy F is an integral over pairs, and along every motion

    c F' = sum over i of m_i w_i <B U_i, Gamma_i>,   B > 0, w_i > 0,

which says that Gamma is the gradient of c F for the Riemannian metric on particles that has the
right side as its inner product of U and Gamma: a descent of F for c < 0, an ascent for c > 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from proofs.bridge import to_term
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
    number,
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
from symbolic import energies, notation

B, c = mat("B", d, d), real("c")
x, y = vec("x", d), vec("y", d)
ON_MATRICES = symmetric(A), pd(B), eq(mul(B, V), scale(c, A))
HYPOTHESIS_NAMES = (
    "A symmetric",
    "B positive definite",
    "B V = c A",
    "the masses are positive",
    "X moves with the velocities U",
)
#: the part of the derivative of <A X_i, X_j> that is due to X_i, and the other one
PART, OTHER_PART = mul(tp(Ui), A, Xj), mul(tp(Uj), A, Xi)


def table_energy(variant: str) -> Term:
    """F at the law of the particles, from the table of energies."""
    return to_term(energies.lookup(variant).energy(notation.mu), {"A": A, "mu": LAW})


def score(first: Term, second: Term) -> Term:
    """<A x, y>."""
    return mul(tp(mul(A, first)), second)


def kernel(first: Term, second: Term) -> Term:
    """exp(<A x, y>)."""
    return exp(score(first, second))


@dataclass(frozen=True)
class Structure:
    """c F' = sum over i of w_i <B U_i, Gamma_i>, for one variant.

    Attributes:
        energy: F, a multiple of a double integral against the law.
        velocity: Gamma_i.
        weight: w_i.
        metric: B.
        factor: c, None for 1.
    """

    energy: Term
    velocity: Term
    weight: Term
    metric: Term = B
    factor: Term | None = c

    @property
    def inner_product(self) -> Term:
        """w_i <B U_i, Gamma_i>."""
        return scale(self.weight, mul(tp(Ui), self.metric, self.velocity))

    @property
    def scaled_energy(self) -> Term:
        """c F."""
        return self.energy if self.factor is None else scale(self.factor, self.energy)

    @property
    def statement(self) -> Term:
        """The metric w_i B is positive, and c F' is the sum of the inner products."""
        metric = on_lifetime(T, lambda t: forall(i, pd(scale(self.weight, self.metric))))
        flow = total(i, self.inner_product)
        return conj(metric, ode(T, lam(t, self.scaled_energy), lam(t, flow)))


class Motion:
    """A proof about particles that move, with what all of them need."""

    def __init__(self) -> None:
        self.p = p = Builder({"pair-energy": pair_energy()})
        self.masses, self.motion = p.assume(POSITIVE_MASSES), p.assume(MOTION)
        self.nonnegative = nonnegative_masses(p, self.masses)

    @cached_property
    def score(self) -> int:
        """ode(T, <A X_i, X_j>, its derivative)."""
        p = self.p
        first = product_of(p, moving(p, T, A), p.specialise(self.motion, i))
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

    def rate(self, energy: Term, change: int) -> int:
        """ode(T, F, sum over i, j of m_i m_j W_ij), from ode(T, K_ij, W_ij + W_ji)."""
        p = self.p
        _, pair, flow = p[change].args
        rate = p.lemma(
            "pair-energy",
            p.generalise(i, p.generalise(j, change)),
            K=lam(i, lam(j, pair)),
            W=lam(i, lam(j, lam(t, at(flow, t).args[0]))),
            m=m,
        )
        multiple, whole = energy.args
        steps = over_pairs(p, self.nonnegative, whole)
        value = p.algebra(
            at(p[rate].args[1], t),
            energy,
            *((step, lambda h: scale(scale(-1, multiple), h)) for step in steps),
        )
        return rewritten(p, rate, value)

    def conclude(
        self, shown: Structure, change: int, metric: int, weight: int, local: Sequence[Use]
    ) -> Proof:
        """The proof of a structure.

        Args:
            shown: what is proved.
            change: step ode(T, K_ij, W_ij + W_ji) for one pair of particles.
            metric: step B > 0.
            weight: step w_i > 0.
            local: equations by which c m_i (sum of m_j W_ij) is w_i <B U_i, Gamma_i>.
        """
        p, factor = self.p, shown.factor or number(1)
        part = at(p[change].args[2], t).args[0]
        rate = self.rate(shown.energy, change)
        if shown.factor is not None:
            rate = product_of(p, moving(p, T, factor), rate)
        share = scale(mul(factor, mi), total(j, scale(mj, part)))
        one = p.algebra(share, shown.inner_product, *local)
        flow = p.algebra(
            at(p[rate].args[2], t), total(i, shown.inner_product), (summed(p, i, one), itself)
        )
        value = p.algebra(at(p[rate].args[1], t), shown.scaled_energy)
        last = rewritten(p, rate, value, flow)
        positive = p.positive(
            scale(shown.weight, shown.metric),
            Summand(identity(d), core=metric, scalars=(weight,)),
            strict=True,
        )
        p.conjunction(throughout(p, T, p.generalise(i, positive)), last)
        return p.proof()


class ScoreMotion(Motion):
    """The same when A = A^T, B > 0 and B V = c A, and the energy is one of scores <A x, y>."""

    def __init__(self) -> None:
        super().__init__()
        self.symmetric, self.metric, self.relation = (self.p.assume(h) for h in ON_MATRICES)

    def change(self, equation: int, slope: Term, opposite: Term, *uses: Use) -> int:
        """ode(T, K_ij, W_ij + W_ji), with W_ij = slope_ij <A U_i, X_j>."""
        flow = add(mul(slope, PART), mul(opposite, OTHER_PART))
        return with_velocity(self.p, equation, flow, self.symmetric, *uses)

    def relation_in(self, slope: Term) -> Use:
        """B V = c A, where c m_i (sum over j of m_j slope <A U_i, X_j>) becomes a sum with B V."""
        weight = mul(mi, mj, slope)
        return self.relation, lambda h: scale(-1, total(j, scale(weight, mul(tp(Ui), h, Xj))))

    def in_constant_metric(self, shown: Structure, change: int, slope: Term) -> Proof:
        """The proof of a structure with the weights m_i, for attention without a denominator."""
        average = self.sum_of(shown.velocity)
        local = (
            (average, lambda h: scale(-1, scale(mi, mul(tp(Ui), B, h)))),
            self.relation_in(slope),
        )
        weight = self.p.specialise(self.masses, i)
        return self.conclude(shown, change, self.metric, weight, local)


CONSTANT = "The metric is the Wasserstein metric of B."


def claim(
    variant: str,
    title: str,
    shown: Structure,
    prove: Callable[[], Proof],
    note: str,
    notation: Sequence[Definition] = (),
) -> Claim:
    """The claim gradient.variant, of a variant with scores <A x, y>."""
    return Claim(
        id=f"gradient.{variant}",
        title=title,
        source=PAPER_ID if variant == "softmax" else "new",
        statement=Statement((*ON_MATRICES, POSITIVE_MASSES, MOTION), shown.statement),
        hypotheses=HYPOTHESIS_NAMES,
        prove=prove,
        note=note,
        notation=(
            Definition("mu", lam(t, LAW)),
            Definition("Gamma", lam(t, lam(x, velocity(variant, LAW, x)))),
            *notation,
        ),
    )
