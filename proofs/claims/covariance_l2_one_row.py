"""L2 attention whose heads compare with one row of the tokens: softmax in another time."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs.builder import Builder, Summand, itself
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.covariance_l2_rank import CLAIM as RANK
from proofs.claims.growth import (
    UNIT,
    given,
    moving,
    product_of,
    sum_of,
    throughout,
    velocity_at,
    with_velocity,
)
from proofs.claims.l2_equation import (
    SOLUTION,
    F,
    H,
    Kh,
    Qh,
    Resolvent,
    V,
    Vh,
    gram,
    h,
    k,
    precision,
    regular,
)
from proofs.claims.multihead_equation import heads_field
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    at_most,
    conj,
    eq,
    exists,
    family,
    finite,
    forall,
    implies,
    inv,
    lam,
    le,
    lifetime,
    mat,
    maximal,
    minus,
    mul,
    number,
    ode,
    on_lifetime,
    psd,
    real,
    scale,
    time_to,
    total,
    tp,
    within,
)
from proofs.printing.abbreviations import Definition
from proofs.terms import ONE, Term

HALF = Fraction(1, 2)
a, row, n = family("a", H, k, ONE), mat("w", ONE, d), real("n")
ah = at(a, h)
S, clock, back = lifetime("S"), time_to("q", ONE, ONE), time_to("p", ONE, ONE)
Z, r = mat("Z", d, d), real("r")
#: K_h = a_h w and |a_h|^2 = n
KEYS = forall(h, conj(eq(Kh, mul(ah, row)), eq(mul(tp(ah), ah), n)))
SCORES = lam(h, mul(tp(Kh), Qh))
SOFTMAX = heads_field(V, SCORES, Sigma0)


def spread(state: Term) -> Term:
    """w Z w^T, the variance of what the heads compare with."""
    return mul(row, state, tp(row))


def pace(state: Term) -> Term:
    """1/2 + n w Z w^T: the time that L2 takes for what softmax does in unit time."""
    return add(number(HALF), mul(n, spread(state)))


#: the velocities differ by the pace
SAME = forall(Z, implies(psd(Z), eq(at(SOFTMAX, Z), scale(pace(Z), at(F, Z)))))
#: s -> Sigma(q(s)), on [0, S)
SLOWED = lam(t, at(Sigma, at(clock, t)))
#: q and p are bijections between [0, S) and [0, T), the inverses of each other
CLOCK = (
    maximal(S, SLOWED, SOFTMAX, Sigma0),
    ode(S, clock, lam(t, pace(at(SLOWED, t)))),
    eq(at(clock, number(0)), number(0)),
    on_lifetime(S, lambda t: within(at(clock, t), T)),
    on_lifetime(T, lambda t: conj(within(at(back, t), S), eq(at(clock, at(back, t)), t))),
)
#: s/2 <= q(s) on [0, S)
SLOW = on_lifetime(S, lambda t: le(scale(HALF, t), at(clock, t)))
LASTS = forall(r, implies(at_most(finite(r), S), at_most(finite(scale(HALF, r)), T)))
FOREVER = implies(eq(S, INFINITY), eq(T, INFINITY))
#: q <= r on [0, S)
STOPS = on_lifetime(S, lambda t: le(at(clock, t), r))
ENDLESS = implies(forall(r, implies(STOPS, eq(S, INFINITY))), eq(T, INFINITY))


def slower(p: Builder, keys: int, positive: int) -> int:
    """The softmax field at Z is pace(Z) F(Z), from a step Z >= 0."""
    now = p[positive].args[0]
    one = Resolvent.of(p, Kh, now, positive)
    held = p.specialise(keys, h)
    factored, length = p.part(held, 0), p.part(held, 1)
    twice = scale(2, pace(now))
    # K^T J = (1 + 2 n w Z w^T) K^T for K = a w and J = I + 2 K Z K^T
    eigen = p.algebra(
        mul(tp(Kh), gram(Kh, now)),
        scale(twice, tp(Kh)),
        (factored, lambda f: scale(2, mul(tp(f), Kh, now, tp(Kh)))),
        (factored, lambda f: scale(2, mul(tp(row), tp(ah), f, now, tp(Kh)))),
        (length, lambda f: scale(2, mul(tp(row), f, row, now, tp(Kh)))),
        (factored, lambda f: scale(2, scale(n, mul(tp(row), row, now, tp(f))))),
        (factored, lambda f: scale(-2, scale(n, scale(spread(now), tp(f))))),
    )
    moved = p.algebra(
        scale(twice, mul(inv(precision(Kh, now)), now, tp(Kh))),
        mul(now, tp(Kh)),
        (one.pushed, lambda f: scale(twice, f)),
        (eigen, lambda f: scale(-1, mul(now, f, one.Ji))),
        (one.right, lambda f: mul(now, tp(Kh), f)),
    )
    families = p.extensionality(h, moved)
    return p.algebra(
        at(SOFTMAX, now),
        scale(pace(now), at(F, now)),
        (families, lambda f: scale(-1, total(h, mul(Vh, at(f, h), Qh, now)))),
        (families, lambda f: scale(-1, total(h, mul(now, tp(Qh), tp(at(f, h)), tp(Vh))))),
        positive,
    )


def at_least_half(p: Builder, found: int, positive: int) -> int:
    """SLOW, from steps for CLOCK and n w Sigma(q(s)) w^T >= 0: s/2 - q(s) does not grow."""
    opposite = product_of(p, moving(p, S, number(-1)), p.part(found, 1))
    gap = sum_of(p, moving(p, S, scale(HALF, t)), opposite)
    gap = with_velocity(p, gap, scale(-1, mul(n, spread(at(SLOWED, t)))))
    falls = p.positive(scale(-1, velocity_at(p, gap)), Summand(UNIT, core=positive))
    below = p.positive(
        minus(at(clock, t), scale(HALF, t)),
        Summand(UNIT, core=given(p, S, p.fact("falling-function", gap, throughout(p, S, falls)))),
        by=[(p.part(found, 2), itself)],
    )
    return throughout(p, S, below)


def lasts_half(p: Builder, solution: int, found: int, slow: int) -> int:
    """LASTS, from steps for CLOCK and SLOW."""
    longer = p.assume(at_most(finite(r), S))
    early = p.assume(within(t, finite(scale(HALF, r))))
    time = scale(2, t)
    later = p.fact(
        "time-within",
        p.positive(time, Summand(UNIT, scalars=(p.fact("within", early),), coefficient=2)),
        p.positive(
            minus(r, time),
            Summand(UNIT, scalars=(p.fact("within-finite", early),), coefficient=2),
            strict=True,
        ),
    )
    inside = p.fact("within-longer", later, longer)
    beyond = p.positive(minus(at(clock, time), t), Summand(UNIT, core=p.at(slow, time, inside)))
    reached = p.fact("time-at-most", p.at(p.part(found, 3), time, inside))
    ordered = p.fact("lifetimes-ordered", beyond, a=t, b=at(clock, time))
    before = p.for_all(t, p[early], p.fact("lifetimes-transitive", ordered, reached))
    whole = p.fact("every-time", p.fact("lifetime-nonnegative", solution), before)
    return p.for_all(r, p[longer], whole)


def lasts_forever(p: Builder, lasts: int) -> int:
    """FOREVER, from LASTS."""
    endless = p.assume(eq(S, INFINITY))
    reverse = p.replace(endless, p.reflexivity(S), lambda g: eq(g, S))
    twice = scale(2, r)
    below = p.fact("below-infinity", T=finite(twice))
    long = p.at(lasts, twice, p.replace(reverse, below, lambda g: at_most(finite(twice), g)))
    same = p.algebra(scale(HALF, twice), r)
    every = p.generalise(r, p.replace(same, long, lambda g: at_most(finite(g), T)))
    return p.discharge(p[endless], p.fact("unbounded-lifetime", every))


def endless(p: Builder, found: int, forever: int) -> int:
    """ENDLESS, from steps for CLOCK and FOREVER."""
    unless = p.assume(ENDLESS.args[0])
    ends = p.assume(at_most(T, finite(r)))
    early = p.fact("within-longer", given(p, S, p.part(found, 3)), ends)
    below = p.fact("positive-definite", p.fact("within-finite", early))
    never = p.modus_ponens(forever, p.at(unless, r, throughout(p, S, below)))
    otherwise = p.for_all(r, p[ends], never)
    return p.discharge(p[unless], p.fact("infinite-otherwise", otherwise))


def prove() -> Proof:
    p = Builder({RANK.id: RANK.lemma()})
    keys, size = p.assume(KEYS), p.assume(psd(n))
    start, solution = p.assume(psd(Sigma0)), p.assume(SOLUTION)
    ranks = p.lemma(RANK.id, start, solution)
    positive = p.part(given(p, T, ranks), 0)
    stays = throughout(p, T, positive)
    state = p.assume(psd(Z))
    everywhere = p.for_all(Z, psd(Z), slower(p, keys, state))
    moves = p.positive(
        pace(Z),
        Summand(UNIT, coefficient=HALF),
        Summand(tp(row), core=state, scalars=(size,)),
        strict=True,
    )
    h = lam(Z, pace(Z))
    other = p.fact(
        "change-of-time",
        p.smooth_on_cone(F, partial(regular, p)),
        solution,
        stays,
        p.continuous(h),
        p.for_all(Z, psd(Z), moves),
        throughout(p, T, p.at(everywhere, at(Sigma, t), positive)),
        G=SOFTMAX,
        h=h,
    )
    outer = p.assume(at(p[other].args[0], S))
    middle = p.assume(at(p[outer].args[0], clock))
    found = p.assume(at(p[middle].args[0], back))
    there = p.at(stays, at(clock, t), given(p, S, p.part(found, 3)))
    wide = p.positive(mul(n, spread(at(SLOWED, t))), Summand(tp(row), core=there, scalars=(size,)))
    slow = at_least_half(p, found, wide)
    lasts = lasts_half(p, solution, found, slow)
    parts = [p.part(found, i) for i in range(len(CLOCK))]
    forever = lasts_forever(p, lasts)
    every = p.conjunction(*parts, slow, lasts, forever, endless(p, found, forever))
    letters = (S, clock, back)
    result = p.exhibit_all(letters, conj(*CLOCK, SLOW, LASTS, FOREVER, ENDLESS), letters, every)
    for existence, letter in ((middle, back), (outer, clock), (other, S)):
        result = p.obtain(existence, letter, result)
    p.conjunction(everywhere, result)
    return p.proof()


CLAIM = Claim(
    id="covariance.l2-one-row",
    title="L2 attention with K_h = a_h w for one row w: softmax in another time",
    source="new",
    statement=Statement(
        (KEYS, psd(n), psd(Sigma0), SOLUTION),
        conj(
            SAME,
            exists(S, exists(clock, exists(back, conj(*CLOCK, SLOW, LASTS, FOREVER, ENDLESS)))),
        ),
    ),
    hypotheses=(
        "K_h = a_h w and |a_h|^2 = n for every head",
        "n >= 0",
        "Sigma0 positive semidefinite",
        "Sigma solves the L2 covariance equation",
    ),
    prove=prove,
    note="Sigma(q(s)) solves the softmax equation with A_h = K_h^T Q_h up to the time S: L2 lasts "
    "at least half as long, and forever where softmax does or q tends to infinity.",
    notation=(Definition("B", SCORES), Definition("F", F), Definition("G", SOFTMAX)),
)
