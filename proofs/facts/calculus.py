"""Facts of calculus in one variable: rules for derivatives, growth, and limits.

Derivatives are those from the right of continuous curves, as in ``ode``; the usual proofs of the
rules take limits of difference quotients from either side.
"""

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
    exp,
    finite,
    forall,
    head,
    implies,
    inv,
    invertible,
    lam,
    le,
    lifetime,
    limit,
    log,
    mat,
    minus,
    mul,
    number,
    ode,
    on_lifetime,
    pd,
    psd,
    real,
    root,
    scale,
    time_to,
    total,
    tp,
    tr,
    zero,
)
from proofs.terms import ONE

d, m, n, p = (dim(name) for name in "dmnp")
X, Y, Z = time_to("X", m, n), time_to("Y", m, n), time_to("Z", n, p)
G, H, L = time_to("G", m, n), time_to("H", m, n), time_to("L", n, p)
M, N, D = (time_to(name, d, d) for name in "MND")
E = mat("E", m, n)
r, g = time_to("r", ONE, ONE), time_to("g", ONE, ONE)
i, members, velocities = head("i", p), curves("f", p, m, n), curves("h", p, m, n)
q, slope = time_to("q", ONE, ONE), time_to("p", ONE, ONE)
T = lifetime("T")
t, b, c, k = (real(name) for name in "tbck")

RUDIN = "Rudin, Principles of Mathematical Analysis, 3rd ed."
HARTMAN = "Hartman, Ordinary Differential Equations, 2nd ed."

