"""Two linear functions of the covariance that bound each other's growth: global existence."""

from __future__ import annotations

from proofs.builder import Builder, Summand
from proofs.claims.base import Claim
from proofs.claims.covariance_equation import Sigma, Sigma0, T, d, t
from proofs.claims.growth import (
    UNIT,
    bounded,
    curve_at,
    exponential_of,
    given,
    inverse_of,
    inverted,
    moving,
    product_of,
    sum_of,
    throughout,
    velocity_at,
    with_velocity,
)
from proofs.kernel import Proof, Statement
from proofs.language import (
    INFINITY,
    add,
    at,
    at_most,
    conj,
    eq,
    exp,
    field,
    finite,
    forall,
    implies,
    inv,
    lam,
    le,
    mat,
    maximal,
    minus,
    mul,
    number,
    on_lifetime,
    pd,
    psd,
    real,
    root,
    scale,
    smooth_on_cone,
    tp,
    tr,
    within,
)
from proofs.terms import Term

F = field("F", d)
R, P, Z = (mat(name, d, d) for name in "RPZ")
c, r = real("c"), real("r")


def first(state: Term) -> Term:
    """1 + tr(R Z)."""
    return add(number(1), tr(mul(R, state)))


def second(state: Term) -> Term:
    """tr(P Z)."""
    return tr(mul(P, state))


def rates(state: Term) -> tuple[Term, Term]:
    """tr(R F(Z)) and tr(P F(Z))."""
    return tr(mul(R, at(F, state))), tr(mul(P, at(F, state)))


def growth(sign: int) -> Term:
    """a y' + sign y a' <= c a y for a = 1 + tr(R Z) and y = tr(P Z), for all Z >= 0."""
    a, y = first(Z), second(Z)
    faster, rate = rates(Z)
    moved = add(mul(a, rate), scale(sign, mul(y, faster)))
    return forall(Z, implies(psd(Z), le(moved, mul(c, a, y))))


def both(state: Term) -> Term:
    return add(first(state), second(state))


#: a a' <= c (a + y)^2
TOGETHER = forall(Z, implies(psd(Z), le(mul(first(Z), rates(Z)[0]), mul(c, both(Z), both(Z)))))
SOLUTION = maximal(T, Sigma, F, Sigma0)
STAYS = on_lifetime(T, lambda t: psd(at(Sigma, t)))


class _Curves:
    """Steps about a = 1 + tr(R Sigma) and y = tr(P Sigma), at a time t in [0, T)."""

    def __init__(self, p: Builder) -> None:
        self.p = p
        self.smooth, self.solution = p.assume(smooth_on_cone(F)), p.assume(SOLUTION)
        self.stays, self.rate = p.assume(STAYS), p.assume(psd(c))
        self.positive = given(p, T, self.stays)
        self.above = {letter: p.assume(psd(letter)) for letter in (R, P)}
        self.equation = p.part(p.fact("solution", self.solution), 0)
        traces = {letter: self._equation(letter) for letter in (R, P)}
        self.a = sum_of(p, moving(p, T, number(1)), traces[R])
        self.a = with_velocity(p, self.a, velocity_at(p, traces[R]))
        self.y = traces[P]
        nonnegative = {letter: self._nonnegative(letter) for letter in (R, P)}
        self.y_above = nonnegative[P]
        self.a_above = p.positive(
            curve_at(p, self.a),
            Summand(UNIT),
            Summand(UNIT, core=nonnegative[R]),
            strict=True,
        )
        self.u_above = nonnegative[R]

    def _equation(self, letter: Term) -> int:
        """ode(T, t -> tr(M Sigma), its derivative)."""
        p = self.p
        product = p.fact("derivative-of-trace", product_of(p, moving(p, T, letter), self.equation))
        return with_velocity(p, product, tr(mul(letter, at(F, at(Sigma, t)))))

    def _nonnegative(self, letter: Term) -> int:
        """tr(M Sigma(t)) >= 0."""
        p, now = self.p, at(Sigma, t)
        square = p.fact("square-root", self.above[letter])
        factor = root(letter)
        gram = p.positive(mul(tp(factor), now, factor), Summand(factor, core=self.positive))
        return p.positive(
            tr(mul(letter, now)),
            Summand(UNIT, core=p.fact("trace-nonnegative", gram)),
            by=[p.part(square, 0), (p.part(square, 1), lambda f: scale(-1, tr(mul(f, now))))],
        )

    def now(self, everywhere: int) -> int:
        """What holds for all Z >= 0, at Sigma(t)."""
        return self.p.at(everywhere, at(Sigma, t), self.positive)


