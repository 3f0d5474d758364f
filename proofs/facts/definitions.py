"""Facts that only unfold a notation of the statements."""

from __future__ import annotations

from proofs.facts.base import Fact
from proofs.language import (
    INFINITY,
    at,
    at_most,
    conj,
    dim,
    eq,
    finite,
    forall,
    implies,
    invertible,
    lam,
    le,
    lifetime,
    limit,
    lt,
    mat,
    maximal,
    mul,
    negation,
    number,
    ode,
    on_lifetime,
    pd,
    psd,
    real,
    symmetric,
    time_to,
    within,
)
from proofs.terms import function_sort, matrix_sort, variable

d = dim("d")
m, n = dim("m"), dim("n")
a, b, t, r = real("a"), real("b"), real("t"), real("r")
R, S, T = lifetime("R"), lifetime("S"), lifetime("T")
X, X0 = time_to("X", m, n), mat("X0", m, n)
F = variable("F", function_sort(matrix_sort(m, n), matrix_sort(m, n)))
Y, W, Y0 = time_to("Y", m, n), time_to("W", m, n), mat("Y0", m, n)
G, H = time_to("G", m, n), time_to("H", m, n)

FACTS = (
    Fact(
        "within",
        (within(t, T),),
        psd(t),
        "A time in $[0, T)$ is not negative.",
        "definition of $[0, T)$",
    ),
    Fact(
        "within-finite",
        (within(t, finite(r)),),
        lt(t, r),
        "A time in $[0, r)$ is less than $r$.",
        "definition of $[0, T)$",
    ),
    Fact(
        "time-within",
        (psd(t), lt(t, r)),
        within(t, finite(r)),
        "A time that is not negative and less than $r$ lies in $[0, r)$.",
        "definition of $[0, T)$",
    ),
    Fact(
        "time-before-infinity",
        (psd(t),),
        within(t, INFINITY),
        "A time that is not negative lies in $[0, ∞)$.",
        "definition of $[0, T)$",
    ),
    Fact(
        "within-longer",
        (within(t, S), at_most(S, T)),
        within(t, T),
        "A time in $[0, S)$ lies in $[0, T)$ when $S ≤ T$.",
        "definition of $[0, T)$",
    ),
    Fact(
        "finite-lifetime",
        (),
        negation(eq(finite(r), INFINITY)),
        "A real number is not infinity.",
        "definition of the extended reals",
    ),
    Fact(
        "lifetimes-ordered",
        (le(a, b),),
        at_most(finite(a), finite(b)),
        "The order of lifetimes extends that of the reals.",
        "definition of the extended reals",
    ),
    Fact(
        "lifetimes-transitive",
        (at_most(R, S), at_most(S, T)),
        at_most(R, T),
        "The order of lifetimes is transitive.",
        "definition of the extended reals",
    ),
    Fact(
        "lifetime-bound",
        (pd(r), on_lifetime(T, lambda t: lt(t, r))),
        at_most(T, finite(r)),
        "If $r > 0$ and all times in $[0, T)$ are less than $r$ then $T ≤ r$.",
        "definition of $[0, T)$",
    ),
    Fact(
        "time-at-most",
        (within(t, T),),
        at_most(finite(t), T),
        "A time in $[0, T)$ is at most $T$.",
        "definition of $[0, T)$",
    ),
    Fact(
        "every-time",
        (at_most(finite(number(0)), T), on_lifetime(S, lambda t: at_most(finite(t), T))),
        at_most(S, T),
        "If $T ≥ 0$ and no time in $[0, S)$ is greater than $T$ then $S ≤ T$.",
        "definition of $[0, T)$",
    ),
    Fact(
        "below-infinity",
        (),
        at_most(T, INFINITY),
        "No lifetime is longer than infinity.",
        "definition of the extended reals",
    ),
    Fact(
        "unbounded-lifetime",
        (forall(r, at_most(finite(r), T)),),
        eq(T, INFINITY),
        "A lifetime that is at least every real number is infinity.",
        "definition of the extended reals",
    ),
    Fact(
        "infinite-otherwise",
        (forall(r, implies(at_most(T, finite(r)), eq(T, INFINITY))),),
        eq(T, INFINITY),
        "A lifetime is at most some real number, or infinity.",
        "definition of the extended reals",
    ),
    Fact(
        "antisymmetry",
        (le(a, b), le(b, a)),
        eq(a, b),
        "If $a ≤ b$ and $b ≤ a$ then $a = b$.",
        "order axioms of the reals",
    ),
    Fact(
        "positive-factor",
        (psd(a), pd(mul(b, a))),
        pd(b),
        "If $a ≥ 0$ and $b a > 0$ then $b > 0$.",
        "order axioms of the reals",
    ),
    Fact(
        "nonzero-number",
        (negation(eq(r, number(0))),),
        invertible(r),
        "A real number that is not $0$ has an inverse.",
        "field axioms of the reals",
    ),
    Fact(
        "solution",
        (maximal(T, X, F, X0),),
        conj(ode(T, X, lam(t, at(F, at(X, t)))), eq(at(X, number(0)), X0)),
        "The maximal solution solves the equation and has the given start.",
        "definition of the maximal solution",
    ),
    Fact(
        "equal-velocities",
        (ode(T, Y, G), on_lifetime(T, lambda t: eq(at(G, t), at(H, t)))),
        ode(T, Y, H),
        "A derivative may be written in any form that agrees with it on $[0, T)$.",
        "definition of a solution of $X′ = G$ on $[0, T)$",
    ),
    Fact(
        "equal-paths",
        (ode(T, Y, G), on_lifetime(T, lambda t: eq(at(Y, t), at(W, t)))),
        ode(T, W, G),
        "Curves that agree on $[0, T)$ have the same derivative there.",
        "definition of a solution of $X′ = G$ on $[0, T)$",
    ),
    Fact(
        "equal-curves",
        (limit(Y, Y0), on_lifetime(INFINITY, lambda t: eq(at(Y, t), at(W, t)))),
        limit(W, Y0),
        "Curves that agree on $[0, ∞)$ have the same limit.",
        "definition of the limit",
    ),
    Fact(
        "positive-definite",
        (pd(mat("M", d, d)),),
        psd(mat("M", d, d)),
        "Positive definite implies positive semidefinite.",
        "definition",
    ),
    Fact(
        "semidefinite-symmetric",
        (psd(mat("M", d, d)),),
        symmetric(mat("M", d, d)),
        "Positive semidefinite matrices are symmetric.",
        "definition",
    ),
)
