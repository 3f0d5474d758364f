"""How fast one head of L2 attention can make the largest eigenvalue of Sigma grow.

For 0 <= Z <= c I and Z u = c u the bound is u^T B(Z) Z u <= rho c |u|^2.
"""

from __future__ import annotations

from fractions import Fraction

from proofs.builder import Builder, Summand
from proofs.claims.covariance_equation import d
from proofs.claims.head_growth import LENGTH, TOP, I, Z, c, gram_at_most, u
from proofs.claims.l2_equation import Resolvent, k, linear_part
from proofs.language import (
    add,
    conj,
    eq,
    forall,
    identity,
    implies,
    inv,
    mat,
    minus,
    mul,
    pd,
    psd,
    real,
    scale,
    tp,
    vec,
)
from proofs.terms import ONE, Term, application

HALF = Fraction(1, 2)
N, l, v, q, n, a, kappa = (  # noqa: E741
    mat("N", d, k),
    *(real(name) for name in ("l", "v", "q", "n", "a", "kappa")),
)


def gap(head: tuple[Term, Term, Term], rho: Term) -> Term:
    """rho c |u|^2 - u^T B(Z) Z u for the head (Q, K, V)."""
    return minus(scale(mul(rho, c), LENGTH), mul(tp(u), linear_part(*head, Z), Z, u))


def grows_at_most(head: tuple[Term, Term, Term], rho: Term) -> Term:
    """For all Z, c, u with 0 <= Z <= c I and Z u = c u: u^T B(Z) Z u <= rho c |u|^2."""
    return forall(Z, forall(c, forall(u, implies(TOP, psd(gap(head, rho))))))


def through_keys(head: tuple[Term, Term, Term]) -> tuple[Term, ...]:
    """V = N K, |N^T| <= n, |Q| <= q, with n, q > 0."""
    Q, K, V = head
    return eq(V, mul(N, K)), pd(n), pd(q), gram_at_most(mul(N, tp(N)), n), queries(Q)


def proportional(head: tuple[Term, Term, Term]) -> tuple[Term, ...]:
    """Q = l K with -a <= l <= a, |V^T| <= v, v > 0."""
    Q, K, V = head
    return (
        eq(Q, scale(l, K)),
        psd(minus(a, l)),
        psd(add(a, l)),
        pd(v),
        gram_at_most(mul(V, tp(V)), v),
    )


def definite_keys(head: tuple[Term, Term, Term]) -> tuple[Term, ...]:
    """K^T K >= kappa^2 I, |V^T| <= v, |Q| <= q, with kappa, v, q > 0."""
    Q, K, V = head
    wide = psd(minus(mul(tp(K), K), scale(mul(kappa, kappa), I)))
    return wide, pd(kappa), pd(v), pd(q), gram_at_most(mul(V, tp(V)), v), queries(Q)


def queries(Q: Term) -> Term:
    """|Q| <= q."""
    return gram_at_most(mul(tp(Q), Q), q)


def level(p: Builder, state: int) -> int:
    """c >= 0, as w^T (c I - Z) w + w^T Z w = c for a unit vector w; ``state`` proves TOP."""
    positive, below = p.part(state, 0), p.part(state, 1)
    spectrum = p.fact("largest-eigenvalue", p.fact("semidefinite-symmetric", positive))
    w = vec("w", d)
    found = p.part(spectrum, 1)
    both = p.assume(application(p[found].args[0], w))
    unit = p.part(both, 0)
    bound = p.positive(
        c,
        Summand(w, core=below),
        Summand(w, core=positive),
        by=[(unit, lambda f: scale(-1, scale(c, f)))],
    )
    return p.obtain(found, w, bound)


def reciprocal(p: Builder, positive: int) -> tuple[int, int]:
    """Steps 1/r > 0 and r (1/r) = 1 from r > 0."""
    pair = p.fact("definite-inverse", positive)
    return p.part(pair, 1), p.part(p.fact("inverse", p.part(pair, 0)), 0)


