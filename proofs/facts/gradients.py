"""Facts on functions of several variables: mixed derivatives, gradients, their symmetry."""

from __future__ import annotations

from proofs.facts.base import Fact
from proofs.facts.calculus import RUDIN
from proofs.language import (
    INFINITY,
    add,
    at,
    conj,
    continuous,
    dim,
    eq,
    exists,
    forall,
    gradient,
    implies,
    lam,
    literal,
    mat,
    minus,
    mul,
    number,
    ode,
    real,
    scale,
    smooth_at,
    symmetric,
    time_to,
    tp,
    tr,
    vec,
    vector_field,
    zero,
)
from proofs.terms import ONE, REAL, Term, function_sort, matrix_sort, size, variable

k, l, m, n = (dim(name) for name in "klmn")  # noqa: E741 (a size)
t = real("t")
ZERO = number(0)

#: functions of two numbers
two_f, two_g, two_h, two_p, two_q = (
    variable(name, function_sort(REAL, function_sort(REAL, REAL))) for name in "fghpq"
)
s, z = real("s"), vec("z", size(2))
PLACE = mul(literal([[1, 0]]), z), mul(literal([[0, 1]]), z)

#: a metric, a vector field and a potential on R^n; a place, and the derivative of the field there
metric = variable("G", function_sort(matrix_sort(n, ONE), matrix_sort(n, n)))
flow, potential = vector_field("f", n), variable("E", function_sort(matrix_sort(n, ONE), REAL))
place, u, linear = vec("p", n), vec("u", n), mat("J", n, n)
path, speed = time_to("X", n, ONE), time_to("U", n, ONE)
slopes = variable("h", function_sort(matrix_sort(n, ONE), function_sort(REAL, matrix_sort(n, ONE))))
moved, FLOW = add(place, scale(t, u)), at(flow, at(path, t))

#: a function of matrices, its gradient, and derivatives along rays from Z
MATRICES = matrix_sort(m, n)
E = variable("E", function_sort(MATRICES, REAL))
F = variable("F", function_sort(MATRICES, MATRICES))
Z, U, W = (mat(name, m, n) for name in "ZUW")
X, G, G2, H, H2, J, J2 = (time_to(name, m, n) for name in ("X", "G", "G2", "H", "H2", "J", "J2"))
S = variable("S", function_sort(MATRICES, matrix_sort(k, l)))
P, P2 = (time_to(name, k, l) for name in ("P", "P2"))


def twice(direction: Term, first: Term, second: Term) -> tuple[Term, Term]:
    """F has these derivatives along the ray in a direction."""
    return (
        ode(INFINITY, lam(t, at(F, add(Z, scale(t, direction)))), first),
        ode(INFINITY, first, second),
    )


FACTS = (
    Fact(
        "mixed-derivatives",
        (
            forall(s, ode(INFINITY, lam(t, at(two_f, t, s)), lam(t, at(two_g, t, s)))),
            forall(t, ode(INFINITY, lam(s, at(two_f, t, s)), lam(s, at(two_h, t, s)))),
            forall(t, ode(INFINITY, lam(s, at(two_g, t, s)), lam(s, at(two_p, t, s)))),
            forall(s, ode(INFINITY, lam(t, at(two_h, t, s)), lam(t, at(two_q, t, s)))),
            continuous(lam(z, at(two_p, *PLACE))),
            continuous(lam(z, at(two_q, *PLACE))),
        ),
        eq(at(two_p, number(0), number(0)), at(two_q, number(0), number(0))),
        "Continuous mixed derivatives do not depend on the order of differentiation.",
        f"{RUDIN}, Theorem 9.41 (derivatives from the right, for $t, s ≥ 0$: both are the density "
        "of $f(t, s) − f(t, 0) − f(0, s) + f(0, 0)$)",
    ),
    Fact(
        "gradient-linearisation",
        (
            continuous(metric),
            smooth_at(flow, place),
            eq(at(flow, place), zero(n, ONE)),
            forall(u, ode(INFINITY, lam(t, at(flow, moved)), lam(t, at(slopes, u, t)))),
            forall(u, eq(at(slopes, u, number(0)), mul(linear, u))),
            forall(
                path,
                forall(
                    speed,
                    implies(
                        ode(INFINITY, path, speed),
                        ode(
                            INFINITY,
                            lam(t, at(potential, at(path, t))),
                            lam(t, mul(tp(at(speed, t)), at(metric, at(path, t)), FLOW)),
                        ),
                    ),
                ),
            ),
        ),
        symmetric(mul(at(metric, place), linear)),
        "Let $G f$ be the gradient of $E$, with $G$ continuous, $f$ smooth near $p$, $f(p) = 0$. "
        "If $J$ is the derivative of $f$ at $p$ then $G(p) J$ is symmetric.",
        "Dieudonne, Foundations of Modern Analysis, (8.12.2): $G f$ has the derivative $G(p) J$ at "
        "$p$, as $f(p) = 0$, so that $E$ is twice differentiable there",
    ),
    Fact(
        "symmetric-third-derivative",
        (
            gradient(E, F),
            smooth_at(F, Z),
            *twice(U, G, G2),
            *twice(W, H, H2),
            *twice(add(U, W), J, J2),
        ),
        eq(
            scale(2, tr(mul(tp(at(G2, ZERO)), W))),
            tr(mul(tp(minus(minus(at(J2, ZERO), at(G2, ZERO)), at(H2, ZERO))), U)),
        ),
        "If $F$ is a gradient and smooth near $Z$, its second derivative at $Z$ is symmetric in "
        "all three directions; that in the directions $U$ and $W$ is half of what the one along "
        "$U + W$ has beside those along $U$ and along $W$.",
        f"{RUDIN}, Theorems 9.21 and 9.41 (applied to the derivatives of the function)",
    ),
    Fact(
        "smooth-along-line",
        (forall(Z, smooth_at(S, Z)),),
        exists(
            P,
            exists(
                P2,
                conj(
                    ode(INFINITY, lam(t, at(S, add(Z, scale(t, U)))), P),
                    ode(INFINITY, P, P2),
                ),
            ),
        ),
        "A map that is smooth everywhere has a first and a second derivative along every ray.",
        f"{RUDIN}, Theorem 9.15 (chain rule)",
    ),
    Fact(
        "derivative-of-factor",
        (
            ode(INFINITY, lam(t, scale(t, at(X, t))), G),
            ode(INFINITY, G, H),
            ode(INFINITY, X, J),
        ),
        eq(at(H, ZERO), scale(2, at(J, ZERO))),
        "The second derivative of $t X(t)$ at $0$ is $2 X′(0)$.",
        f"{RUDIN}, Theorem 6.21 ($t X(t)$ is the integral of its derivative $G$, hence $X(t)$ is "
        "$G(0) + t G′(0)/2$ up to what is small beside $t$)",
    ),
)
