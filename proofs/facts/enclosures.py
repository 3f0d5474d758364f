"""Facts on solutions that approximate ones enclose, on starting again and on other coordinates."""

from __future__ import annotations

from proofs.facts.base import Fact
from proofs.facts.differential_equations import HARTMAN
from proofs.language import (
    INFINITY,
    add,
    at,
    at_most,
    conj,
    continuous,
    dim,
    eq,
    exists,
    family,
    field,
    finite,
    forall,
    head,
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
    pd,
    psd,
    real,
    scale,
    smooth,
    symmetric,
    time_to,
    total,
    tp,
    tr,
    vec,
    vector_field,
    within,
)
from proofs.terms import ONE, Term, function_sort, matrix_sort, variable

n, d, k, m = (dim(name) for name in "ndkm")
S, T = lifetime("S"), lifetime("T")
f = vector_field("f", n)
x, y, velocity = (time_to(name, n, ONE) for name in ("x", "y", "v"))
x0, e, z = (vec(name, n) for name in ("x0", "e", "z"))
t, h, r, s, b = (real(name) for name in ("t", "h", "r", "s", "b"))
#: radius of the tube and its derivative, and of a wider one; defect, one-sided Lipschitz constant
radius, growth = time_to("r", ONE, ONE), time_to("g", ONE, ONE)
tube, defect, slope = (real(name) for name in ("e", "c", "l"))

state = matrix_sort(m, n)
F = variable("F", function_sort(state, state))
X, Y, X0 = time_to("X", m, n), time_to("Y", m, n), mat("X0", m, n)

field_of_matrices, matrices, start = field("F", d), time_to("X", d, d), mat("X0", d, d)
G = variable("G", function_sort(matrix_sort(n, ONE), matrix_sort(d, d)))
U, P, i = family("U", k, n, ONE), family("P", k, d, d), head("i", k)
Z = mat("Z", d, d)


def square(vector: Term) -> Term:
    """|v|^2."""
    return mul(tp(vector), vector)


def until(end: Term, body: Term) -> Term:
    """For all t in [0, end]: body, which has the variable t."""
    return forall(t, implies(conj(psd(t), psd(minus(end, t))), body))


def stretches(centre: Term) -> Term:
    """e^T (f(c + e) - f(c)) <= l |e|^2 for all vectors e that are at most as long as the tube."""
    change = mul(tp(e), minus(at(f, add(centre, e)), at(f, centre)))
    return forall(e, implies(le(square(e), mul(tube, tube)), le(change, mul(slope, square(e)))))


#: what the lifetime S of a solution that starts at the time s says of the whole lifetime T
SHIFTED = conj(
    forall(r, implies(at_most(S, finite(r)), at_most(T, finite(add(s, r))))),
    forall(r, implies(at_most(finite(r), S), at_most(finite(add(s, r)), T))),
    implies(eq(S, INFINITY), eq(T, INFINITY)),
)


def restarted(state: Term) -> Term:
    """What follows X from the time s on is a maximal solution from ``state``."""
    same = on_lifetime(S, lambda t: eq(at(Y, t), at(X, add(s, t))))
    return exists(S, exists(Y, conj(maximal(S, Y, F, state), same, SHIFTED)))


def coordinates(matrix: Term) -> Term:
    """s sum over i of tr(P_i M) U_i."""
    return scale(s, plain_coordinates(matrix))


def plain_coordinates(matrix: Term) -> Term:
    return total(i, scale(tr(mul(at(P, i), matrix)), at(U, i)))


