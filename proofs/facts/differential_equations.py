"""Facts on ordinary differential equations X' = F(X) for square matrices."""

from __future__ import annotations

from proofs.facts.base import Fact
from proofs.language import (
    INFINITY,
    add,
    at,
    at_most,
    conj,
    continuous,
    curves,
    dim,
    eq,
    escapes,
    exists,
    exp,
    family,
    field,
    finite,
    forall,
    head,
    identity,
    implies,
    inv,
    invertible,
    lam,
    le,
    lifetime,
    limit,
    limit_point,
    mat,
    maximal,
    minus,
    mul,
    number,
    ode,
    on_lifetime,
    pd,
    piecewise,
    psd,
    real,
    root,
    scale,
    smooth,
    smooth_at,
    smooth_on_cone,
    symmetric,
    time_to,
    total,
    tp,
    tr,
    vec,
    within,
    zero,
)
from proofs.terms import ONE, Term, function_sort, matrix_sort, variable

d, n = dim("d"), dim("n")
k, m, p = dim("k"), dim("m"), dim("p")
F, B = field("F", d), field("B", d)
X, Y, Phi = (time_to(name, d, d) for name in ("X", "Y", "Phi"))
X0, P, Z, L = (mat(name, d, d) for name in ("X0", "P", "Z", "L"))
T, S = lifetime("T"), lifetime("S")
t, c, r, s, b = (real(name) for name in ("t", "c", "r", "s", "b"))
bound = time_to("b", ONE, ONE)
u, w = vec("u", d), vec("w", d)

linear, velocity = time_to("B", d, d), time_to("G", d, d)
product = mul(at(linear, t), at(X, t))
left, right, slope = time_to("X", m, n), time_to("Y", n, p), time_to("G", m, n)
members, h = curves("f", k, m, n), head("h", k)
G = field("G", d)
function = variable("g", function_sort(matrix_sort(m, n), matrix_sort(p, k)))
pace = variable("h", function_sort(matrix_sort(d, d), matrix_sort(ONE, ONE)))
clock, inverse_clock = time_to("q", ONE, ONE), time_to("p", ONE, ONE)
end, value = mat("E", m, n), mat("C", p, k)
others = family("B", k, d, d)

RUDIN = "Rudin, Principles of Mathematical Analysis, 3rd ed."
HARTMAN = "Hartman, Ordinary Differential Equations, 2nd ed."
KHALIL = "Khalil, Nonlinear Systems, 3rd ed."

SMOOTH_ALONG = on_lifetime(T, lambda t: smooth_at(F, at(X, t)))
#: 1/(c tr(P X0))
UNTIL = finite(inv(mul(c, tr(mul(P, X0)))))
#: t -> F(X(t))
ALONG = lam(t, at(F, at(X, t)))
STAYS_POSITIVE = on_lifetime(T, lambda t: psd(at(X, t)))


def symmetric_and_commuting(matrix: Term) -> Term:
    """A symmetric matrix that commutes with all members of a family."""
    member = at(others, h)
    return conj(symmetric(matrix), forall(h, eq(mul(member, matrix), mul(matrix, member))))


#: X(t) = Phi(t) X0 Phi(t)^T on [0, T), Phi(t) invertible
CONGRUENT = exists(
    Phi,
    on_lifetime(
        T,
        lambda t: conj(
            invertible(at(Phi, t)),
            eq(at(X, t), mul(at(Phi, t), X0, tp(at(Phi, t)))),
        ),
    ),
)


def at_most_along_eigenvectors(rate: Term) -> Term:
    """u^T F(Z) u <= r rate |u|^2 whenever 0 <= Z <= c I and Z u = c u."""
    bounded = conj(psd(Z), le(Z, scale(c, identity(d))), eq(mul(Z, u), scale(c, u)))
    growth = le(mul(tp(u), at(F, Z), u), scale(r, scale(rate, mul(tp(u), u))))
    return forall(Z, forall(c, forall(u, implies(bounded, growth))))