def prove_through_keys(p: Builder, head: tuple[Term, Term, Term]) -> int:
    """V = N K bounds the growth by n q: u^T B(Z) Z u = c x^T C y.

    Here x = N^T u, y = Q u and C = 2 K Z K^T J^{-1} = I - J^{-1}, so that 0 <= C <= I.
    """
    Q, K, V = head
    hypothesis = p.assume(conj(*through_keys(head)))
    factored, n_positive, q_positive, n_bound, q_bound = (p.part(hypothesis, i) for i in range(5))
    state = p.assume(TOP)
    positive, top = p.part(state, 0), p.part(state, 2)
    high = level(p, state)
    at_keys = Resolvent.of(p, K, Z, positive)
    Ji, Y = at_keys.Ji, mul(K, Z, tp(K))
    C = minus(identity(k), Ji)
    contracts = p.positive(
        C,
        Summand(mul(tp(K), Ji), core=positive, coefficient=2),
        Summand(mul(Y, Ji), coefficient=4),
        by=[
            positive,
            (at_keys.right, lambda f: scale(-2, mul(Ji, Y, f))),
            (at_keys.left, lambda f: scale(-1, f)),
        ],
    )
    x, y = mul(tp(N), u), mul(Q, u)
    form = p.algebra(
        mul(tp(u), linear_part(Q, K, V, Z), Z, u),
        scale(c, mul(tp(x), C, y)),
        (at_keys.simplified(p, Q, V), lambda f: mul(tp(u), f, Z, u)),
        (factored, lambda f: scale(2, mul(tp(u), f, Z, tp(K), Ji, Q, Z, u))),
        (at_keys.right, lambda f: mul(tp(u), N, f, Q, Z, u)),
        (top, lambda f: mul(tp(x), C, Q, f)),
    )
    n_inverse, one_n = reciprocal(p, n_positive)
    q_inverse, one_q = reciprocal(p, q_positive)
    by_n, by_q = (high, q_positive, n_inverse), (high, n_positive, q_inverse)
    ratio = mul(n, inv(q))
    cross, quadratic = mul(c, tp(x), C, y), mul(c, ratio, tp(y), C, y)
    size = mul(n, q, c, LENGTH)
    bound = p.positive(
        gap(head, mul(n, q)),
        Summand(u, core=n_bound, scalars=by_n, coefficient=HALF),
        Summand(u, core=q_bound, scalars=by_q, coefficient=HALF),
        Summand(x, core=at_keys.inverse_definite, scalars=by_n, coefficient=HALF),
        Summand(y, core=at_keys.inverse_definite, scalars=by_q, coefficient=HALF),
        Summand(minus(x, scale(ratio, y)), core=contracts, scalars=by_n, coefficient=HALF),
        by=[
            positive,
            (form, lambda f: scale(-1, f)),
            (one_n, lambda f: scale(-HALF, mul(f, size))),
            (one_q, lambda f: scale(-HALF, mul(f, size))),
            (one_q, lambda f: scale(-HALF, mul(f, n, inv(n), quadratic))),
            (one_n, lambda f: scale(-HALF, mul(f, quadratic))),
            (one_q, lambda f: mul(f, n, inv(n), cross)),
            (one_n, lambda f: mul(f, cross)),
        ],
    )
    return _for_all(p, through_keys(head), (q, n, N), bound)


def prove_proportional(p: Builder, head: tuple[Term, Term, Term]) -> int:
    """Q = l K bounds the growth by a v: u^T B(Z) Z u = l x^T E u.

    Here x = V^T u and E = 2 Z K^T J^{-1} K Z, so that 0 <= E <= Z <= c I.
    """
    Q, K, V = head
    hypothesis = p.assume(conj(*proportional(head)))
    multiple, above, below_l, v_positive, v_bound = (p.part(hypothesis, i) for i in range(5))
    state = p.assume(TOP)
    positive, below = p.part(state, 0), p.part(state, 1)
    high = level(p, state)
    at_keys = Resolvent.of(p, K, Z, positive)
    Ji = at_keys.Ji
    E = scale(2, mul(Z, tp(K), Ji, K, Z))
    R = minus(I, scale(2, mul(Z, tp(K), Ji, K)))
    image = p.positive(
        E, Summand(mul(K, Z), core=at_keys.inverse_definite, coefficient=2), by=[positive]
    )
    rest = p.positive(
        minus(Z, E),
        Summand(tp(R), core=positive),
        Summand(mul(K, Z, tp(R)), coefficient=2),
        by=[positive, (at_keys.left, lambda f: scale(2, mul(Z, tp(K), f, K, Z, tp(R))))],
    )
    size = p.positive(
        a,
        Summand(identity(ONE), core=above, coefficient=HALF),
        Summand(identity(ONE), core=below_l, coefficient=HALF),
    )
    x = mul(tp(V), u)
    form = p.algebra(
        mul(tp(u), linear_part(Q, K, V, Z), Z, u),
        scale(l, mul(tp(x), E, u)),
        (at_keys.simplified(p, Q, V), lambda f: mul(tp(u), f, Z, u)),
        (multiple, lambda f: scale(2, mul(tp(u), V, Z, tp(K), Ji, f, Z, u))),
    )
    v_inverse, one_v = reciprocal(p, v_positive)
    by_u, by_x = (size, v_positive), (size, v_inverse)
    bound = p.positive(
        gap(head, mul(a, v)),
        Summand(u, core=below, scalars=by_u, coefficient=HALF),
        Summand(u, core=rest, scalars=by_u, coefficient=HALF),
        Summand(u, core=v_bound, scalars=(*by_x, high), coefficient=HALF),
        Summand(x, core=below, scalars=by_x, coefficient=HALF),
        Summand(x, core=rest, scalars=by_x, coefficient=HALF),
        Summand(
            minus(scale(v, u), x), core=image, scalars=(below_l, v_inverse), coefficient=HALF / 2
        ),
        Summand(add(scale(v, u), x), core=image, scalars=(above, v_inverse), coefficient=HALF / 2),
        by=[
            positive,
            (form, lambda f: scale(-1, f)),
            (one_v, lambda f: scale(-HALF, mul(f, a, v, c, LENGTH))),
            (one_v, lambda f: scale(-HALF, mul(f, a, v, tp(u), E, u))),
            (one_v, lambda f: mul(f, l, tp(x), E, u)),
        ],
    )
    return _for_all(p, proportional(head), (v, a, l), bound)


