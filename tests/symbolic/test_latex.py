"""Exact strings of the central formulas."""

import pytest
from sympy import Identity, Transpose

from symbolic import closed_forms
from symbolic.gaussian import reduction
from symbolic.latex import latex
from symbolic.nodes import HeadSum, Inner
from symbolic.notation import A, H, K, Sigma, Sigma0, V, alpha, b_v, d, t, with_scale, x, y
from symbolic.variants import lookup


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (V * (alpha + Sigma * A * x), r"V(\alpha + \Sigma Ax)"),
        (Identity(d) - t * Sigma0, r"I - t\Sigma_0"),
        (closed_forms.S, r"VA + A^\top V^\top"),
        (closed_forms.root, r"\Sigma_0^{1/2}"),
        (Transpose(V * A), r"(VA)^\top"),
        (V.inverse() * Sigma, r"V^{-1}\Sigma"),
        ((V + A).inverse(), "(A + V)^{-1}"),
        (A * A, "A^2"),
        (Inner(x, x) ** 2, r"(\lvert x\rvert^2)^2"),
        (2 * Inner(x, y) ** 2 - t, r"2\langle x, y\rangle^2 - t"),
        (-V * y + b_v / 2, r"\frac{1}{2}b_v - Vy"),
        (K.T.inverse() if K.is_square else A.T.inverse(), r"(A^\top)^{-1}"),
        (HeadSum(V * A, (V, A), H), r"\sum_{h=1}^{H} V_h A_h"),
        (
            closed_forms.commuting().solution,
            r"\Sigma_0^{1/2}\left(I - t\Sigma_0^{1/2}(VA + A^\top V^\top)\Sigma_0^{1/2}"
            r"\right)^{-1}\Sigma_0^{1/2}",
        ),
        (closed_forms.self_similar().solution, r"\frac{\Sigma_0}{1 - ct}"),
        (closed_forms.self_similar().derivative, r"\frac{c\Sigma_0}{(1 - ct)^2}"),
        (
            with_scale(lookup("l2").kernel(x, y, biases=True)),
            r"e^{-\lvert \beta Qx + \beta b_q - Ky - b_k\rvert^2}",
        ),
    ],
)
def test_expressions(expression, text):
    assert latex(expression) == text


QUOTIENT = r"\frac{\int e^{%s}Vy \, d\mu(y)}{\int e^{%s} \, d\mu(y)}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("softmax", QUOTIENT % ((r"\langle Qx, Ky\rangle",) * 2)),
        ("l2", QUOTIENT % ((r"-\lvert Qx - Ky\rvert^2",) * 2)),
        ("sinkhorn", r"\int \kappa_\infty(x, y)Vy \, d\mu(y)"),
        ("sigmoid", r"\int \frac{Vy}{1 + e^{-\langle Qx, Ky\rangle}} \, d\mu(y)"),
        ("linear", r"\int \langle Qx, Ky\rangle Vy \, d\mu(y)"),
        ("exponential", r"\int e^{\langle Qx, Ky\rangle}Vy \, d\mu(y)"),
        ("multihead-sinkhorn", r"\sum_{h=1}^{H} \int \kappa_\infty^h(x, y)V_h y \, d\mu(y)"),
    ],
)
def test_velocities(name, text):
    assert lookup(name).latex()["velocity"] == rf"\Gamma_\mu(x) = {text}"


def test_masked_velocity():
    assert lookup("masked-linear").latex(form="A", biases=False)["velocity"] == (
        r"\Gamma_\mu(s, x) = \int_{\tau \le s} \langle Ax, y\rangle Vy \, d\mu(\tau, y)"
    )


def test_biases():
    parts = lookup("sigmoid").latex(biases=True)
    assert parts["score"] == r"\langle Qx + b_q, Ky + b_k\rangle"
    assert parts["kernel"] == r"\frac{1}{1 + e^{-\langle Qx + b_q, Ky + b_k\rangle}}"
    assert r"\frac{Vy + b_v}{1 + e" in parts["velocity"]


def test_reductions():
    assert reduction("softmax").latex() == {
        "mean": r"\dot\alpha = V\alpha + V\Sigma A\alpha",
        "covariance": r"\dot\Sigma = V\Sigma A\Sigma + \Sigma A^\top\Sigma V^\top",
    }
    assert reduction("linear").latex() == {
        "mean": r"\dot\alpha = V(\Sigma + \alpha\alpha^\top)A\alpha",
        "covariance": r"\dot\Sigma = V(\Sigma + \alpha\alpha^\top)A\Sigma"
        r" + \Sigma A^\top(\Sigma + \alpha\alpha^\top)V^\top",
    }
    definition, transform = (step.expression for step in reduction("softmax").steps[:2])
    assert latex(transform) == (
        r"\langle \eta, \alpha\rangle + \frac{1}{2}\langle \eta, \Sigma\eta\rangle"
    )
    assert r"\, d\mathcal{N}(\alpha, \Sigma)(y)" in latex(definition)


DAMPING = r"(I + 2\Sigma K^\top K)^{-1}"
ROOT = r"\left(I + (I + 4\Sigma^{1/2}A\Sigma A^\top\Sigma^{1/2})^{1/2}\right)^{-1}"


@pytest.mark.parametrize(
    ("name", "velocity", "mean", "covariance"),
    [
        (
            "l2",
            rf"V\left(\alpha + 2{DAMPING}\Sigma K^\top(Qx - K\alpha)\right)",
            rf"\dot\alpha = V{DAMPING}(I + 2\Sigma A)\alpha",
            rf"\dot\Sigma = 2V{DAMPING}\Sigma A\Sigma"
            r" + 2\Sigma A^\top\Sigma(I + 2K^\top K\Sigma)^{-1}V^\top",
        ),
        (
            "sinkhorn",
            rf"V\alpha + 2V\Sigma^{{1/2}}{ROOT}\Sigma^{{1/2}}A(x - \alpha)",
            r"\dot\alpha = V\alpha",
            rf"\dot\Sigma = 2V\Sigma^{{1/2}}{ROOT}\Sigma^{{1/2}}A\Sigma"
            rf" + 2\Sigma A^\top\Sigma^{{1/2}}{ROOT}\Sigma^{{1/2}}V^\top",
        ),
        (
            "masked-linear",
            r"VM_s Ax",
            r"\dot\alpha_s = VM_s A\alpha_s",
            r"\dot\Sigma_s = VM_s A\Sigma_s + \Sigma_s A^\top M_s V^\top",
        ),
        (
            "multihead-softmax",
            r"\sum_{h=1}^{H} V_h(\alpha + \Sigma A_h x)",
            r"\dot\alpha = \sum_{h=1}^{H} (V_h\alpha + V_h\Sigma A_h\alpha)",
            r"\dot\Sigma = \sum_{h=1}^{H} (V_h\Sigma A_h\Sigma + \Sigma A_h^\top\Sigma V_h^\top)",
        ),
    ],
)
def test_other_reductions(name, velocity, mean, covariance):
    assert latex(reduction(name).velocity) == velocity
    assert reduction(name).latex() == {"mean": mean, "covariance": covariance}


def test_moments_of_the_past():
    ((_, meaning),) = reduction("masked-linear").definitions
    assert latex(meaning) == (
        r"\int_{\tau \le s} (\Sigma_{\tau} + \alpha_{\tau}\alpha_{\tau}^\top)"
        r" \, d\theta(\tau)"
    )
