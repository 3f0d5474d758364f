"""Printed mathematics: exact strings, and that different things are printed differently."""

import itertools
import re
from fractions import Fraction

import pytest

from proofs import language as la
from proofs.builder import Builder, Summand, itself
from proofs.checkers import evaluation
from proofs.claims.base import ledger
from proofs.claims.covariance_equation import SOLUTION
from proofs.facts.base import all_facts
from proofs.kernel import RULES, Lemma, Proof, Statement, Step, trace
from proofs.printing.abbreviations import Abbreviations, Definition
from proofs.printing.derivation import REASONS, PrintedStep, derivation
from proofs.printing.display import display, lines
from proofs.printing.latex import inline, latex
from proofs.printing.statement import statement_latex, statement_markdown, statement_text
from proofs.printing.text import text
from proofs.reports.document import to_latex
from proofs.terms import (
    ONE,
    PROP,
    REAL,
    Term,
    function_sort,
    index,
    index_sort,
    measure_sort,
    size,
    sort_of,
    variable,
)

d, n, k = la.dim("d"), la.dim("n"), la.dim("k")
A, B, M, P, V, Sigma0, Pi = (la.mat(s, d, d) for s in ("A", "B", "M", "P", "V", "Sigma0", "Pi"))
K = la.mat("K", k, d)
S = la.mat("Sigma", d, d)
Sigma, G = la.time_to("Sigma", d, d), la.time_to("G", d, d)
c, r, s, t = (la.real(name) for name in "crst")
x, y, eta, alpha = (la.vec(name, d) for name in ("x", "y", "eta", "alpha"))
T = la.lifetime("T")
mu = la.measures("mu", d)
X = la.real("X")
F = la.field("F", d)
Identity = la.identity(d)
RESOLVENT = la.inv(la.minus(Identity, la.scale(t, M)))
POINT = x.args[0]
tau = la.real("tau")
theta, nu = variable("theta", measure_sort(ONE)), variable("nu", measure_sort(d))
SEEN = la.integral(la.past(theta, s), tau, la.at(G, tau))
kernel = variable("k", function_sort(POINT, function_sort(POINT, REAL)))
f = variable("f", function_sort(POINT, POINT))
SCORES = la.lam(x, la.lam(y, la.exp(la.mul(la.tp(x), A, y))))
v = variable("v", function_sort(REAL, function_sort(POINT, POINT)))
TILT = la.integral(la.gaussian(alpha, S), y, la.exp(la.mul(la.tp(y), A, x)))
MEAN = la.integral(la.gaussian(alpha, S), y, la.scale(la.exp(la.mul(la.tp(y), A, x)), la.mul(V, y)))

H, L = la.dim("H"), la.dim("L")
h, g, j = la.head("h", H), la.head("g", H), la.head("j", L)
VS, AS, CS = la.family("V", H, d, d), la.family("A", H, d, d), la.family("c", H, ONE, ONE)
WS = la.family("W", L, d, d)
Vh, Ah, Vg, ch, Wj = la.at(VS, h), la.at(AS, h), la.at(VS, g), la.at(CS, h), la.at(WS, j)
PAIR = la.family("V", size(2), d, d)
CURVES = variable("X", function_sort(index_sort(H), Sigma.args[0]))
MOVING = variable("Y", function_sort(REAL, VS.args[0]))
TABLE = variable("D", function_sort(index_sort(L), VS.args[0]))
HEAD_OF = variable("f", function_sort(REAL, index_sort(H)))
FIELD = la.total(h, la.add(la.mul(Vh, M, Ah, M), la.mul(M, la.tp(Ah), M, la.tp(Vh))))


def member(name: str, head: Term = h) -> Term:
    return la.at(la.family(name, H, d, d), head)


