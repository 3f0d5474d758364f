"""Facts on Gaussian measures and the continuity equation."""

from __future__ import annotations

from fractions import Fraction

from proofs.facts.base import Fact
from proofs.language import (
    add,
    at,
    atoms,
    balanced,
    conj,
    continuity,
    continuous,
    det,
    dim,
    eq,
    exp,
    family,
    forall,
    gaussian,
    head,
    identity,
    implies,
    integrable,
    integral,
    inv,
    lam,
    lifetime,
    mat,
    measures,
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
    symmetric,
    time_to,
    total,
    tp,
    vec,
    within,
)
from proofs.terms import ONE, REAL, Term, function_sort, matrix_sort, measure_sort, variable

d, k, m, n, p = (dim(name) for name in "dkmnp")
a, h, x, y = vec("a", d), vec("h", d), vec("x", d), vec("y", d)
C, L, R, W = mat("C", d, d), mat("L", m, d), mat("R", d, n), mat("W", m, d)
T, t, r, s = lifetime("T"), real("t"), real("r"), real("s")
b = vec("b", m)
mean, covariance = time_to("a", d, ONE), time_to("C", d, d)
linear, constant = time_to("B", d, d), time_to("c", d, ONE)
mu = measures("mu", d)
POINT = matrix_sort(d, ONE)
VELOCITY = function_sort(REAL, function_sort(POINT, POINT))
v, w = variable("v", VELOCITY), variable("w", VELOCITY)
MASS = integral(gaussian(a, C), y, exp(mul(tp(h), y)))

f = variable("f", function_sort(POINT, matrix_sort(m, n)))
nu = variable("nu", measure_sort(d))
i = head("i", p)
masses, places = family("w", p, ONE, ONE), family("x", p, d, ONE)
N, P = mat("N", k, m), mat("P", n, p)

HALF = Fraction(1, 2)
S, M = mat("S", d, d), mat("M", d, d)
#: I + C^{1/2} S C^{1/2} and C^{1/2} (I + C^{1/2} S C^{1/2})^{-1} C^{1/2}
PRECISION = add(identity(d), mul(root(C), S, root(C)))
SHRUNK = mul(root(C), inv(PRECISION), root(C))
CENTRED = minus(y, a)
QUADRATIC_WEIGHT = exp(minus(mul(tp(h), CENTRED), scale(HALF, mul(tp(CENTRED), S, CENTRED))))
QUADRATIC_MASS = integral(gaussian(a, C), y, QUADRATIC_WEIGHT)

phi, psi = (variable(name, function_sort(POINT, REAL)) for name in ("phi", "psi"))
SCORE = exp(mul(tp(x), M, y))
BALANCED = mul(r, exp(at(phi, x)), SCORE, exp(at(psi, y)))

