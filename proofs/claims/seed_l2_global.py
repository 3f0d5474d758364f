"""L2 attention can blow up in finite time: a counterexample."""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, V, along, d, t
from proofs.claims.l2_equation import head_field, precision
from proofs.claims.l2_velocity import K, Q
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    eq,
    finite,
    identity,
    inv,
    invertible,
    lam,
    literal,
    mat,
    maximal,
    minus,
    mul,
    number,
    pd,
    scale,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, size, sort_of, substitute, variable

Z = mat("Z", d, d)
F = lam(Z, head_field(Q, K, V, Z))
STATEMENT = Statement((pd(Sigma0), maximal(T, Sigma, F, Sigma0)), eq(T, INFINITY))

VALUE, KEYS, QUERIES = literal([[0, 0], [0, 1]]), literal([[1, 0]]), literal([[0, 1]])
START = literal([[2, 1], [1, 2]])
KAPPA = Fraction(2, 5)
END = finite(number(1 / KAPPA))
#: y = 1 / (1 - kappa t), and Sigma(t) = [[2, y], [y, 2 y^2]]
DENOMINATOR = minus(number(1), scale(KAPPA, t))
Y = inv(DENOMINATOR)
CORNER, OFF, GROWING = (
    literal([[2, 0], [0, 0]]),
    literal([[0, 1], [1, 0]]),
    literal([[0, 0], [0, 2]]),
)
X = lam(t, add(CORNER, scale(Y, OFF), scale(mul(Y, Y), GROWING)))
PARAMETERS = {
    "d": size(2),
    "k": size(1),
    "V": VALUE,
    "K": KEYS,
    "Q": QUERIES,
    "Sigma0": START,
}
COUNTEREXAMPLE = {**PARAMETERS, "T": END, "Sigma": X}
FIELD = substitute(F, PARAMETERS)
UNIT = identity(ONE)


def known_inverse(p: Builder) -> tuple[int, int]:
    """I + 2 X(t) K^T K is invertible, with inverse [[1/5, 0], [-2 y/5, 1]]."""
    candidate = add(
        literal([[Fraction(1, 5), 0], [0, 1]]), scale(Y, literal([[0, 0], [-KAPPA, 0]]))
    )
    one = p.algebra(mul(candidate, precision(KEYS, at(X, t))), identity(size(2)))
    both = p.fact("one-sided-inverse", one)
    return p.part(both, 0), p.part(both, 1)


def solves(p: Builder, positive: int) -> int:
    """X' = F(X) on [0, 5/2), where ``positive`` proves 1 - kappa t > 0 there."""
    pair = p.fact("definite-inverse", positive)
    exists = p.for_all(t, within(t, END), p.part(pair, 0))
    derivative = p.differentiate(END, X, exists, exists, exists)  # y occurs three times
    slope = p[derivative].args[2]
    _, inverse = known_inverse(p)
    now = at(X, t)
    rest = mul(now, tp(KEYS), QUERIES, now)
    same = p.algebra(
        at(slope, t),
        at(FIELD, now),
        (inverse, lambda f: scale(-2, mul(VALUE, f, rest))),
        (inverse, lambda f: scale(-2, mul(tp(rest), tp(f), tp(VALUE)))),
    )
    return p.fact(
        "equal-velocities",
        derivative,
        p.for_all(t, within(t, END), same),
        Y=X,
        G=slope,
        H=along(FIELD, X),
    )


def escapes(p: Builder, before: int, positive: int) -> int:
    """X_22 = 2 y^2 >= 2 y = 5 / (5/2 - t) from ``before``, 5/2 - t > 0."""
    pair = p.fact("definite-inverse", positive)
    above, left = p.part(pair, 1), p.part(p.fact("inverse", p.part(pair, 0)), 1)
    gap = p[before].args[0]
    ratio = p.part(
        p.fact(
            "one-sided-inverse",
            p.algebra(mul(scale(KAPPA, Y), gap), UNIT, (left, itself)),
            N=scale(KAPPA, Y),
            M=gap,
        ),
        1,
    )
    probe = literal([[0], [1]])
    later = p.fact("within", p.assume(within(t, END)))
    constant = number(2 / KAPPA)
    bound = p.positive(
        minus(mul(tp(probe), at(X, t), probe), scale(constant, inv(gap))),
        Summand(UNIT, scalars=(above, above, later), coefficient=2 * KAPPA),
        by=[
            (ratio, lambda f: scale(-1, scale(constant, f))),
            (left, lambda f: scale(2, mul(Y, f))),
        ],
    )
    return p.fact(
        "unbounded-form",
        p.definite(number(1 / KAPPA), strict=True),
        p.definite(constant, strict=True),
        p.for_all(t, within(t, END), bound),
        X=X,
        w=probe,
        c=constant,
        r=number(1 / KAPPA),
    )


def smooth(p: Builder) -> int:
    """F is smooth near X(t) for each t in [0, 5/2)."""
    state = variable("Z", sort_of(START))
    condition = invertible(precision(KEYS, state))
    wherever = p.for_all(state, condition, p.smooth_at(FIELD, state, p.assume(condition)))
    exists, _ = known_inverse(p)
    return p.for_all(t, within(t, END), p.at(wherever, at(X, t), exists))


def prove() -> Proof:
    p = Builder()
    before = p.fact("within-finite", p.assume(within(t, END)))
    positive = p.positive(DENOMINATOR, Summand(UNIT, core=before, coefficient=KAPPA), strict=True)
    solution = p.fact(
        "escaping-solution",
        smooth(p),
        p.definite(number(1 / KAPPA), strict=True),
        solves(p, positive),
        p.algebra(at(X, number(0)), START),
        escapes(p, before, positive),
        F=FIELD,
        X=X,
        X0=START,
    )
    claimed = eq(END, INFINITY)
    impossible = p.fact("finite-lifetime", r=number(1 / KAPPA))
    fails = p.contradiction(claimed, p.assume(claimed), impossible)
    p.conjunction(p.definite(START, strict=True), solution, fails)
    return p.proof()


CLAIM = Claim(
    id="seed.l2-global",
    title="L2 attention does not blow up in finite time",
    source=f"{PAPER_ID}, as public summaries word it",
    statement=STATEMENT,
    hypotheses=("Sigma0 positive definite", "Sigma solves the L2 covariance equation"),
    prove=prove,
    expected="refuted",
    counterexample=COUNTEREXAMPLE,
    note="Here K^T K is singular, as it is for k < d, and K V = 0. What is global is "
    "covariance.l2-global.",
    notation=(Definition("F", F),),
)