FAMILIES = [
    # members
    (Vh, "V_h", "V_h"),
    (la.at(PAIR, index(1, 2)), "V_1", "V_1"),
    (la.at(la.family("V", size(12), d, d), index(11, 12)), "V_{11}", "V_{11}"),
    (la.at(VS, la.head("h1", H)), "V_{h₁}", "V_{h_1}"),
    (la.at(VS, la.head("head", H)), "V_{head}", r"V_{\mathit{head}}"),
    (la.tp(Vh), "V_hᵀ", r"V_h^\top"),
    (la.inv(Vh), "V_h⁻¹", "V_h^{-1}"),
    (la.mul(Vh, Vh), "V_h²", "V_h^2"),
    (la.root(Vh), "√V_h", "V_h^{1/2}"),
    (member("Sigma"), "Σ_h", r"\Sigma_h"),
    (member("value"), "value_h", r"\mathit{value}_h"),
    (member("b_q"), "b_{q,h}", "b_{q,h}"),
    (member("V1"), "V_{1,h}", "V_{1,h}"),
    (member("I"), "I′_h", r"\mathit{I}'_h"),
    (member("lambda_max"), "(lambda_max′)_h", None),
    (la.at(CURVES, h, t), "X_h(t)", "X_h(t)"),
    (la.at(MOVING, t, h), "(Y(t))_h", "(Y(t))_h"),
    (la.at(TABLE, j, h), "D_{j,h}", "D_{j,h}"),
    (la.at(VS, la.at(HEAD_OF, t)), "V_{f(t)}", "V_{f(t)}"),
    (la.at(Term("family", (A, B)), la.head("h", size(2))), "[A, B]_h", "[A, B]_h"),
    # members that could be taken for other letters
    (la.mul(Vh, la.mat("V_h", d, d)), "(V)_h V_h", "(V)_h V_h"),
    (la.mul(Vh, la.mat("V1", d, d)), "(V)_h V₁", "(V)_h V_1"),
    (la.mul(member("b_q"), member("b")), "(b_q)_h (b)_h", "(b_q)_h (b)_h"),
    (la.mul(member("V1"), member("V_1")), "V_{1,h} (V_1)_h", None),
    (la.mul(Vh, la.mat("Vh", d, d)), "V_h Vh", r"V_h \mathit{Vh}"),
    # sums
    (la.total(h, la.mul(Vh, S, Ah)), "∑_h V_h Σ A_h", r"\sum_h V_h \Sigma A_h"),
    (la.total(h, la.add(Vh, Ah)), "∑_h (V_h + A_h)", r"\sum_h (V_h + A_h)"),
    (la.add(la.total(h, Vh), B), "∑_h V_h + B", r"\sum_h V_h + B"),
    (la.minus(B, la.total(h, Vh)), "B − ∑_h V_h", r"B - \sum_h V_h"),
    (la.total(h, la.scale(-1, Vh)), "∑_h (−V_h)", r"\sum_h (-V_h)"),
    (la.scale(-1, la.total(h, Vh)), "−∑_h V_h", r"-\sum_h V_h"),
    (la.mul(la.total(h, Vh), B), "(∑_h V_h) B", r"\left(\sum_h V_h\right) B"),
    (la.mul(B, la.total(h, Vh)), "B ∑_h V_h", r"B \sum_h V_h"),
    (la.mul(B, la.total(h, Vh), B), "B (∑_h V_h) B", None),
    (la.scale(r, la.total(h, la.scale(ch, Vh))), "r ∑_h c_h V_h", None),
    (la.scale(la.total(h, ch), B), "(∑_h c_h) B", None),
    (la.total(h, la.scale(la.inv(r), Vh)), "∑_h V_h/r", r"\sum_h \frac{V_h}{r}"),
    (la.scale(la.inv(r), la.total(h, Vh)), "(∑_h V_h)/r", r"\frac{\sum_h V_h}{r}"),
    (la.inv(la.total(h, ch)), "1/(∑_h c_h)", r"\frac{1}{\sum_h c_h}"),
    (la.tp(la.total(h, Vh)), "(∑_h V_h)ᵀ", r"\left(\sum_h V_h\right)^\top"),
    (la.total(h, la.tp(Vh)), "∑_h V_hᵀ", r"\sum_h V_h^\top"),
    (la.tr(la.total(h, Vh)), "tr(∑_h V_h)", None),
    (la.total(h, la.total(g, la.mul(Vh, Vg))), "∑_h ∑_g V_h V_g", r"\sum_h \sum_g V_h V_g"),
    (la.mul(la.total(h, Vh), la.total(h, Ah)), "(∑_h V_h) ∑_h A_h", None),
    (la.mul(la.total(h, Vh), la.total(g, Vg)), "(∑_g V_g)²", None),
    (la.total(h, la.mul(Vh, la.total(h, Ah))), "∑_h V_h ∑_{h₁} A_{h₁}", None),
    (la.mul(Vh, la.total(h, Ah)), "V_h ∑_{h₁} A_{h₁}", r"V_h \sum_{h_1} A_{h_1}"),
    (Term("sum", (VS,)), "∑_h V_h", r"\sum_h V_h"),
    # sums whose summands do not tell how far they go
    (la.total(h, B), "∑_{h=1}^H B", r"\sum_{h=1}^H B"),
    (
        la.mul(la.total(h, Vh), la.total(j, Wj)),
        "(∑_{h=1}^H V_h) ∑_{j=1}^L W_j",
        r"\left(\sum_{h=1}^H V_h\right) \sum_{j=1}^L W_j",
    ),
    (la.total(la.head("h", size(2)), la.at(PAIR, la.head("h", size(2)))), "∑_{h=1}^2 V_h", None),
    (la.total(la.head("h", size(12)), B), "∑_{h=1}^{12} B", r"\sum_{h=1}^{12} B"),
    # relations
    (la.eq(VS, la.lam(h, la.scale(ch, Identity))), "V = (h ↦ c_h I)", r"V = (h \mapsto c_h I)"),
    (la.eq(PAIR, Term("family", (A, B))), "V = [A, B]", "V = [A, B]"),
    (la.eq(h, g), "h = g", "h = g"),
    (
        la.maximal(T, Sigma, la.lam(M, FIELD), Sigma0),
        "Σ on [0, T) is the maximal solution of Σ′ = ∑_h (V_h Σ A_h Σ + Σ A_hᵀ Σ V_hᵀ), Σ(0) = Σ₀",
        None,
    ),
    # quantifiers
    (
        la.forall(h, la.eq(Vh, la.scale(ch, Identity))),
        "for every head h: V_h = c_h I",
        r"\text{for every head }h:\ V_h = c_h I",
    ),
    (la.exists(h, la.pd(Vh)), "there is a head h such that V_h ≻ 0", None),
    (
        la.forall(h, la.implies(la.psd(Vh), la.psd(Ah))),
        "for every head h with V_h ⪰ 0: A_h ⪰ 0",
        None,
    ),
    (
        la.forall(h, la.forall(g, la.eq(la.mul(Vh, Vg), la.mul(Vg, Vh)))),
        "for all h, g ∈ {1, …, H}: V_h V_g = V_g V_h",
        r"\text{for all }h, g \in \{1, \dots, H\}:\ V_h V_g = V_g V_h",
    ),
    (
        la.forall(h, la.forall(j, la.eq(Vh, Wj))),
        "for all h ∈ {1, …, H}, j ∈ {1, …, L}: V_h = W_j",
        None,
    ),
    (
        la.forall(h, la.forall(M, la.psd(la.mul(Vh, M)))),
        "for all h ∈ {1, …, H}, M ∈ ℝ^{d×d}: V_h M ⪰ 0",
        None,
    ),
    (
        la.forall(la.head("h", size(2)), la.psd(la.at(PAIR, la.head("h", size(2))))),
        "for all h ∈ {1, 2}: V_h ⪰ 0",
        r"\text{for all }h \in \{1, 2\}:\ V_h \succeq 0",
    ),
    (la.forall(VS, la.psd(Vh)), "for all V_1, …, V_H ∈ ℝ^{d×d}: V_h ⪰ 0", None),
    (
        la.exists(CURVES, la.psd(la.at(CURVES, h, t))),
        "there are X_1, …, X_H : ℝ → ℝ^{d×d} such that X_h(t) ⪰ 0",
        None,
    ),
]

