"""Facts on ordinary differential equations X' = F(X) for square matrices."""

from __future__ import annotations

from proofs.facts.base import Fact
from proofs.language import (
    INFINITY,
    add,
    at,
    at_most,
    conj,
    curves,
    dim,
    eq,
    escapes,
    exists,
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
    symmetric,
    time_to,
    total,
    tp,
    tr,
    vec,
)
from proofs.terms import Term

d, n = dim("d"), dim("n")
k, m, p = dim("k"), dim("m"), dim("p")
F, B = field("F", d), field("B", d)
X, Y, Phi = (time_to(name, d, d) for name in ("X", "Y", "Phi"))
X0, P, Z, L = (mat(name, d, d) for name in ("X0", "P", "Z", "L"))
T, S = lifetime("T"), lifetime("S")
t, c, r, s, b = (real(name) for name in ("t", "c", "r", "s", "b"))
u, w = vec("u", d), vec("w", d)

linear = time_to("B", d, d)
product = mul(at(linear, t), at(X, t))
left, right, slope = time_to("X", m, n), time_to("Y", n, p), time_to("G", m, n)
members, h = curves("f", k, m, n), head("h", k)
G = field("G", d)
others = family("B", k, d, d)

RUDIN = "Rudin, Principles of Mathematical Analysis, 3rd ed."
HARTMAN = "Hartman, Ordinary Differential Equations, 2nd ed."
KHALIL = "Khalil, Nonlinear Systems, 3rd ed."

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

FACTS = (
    Fact(
        "uniqueness",
        (smooth(F), maximal(T, X, F, X0), maximal(S, Y, F, X0)),
        conj(eq(T, S), on_lifetime(T, lambda t: eq(at(X, t), at(Y, t)))),
        "The maximal solution of a smooth vector field from a given start is unique.",
        f"{HARTMAN}, Theorems II.1.1 and II.3.1",
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
            smooth(F),
            pd(r),
            ode(finite(r), X, ALONG),
            eq(at(X, number(0)), X0),
            escapes(finite(r), X),
        ),
        maximal(finite(r), X, F, X0),
        "A solution on $[0, r)$ whose norm tends to infinity at $r$ is maximal.",
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
            smooth(F),
            maximal(T, X, F, X0),
            STAYS_POSITIVE,
            pd(P),
            on_lifetime(T, lambda t: le(tr(mul(P, at(X, t))), b)),
        ),
        eq(T, INFINITY),
        "A solution that stays positive semidefinite with $tr(P X(t))$ bounded, $P ≻ 0$, is "
        "global.",
        f"{HARTMAN}, Theorem II.3.1",
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
            smooth(F),
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
            smooth(F),
            smooth(B),
            maximal(T, X, F, X0),
            symmetric(X0),
            forall(
                Z,
                implies(
                    symmetric(Z),
                    eq(at(F, Z), add(mul(at(B, Z), Z), mul(Z, tp(at(B, Z))))),
                ),
            ),
        ),
        CONGRUENT,
        "If $X′ = B(X) X + X B(X)ᵀ$ on symmetric matrices and $X₀$ is symmetric, then $X(t) = "
        "Φ(t) X₀ Φ(t)ᵀ$, where the solution $Φ$ of $Φ′ = B(X(t)) Φ$, $Φ(0) = I$ is invertible.",
        f"follows from {HARTMAN}, Section IV.1 (fundamental matrices); $X$ stays symmetric by "
        "uniqueness",
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
            forall(
                Z,
                forall(
                    c,
                    forall(
                        u,
                        implies(
                            conj(
                                psd(Z),
                                le(Z, scale(c, identity(d))),
                                eq(mul(Z, u), scale(c, u)),
                            ),
                            le(
                                mul(tp(u), at(F, Z), u),
                                scale(r, scale(mul(c, c), mul(tp(u), u))),
                            ),
                        ),
                    ),
                ),
            ),
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
)