def prove_definite_keys(p: Builder, head: tuple[Term, Term, Term], general: int) -> int:
    """K^T K >= kappa^2 I bounds the growth by v q / kappa: V = N K for N = V (K^T K)^{-1} K^T.

    ``general`` is what :func:`prove_through_keys` proves.
    """
    _, K, V = head
    hypothesis = p.assume(conj(*definite_keys(head)))
    wide, positive, v_positive, q_positive, v_bound, q_bound = (
        p.part(hypothesis, i) for i in range(6)
    )
    G = mul(tp(K), K)
    definite = p.positive(
        G, Summand(I, core=wide), Summand(I, scalars=(positive, positive)), strict=True
    )
    pair = p.fact("definite-inverse", definite)
    undone = p.part(p.fact("inverse", p.part(pair, 0)), 1)
    kappa_inverse, one = reciprocal(p, positive)
    through = mul(V, inv(G), tp(K))
    factored = p.algebra(V, mul(through, K), (undone, lambda f: scale(-1, mul(V, f))))
    size = p.positive(
        mul(v, inv(kappa)),
        Summand(identity(ONE), scalars=(v_positive, kappa_inverse)),
        strict=True,
    )
    # kappa^{-2} I - G^{-1} = kappa^{-2} (I - kappa^2 G^{-1})^2 + G^{-1} (G - kappa^2 I) G^{-1}
    square = mul(kappa, kappa)
    below = p.positive(
        minus(scale(mul(inv(kappa), inv(kappa)), I), inv(G)),
        Summand(minus(I, scale(square, inv(G))), scalars=(kappa_inverse, kappa_inverse)),
        Summand(inv(G), core=wide),
        by=[
            (one, lambda f: scale(2, scale(mul(kappa, inv(kappa), f), inv(G)))),
            (one, lambda f: scale(2, scale(f, inv(G)))),
            (
                one,
                lambda f: scale(-1, scale(mul(f, square, kappa, inv(kappa)), mul(inv(G), inv(G)))),
            ),
            (one, lambda f: scale(-1, scale(mul(f, square), mul(inv(G), inv(G))))),
            (undone, lambda f: scale(-1, mul(f, inv(G)))),
        ],
    )
    n_bound = p.positive(
        gram_at_most(mul(through, tp(through)), mul(v, inv(kappa))).args[0],
        Summand(I, core=v_bound, scalars=(kappa_inverse, kappa_inverse)),
        Summand(tp(V), core=below),
        by=[(undone, lambda f: scale(-1, mul(V, f, inv(G), tp(V))))],
    )
    conditions = p.conjunction(factored, size, q_positive, n_bound, q_bound)
    for value in (through, mul(v, inv(kappa)), q):
        general = p.specialise(general, value)
    bound = p.modus_ponens(general, conditions)
    bound = p.discharge(conj(*definite_keys(head)), bound)
    for letter in (q, v, kappa):
        bound = p.generalise(letter, bound)
    return bound


def _for_all(
    p: Builder, hypotheses: tuple[Term, ...], letters: tuple[Term, ...], bound: int
) -> int:
    """For all ``letters`` with ``hypotheses``, Z, c and u: the bound at TOP."""
    everywhere = p.generalise(Z, p.generalise(c, p.generalise(u, p.discharge(TOP, bound))))
    result = p.discharge(conj(*hypotheses), everywhere)
    for letter in letters:
        result = p.generalise(letter, result)
    return result