CASES = [
    # sums and products
    (
        la.add(la.mul(V, S, A, S), la.mul(S, la.tp(A), S, la.tp(V))),
        "V Σ A Σ + Σ Aᵀ Σ Vᵀ",
        r"V \Sigma A \Sigma + \Sigma A^\top \Sigma V^\top",
    ),
    (la.minus(A, la.add(B, M)), "A − (B + M)", "A - (B + M)"),
    (la.add(A, la.minus(B, M)), "A + B − M", "A + B - M"),
    (la.scale(-1, la.add(A, B)), "−(A + B)", "-(A + B)"),
    (la.scale(-1, la.scale(-1, A)), "−(−A)", "-(-A)"),
    (la.add(la.scale(-2, A), B), "−2 A + B", "-2 A + B"),
    (la.mul(A, la.scale(-1, B)), "A (−B)", "A (-B)"),
    (la.mul(A, la.scale(2, B)), "A (2 B)", "A (2 B)"),
    (la.mul(la.mul(A, B), M), "A B M", "A B M"),
    (la.mul(A, la.add(B, M)), "A (B + M)", "A (B + M)"),
    (la.scale(c, la.scale(2, A)), "c · 2 A", r"c \cdot 2 A"),
    (la.mul(la.number(2), la.number(-3)), "2 (−3)", "2 (-3)"),
    (la.scale(Fraction(-3, 2), A), "−(3/2) A", r"-\frac{3}{2} A"),
    (la.scale(la.mul(c, c), A), "c² A", "c^2 A"),
    (la.mul(A, A, A), "A³", "A^3"),
    # superscripts
    (la.tp(la.mul(A, B)), "(A B)ᵀ", r"(A B)^\top"),
    (la.inv(la.tp(A)), "(Aᵀ)⁻¹", r"(A^\top)^{-1}"),
    (RESOLVENT, "(I − t M)⁻¹", "(I - t M)^{-1}"),
    (la.pinv(M), "M⁺", "M^+"),
    (la.root(Sigma0), "√Σ₀", r"\Sigma_0^{1/2}"),
    (la.root(la.add(A, B)), "√(A + B)", "(A + B)^{1/2}"),
    (la.root(c), "√c", r"\sqrt{c}"),
    (la.mul(la.root(M), la.root(M)), "√M √M", "M^{1/2} M^{1/2}"),
    (la.tp(la.at(Sigma, t)), "Σ(t)ᵀ", r"\Sigma(t)^\top"),
    # scalars
    (la.number(Fraction(-1, 2)), "−1/2", r"-\frac{1}{2}"),
    (la.inv(la.mul(r, s)), "1/(r s)", r"\frac{1}{r s}"),
    (la.scale(c, la.inv(la.minus(r, t))), "c/(r − t)", r"\frac{c}{r - t}"),
    (la.scale(la.inv(c), Sigma0), "Σ₀/c", r"\frac{\Sigma_0}{c}"),
    (la.scale(la.inv(c), la.add(A, B)), "(A + B)/c", r"\frac{A + B}{c}"),
    (la.lmax(M), "λ_max(M)", r"\lambda_{\max}(M)"),
    (la.tr(la.mul(P, la.at(Sigma, t))), "tr(P Σ(t))", r"\operatorname{tr}(P \Sigma(t))"),
    (la.rank(la.add(A, B)), "rank(A + B)", r"\operatorname{rank}(A + B)"),
    (la.minus(la.dimension(d), la.rank(A)), "d − rank(A)", r"d - \operatorname{rank}(A)"),
    (
        la.literal([[1, 2], [Fraction(-1, 2), 4]]),
        "[[1, 2], [−1/2, 4]]",
        r"\begin{pmatrix} 1 & 2 \\ -\frac{1}{2} & 4 \end{pmatrix}",
    ),
    # measures and functions
    (
        TILT,
        "∫ exp(yᵀ A x) dN(α, Σ)(y)",
        r"\int \exp(y^\top A x) \, d\mathcal{N}(\alpha, \Sigma)(y)",
    ),
    (
        la.scale(la.inv(TILT), MEAN),
        "(∫ exp(yᵀ A x) V y dN(α, Σ)(y))/(∫ exp(yᵀ A x) dN(α, Σ)(y))",
        r"\frac{\int \exp(y^\top A x) V y \, d\mathcal{N}(\alpha, \Sigma)(y)}"
        r"{\int \exp(y^\top A x) \, d\mathcal{N}(\alpha, \Sigma)(y)}",
    ),
    (
        la.integral(la.at(mu, t), y, la.add(x, y)),
        "∫ (x + y) dμ(t)(y)",
        r"\int (x + y) \, d\mu(t)(y)",
    ),
    (la.det(A), "det(A)", r"\det(A)"),
    (la.root(la.det(la.add(Identity, S))), "√det(I + Σ)", r"\sqrt{\det(I + \Sigma)}"),
    (la.inv(la.root(la.det(A))), "1/√det(A)", r"\frac{1}{\sqrt{\det(A)}}"),
    (SEEN, "∫_{τ ≤ s} G(τ) dθ(τ)", r"\int_{\tau \le s} G(\tau) \, d\theta(\tau)"),
    (
        la.mul(SEEN, B),
        "(∫_{τ ≤ s} G(τ) dθ(τ)) B",
        r"\left(\int_{\tau \le s} G(\tau) \, d\theta(\tau)\right) B",
    ),
    (
        la.integral(la.past(la.past(theta, s), la.add(s, t)), tau, la.at(G, tau)),
        "∫_{τ ≤ s + t} G(τ) dθ|(−∞, s](τ)",
        r"\int_{\tau \le s + t} G(\tau) \, d\theta|_{(-\infty, s]}(\tau)",
    ),
    (la.at(la.balanced(nu, kernel), x, y), "κ_∞(ν, k)(x, y)", r"\kappa_\infty(\nu, k)(x, y)"),
    (
        la.at(la.balanced(la.gaussian(alpha, S), SCORES), x, y),
        "κ_∞(N(α, Σ), (x₁, y₁) ↦ exp(x₁ᵀ A y₁))(x, y)",
        r"\kappa_\infty(\mathcal{N}(\alpha, \Sigma), "
        r"(x_1, y_1) \mapsto \exp(x_1^\top A y_1))(x, y)",
    ),
    (
        la.integral(nu, y, la.scale(la.at(la.balanced(nu, kernel), x, y), y)),
        "∫ κ_∞(ν, k)(x, y) y dν(y)",
        r"\int \kappa_\infty(\nu, k)(x, y) y \, d\nu(y)",
    ),
    (la.mul(A, la.scale(TILT, x)), "A ((∫ exp(yᵀ A x) dN(α, Σ)(y)) x)", None),
    (la.at(v, t, x), "v(t, x)", "v(t, x)"),
    (la.lam(t, la.lam(x, la.at(v, t, x))), "(t, x) ↦ v(t, x)", r"(t, x) \mapsto v(t, x)"),
    # relations
    (la.psd(M), "M ⪰ 0", r"M \succeq 0"),
    (la.pd(M), "M ≻ 0", r"M \succ 0"),
    (la.psd(c), "c ≥ 0", r"c \ge 0"),
    (la.pd(c), "c > 0", "c > 0"),
    (la.le(A, B), "A ⪯ B", r"A \preceq B"),
    (la.lt(A, la.scale(c, Identity)), "A ≺ c I", r"A \prec c I"),
    (la.le(c, r), "c ≤ r", r"c \le r"),
    (la.lt(c, r), "c < r", "c < r"),
    (la.psd(la.scale(-1, la.add(A, la.tp(A)))), "A + Aᵀ ⪯ 0", r"A + A^\top \preceq 0"),
    (la.psd(la.add(c, r, la.scale(-1, s))), "c + r − s ≥ 0", r"c + r - s \ge 0"),
    (la.symmetric(A), "Aᵀ = A", r"A^\top = A"),
    (la.eq(T, la.INFINITY), "T = ∞", r"T = \infty"),
    (la.at_most(la.finite(la.inv(c)), T), "1/c ≤ T", r"\frac{1}{c} \le T"),
    (la.within(t, T), "t ∈ [0, T)", r"t \in [0, T)"),
    (
        la.within(t, la.finite(la.inv(c))),
        "t ∈ [0, 1/c)",
        r"t \in \left[0, \frac{1}{c}\right)",
    ),
    (la.invertible(A), "A is invertible", r"A\text{ is invertible}"),
    # curves
    (
        la.ode(T, Sigma, G),
        "Σ′(t) = G(t) for t ∈ [0, T)",
        r"\Sigma'(t) = G(t)\text{ for }t \in [0, T)",
    ),
    (
        la.ode(la.INFINITY, la.lam(t, la.scale(t, A)), la.lam(t, A)),
        "d/dt (t A) = A for t ∈ [0, ∞)",
        r"\frac{d}{dt} (t A) = A\text{ for }t \in [0, \infty)",
    ),
    (
        SOLUTION,
        "Σ on [0, T) is the maximal solution of Σ′ = V Σ A Σ + Σ Aᵀ Σ Vᵀ, Σ(0) = Σ₀",
        r"\Sigma\text{ on }[0, T)\text{ is the maximal solution of }"
        r"\Sigma' = V \Sigma A \Sigma + \Sigma A^\top \Sigma V^\top,\ \Sigma(0) = \Sigma_0",
    ),
    (
        la.maximal(T, Sigma, F, Sigma0),
        "Σ on [0, T) is the maximal solution of Σ′ = F(Σ), Σ(0) = Σ₀",
        None,
    ),
    (
        la.maximal(T, la.lam(t, la.scale(t, A)), la.lam(M, la.mul(M, M)), B),
        "(t ↦ t A) on [0, T) is the maximal solution of M′ = M², M(0) = B",
        None,
    ),
    (
        la.maximal(T, Sigma, la.lam(M, la.mul(M, la.at(Sigma, c))), B),
        "Σ on [0, T) is the maximal solution of M′ = M Σ(c), M(0) = B",
        None,
    ),
    (
        la.piecewise(T, Sigma),
        "Σ is piecewise continuous and right-continuous on [0, T)",
        r"\Sigma\text{ is piecewise continuous and right-continuous on }[0, T)",
    ),
    (
        la.conj(la.piecewise(T, la.at(CURVES, h)), la.psd(A)),
        "(X_h is piecewise continuous and right-continuous on [0, T)) and A ⪰ 0",
        None,
    ),
    (
        la.conj(la.piecewise(T, Sigma), la.piecewise(T, G), la.piecewise(T, la.at(CURVES, h))),
        "Σ, G and X_h are piecewise continuous and right-continuous on [0, T)",
        None,
    ),
    (
        la.piecewise(T, la.lam(t, la.scale(t, A))),
        "the curve t ↦ t A is piecewise continuous and right-continuous on [0, T)",
        None,
    ),
    (
        la.escapes(T, Sigma),
        "|Σ(t)| → ∞ as t → T",
        r"\lVert \Sigma(t) \rVert \to \infty\text{ as }t \to T",
    ),
    (la.limit(la.lam(t, RESOLVENT), Pi), "(I − t M)⁻¹ → Π as t → ∞", None),
    (la.limit_point(Sigma, B), "B is a limit point of Σ(t) as t → ∞", None),
    (la.smooth(la.lam(M, la.mul(M, M))), "the map M ↦ M² is smooth", None),
    (la.continuous(f), "f is continuous", r"f\text{ is continuous}"),
    (
        la.continuous(la.lam(x, la.mul(A, x))),
        "the map x ↦ A x is continuous",
        r"\text{the map }x \mapsto A x\text{ is continuous}",
    ),
    (
        Term("integrable", (nu, f)),
        "f is integrable against ν",
        r"f\text{ is integrable against }\nu",
    ),
    (
        la.integrable(la.past(theta, s), tau, la.at(G, tau)),
        "the map τ ↦ G(τ) is integrable against θ|(−∞, s]",
        r"\text{the map }\tau \mapsto G(\tau)\text{ is integrable against }"
        r"\theta|_{(-\infty, s]}",
    ),
    (
        la.negation(la.integrable(nu, y, la.mul(la.tp(y), A, y))),
        "not (the map y ↦ yᵀ A y is integrable against ν)",
        None,
    ),
    (
        la.continuity(T, mu, v),
        "∂ₜμ + div(μ v) = 0 on [0, T)",
        r"\partial_t \mu + \operatorname{div}(\mu v) = 0\text{ on }[0, T)",
    ),
    (
        la.continuity(
            T, la.lam(t, la.gaussian(alpha, la.at(Sigma, t))), la.lam(t, la.lam(x, la.scale(t, x)))
        ),
        "∂ₜμ + div(μ v) = 0 on [0, T) where μ(t) = N(α, Σ(t)), v(t, x) = t x",
        None,
    ),
    # logic
    (
        la.on_lifetime(T, lambda t: la.psd(la.at(Sigma, t))),
        "for all t ∈ [0, T): Σ(t) ⪰ 0",
        r"\text{for all }t \in [0, T):\ \Sigma(t) \succeq 0",
    ),
    (
        la.forall(A, la.forall(c, la.forall(B, la.implies(la.psd(A), la.eq(A, B))))),
        "for all A, B ∈ ℝ^{d×d}, c ∈ ℝ with A ⪰ 0: A = B",
        None,
    ),
    (
        la.forall(A, la.implies(la.limit_point(Sigma, A), la.psd(A))),
        "for all A ∈ ℝ^{d×d} such that A is a limit point of Σ(t) as t → ∞: A ⪰ 0",
        None,
    ),
    (
        la.exists(T, la.exists(Sigma, la.conj(la.eq(T, la.INFINITY), la.escapes(T, Sigma)))),
        "there are T ∈ (−∞, ∞], Σ : ℝ → ℝ^{d×d} such that T = ∞ and |Σ(t)| → ∞ as t → T",
        None,
    ),
    (
        la.implies(la.conj(la.psd(A), la.psd(B)), la.implies(la.pd(c), la.pd(r))),
        "A ⪰ 0 and B ⪰ 0 ⇒ c > 0 ⇒ r > 0",
        None,
    ),
    (
        la.conj(la.implies(la.psd(A), la.psd(B)), la.forall(c, la.psd(c))),
        "(A ⪰ 0 ⇒ B ⪰ 0) and for all c ∈ ℝ: c ≥ 0",
        None,
    ),
    (
        la.conj(la.forall(c, la.psd(c)), la.psd(A)),
        "(for all c ∈ ℝ: c ≥ 0) and A ⪰ 0",
        None,
    ),
    (la.negation(la.eq(A, B)), "A ≠ B", r"A \ne B"),
    (la.negation(la.psd(A)), "not (A ⪰ 0)", r"\text{not }(A \succeq 0)"),
]


