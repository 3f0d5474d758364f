"""Whether attention keeps Gaussians Gaussian, for models of any variant, and by which claim."""

from __future__ import annotations

from collections.abc import Iterator

from numeric.model import Model
from numeric.parameters import Parameters
from proofs.answers import Answer
from proofs.builder import SESSION
from proofs.claims.base import claim_named
from proofs.kernel import KernelError
from proofs.verdicts.always import POSITIVE
from proofs.verdicts.base import Application, Hypothesis
from symbolic.variants import lookup

MULTIHEAD = "gaussian.multihead"
#: variant -> the claim for one head; several heads are MULTIHEAD
PRESERVING = {
    "l2": "gaussian.l2",
    "linear": "gaussian.linear",
    "sinkhorn": "gaussian.sinkhorn",
    "softmax": "gaussian.layers",
}
NOT_PRESERVING = {
    "exponential": "gaussian.not-exponential",
    "sigmoid": "gaussian.not-sigmoid",
}
MASKED_LINEAR, NOT_MASKED_SOFTMAX = "gaussian.masked-linear", "gaussian.not-masked-softmax"


def preserved_by(name: str) -> Answer:
    """A claim of the ledger that Gaussians stay Gaussian, settled once in this process."""
    return _settled("preserved", name)


def preservation(model: Model) -> tuple[Answer, tuple[Application, ...]]:
    """The answer, and the claims on Gaussians at these parameters.

    A claim that Gaussians are not preserved gives "not preserved" where all its hypotheses hold;
    otherwise nothing is known.
    """
    application, verdict = _claim_on(model)
    if application is None:
        return Answer("unknown", "open"), ()
    if application.applies is not True:
        return Answer("unknown", "open"), (application,)
    return _settled(verdict, application.id), (application,)


def _settled(verdict: str, name: str) -> Answer:
    try:
        SESSION.theorem(claim_named(name).lemma())
    except KernelError:
        return Answer("unknown", "open", name)
    return Answer(verdict, "proved", name)


def _claim_on(model: Model) -> tuple[Application | None, str]:
    start = Hypothesis(POSITIVE, True, "every Sigma0" if model.Sigma0 is None else None)
    plain = no_biases(model)
    if model.mask is not None:
        if model.variant == "linear":
            return Application(MASKED_LINEAR, (one_head(model), plain)), "preserved"
        if model.variant == "softmax":
            return _masked_softmax(model, plain)
        return None, "unknown"
    if model.variant in PRESERVING:
        several = any(len(layer.heads) > 1 for layer in model.layers)
        name = MULTIHEAD if several else PRESERVING[model.variant]
        return Application(name, (start, plain)), "preserved"
    hypotheses = [on_the_line(model), one_head(model), plain]
    if model.dimension == 1:
        hypotheses += [*_nonzero(model), spread(model)]
    return Application(NOT_PRESERVING[model.variant], tuple(hypotheses)), "not preserved"


def no_biases(model: Model) -> Hypothesis:
    """Biases that the variant cancels do not count."""
    cancelling = lookup(model.variant).cancelling_biases
    for layer in model.layers:
        if any(layer.output_bias or ()):
            return Hypothesis("no biases", False, f"layer {layer.index} has an output bias")
        for head in layer.heads:
            for name in ("b_q", "b_k", "b_v"):
                if name not in cancelling and any(getattr(head, name) or ()):
                    return Hypothesis("no biases", False, f"head {head.index} has {name}")
    return Hypothesis("no biases", True)


def one_head(model: Model) -> Hypothesis:
    """In every layer."""
    heads = max(len(layer.heads) for layer in model.layers)
    return Hypothesis("one head", heads == 1, None if heads == 1 else f"{heads} heads")


def on_the_line(model: Model) -> Hypothesis:
    """d = 1."""
    d = model.dimension
    return Hypothesis("d = 1", d == 1, None if d == 1 else f"d is {d}")


def _nonzero(model: Model) -> Iterator[Hypothesis]:
    """V and A of the head that acts first."""
    first = Parameters.from_model(model)
    for name, matrix in (("V", first.value_matrix), ("A", first.A_unscaled)):
        holds = any(any(row) for row in matrix)
        yield Hypothesis(f"{name} is not 0", holds, None if holds else f"{name} = 0")


def spread(model: Model) -> Hypothesis:
    """The variance is positive at the start, d = 1."""
    name = "Sigma0 > 0"
    if model.Sigma0 is None:
        return Hypothesis(name, True, "every Sigma0")
    positive = model.Sigma0.fractions()[0][0] > 0
    return Hypothesis(name, positive, None if positive else "Sigma0 = 0")


def _masked_softmax(model: Model, plain: Hypothesis) -> tuple[Application, str]:
    """The second position sees two Gaussians; later ones would need uniqueness of the flow."""
    hypotheses = [on_the_line(model), one_head(model), plain]
    if model.dimension == 1:
        hypotheses += [*_nonzero(model), *_second_position(model)]
    return Application(NOT_MASKED_SOFTMAX, tuple(hypotheses)), "not preserved"


def _second_position(model: Model) -> Iterator[Hypothesis]:
    differs, spread = "the laws at the first two positions differ", "the second variance is not 0"
    if model.positions is None or len(model.positions) < 2:
        yield Hypothesis(differs, None, "needs two positions")
        return
    first, second, *others = model.positions
    if (first.alpha, first.Sigma.fractions()) == (second.alpha, second.Sigma.fractions()):
        yield Hypothesis(differs, None if others else False, "they agree")
    else:
        yield Hypothesis(differs, True)
    holds = second.Sigma.fractions()[0][0] > 0
    yield Hypothesis(spread, holds, None if holds else "it is 0")
