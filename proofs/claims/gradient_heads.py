"""Several heads that are gradients of their energies in one metric: the energies add up."""

from __future__ import annotations

from proofs.bridge import to_term
from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import T, d, t
from proofs.claims.gradient_flow import CONSTANT, B, Structure, c, x
from proofs.claims.growth import throughout
from proofs.claims.multihead_equation import A, Ah, H, V, Vh, h
from proofs.claims.particles import (
    LAW,
    MOTION,
    POSITIVE_MASSES,
    Xi,
    i,
    mi,
    rewritten,
    summed_curves,
)
from proofs.kernel import Proof, Statement
from proofs.language import at, eq, forall, identity, lam, mul, pd, scale, symmetric, total
from proofs.printing.abbreviations import Definition
from proofs.terms import Term, substitute
from symbolic import notation
from symbolic.variants import lookup

ON_HEADS = (
    forall(h, symmetric(Ah)),
    pd(B),
    forall(h, eq(mul(B, Vh), scale(c, Ah))),
    POSITIVE_MASSES,
    MOTION,
)
HYPOTHESIS_NAMES = (
    "each A_h symmetric",
    "B positive definite",
    "B V_h = c A_h",
    "the masses are positive",
    "X moves with the velocities U",
)


def heads_velocity(variant: str, point: Term) -> Term:
    """Gamma_mu(x) of several heads of a variant, from the table of variants."""
    expression = lookup(f"multihead-{variant}").velocity(notation.x, notation.mu, form="A")
    return to_term(expression, {"V": V, "A": A, "H": H, "mu": LAW, "x": point})


def claim(variant: str, title: str, base: Claim, shown: Structure) -> Claim:
    """The claim gradient.multihead-variant, from that of one head, ``base``."""
    energy = total(h, substitute(shown.energy, {"A": Ah}))
    heads = Structure(energy, heads_velocity(variant, Xi), shown.weight)

    def prove() -> Proof:
        p = Builder({base.id: base.lemma()})
        scores, metric, relations, masses, motion = (p.assume(part) for part in ON_HEADS)
        one = p.lemma(
            base.id,
            p.specialise(scores, h),
            metric,
            p.specialise(relations, h),
            masses,
            motion,
            A=Ah,
            V=Vh,
        )
        change = summed_curves(p, h, p.part(one, 1))
        value = p.algebra(at(p[change].args[1], t), heads.scaled_energy)
        flow = p.algebra(at(p[change].args[2], t), total(i, heads.inner_product))
        last = rewritten(p, change, value, flow)
        summand = Summand(identity(d), core=metric, scalars=(p.specialise(masses, i),))
        positive = p.positive(scale(mi, B), summand, strict=True)
        p.conjunction(throughout(p, T, p.generalise(i, positive)), last)
        return p.proof()

    return Claim(
        id=f"gradient.multihead-{variant}",
        title=title,
        source="new",
        statement=Statement(ON_HEADS, heads.statement),
        hypotheses=HYPOTHESIS_NAMES,
        prove=prove,
        note=CONSTANT,
        notation=(
            Definition("mu", lam(t, LAW)),
            Definition("Gamma", lam(t, lam(x, heads_velocity(variant, x)))),
        ),
    )