@pytest.mark.parametrize(
    ("term", "in_text", "in_latex"), CASES + FAMILIES, ids=[c[1] for c in CASES + FAMILIES]
)
def test_printed(term, in_text, in_latex):
    sort_of(term)
    assert text(term) == in_text
    if in_latex is not None:
        assert latex(term) == in_latex


@pytest.mark.parametrize(
    ("name", "in_text", "in_latex"),
    [
        ("Sigma0", "Σ₀", r"\Sigma_0"),
        ("lambda", "λ", r"\lambda"),
        ("x12", "x₁₂", "x_{12}"),
        ("b_q", "b_q", "b_q"),
        ("Sigma_max", "Sigma_max", r"\Sigma_{\mathrm{max}}"),
        ("Sigma_0", "Sigma_0", r"\mathit{Sigma\_0}"),
        ("speed", "speed", r"\mathit{speed}"),
        ("I", "I′", r"\mathit{I}'"),
        ("tr", "tr′", r"\mathit{tr}'"),
    ],
)
def test_names(name, in_text, in_latex):
    assert text(la.real(name)) == in_text
    assert latex(la.real(name)) == in_latex


def test_bound_names_never_collide():
    """A bound t where a free t is seen too."""
    inner = la.on_lifetime(T, lambda t: la.eq(la.at(Sigma, t), la.at(Sigma, la.real("z"))))
    twice = la.on_lifetime(T, lambda z: la.conj(inner, la.eq(z, t)), "z")
    assert text(twice) == ("for all z ∈ [0, T): (for all t₁ ∈ [0, T): Σ(t₁) = Σ(z)) and z = t")