FACTS = (
    Fact(
        "derivative-of-sum",
        (ode(T, X, G), ode(T, Y, H)),
        ode(T, lam(t, add(at(X, t), at(Y, t))), lam(t, add(at(G, t), at(H, t)))),
        "$(X + Y)′ = X′ + Y′$.",
        f"{RUDIN}, Theorem 5.3",
    ),
    Fact(
        "derivative-of-family-sum",
        (forall(i, ode(T, at(members, i), at(velocities, i))),),
        ode(
            T,
            lam(t, total(i, at(members, i, t))),
            lam(t, total(i, at(velocities, i, t))),
        ),
        "The derivative of the sum of a family of curves is the sum of their derivatives.",
        f"{RUDIN}, Theorem 5.3",
    ),
    Fact(
        "derivative-of-transpose",
        (ode(T, X, G),),
        ode(T, lam(t, tp(at(X, t))), lam(t, tp(at(G, t)))),
        "$(Xᵀ)′ = (X′)ᵀ$.",
        f"{RUDIN}, Theorem 5.3 and Remarks 5.16 (entry by entry)",
    ),
    Fact(
        "derivative-of-trace",
        (ode(T, M, D),),
        ode(T, lam(t, tr(at(M, t))), lam(t, tr(at(D, t)))),
        "$(tr M)′ = tr M′$.",
        f"{RUDIN}, Theorem 5.3",
    ),
    Fact(
        "derivative-of-product",
        (ode(T, X, G), ode(T, Z, L)),
        ode(
            T,
            lam(t, mul(at(X, t), at(Z, t))),
            lam(t, add(mul(at(G, t), at(Z, t)), mul(at(X, t), at(L, t)))),
        ),
        "$(X Z)′ = X′ Z + X Z′$.",
        f"{RUDIN}, Theorem 5.3",
    ),
    Fact(
        "derivative-of-inverse",
        (ode(T, M, D), on_lifetime(T, lambda t: invertible(at(M, t)))),
        ode(
            T,
            lam(t, inv(at(M, t))),
            lam(t, scale(-1, mul(inv(at(M, t)), at(D, t), inv(at(M, t))))),
        ),
        "$(M⁻¹)′ = −M⁻¹ M′ M⁻¹$ where $M$ is invertible.",
        f"{RUDIN}, Theorem 9.8 (inversion is continuous), and the limit of "
        "$(M(t)⁻¹ − M(s)⁻¹)/(t − s) = −M(t)⁻¹ (M(t) − M(s))/(t − s) M(s)⁻¹$",
    ),
    Fact(
        "derivative-of-root",
        (ode(T, r, g), on_lifetime(T, lambda t: pd(at(r, t)))),
        ode(
            T,
            lam(t, root(at(r, t))),
            lam(t, mul(at(g, t), inv(scale(2, root(at(r, t)))))),
        ),
        "The square root of a positive number $r$ has the derivative $r′/(2 √r)$.",
        f"{RUDIN}, Theorem 5.5 (chain rule)",
    ),
    Fact(
        "derivative-of-exponential",
        (ode(T, r, g),),
        ode(T, lam(t, exp(at(r, t))), lam(t, mul(exp(at(r, t)), at(g, t)))),
        "$exp(r)′ = exp(r) r′$.",
        f"{RUDIN}, Theorems 5.5 (chain rule) and 8.6",
    ),
    Fact(
        "derivative-of-logarithm",
        (ode(T, r, g), on_lifetime(T, lambda t: pd(at(r, t)))),
        ode(T, lam(t, log(at(r, t))), lam(t, mul(at(g, t), inv(at(r, t))))),
        "$(log r)′ = r′/r$ for a positive number $r$.",
        f"{RUDIN}, Theorem 5.5 (chain rule) and equation 8.41",
    ),
    Fact(
        "unique-derivative",
        (ode(T, X, G), ode(T, X, H)),
        on_lifetime(T, lambda t: eq(at(G, t), at(H, t))),
        "A curve has one derivative.",
        f"{RUDIN}, Definition 5.1",
    ),
    Fact(
        "zero-derivative",
        (ode(T, X, lam(t, zero(m, n))),),
        on_lifetime(T, lambda t: eq(at(X, t), at(X, number(0)))),
        "What has derivative 0 is constant.",
        f"{HARTMAN}, Theorem III.4.1 (differential inequalities, by derivatives from the right)",
    ),
    Fact(
        "exponential-bound",
        (ode(T, r, g), on_lifetime(T, lambda t: le(at(g, t), mul(c, at(r, t))))),
        on_lifetime(T, lambda t: le(at(r, t), mul(at(r, number(0)), exp(mul(c, t))))),
        "If $r′ ≤ c r$ then $r(t) ≤ r(0) exp(c t)$.",
        f"{HARTMAN}, Theorem III.4.1 (differential inequalities, by derivatives from the right)",
    ),
    Fact(
        "quadratic-growth",
        (
            ode(T, r, g),
            pd(c),
            pd(at(r, number(0))),
            on_lifetime(
                T,
                lambda t: implies(pd(at(r, t)), le(mul(c, at(r, t), at(r, t)), at(g, t))),
            ),
        ),
        at_most(T, finite(inv(mul(c, at(r, number(0)))))),
        "If $r′ ≥ c r²$ wherever $r > 0$, with $c > 0$, and $r(0) > 0$, then $r$ ends no later "
        "than at the time $1/(c r(0))$.",
        f"{HARTMAN}, Theorem III.4.1 (differential inequalities, by derivatives from the right: "
        "$r$ does not fall while it is positive, hence stays so)",
    ),
    Fact(
        "invariant-cone",
        (
            ode(T, r, g),
            ode(T, q, slope),
            pd(k),
            psd(b),
            pd(at(r, number(0))),
            psd(at(q, number(0))),
            on_lifetime(
                T,
                lambda t: implies(
                    conj(pd(at(r, t)), psd(add(at(q, t), mul(k, at(r, t), at(r, t))))),
                    conj(
                        le(mul(c, at(r, t), at(q, t)), at(slope, t)),
                        psd(add(at(g, t), mul(b, at(r, t), at(r, t)))),
                    ),
                ),
            ),
        ),
        on_lifetime(T, lambda t: conj(pd(at(r, t)), psd(at(q, t)))),
        "If $q′ ≥ c r q$ and $r′ ≥ −b r²$ wherever $r > 0$ and $q ≥ −k r²$, with $k > 0$, and "
        "$r(0) > 0$, $q(0) ≥ 0$, then $r > 0$ and $q ≥ 0$.",
        f"{HARTMAN}, Theorem III.4.1 (differential inequalities, by derivatives from the right: as "
        "long as the premise holds, $q$ is not negative and $r ≥ r(0)/(1 + b r(0) t)$, so that it "
        "goes on to hold)",
    ),
    Fact(
        "falling-function",
        (ode(T, r, g), on_lifetime(T, lambda t: psd(scale(-1, at(g, t))))),
        on_lifetime(T, lambda t: le(at(r, t), at(r, number(0)))),
        "A function whose derivative is nowhere positive does not grow.",
        f"{HARTMAN}, Theorem III.4.1 (differential inequalities, by derivatives from the right)",
    ),
    Fact(
        "limit-by-difference",
        (limit(lam(t, minus(at(X, t), E)), zero(m, n)),),
        limit(X, E),
        "If $X(t) − E$ converges to 0 then $X(t)$ converges to $E$.",
        "definition of the limit",
    ),
    Fact(
        "squeezed-limit",
        (
            on_lifetime(INFINITY, lambda t: psd(at(M, t))),
            on_lifetime(INFINITY, lambda t: le(at(M, t), at(N, t))),
            limit(N, zero(d, d)),
        ),
        limit(M, zero(d, d)),
        "If $0 ⪯ M(t) ⪯ N(t)$ and $N(t)$ converges to $0$, so does $M(t)$.",
        "Horn and Johnson, Matrix Analysis, 2nd ed., Corollary 4.3.12 (eigenvalues are monotone "
        "in the Loewner order, so that the spectral norm of $M$ is at most that of $N$)",
    ),
)