FACTS = (
    Fact(
        "exponential-of-sum",
        (),
        conj(eq(exp(add(r, s)), mul(exp(r), exp(s))), pd(exp(r))),
        "$exp(r + s) = exp(r) exp(s)$ and $exp(r) > 0$.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Theorem 8.6",
    ),
    Fact(
        "integral-over-atoms",
        (forall(i, psd(at(masses, i))),),
        eq(
            Term("integral", (atoms(masses, places), f)),
            total(i, scale(at(masses, i), at(f, at(places, i)))),
        ),
        "The integral of $f$ against point masses $w_i ≥ 0$ at $x_i$ is the sum of $w_i f(x_i)$.",
        "Billingsley, Probability and Measure, 3rd ed., Example 16.1",
    ),
    Fact(
        "integrable-over-atoms",
        (forall(i, psd(at(masses, i))), continuous(phi)),
        Term("integrable", (atoms(masses, places), phi)),
        "A continuous function is integrable against finitely many point masses.",
        "Billingsley, Probability and Measure, 3rd ed., Example 16.1",
    ),
    Fact(
        "constant-factor",
        (),
        eq(
            integral(nu, y, scale(r, at(f, y))),
            scale(r, integral(nu, y, at(f, y))),
        ),
        "A constant factor comes out of an integral (one that does not exist counts as $0$).",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Theorem 11.26",
    ),
    Fact(
        "gaussian-tilt",
        (psd(C),),
        conj(
            pd(MASS),
            eq(
                integral(gaussian(a, C), y, scale(exp(mul(tp(h), y)), add(mul(L, y), b))),
                scale(MASS, add(mul(L, add(a, mul(C, h))), b)),
            ),
        ),
        "Weighted by $exp(hᵀ y)$, the measure $N(a, C)$ has positive mass and mean $a + C h$.",
        "Billingsley, Probability and Measure, 3rd ed., Sections 21 and 29 (moment generating "
        "function of the normal distribution and its derivative)",
    ),
    Fact(
        "gaussian-quadratic-tilt",
        (psd(C), symmetric(S), pd(PRECISION)),
        conj(
            pd(QUADRATIC_MASS),
            eq(
                integral(gaussian(a, C), y, scale(QUADRATIC_WEIGHT, add(mul(L, y), b))),
                scale(QUADRATIC_MASS, add(mul(L, add(a, mul(SHRUNK, h))), b)),
            ),
            eq(
                QUADRATIC_MASS,
                mul(inv(root(det(PRECISION))), exp(scale(HALF, mul(tp(h), SHRUNK, h)))),
            ),
        ),
        "Weighted by $exp(hᵀ (y − a) − (y − a)ᵀ S (y − a)/2)$, the measure $N(a, C)$ has mean $a "
        "+ D h$ and mass $exp(hᵀ D h/2) det(I + W S W)^{−1/2}$, where $D = W (I + W S W)⁻¹ W$ and "
        "$W = C^{1/2}$.",
        "Billingsley, Probability and Measure, 3rd ed., Section 29: $y = a + W z$ with $z$ "
        "standard, and completing the square in $z$",
    ),
    Fact(
        "gaussian-quadratic-integrable",
        (psd(C),),
        integrable(gaussian(a, C), y, add(mul(tp(y), S, y), mul(tp(h), y), r)),
        "Polynomials of degree $2$ are integrable against $N(a, C)$.",
        "Billingsley, Probability and Measure, 3rd ed., Section 29",
    ),
    Fact(
        "balanced-kernel",
        (
            pd(r),
            Term("integrable", (nu, phi)),
            Term("integrable", (nu, psi)),
            forall(x, eq(integral(nu, y, BALANCED), number(1))),
            forall(y, eq(integral(nu, x, BALANCED), number(1))),
        ),
        forall(
            x,
            forall(y, eq(at(balanced(nu, lam(x, lam(y, SCORE))), x, y), BALANCED)),
        ),
        "The Schrödinger system has at most one solution: if $u(x) exp(xᵀ M y) v(y)$ with "
        "integrable $log u$, $log v$ has both marginals $ν$, then it is the balanced kernel.",
        "Nutz, Introduction to Entropic Optimal Transport (2021), Theorem 2.1; the logarithm of "
        "the ratio of two solutions is a sum of functions of $x$ and of $y$, so that their "
        "relative entropies add up to $0$",
    ),
    Fact(
        "linear-image-of-integral",
        (Term("integrable", (nu, f)),),
        eq(integral(nu, y, mul(N, at(f, y), P)), mul(N, Term("integral", (nu, f)), P)),
        "Multiplication by fixed matrices commutes with integration.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Theorem 11.29",
    ),
    Fact(
        "gaussian-second-moment",
        (psd(C),),
        eq(
            integral(gaussian(a, C), y, mul(L, y, tp(y), R)),
            mul(L, add(C, mul(a, tp(a))), R),
        ),
        "The second moment of $N(a, C)$ is $C + a aᵀ$.",
        "Billingsley, Probability and Measure, 3rd ed., Section 29",
    ),
    Fact(
        "affine-transport",
        (
            ode(T, mean, lam(t, add(mul(at(linear, t), at(mean, t)), at(constant, t)))),
            ode(
                T,
                covariance,
                lam(
                    t,
                    add(
                        mul(at(linear, t), at(covariance, t)),
                        mul(at(covariance, t), tp(at(linear, t))),
                    ),
                ),
            ),
            on_lifetime(T, lambda t: psd(at(covariance, t))),
        ),
        continuity(
            T,
            lam(t, gaussian(at(mean, t), at(covariance, t))),
            lam(t, lam(x, add(mul(at(linear, t), x), at(constant, t)))),
        ),
        "If $a′ = B a + c$ and $C′ = B C + C Bᵀ$ then $N(a(t), C(t))$ solves the continuity "
        "equation with the affine velocity $B x + c$.",
        "follows from Stein's identity: Billingsley, Probability and Measure, 3rd ed., Section 29 "
        "(derivatives of Gaussian integrals in mean and covariance, here from the right)",
    ),
    Fact(
        "equal-velocity-fields",
        (
            continuity(T, mu, v),
            forall(
                t,
                implies(within(t, T), forall(x, eq(at(v, t, x), at(w, t, x)))),
            ),
        ),
        continuity(T, mu, w),
        "A velocity field may be written in any form that agrees with it everywhere.",
        "definition of the continuity equation",
    ),
)