#: T <= r
ENDS = at_most(T, finite(r))


def level(p: Builder, of: _Curves, product: int, slope: int, positive: int) -> tuple[int, Term]:
    """v(t) <= v(0) exp(c r) while t <= r, from a step v' <= c v, and v(t) >= 0; and the bound.

    T <= r is assumed: v exp(c (r - t)) does not grow, and is at least v.
    """
    early = p.fact("within-longer", p.assume(within(t, T)), p.assume(ENDS))
    left = p.fact("positive-definite", p.fact("within-finite", early))
    rest = moving(p, T, mul(c, minus(r, t)))
    exponent = curve_at(p, rest)
    factor = p.part(p.fact("exponential-of-sum", r=exponent, s=number(0)), 1)
    grown = product_of(p, product, exponential_of(p, rest))
    falls = p.positive(
        scale(-1, velocity_at(p, grown)), Summand(UNIT, core=slope, scalars=(factor,))
    )
    always = p.fact("falling-function", grown, throughout(p, T, falls))
    tangent = p.part(p.fact("exponential-above-tangent", r=exponent), 0)
    value, bound = curve_at(p, product), curve_at(p, grown, number(0))
    below = p.positive(
        minus(bound, value),
        Summand(UNIT, core=given(p, T, always)),
        Summand(UNIT, core=tangent, scalars=(positive,)),
        Summand(UNIT, scalars=(positive, of.rate, left)),
    )
    return below, bound


def never(p: Builder, of: _Curves, together: int, weight: int, below: int, bound: Term) -> int:
    """T = oo, from a step y <= E a where T <= r is assumed: then a grows at most exponentially.

    ``weight`` is the step R + P > 0.
    """
    a, y, faster = curve_at(p, of.a), curve_at(p, of.y), velocity_at(p, of.a)
    total = add(number(1), bound)
    _, inverse, cancels = inverted(p, of.a_above)
    rate = mul(c, total, total)
    sizes = p.positive(
        add(mul(total, a), a, y),
        Summand(UNIT, core=below),
        Summand(UNIT, scalars=(of.a_above,), coefficient=2),
        Summand(UNIT, core=of.y_above, coefficient=2),
        strict=True,
    )
    # (1 + E)^2 a^2 - (a + y)^2 = ((1 + E) a + a + y) (E a - y)
    slope = p.positive(
        minus(mul(rate, a), faster),
        Summand(UNIT, core=of.now(together), scalars=(inverse,)),
        Summand(UNIT, core=below, scalars=(inverse, of.rate, sizes)),
        by=[(cancels, lambda f: mul(minus(faster, mul(rate, a)), f))],
    )
    grown = bounded(p, of.a, rate, slope)
    ceiling = lam(t, mul(total, curve_at(p, of.a, number(0)), exp(mul(rate, t))))
    one = p.positive(
        total,
        Summand(UNIT),
        Summand(UNIT, scalars=(_nonnegative(p, of, below, bound),)),
        strict=True,
    )
    small = p.positive(
        minus(at(ceiling, t), tr(mul(add(R, P), at(Sigma, t)))),
        Summand(UNIT, core=grown, scalars=(one,)),
        Summand(UNIT, core=below),
        Summand(UNIT),
    )
    endless = p.fact(
        "bounded-solution",
        of.smooth,
        of.solution,
        of.stays,
        weight,
        p.continuous(ceiling),
        throughout(p, T, small),
        X=Sigma,
        b=ceiling,
    )
    return p.fact("infinite-otherwise", p.for_all(r, ENDS, endless))


