"""The equations of mean and covariance of a model, in LaTeX: with its numbers when it is small."""

from __future__ import annotations

import math
from fractions import Fraction

from numeric.exact import Matrix, Vector, square_root
from numeric.model import Model
from numeric.parameters import Parameters
from proofs.answers import Answer
from proofs.claims import gaussian_l2, gaussian_linear, gaussian_sinkhorn
from proofs.claims import gaussian_masked_linear as masked
from proofs.claims.base import claim_named
from proofs.claims.covariance_equation import t
from proofs.claims.gaussian_multihead import heads_of
from proofs.claims.preservation import Layer
from proofs.claims.preserving_heads import (
    COVARIANCE,
    Head,
    L2Head,
    LinearHead,
    SinkhornHead,
    SoftmaxHead,
)
from proofs.gaussian_preservation import MULTIHEAD
from proofs.language import add, at, lam, literal, mul, number, root, scale
from proofs.printing.latex import latex
from proofs.terms import Literal, Term, rebuild, size, substitute
from symbolic.variants import lookup

#: larger models are shown with letters
MOST_ROWS, MOST_HEADS = 4, 4
LAYERS = {
    "l2": gaussian_l2.LAYER,
    "linear": gaussian_linear.LAYER,
    "sinkhorn": gaussian_sinkhorn.LAYER,
}
KINDS: dict[str, type[Head]] = {
    kind.variant: kind for kind in (L2Head, LinearHead, SinkhornHead, SoftmaxHead)
}


def equations(model: Model, gaussian: Answer) -> dict[str, str] | None:
    """LaTeX of the ``mean`` and ``covariance`` equations; None where Gaussians are not preserved.

    One layer with d <= 4 and at most 4 heads is printed with its numbers, A = scale K^T Q
    multiplied out; anything else with letters, as the claim states it.
    """
    if gaussian.verdict != "preserved" or gaussian.theorem is None:
        return None
    if model.mask is not None:
        return _written(*_masked_linear(model))
    if _is_small(model):
        return _written(*_with_numbers(model))
    if model.variant != "softmax":
        return _written(*_with_letters(KINDS[model.variant], gaussian.theorem == MULTIHEAD))
    mean, covariance = (latex(at(side, t)) for side in _of_claim(gaussian.theorem))
    return {"mean": rf"\dot\alpha(t) = {mean}", "covariance": rf"\dot\Sigma(t) = {covariance}"}


def _written(mean: Term, linear: Term, place: str = "") -> dict[str, str]:
    """alpha' and Sigma' = B Sigma + (B Sigma)^T, at the position ``place`` if there are several."""
    where = f"({place}t)"
    growth = rf"B{where} \Sigma{where}"
    return {
        "mean": rf"\dot\alpha{where} = {latex(mean)}",
        "covariance": rf"\dot\Sigma{where} = {growth} + ({growth})^\top,\ "
        rf"B{where} = {latex(linear)}",
    }


def _is_small(model: Model) -> bool:
    layer, *others = model.layers
    one = not others and layer.time is None
    return one and model.dimension <= MOST_ROWS and len(layer.heads) <= MOST_HEADS


def _of_claim(name: str) -> tuple[Term, Term]:
    """The right-hand sides that a claim assumes, as functions of time."""
    found = {}
    for hypothesis in claim_named(name).statement.hypotheses:
        if hypothesis.op in ("ode", "maximal"):
            _, curve, velocity, *_ = hypothesis.args
            if hypothesis.op == "maximal":  # a field of the state
                velocity = lam(t, at(velocity, at(curve, t)))
            found[str(curve.data)] = velocity
    return found["alpha"], found["Sigma"]


def _with_letters(kind: type[Head], several: bool) -> tuple[Term, Term]:
    """The right-hand side of the mean, and B; the sum over the heads of one family."""
    layer = Layer((heads_of(kind),)) if several else LAYERS[kind.variant]
    return at(layer.mean_equation.args[2], t), layer.linear