def test_sizes_of_identities_are_shown_when_there_are_several():
    statement = la.eq(la.rank(Identity), la.dimension(n))
    assert text(statement) == "rank(I_d) = n"
    assert latex(statement) == r"\operatorname{rank}(I_{d}) = n"
    assert text(la.eq(la.tr(la.identity(size(2))), la.dimension(d))) == "tr(I₂) = d"
    assert text(la.eq(la.tr(Identity), la.tr(la.identity(ONE)))) == "tr(I) = tr(1)"


# Different things are printed differently ----------------------------------------------------


def matrices(depth: int) -> list[Term]:
    """All matrices made of few letters in few ways."""
    if depth == 0:
        return [A, B]
    below = matrices(depth - 1)
    numbers = [la.number(-1), la.number(2), la.number(Fraction(1, 2)), c, la.scale(-1, c)]
    numbers += [la.inv(c), la.add(c, c), la.mul(c, la.inv(la.scale(-1, c)))]
    return [
        *below,
        *(form(x) for form in (la.tp, la.inv) for x in below),
        *(form(x, y) for form in (la.add, la.mul) for x, y in itertools.product(below, repeat=2)),
        *(la.scale(factor, x) for factor in numbers for x in below),
    ]


@pytest.mark.parametrize("printer", [text, latex])
def test_matrices_that_look_alike_are_equal(printer):
    groups: dict[str, list[Term]] = {}
    for term in set(matrices(2)):
        groups.setdefault(printer(term), []).append(term)
    assert len(groups) > 1000
    shared = [group for group in groups.values() if len(group) > 1]
    assert shared
    for first, *others in shared:
        for other in others:
            assert evaluation.vanishes(la.minus(first, other)), printer(other)


@pytest.mark.parametrize("printer", [text, latex])
def test_propositions_that_look_alike_are_equal(printer):
    def grow(below: list[Term]) -> list[Term]:
        pairs = list(itertools.product(below, repeat=2))
        return [
            *below,
            *map(la.negation, below),
            *(la.conj(*pair) for pair in pairs),
            *(la.implies(*pair) for pair in pairs),
            *(la.forall(c, x) for x in below),
            *(la.exists(c, x) for x in below),
        ]

    terms = set(grow(grow([la.psd(c), SOLUTION])))
    assert all(sort_of(term) == PROP for term in terms)
    assert len({printer(term) for term in terms}) == len(terms)


def families(depth: int) -> list[Term]:
    """Many matrices made of members, with the free head h, and of sums over heads."""
    if depth == 0:
        return [Vh, Vg, B, la.at(MOVING, t, h)]
    below = families(depth - 1)
    return [
        *below,
        *(form(x) for form in (la.tp, la.inv) for x in below),
        *(form(x, y) for form in (la.add, la.mul) for x, y in itertools.product(below, repeat=2)),
        *(la.scale(factor, x) for factor in (la.number(-1), ch, la.inv(ch)) for x in below),
        *(la.scale(la.total(h, ch), x) for x in below),
        *(la.total(i, x) for i in (h, g, j) for x in below),
    ]


@pytest.mark.parametrize("printer", [text, latex])
def test_sums_that_look_alike_are_equal(printer):
    """Up to sums over all heads that are one function of the heads."""
    groups: dict[str, list[Term]] = {}
    for term in set(families(2)):
        groups.setdefault(printer(term), []).append(term)
    assert len(groups) > 2000
    shared = [group for group in groups.values() if len(group) > 1]
    assert shared
    for first, *others in shared:
        for other in others:
            assert evaluation.vanishes(la.minus(first, other)), printer(other)


@pytest.mark.parametrize("printer", [text, latex])
def test_letters_that_look_like_members_are_told_apart(printer):
    """Any two of these letters, whichever are read together."""
    letters = [la.mat(name, d, d) for name in ("V_h", "V1", "V_1", "V_q_h", "V_h1", "V_1_h")]
    members = [member(name) for name in ("V", "V_q", "V1", "V_1", "V_h", "V_q_1")]
    members += [member("V", la.head(name, H)) for name in ("g", "h1", "q")]
    members += [la.at(PAIR, index(1, 2)), la.at(TABLE, j, h), la.at(MOVING, t, h)]
    for left, right in itertools.combinations([*letters, *members], 2):
        names = {n.data: n for side in (left, right) for n in (side.walk()) if n.op == "var"}
        if all(names[n.data] == n for side in (left, right) for n in side.walk() if n.op == "var"):
            context = printer(la.eq(left, right)).split(" = ")
            assert context[0] != context[1]


@pytest.mark.parametrize("printer", [text, latex])
def test_quantified_heads_that_look_alike_are_equal(printer):
    def grow(below: list[Term]) -> list[Term]:
        pairs = list(itertools.product(below, repeat=2))
        return [
            *below,
            *(la.conj(*pair) for pair in pairs),
            *(la.implies(*pair) for pair in pairs),
            *(la.forall(i, x) for i in (h, g) for x in below),
            *(la.exists(i, x) for i in (h, g) for x in below),
        ]

    terms = set(grow(grow([la.psd(Vh), la.psd(la.total(h, Vh)), la.eq(h, g)])))
    assert all(sort_of(term) == PROP for term in terms)
    assert len({printer(term) for term in terms}) == len(terms)


# Statements and proofs -----------------------------------------------------------------------


def test_statement_on_one_line():
    statement = Statement((la.psd(M),), la.psd(la.mul(K, M, la.tp(K))))
    assert statement_text(statement) == (
        "For all sizes d, k ≥ 1, all M ∈ ℝ^{d×d}, K ∈ ℝ^{k×d}: if M ⪰ 0, then K M Kᵀ ⪰ 0."
    )
    assert statement_latex(statement) == (
        r"For all sizes $d, k \ge 1$, all $M \in \mathbb{R}^{d \times d},\ K \in "
        r"\mathbb{R}^{k \times d}$: if $M \succeq 0$, then $K M K^\top \succeq 0$."
    )


def test_statement_with_lists():
    statement = Statement(
        (la.psd(Sigma0), SOLUTION),
        la.conj(la.eq(T, la.INFINITY), la.on_lifetime(T, lambda t: la.psd(la.at(Sigma, t)))),
    )
    assert statement_text(statement).splitlines() == [
        "For every size d ≥ 1, all Σ₀, V, A ∈ ℝ^{d×d}, T ∈ (0, ∞], Σ : [0, T) → ℝ^{d×d}: if",
        "  (1) Σ₀ ⪰ 0,",
        "  (2) Σ on [0, T) is the maximal solution of Σ′ = V Σ A Σ + Σ Aᵀ Σ Vᵀ, Σ(0) = Σ₀,",
        "then",
        "  (a) T = ∞,",
        "  (b) for all t ∈ [0, T): Σ(t) ⪰ 0.",
    ]
    assert statement_latex(statement).splitlines()[1:4] == [
        r"\begin{enumerate}",
        r"\item[(1)] $\Sigma_0 \succeq 0$,",
        r"\item[(2)] " + inline(latex(SOLUTION)) + ",",
    ]


