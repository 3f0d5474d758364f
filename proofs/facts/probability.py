"""Facts on Gaussian measures and the continuity equation."""

from __future__ import annotations

from proofs.facts.base import Fact
from proofs.language import (
    add,
    at,
    conj,
    continuity,
    dim,
    eq,
    exp,
    forall,
    gaussian,
    implies,
    integral,
    lam,
    lifetime,
    mat,
    measures,
    mul,
    ode,
    on_lifetime,
    pd,
    psd,
    real,
    scale,
    time_to,
    tp,
    vec,
    within,
)
from proofs.terms import ONE, REAL, function_sort, matrix_sort, measure_sort, variable

d, m, n = dim("d"), dim("m"), dim("n")
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

FACTS = (
    Fact(
        "exponential-of-sum",
        (),
        conj(eq(exp(add(r, s)), mul(exp(r), exp(s))), pd(exp(r))),
        "exp(r + s) = exp(r) exp(s) and exp(r) > 0.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Theorem 8.6",
    ),
    Fact(
        "constant-factor",
        (),
        eq(
            integral(nu, y, scale(r, at(f, y))),
            scale(r, integral(nu, y, at(f, y))),
        ),
        "A constant factor comes out of an integral (one that does not exist counts as 0).",
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
        "Weighted by exp(h^T y), the measure N(a, C) has positive mass and mean a + C h.",
        "Billingsley, Probability and Measure, 3rd ed., Sections 21 and 29 (moment generating "
        "function of the normal distribution and its derivative)",
    ),
    Fact(
        "gaussian-second-moment",
        (psd(C),),
        eq(
            integral(gaussian(a, C), y, mul(L, y, tp(y), R)),
            mul(L, add(C, mul(a, tp(a))), R),
        ),
        "The second moment of N(a, C) is C + a a^T.",
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
        "If a' = B a + c and C' = B C + C B^T then N(a(t), C(t)) solves the continuity equation "
        "with the affine velocity B x + c.",
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