def _nonnegative(p: Builder, of: _Curves, below: int, bound: Term) -> int:
    """E >= 0, from E a >= y >= 0 and a > 0."""
    _, inverse, cancels = inverted(p, of.a_above)
    return p.positive(
        bound,
        Summand(UNIT, core=below, scalars=(inverse,)),
        Summand(UNIT, core=of.y_above, scalars=(inverse,)),
        by=[(cancels, lambda f: scale(-1, mul(bound, f)))],
    )


def as_product(p: Builder, of: _Curves, balance: int) -> tuple[int, Term]:
    """y <= E a and E, from y a <= E, as y' a + y a' <= c a y."""
    a, y = curve_at(p, of.a), curve_at(p, of.y)
    product = product_of(p, of.y, of.a)
    slope = p.positive(
        minus(mul(c, curve_at(p, product)), velocity_at(p, product)), Summand(UNIT, core=balance)
    )
    positive = p.positive(curve_at(p, product), Summand(UNIT, scalars=(of.y_above, of.a_above)))
    limited, bound = level(p, of, product, slope, positive)
    # E a - y = (E - y a) a + y (a^2 - 1), where a = 1 + u
    below = p.positive(
        minus(mul(bound, a), y),
        Summand(UNIT, core=limited, scalars=(of.a_above,)),
        Summand(UNIT, scalars=(of.y_above, of.u_above, of.a_above)),
        Summand(UNIT, scalars=(of.y_above, of.u_above)),
    )
    return below, bound


def as_ratio(p: Builder, of: _Curves, balance: int) -> tuple[int, Term]:
    """y <= E a and E, as a y' - y a' <= c a y."""
    a, y = curve_at(p, of.a), curve_at(p, of.y)
    regular, inverse, cancels = inverted(p, of.a_above)
    ratio = product_of(p, of.y, inverse_of(p, of.a, regular))
    moved = minus(mul(c, y), velocity_at(p, of.y))
    slope = p.positive(
        minus(mul(c, curve_at(p, ratio)), velocity_at(p, ratio)),
        Summand(inv(a), core=balance),
        by=[(cancels, lambda f: scale(-1, mul(moved, inv(a), f)))],
    )
    positive = p.positive(curve_at(p, ratio), Summand(UNIT, scalars=(of.y_above, inverse)))
    limited, bound = level(p, of, ratio, slope, positive)
    below = p.positive(
        minus(mul(bound, a), y),
        Summand(UNIT, core=limited, scalars=(of.a_above,)),
        by=[(cancels, lambda f: mul(y, f))],
    )
    return below, bound


def prove() -> Proof:
    p = Builder()
    of = _Curves(p)
    together, weight = p.assume(TOGETHER), p.assume(pd(add(R, P)))
    results = []
    for sign, bounded_by in ((1, as_product), (-1, as_ratio)):
        below, bound = bounded_by(p, of, of.now(p.assume(growth(sign))))
        endless = never(p, of, together, weight, below, bound)
        results.append(p.discharge(growth(sign), endless))
    p.conjunction(*results)
    return p.proof()


CLAIM = Claim(
    id="covariance.two-forms",
    title="Two linear functions of the covariance that bound each other's growth: global existence",
    source="new",
    statement=Statement(
        (
            smooth_on_cone(F),
            SOLUTION,
            STAYS,
            psd(R),
            psd(P),
            pd(add(R, P)),
            psd(c),
            TOGETHER,
        ),
        conj(*(implies(growth(sign), eq(T, INFINITY)) for sign in (1, -1))),
    ),
    hypotheses=(
        "F is smooth near each positive semidefinite matrix",
        "Sigma solves Sigma' = F(Sigma)",
        "Sigma(t) positive semidefinite",
        "R positive semidefinite",
        "P positive semidefinite",
        "R + P positive definite",
        "c >= 0",
        "a tr(R F(Z)) <= c (a + y)^2 for every Z >= 0, where a = 1 + tr(R Z) and y = tr(P Z)",
    ),
    prove=prove,
    note="Applied to L2 attention in the plane with one row in K, where y a or y/a grows at most "
    "exponentially.",
)