def test_a_curve_that_solves_nothing_is_a_function_on_the_reals():
    statement = Statement((la.ode(T, Sigma, G),), la.escapes(T, Sigma))
    assert statement_text(statement).startswith(
        "For every size d ≥ 1, all T ∈ (−∞, ∞], Σ, G : ℝ → ℝ^{d×d}: if"
    )


def test_statement_without_variables():
    two = la.literal([[2, 0], [0, 1]])
    assert statement_text(Statement((), la.pd(two))) == "[[2, 0], [0, 1]] ≻ 0."
    assert statement_text(Statement((la.psd(two),), la.pd(two))) == (
        "If [[2, 0], [0, 1]] ⪰ 0, then [[2, 0], [0, 1]] ≻ 0."
    )


def test_statement_with_families():
    scalar = la.forall(h, la.eq(Vh, la.scale(ch, Identity)))
    solution = la.maximal(T, Sigma, la.lam(M, FIELD), Sigma0)
    goal = la.eq(la.total(h, la.mul(Vh, Ah)), la.total(h, la.scale(ch, Ah)))
    assert statement_text(Statement((scalar, solution), goal)).splitlines() == [
        "For every size d ≥ 1, every number of heads H ≥ 1, all V_1, …, V_H, A_1, …, A_H, "
        "Σ₀ ∈ ℝ^{d×d}, c_1, …, c_H ∈ ℝ, T ∈ (0, ∞], Σ : [0, T) → ℝ^{d×d}: if",
        "  (1) for every head h: V_h = c_h I,",
        "  (2) Σ on [0, T) is the maximal solution of "
        "Σ′ = ∑_h (V_h Σ A_h Σ + Σ A_hᵀ Σ V_hᵀ), Σ(0) = Σ₀,",
        "then ∑_h V_h A_h = ∑_h c_h A_h.",
    ]
    assert statement_latex(Statement((scalar,), goal)) == (
        r"For every size $d \ge 1$, every number of heads $H \ge 1$, all $V_1, \dots, V_H, A_1, "
        r"\dots, A_H \in \mathbb{R}^{d \times d},\ c_1, \dots, c_H \in \mathbb{R}$: "
        r"if for every head $h:\ V_h = c_h I$, then $\sum_h V_h A_h = \sum_h c_h A_h$."
    )


def test_numbers_of_heads_and_sizes():
    def start(goal: Term) -> str:
        return statement_text(Statement((), goal)).partition(": ")[0]

    assert start(la.eq(la.total(h, Vh), la.total(j, Wj))) == (
        "For every size d ≥ 1, all numbers of heads H, L ≥ 1, "
        "all V_1, …, V_H, W_1, …, W_L ∈ ℝ^{d×d}"
    )
    # a number of heads that is a size too, one that is only a number, and a free head
    square, i = la.family("V", d, d, d), la.head("i", d)
    assert start(la.psd(la.total(i, la.at(square, i)))) == (
        "For every size d ≥ 1, all V_1, …, V_d ∈ ℝ^{d×d}"
    )
    assert statement_text(Statement((), la.piecewise(T, la.at(CURVES, h)))).startswith(
        "For every size d ≥ 1, every number of heads H ≥ 1, all T ∈ (−∞, ∞], "
        "X_1, …, X_H : ℝ → ℝ^{d×d}, h ∈ {1, …, H}: "
    )
    assert start(la.eq(la.total(h, ch), la.dimension(H))) == (
        "For every number of heads H ≥ 1, all c_1, …, c_H ∈ ℝ"
    )
    assert start(la.psd(Vh)) == (
        "For every size d ≥ 1, every number of heads H ≥ 1, "
        "all V_1, …, V_H ∈ ℝ^{d×d}, h ∈ {1, …, H}"
    )
    assert statement_text(Statement((), la.eq(la.total(h, Identity), la.total(h, Vh)))).endswith(
        ": ∑_{h=1}^H I = ∑_h V_h."
    )
    # families of one, two and three
    for count, members in ((1, "V_1"), (2, "V_1, V_2"), (3, "V_1, …, V_3")):
        V_n, i = la.family("V", size(count), d, d), la.head("i", size(count))
        assert start(la.psd(la.total(i, la.at(V_n, i)))) == (
            f"For every size d ≥ 1, all {members} ∈ ℝ^{{d×d}}"
        )


def test_families_as_abbreviations():
    part = la.lam(h, la.add(la.mul(Vh, Ah), la.mul(la.tp(Ah), la.tp(Vh))))
    whole = la.total(h, la.at(part, h))
    statement = Statement((la.forall(g, la.psd(la.at(part, g))),), la.psd(whole))
    notation = [Definition("S", part), Definition("S", whole)]
    assert statement_text(statement, notation).splitlines() == [
        "For every size d ≥ 1, every number of heads H ≥ 1, "
        "all V_1, …, V_H, A_1, …, A_H ∈ ℝ^{d×d}: "
        "if for every head g: (S)_g ⪰ 0, then S₁ ⪰ 0, where",
        "  (S)_h = V_h A_h + A_hᵀ V_hᵀ,",
        "  S₁ = ∑_h (S)_h.",
    ]
    assert statement_text(statement, notation[:1]).endswith(
        ": if for every head g: S_g ⪰ 0, then ∑_h S_h ⪰ 0, where S_h = V_h A_h + A_hᵀ V_hᵀ."
    )


def test_cases_in_words():
    first, second = (la.at(PAIR, index(i, 2)) for i in (1, 2))
    i = la.head("h", size(2))
    proof = Proof(
        (
            Step("assume", (), {"proposition": la.psd(first)}),
            Step("assume", (), {"proposition": la.psd(second)}),
            Step("cases", (0, 1), {"predicate": la.lam(i, la.psd(la.at(PAIR, i)))}),
        )
    )
    steps = derivation(proof)[-1].steps
    assert [(s.text, s.reason) for s in steps] == [
        ("V_1 ⪰ 0", "assumption"),
        ("V_2 ⪰ 0", "assumption"),
        ("for all h ∈ {1, 2}: V_h ⪰ 0", "all cases, by 1, 2"),
    ]


def small_proof() -> Proof:
    lemma = Builder()
    lemma.fact("inverse", lemma.part(lemma.fact("definite-inverse", lemma.assume(la.pd(M))), 0))
    proved = lemma[3]
    p = Builder({"cancel": Lemma(Statement((la.pd(M),), proved), lemma.proof())})
    positive = p.assume(la.pd(A))
    left = p.part(p.lemma("cancel", positive), 1)
    moved = p.algebra(la.mul(la.inv(A), A, B), B, (left, lambda h: la.mul(h, B)))
    square = p.positive(
        la.mul(la.tp(B), A, B),
        Summand(B, core=p.fact("positive-definite", positive)),
    )
    p.discharge(la.pd(A), p.conjunction(moved, square))
    return p.proof()


