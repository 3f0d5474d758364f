"""Softmax attention that has an energy in a twisted metric: what that says of A and V.

The mixed derivatives of the energy of two tokens give, to first order in the place of one of them,
an equation between the forms of A and of B V; it makes the one a multiple of the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from proofs.builder import Builder
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import A, d, t
from proofs.claims.gaussian_velocity import velocity
from proofs.claims.gradient_flow import kernel
from proofs.claims.growth import exponential_of, moving, product_of
from proofs.claims.line_velocity import nonzero
from proofs.claims.particles import rewritten
from proofs.claims.schroedinger_system import exponential_of_zero
from proofs.claims.two_tokens import (
    LAW,
    POSITIVE_MASSES,
    SYMMETRIC,
    Attention,
    Exact,
    X,
    k,
    of,
    symmetric_form,
    u,
    value_form,
    w,
    x,
    y,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    add,
    at,
    conj,
    eq,
    finite,
    forall,
    implies,
    inv,
    lam,
    minus,
    mul,
    negation,
    number,
    ode,
    scale,
    tp,
    vec,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import Term

PLACE = at(X, k, t)
GAMMA = velocity("softmax", LAW, PLACE)
ATTENTION = Attention(
    kernel,
    lambda own, other, direction: mul(tp(mul(A, own)), direction),
    GAMMA.args[0].args[0],
    GAMMA,
)
a, b, z = (vec(name, d) for name in "abz")
HYPOTHESES = ATTENTION.structure, POSITIVE_MASSES


def score_form(left: Term, right: Term) -> Term:
    """<left, A right>."""
    return mul(tp(left), A, right)


END = finite(number(1))
#: q and r
VALUE, SCORE = value_form(z, z), score_form(z, z)
MULTIPLE = eq(mul(VALUE, score_form(u, b)), mul(SCORE, value_form(u, b)))
NONZERO = negation(eq(VALUE, number(0)))
PROPORTIONAL = forall(z, implies(NONZERO, forall(u, forall(b, MULTIPLE))))


#: the derivatives at t = 0, and their difference with the form of B V symmetric
EQUATION = (
    add(
        mul(score_form(y, a), value_form(u, w)),
        mul(score_form(w, a), value_form(u, y)),
    ),
    add(
        mul(score_form(a, y), value_form(w, u)),
        mul(score_form(u, y), value_form(w, a)),
    ),
)
FORMS = add(
    mul(minus(score_form(y, a), score_form(a, y)), value_form(u, w)),
    mul(score_form(w, a), value_form(u, y)),
    scale(-1, mul(score_form(u, y), value_form(w, a))),
)


@dataclass(frozen=True)
class Forms:
    """Equations between forms, from a step for all x, y, u and w that mixed derivatives agree."""

    p: Builder
    agree: int

    def first_order(self, symmetric: int) -> int:
        """For all a, y, u and w: FORMS = 0, as the sides have one derivative along x = t a."""
        p = self.p
        equal = of(p, self.agree, scale(t, a), y, u, w)
        equations = []
        for side in p[equal].args:
            exponential, form = side.args
            moved = product_of(
                p,
                exponential_of(p, moving(p, END, exponential.args[0])),
                moving(p, END, form),
            )
            equations.append(rewritten(p, moved, p.algebra(at(p[moved].args[1], t), side)))
        first, second = p[equal].args
        same = p.extensionality(t, p.algebra(second, first, (equal, lambda h: scale(-1, h))))
        flow = p[equations[1]].args[2]
        equations[1] = p.replace(same, equations[1], lambda h: ode(END, h, flow))
        unique = p.fact("unique-derivative", *equations)
        zero_time, later = number(0), minus(number(1), number(0))
        start = p.fact("time-within", p.definite(zero_time), p.definite(later, strict=True))
        here = p.at(unique, zero_time, start)
        left, right = EQUATION
        gap = minus(left, right)
        both = p.algebra(
            left,
            right,
            (here, lambda h: h),
            (exponential_of_zero(p), lambda h: scale(-1, mul(h, gap))),
        )
        turned = of(p, symmetric, u, w)
        step = p.algebra(
            FORMS,
            number(0),
            (both, lambda h: h),
            (turned, lambda h: scale(-1, mul(score_form(a, y), h))),
        )
        for letter in (w, u, y, a):
            step = p.generalise(letter, step)
        return step

    def proportional(self, symmetric: int, forms: int) -> int:
        """q A = r B V, where q = <z, B V z> is not 0 and r = <z, A z>."""
        p = self.p
        first = {}
        for left in (u, b):
            # q <left, A z> = r <left, B V z>
            known = of(p, forms, z, z, left, z)
            first[left] = p.algebra(
                mul(VALUE, score_form(left, z)),
                mul(SCORE, value_form(left, z)),
                (known, lambda h: scale(-1, h)),
            )
        # 2 q <z, A b> = 2 r <z, B V b>
        at_z = of(p, forms, z, b, z, z)
        turned = of(p, symmetric, z, b)
        second = p.algebra(
            mul(VALUE, score_form(z, b)),
            mul(SCORE, value_form(z, b)),
            (at_z, lambda h: scale(Fraction(-1, 2), h)),
            (first[b], lambda h: scale(Fraction(1, 2), h)),
            (turned, lambda h: scale(Fraction(-1, 2), mul(SCORE, h))),
        )
        whole = of(p, forms, z, b, u, z)
        left, right = MULTIPLE.args
        scaled = p.algebra(
            mul(VALUE, left),
            mul(VALUE, right),
            (whole, lambda h: scale(-1, mul(VALUE, h))),
            (first[b], lambda h: mul(h, value_form(u, z))),
            (second, lambda h: scale(-1, mul(h, value_form(u, z)))),
            (turned, lambda h: scale(-1, mul(SCORE, h, value_form(u, z)))),
        )
        assumed = p.assume(NONZERO)
        cancel = nonzero(p, assumed)
        step = p.algebra(
            left,
            right,
            (scaled, lambda h: mul(inv(VALUE), h)),
            (cancel, lambda h: scale(-1, mul(h, minus(left, right)))),
        )
        step = p.generalise(u, p.generalise(b, step))
        return p.for_all(z, NONZERO, step)


def prove() -> Proof:
    p = Builder()
    structure, masses = (p.assume(h) for h in HYPOTHESES)
    agree = Exact(p, ATTENTION, structure, masses).agreement()
    for letter in (w, u, y, x):
        agree = p.generalise(letter, agree)
    forms = Forms(p, agree)
    symmetric = symmetric_form(p, agree)
    p.conjunction(symmetric, forms.proportional(symmetric, forms.first_order(symmetric)))
    return p.proof()


CLAIM = Claim(
    id="gradient.softmax-converse",
    title="Softmax attention is a gradient in its twisted metric only if A is a multiple of B V",
    source="new",
    statement=Statement(HYPOTHESES, conj(SYMMETRIC, PROPORTIONAL)),
    hypotheses=("E is an energy of two tokens", "the masses are positive"),
    prove=prove,
    note="The class: any function E of two tokens, whose change along every motion is the inner "
    "product with the velocity that has the weights m_k Z(X_k) and the constant matrix B. Then "
    "the matrix B V is symmetric, and B V = 0 or A is a multiple of it, hence symmetric too. "
    "The multiple is 0 for A = 0, where the velocity is the mean of V y.",
    notation=(Definition("mu", lam(X, lam(t, LAW))),),
)