def _masked_linear(model: Model) -> tuple[Term, Term, str]:
    sides = mul(masked.LINEAR, at(masked.alpha, masked.s, t)), masked.LINEAR
    if _is_small(model):
        V, A = _head(model, 0, SoftmaxHead.names)
        numbers = {"V": V, "A": A, "d": size(model.dimension)}
        sides = tidied(substitute(sides[0], numbers)), tidied(substitute(sides[1], numbers))
    return *sides, "s, "


def _with_numbers(model: Model) -> tuple[Term, Term]:
    """The right-hand side of the mean, and B."""
    kind = KINDS[model.variant]
    (layer,) = model.layers
    count = len(layer.heads)
    tilted = "b_q" not in lookup(model.variant).cancelling_biases
    heads = Layer(tuple(kind(_head(model, i, kind.names)) for i in range(count)))
    mean = [at(heads.mean_equation.args[2], t)]
    for i in range(count):
        one = Parameters.from_model(model, head=i)
        if tilted and any(one.tilt_unscaled):
            tilt = _scaled(tuple((x,) for x in one.tilt_unscaled), one.scale_squared)
            mean.append(mul(literal(one.value_matrix), COVARIANCE, tilt))
        mean += [_column(bias) for bias in (one.value_bias,) if any(bias)]
    mean += [_column(bias) for bias in (layer.output_bias or (),) if any(bias)]
    total = mean[0] if len(mean) == 1 else add(*mean)
    plane = {"d": size(model.dimension)}
    return tidied(substitute(total, plane)), tidied(substitute(heads.linear, plane))


def _head(model: Model, place: int, names: tuple[str, ...]) -> tuple[Term, ...]:
    """The parameters of a head as constant curves."""
    one = Parameters.from_model(model, head=place)
    values = {"V": literal(one.value_matrix)}
    if "A" in names:
        values["A"] = _scaled(one.A_unscaled, one.scale_squared)
    else:
        assert one.Q is not None
        assert one.K is not None
        values["Q"] = _scaled(one.Q, one.scale_squared)
        values["K"] = literal(one.K)
    return tuple(lam(t, values[name]) for name in names)


def _column(vector: Vector) -> Term:
    return literal([[x] for x in vector])


def _scaled(matrix: Matrix, square: Fraction) -> Term:
    """The matrix times the root of ``square``, which is multiplied out when it is rational."""
    exact = square_root(square)
    if exact is None:
        return scale(root(number(square)), literal(matrix))
    return literal([[exact * x for x in row] for row in matrix])


def tidied(term: Term) -> Term:
    """The same value, with the rational factors of each product as one number in front of it."""
    if not term.args:
        return term
    term = rebuild(term, tuple(tidied(part) for part in term.args))
    if term.op == "transpose" and _rational(term.args[0]) is not None:
        return term.args[0]
    if term.op not in ("mul", "scale"):
        return term
    factor, rest = _split(term)
    if not rest:
        return number(factor)
    product = rest[0] if len(rest) == 1 else mul(*rest)
    return product if factor == 1 else scale(factor, product)


def _split(term: Term) -> tuple[Fraction, list[Term]]:
    """The rational factors of a product, multiplied, and the other ones in their order."""
    value = _rational(term)
    if value is not None:
        return value, []
    if term.op == "scale":
        value = _rational(term.args[0])
        if value is None:
            return Fraction(1), [term]
        factor, rest = _split(term.args[1])
        return value * factor, rest
    if term.op == "mul":
        parts = [_split(part) for part in term.args]
        factor = math.prod((factor for factor, _ in parts), start=Fraction(1))
        return factor, [x for _, rest in parts for x in rest]
    return Fraction(1), [term]


def _rational(term: Term) -> Fraction | None:
    """The value of a 1 x 1 literal."""
    data = term.data
    if isinstance(data, Literal) and (data.rows, data.columns) == (1, 1):
        return data.entries[0]
    return None