def test_derivation():
    lemma, proof = derivation(small_proof())
    assert (lemma.lemma, proof.lemma) == ("cancel", "")
    steps = proof.steps
    assert [(s.number, s.text, s.reason, s.uses, s.assumptions) for s in steps] == [
        (1, "A ≻ 0", "assumption", (), (1,)),
        (2, "A A⁻¹ = I and A⁻¹ A = I", "by lemma cancel from 1", (1,), (1,)),
        (3, "A⁻¹ A = I", "part 2 of 2", (2,), (1,)),
        (4, "A⁻¹ A B = B", "algebra from 3", (3,), (1,)),
        (5, "A ⪰ 0", "by fact positive-definite from 1", (1,), (1,)),
        (6, "Bᵀ A B ⪰ 0", "positivity: a nonnegative term, signs by 5", (5,), (1,)),
        (7, "A⁻¹ A B = B and Bᵀ A B ⪰ 0", "4, 6 together", (4, 6), (1,)),
        (8, "A ≻ 0 ⇒ A⁻¹ A B = B and Bᵀ A B ⪰ 0", "7 under the assumption 1", (7,), ()),
    ]
    assert [s.reason for s in lemma.steps] == [
        "assumption",
        "by fact definite-inverse from 1",
        "part 1 of 2",
        "by fact inverse from 3",
    ]
    assert steps[3].checked == "word algebra + random exact evaluation"
    assert steps[3].latex == "A^{-1} A B = B"
    assert proof.proving(la.psd(A)) == steps[4]
    assert proof.by("fact", "positive-definite") == [steps[4]]
    with pytest.raises(LookupError):
        proof.proving(la.psd(B))


def test_derivation_with_letters():
    notations = {"": [Definition("P", la.mul(A, B))], "cancel": [Definition("P", la.inv(M))]}
    lemma, proof = derivation(small_proof(), notations.__getitem__)
    assert lemma.where == ("P = M⁻¹",)
    assert lemma.steps[3].text == "M P = I and P M = I"
    assert proof.where == ()
    other = [Definition("C", la.mul(la.tp(B), A, B))]
    *_, proof = derivation(small_proof(), lambda lemma: () if lemma else other)
    assert proof.where_latex == (r"C = B^\top A B",)
    assert proof.steps[5].text == "C ⪰ 0"


def test_reasons_in_latex():
    steps = derivation(other_rules())[-1].steps
    assert steps[10].reason_latex == "both sides are the same"
    assert [s.reason_latex for s in steps if s.rule == "extensionality"] == ["11 for arbitrary $t$"]


def test_continuity_in_words():
    place = la.real("x")
    p = Builder()
    positive = p.fact("exponential-of-sum", r=place, s=place)
    exists = p.part(p.fact("definite-inverse", p.part(positive, 1)), 0)
    p.continuous(la.lam(place, la.inv(la.exp(place))), p.generalise(place, exists))
    step = derivation(p.proof())[-1].steps[-1]
    assert step.text == "the map x ↦ 1/exp(x) is continuous"
    assert step.reason == "composed of continuous maps, inverses exist by 5"
    assert step.checked == "inspection of the term"


def test_every_rule_has_words():
    assert set(REASONS) == set(RULES)


def other_rules() -> Proof:
    """A proof of nothing in particular by the rules that claims use less often."""
    p = Builder()
    two, one = la.literal([[2, 0], [0, 1]]), la.literal([[1, 0], [0, 1]])
    witness = p.exhibit(M2, la.pd(M2), two, p.definite(two, strict=True))
    assumed = p.assume(la.pd(M2))
    found = p.obtain(
        witness, M2, p.exhibit(M2, la.psd(M2), M2, p.fact("positive-definite", assumed))
    )
    indefinite = p.indefinite(la.literal([[0, 1], [1, 0]]), la.literal([[1], [-1]]))
    different = p.unequal(two, one)
    equal = p.assume(la.eq(two, one))
    absurd = p.contradiction(la.eq(two, one), equal, different)
    same = p.extensionality(t, p.reflexivity(la.scale(t, one)))
    ranked = p.replace(p.reflexivity(two), p.rank(two), lambda h: la.eq(la.rank(h), la.number(2)))
    curve = p.differentiate(T, la.lam(t, la.scale(t, one)))
    nothing = p.reflexivity(c)
    zero = p.positive(la.minus(c, c), by=[(nothing, itself)])
    strict = p.positive(
        la.add(c, la.number(1)),
        Summand(la.identity(ONE), scalars=(p.assume(la.psd(c)),)),
        Summand(la.identity(ONE)),
        by=[(nothing, itself)],
        strict=True,
    )
    p.conjunction(found, indefinite, absurd, same, ranked, curve, zero, strict)
    return p.proof()


M2 = la.mat("M", size(2), size(2))


def test_reasons_of_the_other_rules():
    steps = {step.number: step for step in derivation(other_rules())[-1].steps}
    reasons = {step.rule: step.reason for step in steps.values()}
    assert reasons == {
        "definite": "all pivots have the right sign",
        "exhibit": "4, with the value M",
        "assume": "assumption",
        "fact": "by fact positive-definite from 3",
        "obtain": "from 5, where M exists by 2",
        "indefinite": "uᵀ M u < 0 for u = [[1], [−1]]",
        "unequal": "two entries differ",
        "contradiction": "9, 8 contradict each other under the assumption 9",
        "reflexivity": "both sides are the same",
        "extensionality": "11 for arbitrary t",
        "rank": "elimination",
        "replace": "equation 13 inserted in 14",
        "differentiate": "differentiation in t",
        "positivity": "positivity: sum of 2 nonnegative terms, one of them positive, "
        "signs by 19; algebra from 17",
        "conjunction": "6, 7, 10, 12, 15, 16, 18, 20 together",
    }
    assert steps[18].reason == "positivity: it is zero; algebra from 17"
    assert text(trace(other_rules())[15].conclusion) == (
        "d/dt (t [[1, 0], [0, 1]]) = 1 [[1, 0], [0, 1]] for t ∈ [0, T)"
    )


def definite_step(matrix: Term, congruence: Term | None = None) -> PrintedStep:
    p = Builder()
    p.definite(matrix, strict=True, congruence=congruence)
    (step,) = derivation(p.proof())[-1].steps
    return step


def test_why_a_literal_or_an_expression_is_definite():
    """By pivots or by a congruence, with the value of an expression as a step of its own."""
    M = la.literal([[2, 1], [1, 2]])
    R, small = la.literal([[2, -1], [0, 2]]), la.literal([[1, 1]])
    expression = la.add(la.identity(size(2)), la.mul(la.tp(small), small))
    found = [definite_step(*args) for args in ((M,), (M, R), (expression,), (expression, R))]
    assert [(step.text, step.reason, step.checked) for step in found] == [
        ("[[2, 1], [1, 2]] ≻ 0", "all pivots have the right sign", "exact LDLᵀ"),
        (
            "[[2, 1], [1, 2]] ≻ 0",
            "Rᵀ M R is diagonally dominant for R = [[2, −1], [0, 2]]",
            "exact products",
        ),
        (
            "I + [[1, 1]]ᵀ [[1, 1]] ≻ 0",
            "all pivots have the right sign",
            "exact value of the expression, exact LDLᵀ",
        ),
        (
            "I + [[1, 1]]ᵀ [[1, 1]] ≻ 0",
            "Rᵀ M R is diagonally dominant for R = [[2, −1], [0, 2]]",
            "exact value of the expression, exact products",
        ),
    ]
    in_latex = found[3].reason_latex
    assert in_latex.startswith(r"$R^\top M R$ is diagonally dominant for $R$ = $")
    assert to_latex(in_latex) == in_latex
    assert_balanced(in_latex)