FACTS = (
    Fact(
        "uniqueness",
        (SMOOTH_ALONG, maximal(T, X, F, X0), maximal(S, Y, F, X0)),
        conj(eq(T, S), on_lifetime(T, lambda t: eq(at(X, t), at(Y, t)))),
        "A maximal solution along which the field is smooth is the only one.",
        f"{HARTMAN}, Theorem II.1.1 (two solutions agree while both exist, so that one extends "
        "the other)",
    ),
    Fact(
        "global-solution",
        (smooth(F), ode(INFINITY, X, ALONG), eq(at(X, number(0)), X0)),
        maximal(INFINITY, X, F, X0),
        "A solution on $[0, ∞)$ is maximal.",
        f"{HARTMAN}, Theorem II.3.1 (the solution is differentiable by Theorem III.4.1)",
    ),
    Fact(
        "escaping-solution",
        (
            on_lifetime(finite(r), lambda t: smooth_at(F, at(X, t))),
            pd(r),
            ode(finite(r), X, ALONG),
            eq(at(X, number(0)), X0),
            escapes(finite(r), X),
        ),
        maximal(finite(r), X, F, X0),
        "A solution on $[0, r)$, along which the field is smooth, whose norm tends to infinity at "
        "$r$ is maximal.",
        f"{HARTMAN}, Theorem II.3.1 (the solution is differentiable by Theorem III.4.1)",
    ),
    Fact(
        "equal-fields",
        (
            smooth(F),
            smooth(G),
            maximal(T, X, F, X0),
            on_lifetime(T, lambda t: eq(at(F, at(X, t)), at(G, at(X, t)))),
        ),
        maximal(T, X, G, X0),
        "The maximal solution for one field is that for another one that agrees along it.",
        f"{HARTMAN}, Theorem II.3.1: at a finite $T$ the solution leaves every compact set",
    ),
    Fact(
        "equal-fields-on-cone",
        (
            smooth_on_cone(F),
            maximal(T, X, F, X0),
            STAYS_POSITIVE,
            on_lifetime(T, lambda t: eq(at(F, at(X, t)), at(G, at(X, t)))),
        ),
        maximal(T, X, G, X0),
        "If $F$ is smooth near each positive semidefinite matrix, a maximal solution for $F$ that "
        "stays positive semidefinite is maximal for another field that agrees with $F$ along it.",
        f"{HARTMAN}, Theorem II.1.1: a longer solution for the other field is positive "
        "semidefinite at $T$, whence the one for $F$ goes on, and with the first extends it",
    ),
    Fact(
        "change-of-time",
        (
            smooth_on_cone(F),
            maximal(T, X, F, X0),
            STAYS_POSITIVE,
            continuous(pace),
            forall(Z, implies(psd(Z), pd(at(pace, Z)))),
            on_lifetime(
                T, lambda t: eq(at(G, at(X, t)), scale(at(pace, at(X, t)), at(F, at(X, t))))
            ),
        ),
        exists(
            S,
            exists(
                clock,
                exists(
                    inverse_clock,
                    conj(
                        maximal(S, lam(t, at(X, at(clock, t))), G, X0),
                        ode(S, clock, lam(t, at(pace, at(X, at(clock, t))))),
                        eq(at(clock, number(0)), number(0)),
                        on_lifetime(S, lambda t: within(at(clock, t), T)),
                        on_lifetime(
                            T,
                            lambda t: conj(
                                within(at(inverse_clock, t), S),
                                eq(at(clock, at(inverse_clock, t)), t),
                            ),
                        ),
                    ),
                ),
            ),
        ),
        "If $G = h F$ along a maximal solution $X$ for $F$ that stays positive semidefinite, with "
        "a number $h > 0$ that depends continuously on the state, and $F$ is smooth near the cone, "
        "then $X$ in another time, $X(q(s))$ with $q(0) = 0$ and $q′ = h(X(q))$, is the maximal "
        "solution for $G$, and $q$ is a bijection of the intervals, with the inverse $p$.",
        f"follows from {RUDIN}, Theorems 5.5 and 6.20 ($q$ is the inverse of the integral of "
        f"$1/h(X)$), and {HARTMAN}, Theorem II.1.1: if $X(q)$ had a continuation, it would be "
        "semidefinite at the end of its interval, where $h$ is finite, so that $X$ could go on "
        "for $F$ from there",
    ),
    Fact(
        "commutant-invariance",
        (
            smooth(F),
            maximal(T, X, F, X0),
            symmetric_and_commuting(X0),
            forall(Z, implies(symmetric_and_commuting(Z), symmetric_and_commuting(at(F, Z)))),
        ),
        on_lifetime(T, lambda t: symmetric_and_commuting(at(X, t))),
        "A solution that starts in a linear space to which the field is tangent stays there; here "
        "the symmetric matrices that commute with given ones.",
        f"{HARTMAN}, Theorems II.1.1 and II.3.1 (the equation on the space, and uniqueness)",
    ),
    Fact(
        "unbounded-form",
        (
            pd(r),
            pd(c),
            on_lifetime(
                finite(r),
                lambda t: le(scale(c, inv(minus(r, t))), mul(tp(w), at(X, t), w)),
            ),
        ),
        escapes(finite(r), X),
        "If $wᵀ X(t) w ≥ c/(r − t)$ on $[0, r)$ with $c > 0$ then $‖X(t)‖$ tends to infinity at "
        "$r$.",
        "Cauchy-Schwarz: $wᵀ X w ≤ ‖w‖² ‖X‖$; Horn and Johnson, Matrix Analysis, 2nd ed., Section "
        "5.1",
    ),
    Fact(
        "bounded-solution",
        (
            smooth_on_cone(F),
            maximal(T, X, F, X0),
            STAYS_POSITIVE,
            pd(P),
            continuous(bound),
            on_lifetime(T, lambda t: le(tr(mul(P, at(X, t))), at(bound, t))),
        ),
        eq(T, INFINITY),
        "If $F$ is smooth near each positive semidefinite matrix, a solution that stays positive "
        "semidefinite with $tr(P X(t)) ≤ b(t)$, $P ≻ 0$, $b$ continuous on the whole line, is "
        "global.",
        f"{HARTMAN}, Theorem II.3.1 (up to a finite time it would stay in a compact set, near "
        "which $F$ is smooth)",
    ),
    Fact(
        "decreasing-form",
        (
            maximal(T, X, F, X0),
            on_lifetime(T, lambda t: le(tr(mul(P, at(F, at(X, t)))), number(0))),
        ),
        on_lifetime(T, lambda t: le(tr(mul(P, at(X, t))), tr(mul(P, X0)))),
        "A function whose derivative is not positive does not grow; here $tr(P X(t))$.",
        f"{RUDIN}, Theorem 5.11",
    ),
    Fact(
        "invariance-principle",
        (
            smooth_on_cone(F),
            maximal(INFINITY, X, F, X0),
            on_lifetime(INFINITY, lambda t: psd(at(X, t))),
            pd(P),
            forall(Z, implies(psd(Z), le(tr(mul(P, at(F, Z))), number(0)))),
        ),
        forall(
            Z,
            implies(limit_point(X, Z), conj(psd(Z), eq(tr(mul(P, at(F, Z))), number(0)))),
        ),
        "LaSalle's principle on the closed cone of positive semidefinite matrices with the "
        "function $tr(P X)$, $P ≻ 0$: its derivative vanishes at every limit point.",
        f"follows from {KHALIL}, Theorem 4.4, on the closure of the orbit, bounded as $P ≻ 0$",
    ),
    Fact(
        "equilibrium",
        (ode(INFINITY, X, ALONG), continuous(F), limit(X, L)),
        eq(at(F, L), zero(d, d)),
        "A solution of $X′ = F(X)$, $F$ continuous, can converge to zeros of $F$ only.",
        f"{RUDIN}, Theorem 5.10 (the mean value theorem: the entries of $X(t + 1) − X(t)$, "
        "which tend to 0, are those of $F(X)$ at times after $t$)",
    ),
    Fact(
        "constant-along",
        (
            limit(left, end),
            continuous(function),
            on_lifetime(INFINITY, lambda t: eq(at(function, at(left, t)), value)),
        ),
        eq(at(function, end), value),
        "A continuous function that is constant along a convergent curve has that value at the "
        "limit.",
        f"{RUDIN}, Theorem 4.2",
    ),
    Fact(
        "only-limit-point",
        (
            on_lifetime(INFINITY, lambda t: psd(at(X, t))),
            pd(P),
            on_lifetime(INFINITY, lambda t: le(tr(mul(P, at(X, t))), b)),
            forall(Z, implies(limit_point(X, Z), eq(Z, L))),
        ),
        limit(X, L),
        "A bounded curve with only one limit point converges to it.",
        f"{RUDIN}, Theorem 3.6",
    ),
    Fact(
        "congruence-flow",
        (
            smooth_on_cone(B),
            maximal(T, X, F, X0),
            psd(X0),
            forall(
                Z,
                implies(
                    symmetric(Z),
                    eq(at(F, Z), add(mul(at(B, Z), Z), mul(Z, tp(at(B, Z))))),
                ),
            ),
            smooth_on_cone(F),
        ),
        CONGRUENT,
        "If $X′ = B(X) X + X B(X)ᵀ$ on symmetric matrices, with fields that are smooth near each "
        "positive semidefinite one, and $X₀ ⪰ 0$, then $X(t) = Φ(t) X₀ Φ(t)ᵀ$, where the solution "
        "$Φ$ of $Φ′ = B(X(t)) Φ$, $Φ(0) = I$ is invertible.",
        f"follows from {HARTMAN}, Theorem II.1.1 (the solution of $Y′ = B(Y) Y + Y B(Y)ᵀ$ from "
        "a start in the closed cone is symmetric, and is $X$ as long as $X$ is near the cone) and "
        "Section IV.1 (fundamental matrices: it is a congruence of $X₀$, hence in the cone)",
    ),
    Fact(
        "linear-congruence-flow",
        (
            piecewise(T, linear),
            ode(T, X, lam(t, add(product, tp(product)))),
            eq(at(X, number(0)), X0),
            symmetric(X0),
        ),
        CONGRUENT,
        "If $X′ = B X + (B X)ᵀ$ for a piecewise continuous curve $B$ and $X₀$ is symmetric, then "
        "$X(t) = Φ(t) X₀ Φ(t)ᵀ$, where the solution $Φ$ of $Φ′ = B Φ$, $Φ(0) = I$ is invertible.",
        f"follows from {HARTMAN}, Section IV.1 (fundamental matrices, between the jumps of $B$), "
        "and Theorem III.4.1: what has right derivative $0$ is constant, first $X − Xᵀ$ "
        "and then $Φ⁻¹ X Φ⁻ᵀ$",
    ),
    Fact(
        "linear-inequality",
        (
            piecewise(T, linear),
            ode(T, X, velocity),
            psd(at(X, number(0))),
            on_lifetime(T, lambda t: le(add(product, tp(product)), at(velocity, t))),
        ),
        STAYS_POSITIVE,
        "If $X′ ⪰ B X + (B X)ᵀ$ for a piecewise continuous curve $B$ and $X(0) ⪰ 0$, then "
        "$X(t) ⪰ 0$.",
        f"follows from {HARTMAN}, Section IV.1 (fundamental matrices, between the jumps of "
        "$B$), and Theorem III.4.1: $uᵀ Φ⁻¹ X Φ⁻ᵀ u$ does not fall, where $Φ′ = B Φ$",
    ),
    Fact(
        "solution-piecewise",
        (ode(T, left, slope),),
        piecewise(T, left),
        "A solution is continuous, the more so piecewise continuous.",
        "definition of a solution of $X′ = G$ on $[0, T)$",
    ),
    Fact(
        "transpose-piecewise",
        (piecewise(T, left),),
        piecewise(T, lam(t, tp(at(left, t)))),
        "The transpose of a piecewise continuous curve is piecewise continuous.",
        f"{RUDIN}, Theorem 4.4",
    ),
    Fact(
        "product-piecewise",
        (piecewise(T, left), piecewise(T, right)),
        piecewise(T, lam(t, mul(at(left, t), at(right, t)))),
        "The product of piecewise continuous curves is piecewise continuous.",
        f"{RUDIN}, Theorem 4.4",
    ),
    Fact(
        "sum-piecewise",
        (forall(h, piecewise(T, at(members, h))),),
        piecewise(T, lam(t, total(h, at(members, h, t)))),
        "A finite sum of piecewise continuous curves is piecewise continuous.",
        f"{RUDIN}, Theorem 4.4",
    ),
    Fact(
        "two-summands-piecewise",
        (piecewise(T, left), piecewise(T, slope)),
        piecewise(T, lam(t, add(at(left, t), at(slope, t)))),
        "The sum of two piecewise continuous curves is piecewise continuous.",
        f"{RUDIN}, Theorem 4.4",
    ),
    Fact(
        "root-piecewise",
        (piecewise(T, X), STAYS_POSITIVE),
        piecewise(T, lam(t, root(at(X, t)))),
        "The root of a piecewise continuous curve of positive semidefinite matrices is one.",
        "Bhatia, Matrix Analysis, Theorem X.1.1 (the root is continuous); left limits are "
        "positive semidefinite too",
    ),
    Fact(
        "inverse-piecewise",
        (piecewise(T, X), STAYS_POSITIVE),
        piecewise(T, lam(t, inv(add(identity(d), at(X, t))))),
        "If $X(t) ⪰ 0$ is piecewise continuous, so is $(I + X(t))⁻¹$.",
        f"{RUDIN}, Theorem 9.8 (inversion is continuous); left limits are semidefinite too",
    ),
    Fact(
        "riccati-comparison",
        (
            smooth(F),
            maximal(T, X, F, X0),
            STAYS_POSITIVE,
            pd(s),
            pd(r),
            le(X0, scale(s, identity(d))),
            at_most_along_eigenvectors(mul(c, c)),
        ),
        conj(
            at_most(finite(inv(mul(r, s))), T),
            on_lifetime(
                finite(inv(mul(r, s))),
                lambda t: le(
                    at(X, t),
                    scale(mul(s, inv(minus(number(1), mul(r, s, t)))), identity(d)),
                ),
            ),
        ),
        "If the largest eigenvalue $c$ of $X$ grows at most like $c′ = r c²$, by the derivative "
        "on its eigenvectors, and is at most $s$ at the start, then the solution exists until "
        "$1/(r s)$, and the eigenvalue is at most $s/(1 − r s t)$ there.",
        f"follows from {HARTMAN}, Theorem III.4.1 (differential inequalities), and Kato, "
        "Perturbation Theory for Linear Operators, Section II.6 (derivative of eigenvalues)",
    ),
    Fact(
        "quadratic-bound",
        (
            smooth_on_cone(F),
            maximal(T, X, F, X0),
            STAYS_POSITIVE,
            pd(P),
            pd(c),
            pd(tr(mul(P, X0))),
            on_lifetime(
                T,
                lambda t: le(
                    tr(mul(P, at(F, at(X, t)))),
                    mul(c, tr(mul(P, at(X, t))), tr(mul(P, at(X, t)))),
                ),
            ),
        ),
        conj(
            at_most(UNTIL, T),
            on_lifetime(
                UNTIL,
                lambda t: le(
                    tr(mul(P, at(X, t))),
                    mul(
                        tr(mul(P, X0)),
                        inv(minus(number(1), mul(c, tr(mul(P, X0)), t))),
                    ),
                ),
            ),
        ),
        "If $y = tr(P X)$ with $P ≻ 0$ grows at most like $y′ = c y²$ from $y(0) > 0$, and $F$ is "
        "smooth near the cone in which $X$ stays, then $X$ exists until $1/(c y(0))$, and $y(t)$ "
        "is at most $y(0)/(1 − c y(0) t)$ there.",
        f"{HARTMAN}, Theorems III.4.1 (differential inequalities) and II.3.1 (it stays in a "
        "compact set until then)",
    ),
    Fact(
        "linear-comparison",
        (
            maximal(T, X, F, X0),
            STAYS_POSITIVE,
            le(X0, scale(s, identity(d))),
            at_most_along_eigenvectors(c),
        ),
        on_lifetime(T, lambda t: le(at(X, t), scale(mul(s, exp(mul(r, t))), identity(d)))),
        "If the largest eigenvalue $c$ of $X$ grows at most like $c′ = r c$, by the derivative on "
        "its eigenvectors, and is at most $s$ at the start, then it is at most $s exp(r t)$.",
        f"follows from {HARTMAN}, Theorem III.4.1 (differential inequalities), and Kato, "
        "Perturbation Theory for Linear Operators, Section II.6 (derivative of eigenvalues)",
    ),
)
