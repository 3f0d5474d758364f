"""Facts on exponentials, on the order and continuity of integrals, and on laws on the line."""

from __future__ import annotations

from fractions import Fraction

from proofs.facts.base import Fact
from proofs.language import (
    add,
    at,
    conj,
    continuity,
    continuous,
    dim,
    eq,
    exists,
    exp,
    forall,
    gaussian,
    implies,
    integrable,
    integral,
    inv,
    lam,
    le,
    lifetime,
    log,
    lt,
    mat,
    minus,
    mul,
    negation,
    number,
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
from proofs.terms import ONE, REAL, Term, function_sort, matrix_sort, measure_sort, variable

HALF = Fraction(1, 2)
T, t, x = lifetime("T"), real("t"), real("x")
a, b, c, g, h, k, m, p, q, r, s = (real(name) for name in "abcghkmpqrs")
ZERO = number(0)

d, n = dim("d"), dim("n")
POINT, PARAMETER = matrix_sort(d, ONE), matrix_sort(n, ONE)
nu = variable("nu", measure_sort(d))
lower, upper = (variable(name, function_sort(POINT, REAL)) for name in ("f", "g"))
integrand = variable("f", function_sort(PARAMETER, function_sort(POINT, REAL)))
u, y, z = vec("u", n), vec("y", d), vec("z", d)
centre, tilt, covariance = vec("a", d), vec("h", d), mat("C", d, d)

mean, variance = time_to("m", ONE, ONE), time_to("S", ONE, ONE)
velocity = variable("w", function_sort(REAL, function_sort(REAL, REAL)))

RUDIN = "Rudin, Principles of Mathematical Analysis, 3rd ed."
BILLINGSLEY = "Billingsley, Probability and Measure, 3rd ed."


def between(bound: Term, value: Term) -> Term:
    """-bound <= value <= bound."""
    return conj(le(scale(-1, bound), value), le(value, bound))


def profile(rate: Term, point: Term) -> Term:
    """b x + c + k exp(rate (x - point)^2)."""
    offset = minus(x, point)
    return add(mul(b, x), c, mul(k, exp(mul(rate, offset, offset))))


def vanish_with(coefficients: tuple[Term, ...]) -> Term:
    """Every product of a coefficient with p and with q is 0."""
    return conj(*(eq(mul(f, e), ZERO) for f in coefficients for e in (p, q)))


FACTS = (
    Fact(
        "exponential-above-tangent",
        (),
        conj(
            le(add(number(1), r), exp(r)),
            implies(negation(eq(r, ZERO)), lt(add(number(1), r), exp(r))),
        ),
        "$exp(r) ≥ 1 + r$, with equality at $0$ only.",
        f"{RUDIN}, Theorems 8.6 and 5.10",
    ),
    Fact(
        "logarithm-of-exponential",
        (),
        eq(log(exp(r)), r),
        "$log(exp(r)) = r$.",
        f"{RUDIN}, equation 8.37",
    ),
    Fact(
        "exponential-of-logarithm",
        (pd(r),),
        eq(exp(log(r)), r),
        "$exp(log(r)) = r$ for $r > 0$.",
        f"{RUDIN}, equation 8.36",
    ),
    Fact(
        "exponentials-independent",
        (
            forall(
                x,
                eq(
                    mul(add(a, mul(b, x)), exp(add(mul(p, x), mul(q, x, x)))),
                    add(mul(c, exp(add(mul(r, x), mul(s, x, x)))), g, mul(h, x)),
                ),
            ),
        ),
        conj(vanish_with((b,)), implies(eq(c, ZERO), vanish_with((a, g, h)))),
        "$(a + b x) exp(p x + q x²) = c exp(r x + s x²) + g + h x$ for all $x$ is possible only "
        "with $p = q = 0$ or $b = 0$, and for $c = 0$ only with $p = q = 0$ or $a = b = g = h = "
        "0$.",
        f"{RUDIN}, Theorem 8.6: of exponentials of polynomials that do not differ by constants, "
        "the one that grows fastest as $x$ tends to infinity has coefficient $0$, then the "
        "next one",
    ),
    Fact(
        "exponential-growth",
        (pd(q), forall(x, between(add(r, mul(s, x, x)), profile(q, m)))),
        conj(eq(k, ZERO), implies(eq(s, ZERO), eq(b, ZERO))),
        "If $|b x + c + k exp(q (x − m)²)| ≤ r + s x²$ for all $x$, with $q > 0$, then $k = 0$, "
        "and with $s = 0$ also $b = 0$.",
        f"{RUDIN}, Theorem 8.6 (an exponential grows faster than every power)",
    ),
    Fact(
        "dominated-integral",
        (
            continuous(lower),
            Term("integrable", (nu, upper)),
            forall(y, between(at(upper, y), at(lower, y))),
        ),
        conj(
            Term("integrable", (nu, lower)),
            between(integral(nu, y, at(upper, y)), integral(nu, y, at(lower, y))),
        ),
        "A continuous $f$ with $|f| ≤ g$, for an integrable $g$, is integrable, and the integral "
        "of $g$ bounds that of $f$.",
        f"{RUDIN}, Theorem 11.27 and Remarks 11.23",
    ),
    Fact(
        "dominated-continuity",
        (
            forall(u, continuous(at(integrand, u))),
            forall(y, continuous(lam(u, at(integrand, u, y)))),
            Term("integrable", (nu, upper)),
            forall(u, forall(y, between(at(upper, y), at(integrand, u, y)))),
        ),
        continuous(lam(u, integral(nu, y, at(integrand, u, y)))),
        "An integral is continuous in a parameter when the integrand is continuous in the "
        "parameter and in the variable, and is bounded by an integrable function of the variable.",
        f"{RUDIN}, Theorem 11.32 (dominated convergence)",
    ),
    Fact(
        "strict-order-of-integrals",
        (
            pd(covariance),
            continuous(lower),
            continuous(upper),
            integrable(gaussian(centre, covariance), y, at(lower, y)),
            integrable(gaussian(centre, covariance), y, at(upper, y)),
            forall(y, le(at(lower, y), at(upper, y))),
            lt(at(lower, z), at(upper, z)),
        ),
        lt(
            integral(gaussian(centre, covariance), y, at(lower, y)),
            integral(gaussian(centre, covariance), y, at(upper, y)),
        ),
        "For continuous $f ≤ g$ with $f < g$ somewhere, the integral of $f$ against a Gaussian "
        "with positive definite covariance is smaller than that of $g$.",
        f"{BILLINGSLEY}, Theorem 15.2 and Section 29 (the Gaussian has a positive density)",
    ),
    Fact(
        "gaussian-exponential-moment",
        (psd(covariance),),
        eq(
            integral(gaussian(centre, covariance), y, exp(mul(tp(tilt), y))),
            exp(
                add(
                    mul(tp(tilt), centre),
                    scale(HALF, mul(tp(tilt), covariance, tilt)),
                )
            ),
        ),
        "The integral of $exp(hᵀ y)$ against $N(a, C)$ is $exp(hᵀ a + hᵀ C h/2)$.",
        f"{BILLINGSLEY}, Sections 21 and 29 (moment generating function of the normal "
        "distribution)",
    ),
    Fact(
        "line-velocity",
        (
            continuity(T, lam(t, gaussian(at(mean, t), at(variance, t))), velocity),
            on_lifetime(T, lambda t: pd(at(variance, t))),
            within(t, T),
            continuous(at(velocity, t)),
        ),
        exists(
            b,
            exists(
                c,
                exists(
                    k,
                    forall(
                        x,
                        eq(
                            at(velocity, t, x),
                            profile(scale(HALF, inv(at(variance, t))), at(mean, t)),
                        ),
                    ),
                ),
            ),
        ),
        "A continuous velocity that moves a Gaussian on the line through Gaussians $N(m, S)$, $S "
        "> 0$, is an affine function plus a multiple of the inverse of the density.",
        f"follows from {BILLINGSLEY}, Section 29, and Hormander, The Analysis of Linear Partial "
        "Differential Operators I, 2nd ed., Theorem 3.1.4: testing with two functions shows that "
        "$m$ and $S$ have right derivatives; by Stein's identity the affine velocity "
        "$m′ + S′ (x − m)/(2 S)$ moves the law in the same way; so the difference of the two, "
        "times the density, has derivative $0$ and is a constant",
    ),
)
