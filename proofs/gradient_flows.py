"""Whether attention with given parameters is a gradient flow of the energy of its variant.

The condition of the claims ``gradient.*`` is A_h = A_h^T and B V_h = c A_h for all heads with one
B > 0: for c < 0 tokens move down the energy, for c > 0 up.  It is decided exactly, both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from numeric.model import Model
from numeric.parameters import Parameters
from proofs.answers import GradientFlow
from proofs.checkers import rational
from proofs.claims.base import Claim
from proofs.claims.gradient_dissipation import CLAIM as DISSIPATION
from proofs.claims.gradient_l2 import CLAIM as L2
from proofs.claims.gradient_none_l2 import CLAIM as NO_L2
from proofs.claims.gradient_none_masked import CLAIM as NO_MASKED
from proofs.claims.particles import LAW
from proofs.printing.abbreviations import Abbreviations, Definition
from proofs.printing.latex import latex
from proofs.terms import Literal
from proofs.verdicts.base import Application, Finding, Hypothesis
from proofs.verdicts.common_metric import Failure, Obstruction
from proofs.verdicts.gradient.flow import claim_of, energy_of, proved_flow
from proofs.verdicts.gradient.no_energy import TwoTokens, refuted_energy
from proofs.verdicts.gradient.obstructed import (
    SIGNS,
    Reason,
    asymmetric,
    metric,
    refuted,
    words,
)
from proofs.verdicts.gradient.problem import GradientProblem, is_biased
from proofs.verdicts.problem import to_data, to_rows
from proofs.verdicts.subject import MAX_MULTIPLIED
from proofs.verdicts.workspace import show

WORDS = {-1: "descent", 1: "ascent"}
SYMMETRIC = {True: "A symmetric", False: "each A_h symmetric"}
RELATED = {
    True: "B V = -A or B V = A for some B > 0",
    False: "B V_h = -A_h for all h, or B V_h = A_h, for some B > 0",
}
#: variant -> the claim that two tokens have no energy, and what it says
NO_ENERGY = {
    "softmax": (
        NO_MASKED,
        "with a causal mask two tokens have no energy in any causal metric, as V is not 0",
    ),
    "l2": (
        NO_L2,
        "two tokens have no energy in the metric weighted by the denominator, as V and K are not "
        f"0; only the shift Gamma(x) - x for V = I has one ({L2.id})",
    ),
}
#: larger metrics are not printed
MOST_ROWS = 4


def gradient_flow(model: Model) -> tuple[GradientFlow, tuple[Application, ...]]:
    """The answer, and the claims that decide it at these parameters."""
    decided = _decided(model)
    if decided is not None:
        return decided.answer(), decided.applications
    without = TwoTokens.of(model)
    if without is not None:
        return _without_energy(without), gradient_theorems(model)
    return _unknown(_not_covered(model)), gradient_theorems(model)


def gradient_theorems(model: Model) -> tuple[Application, ...]:
    """The claims on gradient flows at these parameters, decided but not applied."""
    decided = _decided(model)
    if decided is not None:
        return decided.applications
    if len(model.layers) > 1:
        return ()
    if model.variant == "l2" and model.mask is None:
        return _of_l2(model)
    if model.variant == "softmax" and model.mask is not None:
        plain = (_one_head(model), Hypothesis("no biases", not is_biased(model)))
        return (Application(NO_MASKED.id, (*plain, *_not_zero(model))),)
    return ()


def _decided(model: Model) -> _Decided | None:
    problem = GradientProblem.of(model)
    claim = None if problem is None else claim_of(problem)
    return None if problem is None or claim is None else _Decided(problem, claim)


def _unknown(reason: str) -> GradientFlow:
    return GradientFlow("unknown", "open", reason=reason)


def _not_covered(model: Model) -> str:
    """Why nothing is decided."""
    if model.mask is not None:
        return "claims on a causal mask are about one softmax head without biases, V not 0"
    if model.variant == "l2":
        return "claims on L2 attention are about one head without biases, scale Q = K and V not 0"
    if len(model.layers) > 1:
        return "the energy changes from layer to layer"
    if is_biased(model):
        return "no claim is about biases"
    if model.dimension > MAX_MULTIPLIED:
        return f"this version decides up to d = {MAX_MULTIPLIED}"
    if GradientProblem.of(model) is None:
        return "the scales of the heads have no rational ratio"
    if model.variant != "softmax":
        return f"no claim is about several heads of {model.variant} attention"
    return "open for softmax heads with different score matrices"


class _Decided:
    """One matrix B for all heads, or a reason against each sign.

    Attributes:
        skew: the entries by which some A_h is not symmetric.
        sign, metric: c = -1 or 1, and B; None where there is none.
        reasons: against c = -1 and c = 1, where there is no B.
        related: that there is B, or why not, in words.
    """

    def __init__(self, problem: GradientProblem, claim: Claim) -> None:
        self.problem, self.claim = problem, claim
        self.skew = asymmetric(problem)
        self.reasons: dict[int, Reason] = {}
        self.sign: int | None = None
        self.metric: Literal | None = None
        obstructions: dict[int, Obstruction] = {}
        for sign in SIGNS:
            found = metric(problem, sign)
            if isinstance(found, Literal):
                self.sign, self.metric = sign, found
                self.related = f"{_equation(problem, sign)} for {_shown(found)}"
                return
            obstructions[sign] = found
        self.reasons, self.related = _reasons(problem, obstructions)

    @cached_property
    def applications(self) -> tuple[Application, ...]:
        """The claims, with their hypotheses on the matrices."""
        skew, one = self.skew, len(self.problem.pairs or ()) == 1
        asymmetry = None if skew is None else words(self.problem, skew, 1)
        hypotheses = (
            Hypothesis(SYMMETRIC[one], skew is None, asymmetry),
            Hypothesis(RELATED[one], self.sign is not None, self.related),
        )
        names = [self.claim.id]
        if self.problem.variant == "softmax":
            names.append(DISSIPATION.id)
        return tuple(Application(name, hypotheses) for name in names)

    def answer(self) -> GradientFlow:
        """The verdict, established by the kernel."""
        if self.skew is None and self.sign is not None and self.metric is not None:
            return _flow(self.problem, self.claim, self.metric, self.sign)
        failed = next(h for h in self.applications[0].hypotheses if not h.holds)
        reasons = self.reasons if self.skew is None else dict.fromkeys(SIGNS, self.skew)
        finding = Finding("gradient_flow", "none", *refuted(self.problem, reasons))
        finding.theorem()
        return GradientFlow("none", "proved", None, finding, reason=failed.witness)


def _reasons(
    problem: GradientProblem, reasons: Mapping[int, Obstruction]
) -> tuple[dict[int, Reason], str]:
    """A reason against each sign, one for both where there is such, and in words."""
    for one in reasons.values():
        if one.failure is not Failure.INDEFINITE:
            return dict.fromkeys(SIGNS, one), _opening(problem) + words(problem, one, 1)
    each = (f"{_equation(problem, sign)}: {words(problem, reasons[sign], sign)}" for sign in SIGNS)
    return {**reasons}, _opening(problem) + "; ".join(each)


def _opening(problem: GradientProblem) -> str:
    return "" if len(problem.pairs or ()) == 1 else "no B serves all heads: "


def _flow(problem: GradientProblem, claim: Claim, B: Literal, sign: int) -> GradientFlow:
    """Descent or ascent in the metric B, by the claim."""
    finding = Finding("gradient_flow", WORDS[sign], *proved_flow(problem, claim, B, sign))
    finding.theorem()
    energy = energy_of(problem)
    short = Abbreviations([Definition("mu", problem.at_size(LAW))], [energy])
    reason = _equation(problem, sign)
    if problem.variant == "sinkhorn":
        reason += ", phi the potential of the entropic plan, where it is differentiable in time"
    return GradientFlow(
        WORDS[sign],
        "proved",
        claim.id,
        finding,
        metric=to_rows(B),
        energy=latex(short.fold(energy)),
        reason=reason,
    )


def _equation(problem: GradientProblem, sign: int) -> str:
    """B V = c A."""
    minus = "-" if sign < 0 else ""
    scale = "" if problem.scale_squared is None else " / scale"
    if len(problem.pairs or ()) > 1:
        return f"B V_h = {minus}A_h{scale} for all h"
    value = "V" if len(problem.letters) == 1 else "(sum of V_h)"
    return f"B {value} = {minus}A{scale}"


def _shown(B: Literal) -> str:
    if rational.identity(B.rows) == B:
        return "B = I"
    return f"B = {show(to_rows(B))}" if B.rows <= MOST_ROWS else "a matrix B > 0"


def _without_energy(problem: TwoTokens) -> GradientFlow:
    """No energy, by the claim on two tokens."""
    claim, reason = NO_ENERGY[problem.variant]
    finding = Finding("gradient_flow", "none", *refuted_energy(problem, claim))
    finding.theorem()
    return GradientFlow("none", "proved", claim.id, finding, reason=reason)


def _one_head(model: Model) -> Hypothesis:
    return Hypothesis("one head", len(model.layers[0].heads) == 1)


def _not_zero(model: Model) -> tuple[Hypothesis, ...]:
    """On V, where it is multiplied out."""
    if len(model.layers[0].heads) > 1 or model.dimension > MAX_MULTIPLIED:
        return ()
    return (Hypothesis("V is not 0", any(map(any, Parameters.from_model(model).value_matrix))),)


def _of_l2(model: Model) -> tuple[Application, ...]:
    """What the claims on the velocity, and on the shift to the weighted mean, ask for."""
    single = _one_head(model)
    hypotheses = [single, Hypothesis("no biases", not is_biased(model))]
    if not single.holds or model.dimension > MAX_MULTIPLIED:
        return Application(L2.id, tuple(hypotheses)), Application(NO_L2.id, tuple(hypotheses))
    head = Parameters.from_model(model)
    assert head.Q is not None
    assert head.K is not None
    Q, K, V = map(to_data, (head.Q, head.K, head.value_matrix))
    tied = head.scale is not None and rational.scaled(Q, head.scale) == K
    gram = rational.product(rational.transposed(K), K)
    hypotheses.append(Hypothesis("scale Q = K", tied))
    shift = (
        Hypothesis("K injective", rational.is_semidefinite(gram, strict=True)),
        Hypothesis("V = I", rational.identity(V.rows) == V),
    )
    seen = Hypothesis("K is not 0", not rational.is_zero(K))
    return (
        Application(L2.id, (*hypotheses, *shift)),
        Application(NO_L2.id, (*hypotheses, seen, *_not_zero(model))),
    )
