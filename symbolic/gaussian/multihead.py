"""Several heads on Gaussians: velocities add up, and so do alpha' and Sigma', linear in them."""

from collections.abc import Callable
from dataclasses import replace

from sympy import MatrixExpr

from symbolic.gaussian.base import GaussianReduction, Step
from symbolic.nodes import Gaussian, HeadSum
from symbolic.notation import A, H, K, Q, Sigma, V, alpha, mu, x
from symbolic.variants import lookup
from symbolic.variants.base import Form

PREFIX = "multihead-"
MASK = "masked-"


def multihead_name(name: str) -> str:
    """The name of the variant with several heads.

    >>> multihead_name("l2"), multihead_name("masked-linear")
    ('multihead-l2', 'masked-multihead-linear')
    """
    mask = MASK if name.startswith(MASK) else ""
    return f"{mask}{PREFIX}{name.removeprefix(mask)}"


def derive(name: str, one_head: Callable[[], GaussianReduction]) -> GaussianReduction:
    """The sum over heads of the reduction of one head, which is the variant ``name``."""
    head = one_head()
    variant = lookup(multihead_name(name))
    law = mu if name.startswith(MASK) else Gaussian(alpha, Sigma)
    form: Form = "A" if variant.score_matrix_suffices else "QK"
    steps = (
        Step("definition", variant.velocity(x, law, form=form), "the sum over heads", variant.lhs),
        *(step for step in head.steps if step.name != "definition"),
        Step(
            "sum over heads",
            over_heads(head.velocity),
            "each head has the velocity above",
            variant.lhs,
        ),
    )
    parts = ("velocity", "linear", "constant", "mean_rhs", "covariance_rhs")
    sums = {part: over_heads(getattr(head, part)) for part in parts}
    return replace(head, variant=variant.name, steps=steps, **sums)


def over_heads(expression: MatrixExpr) -> MatrixExpr:
    """The sum over heads, zero for zero; the letters of a head are V, Q, K and A.

    >>> over_heads(V * Sigma * A)
    HeadSum(V*Sigma*A, (V, A), H)
    """
    own = [letter for letter in (V, Q, K, A) if letter in expression.free_symbols]
    return HeadSum(expression, own, H) if own else expression