def test_a_large_congruence_is_not_written_out():
    unit = la.literal([[int(i == j) for j in range(9)] for i in range(9)])
    step = definite_step(unit, unit)
    assert step.reason == "Rᵀ M R is diagonally dominant for an R of size 9 × 9"
    assert step.reason_latex.endswith(r"an R of size 9 $\times$ 9")


BALANCED = [("{", "}"), (r"\\left", r"\\right"), (r"\\begin", r"\\end")]


def assert_balanced(formula: str) -> None:
    for opening, closing in BALANCED:
        pattern = re.escape(opening) if len(opening) == 1 else opening + r"(?![A-Za-z])"
        other = re.escape(closing) if len(closing) == 1 else closing + r"(?![A-Za-z])"
        assert len(re.findall(pattern, formula)) == len(re.findall(other, formula)), formula


@pytest.mark.parametrize("fact", all_facts().values(), ids=lambda fact: fact.name)
def test_facts_can_be_printed(fact):
    statement = Statement(fact.premises, fact.conclusion)
    assert statement_text(statement).endswith(".")
    assert_balanced(statement_latex(statement))


@pytest.mark.parametrize(
    "name",
    [
        # its proof takes long
        pytest.param(name, marks=[pytest.mark.acceptance] if name == "covariance.l2-tied" else [])
        for name in ledger()
    ],
)
def test_ledger_can_be_printed(name):
    claim = ledger()[name]
    assert statement_text(claim.statement, claim.notation).endswith(".")
    assert_balanced(statement_latex(claim.statement, claim.notation))
    *_, proof = derivation(claim.proof, lambda lemma: () if lemma else claim.notation)
    assert proof.steps[-1].number == len(claim.proof.steps)
    for step in proof.steps:
        assert "\n" not in step.text
        assert_balanced(step.latex)
    terms = [*claim.statement.hypotheses, claim.statement.conclusion]
    assert_letters_mean_what_they_say(claim.notation, terms, [step.term for step in proof.steps])


def assert_letters_mean_what_they_say(notation, statement: list[Term], steps: list[Term]) -> None:
    """Letters replace every occurrence, are new, and expand to the same term."""
    terms = [*statement, *steps]
    short = Abbreviations(notation, terms)
    names = {str(node.data) for term in terms for node in term.walk() if node.op == "var"}
    assert not names & set(short.meaning)
    for term in terms:
        folded = short.fold(term)
        assert short.expand(folded) == term
        assert sort_of(folded) == PROP
        assert not set(short.meaning.values()) & set(walk_outside_sorts(folded))
    if notation:
        assert short.used([short.fold(term) for term in statement]), "letters of no use"


def walk_outside_sorts(term: Term):
    yield term
    if term.op != "var":
        for argument in term.args:
            yield from walk_outside_sorts(argument)


# Abbreviations -------------------------------------------------------------------------------


def test_letters_are_renamed_when_they_are_taken():
    statement = Statement((la.psd(M),), la.pd(la.add(A, la.tp(A))))
    notation = [Definition("M", la.add(A, la.tp(A)))]
    assert statement_text(statement, notation) == (
        "For every size d ≥ 1, all M, A ∈ ℝ^{d×d}: if M ⪰ 0, then M₁ ≻ 0, where M₁ = A + Aᵀ."
    )


def test_bound_variables_do_not_take_letters():
    statement = Statement((), la.forall(B, la.implies(la.psd(B), la.psd(la.mul(A, A)))))
    assert statement_text(statement, [Definition("B", la.mul(A, A))]) == (
        "For every size d ≥ 1, all A ∈ ℝ^{d×d}: "
        "for all B₁ ∈ ℝ^{d×d} with B₁ ⪰ 0: B ⪰ 0, where B = A²."
    )


def test_functions_are_abbreviated_at_any_argument():
    curve, square = la.lam(t, la.scale(t, A)), la.lam(M, la.mul(M, M))
    notation = [Definition("X", curve), Definition("F", square), Definition("unused", P)]
    state = la.at(curve, t)
    statement = Statement(
        (la.maximal(T, curve, square, la.at(square, B)),),
        la.conj(
            la.ode(T, curve, la.lam(t, la.at(square, state))),
            la.eq(la.at(square, la.at(square, la.at(curve, la.number(0)))), B),
            la.on_lifetime(T, lambda t: la.psd(la.at(curve, t))),
        ),
    )
    assert statement_text(statement, notation).splitlines() == [
        "For every size d ≥ 1, all T ∈ (0, ∞], A, B ∈ ℝ^{d×d}: if "
        "X on [0, T) is the maximal solution of X′ = F(X), X(0) = F(B), then",
        "  (a) X′(t) = F(X(t)) for t ∈ [0, T),",
        "  (b) F(F(X(0))) = B,",
        "  (c) for all t ∈ [0, T): X(t) ⪰ 0,",
        "where",
        "  X(t) = t A,",
        "  F(M) = M².",
    ]


def test_a_value_under_a_binder_is_not_mistaken():
    """x -> A x is no value of the definition where its argument is bound inside the pattern."""
    pattern = Definition("G", la.lam(M, la.lam(c, la.scale(c, M))))
    short = Abbreviations([pattern], [A])
    inner = la.lam(c, la.scale(c, la.scale(c, A)))
    assert short.fold(inner).op == "lambda"
    assert short.fold(la.lam(c, la.scale(c, A))) == la.at(short.letters[0], A)


def test_inline_latex_has_its_words_outside():
    statement = Statement((), la.on_lifetime(T, lambda t: la.invertible(la.at(Sigma, t))))
    assert statement_latex(statement).endswith(r"for all $t \in [0, T):\ \Sigma(t)$ is invertible.")
    assert inline(r"a\text{ and }\left(b\text{ or }c\right)") == (
        r"$a$ and $\left(b\text{ or }c\right)$"
    )
    assert inline(r"t:\ \text{for all }x") == "$t:$ for all $x$"


def test_statement_in_markdown():
    statement = Statement((la.psd(M), la.psd(A)), la.conj(la.psd(A), la.psd(B)))
    assert statement_markdown(statement).splitlines() == [
        r"For every size $d \ge 1$, all $M, A, B \in \mathbb{R}^{d \times d}$: if",
        "",
        r"- (1) $M \succeq 0$,",
        r"- (2) $A \succeq 0$,",
        "",
        "then",
        "",
        r"- (a) $A \succeq 0$,",
        r"- (b) $B \succeq 0$.",
    ]


@pytest.mark.parametrize("name", ledger())
def test_lines_are_cut_not_rewritten(name):
    claim = ledger()[name]
    for term in (*claim.statement.hypotheses, claim.statement.conclusion):
        formula = latex(term)
        broken = lines(formula)
        assert "".join("".join(broken).split()) == "".join(formula.split())
        assert_balanced(display(formula))
