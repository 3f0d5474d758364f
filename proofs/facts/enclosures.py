"""Facts on solutions that are followed by approximate ones, and on starting again."""

from __future__ import annotations

from proofs.facts.base import Fact
from proofs.facts.differential_equations import HARTMAN, STAYS_POSITIVE, X0, F, S, T, X, Y, d
from proofs.language import (
    INFINITY,
    add,
    at,
    at_most,
    conj,
    eq,
    exists,
    finite,
    forall,
    implies,
    le,
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
    smooth_on_cone,
    symmetric,
    time_to,
    tp,
    tr,
    within,
)
from proofs.terms import Term

G = time_to("G", d, d)
E = mat("E", d, d)
t, h, r, s = (real(name) for name in ("t", "h", "r", "s"))
#: radii at the start and of the tube, defect, one-sided Lipschitz constant
start, tube, defect, slope = (real(name) for name in ("r", "e", "c", "l"))


def square(matrix: Term) -> Term:
    """|M|_F^2 = tr(M^T M)."""
    return tr(mul(tp(matrix), matrix))


def until(end: Term, body: Term) -> Term:
    """For all t in [0, end]: body, which has the variable t."""
    return forall(t, implies(conj(psd(t), psd(minus(end, t))), body))


def stretches(centre: Term) -> Term:
    """tr(E (F(C + E) - F(C))) <= l |E|^2 for all symmetric E with |E| <= e and C + E >= 0."""
    moved = add(centre, E)
    small = conj(symmetric(E), le(square(E), mul(tube, tube)), psd(moved))
    change = tr(mul(E, minus(at(F, moved), at(F, centre))))
    return forall(E, implies(small, le(change, mul(slope, square(E)))))


def reached() -> Term:
    """r + (l e + c) h."""
    return add(start, mul(add(mul(slope, tube), defect), h))


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


FACTS = (
    Fact(
        "approximate-solution",
        (
            smooth_on_cone(F),
            maximal(T, X, F, X0),
            STAYS_POSITIVE,
            ode(INFINITY, Y, G),
            until(h, symmetric(at(Y, t))),
            until(h, le(square(minus(at(G, t), at(F, at(Y, t)))), mul(defect, defect))),
            until(h, stretches(at(Y, t))),
            le(square(minus(X0, at(Y, number(0)))), mul(start, start)),
            pd(h),
            conj(psd(start), psd(defect), psd(slope), pd(minus(tube, reached()))),
        ),
        conj(
            within(h, T),
            le(square(minus(at(X, h), at(Y, h))), mul(reached(), reached())),
        ),
        "If $Y$ is symmetric on $[0, h]$ with $‖Y′ − F(Y)‖ ≤ c$, and $F$ has the one-sided "
        "Lipschitz constant $l$ around it, up to the distance $e$, then $X$ exists beyond $h$, and "
        "$‖X(h) − Y(h)‖ ≤ r + (l e + c) h$ when this is less than $e$ and "
        "$‖X₀ − Y(0)‖ ≤ r$; the norm is that of Frobenius.",
        f"{HARTMAN}, Theorem III.4.1 (the distance has a right derivative of at most $l e + c$ "
        "while it is at most $e$) and II.3.1 (up to a finite time $X$ would stay in a compact set "
        "of positive semidefinite matrices, near which $F$ is smooth)",
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
)