FACTS = (
    Fact(
        "approximate-solution",
        (
            smooth(f),
            maximal(T, x, f, x0),
            ode(INFINITY, y, velocity),
            until(h, le(square(minus(at(velocity, t), at(f, at(y, t)))), mul(defect, defect))),
            until(h, stretches(at(y, t))),
            ode(INFINITY, radius, growth),
            until(h, le(add(mul(slope, at(radius, t)), defect), at(growth, t))),
            le(
                square(minus(x0, at(y, number(0)))),
                mul(at(radius, number(0)), at(radius, number(0))),
            ),
            conj(pd(h), psd(defect), psd(slope)),
            conj(psd(at(radius, number(0))), pd(minus(tube, at(radius, h)))),
        ),
        conj(
            within(h, T),
            le(square(minus(at(x, h), at(y, h))), mul(at(radius, h), at(radius, h))),
        ),
        "If $‖y′ − f(y)‖ ≤ c$ on $[0, h]$ and $f$ has the one-sided Lipschitz constant $l$ around "
        "$y$, up to the distance $e$, then $x$ exists beyond $h$ and $‖x(h) − y(h)‖ ≤ r(h)$, where "
        "$r′ ≥ l r + c$, $r(0) ≥ ‖x₀ − y(0)‖$ and $r(h) < e$.",
        f"{HARTMAN}, Theorem III.4.1 (the distance has a right derivative of at most $l$ times "
        "itself plus $c$ while it is at most $e$, and $r$ does not fall) and II.3.1 ($x$ stays in "
        "a compact set)",
    ),
    Fact(
        "lifetime-nonnegative",
        (maximal(T, X, F, X0),),
        at_most(finite(number(0)), T),
        "A maximal solution exists for some time.",
        "definition of the maximal solution",
    ),
    Fact(
        "restart",
        (maximal(T, X, F, X0), within(s, T)),
        restarted(at(X, s)),
        "A maximal solution, looked at from the time $s$ on, is one that starts at $X(s)$.",
        f"{HARTMAN}, Section I.1 (autonomous equations)",
    ),
    Fact(
        "coordinates",
        (
            maximal(T, matrices, field_of_matrices, start),
            on_lifetime(T, lambda t: psd(at(matrices, t))),
            pd(s),
            continuous(G),
            forall(z, symmetric(at(G, z))),
            forall(
                Z,
                implies(
                    symmetric(Z),
                    eq(scale(s, at(field_of_matrices, Z)), at(G, coordinates(Z))),
                ),
            ),
            forall(z, eq(at(f, z), plain_coordinates(at(G, z)))),
        ),
        maximal(T, lam(t, coordinates(at(matrices, t))), f, coordinates(start)),
        "If $s F(Z) = G(s L(Z))$ for symmetric $Z$ and a linear map $L$ to $R^n$, here "
        "$L(Z) = ∑_i tr(P_i Z) U_i$, then $x = s L(X)$ is the maximal solution of $x′ = L(G(x))$.",
        f"{HARTMAN}, Section I.1: if $x$ went on, so would $X = X₀ + ∫ G(x) / s$",
    ),
    Fact(
        "bounded-orbit",
        (smooth(f), maximal(T, x, f, x0), on_lifetime(T, lambda t: le(square(at(x, t)), b))),
        eq(T, INFINITY),
        "A bounded maximal solution for a field that is smooth everywhere is global.",
        f"{HARTMAN}, Theorem II.3.1",
    ),
    Fact(
        "quadratic-lifetime",
        (
            smooth(f),
            maximal(T, x, f, x0),
            ode(T, radius, growth),
            pd(tube),
            pd(at(radius, number(0))),
            on_lifetime(
                T,
                lambda t: conj(
                    pd(at(radius, t)),
                    le(square(at(x, t)), mul(b, at(radius, t), at(radius, t))),
                    le(at(growth, t), mul(tube, at(radius, t), at(radius, t))),
                ),
            ),
        ),
        at_most(finite(inv(mul(tube, at(radius, number(0))))), T),
        "If $‖x‖² ≤ b r²$ with $r > 0$ and $r′ ≤ e r²$, $e > 0$, then $x$ exists at least up to "
        "the time $1/(e r(0))$.",
        f"{HARTMAN}, Theorems III.4.1 (up to that time $r ≤ r(0)/(1 − e r(0) t)$) and II.3.1",
    ),
)
