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
        hypotheses += [*_nonzero(model), spread(model), _centred(model)]
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
    return Hypothesis("d = 1", d == 1, None if d == 1 else f"d = {d}")


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


def _centred(model: Model) -> Hypothesis:
    place = next((i for i, x in enumerate(model.alpha0) if x), None)
    witness = None if place is None else f"entry {place + 1} is {model.alpha0[place]}"
    return Hypothesis("alpha0 = 0", place is None, witness)


def _masked_softmax(model: Model, plain: Hypothesis) -> tuple[Application, str]:
    """The first position whose law differs from those before it sees two different Gaussians."""
    differs = Hypothesis("the laws at two positions differ", None, "needs given positions")
    spread = Hypothesis("variances > 0", None, "needs given positions")
    if model.positions is not None:
        laws = [(one.alpha, one.Sigma.fractions()) for one in model.positions]
        other = next((i for i, law in enumerate(laws) if law != laws[0]), None)
        seen = laws if other is None else [laws[0], laws[other]]
        differs = Hypothesis(
            differs.name,
            other is not None,
            "all are equal" if other is None else f"position {other} from those before it",
        )
        flat = next((i for i, (_, Sigma) in enumerate(seen) if Sigma[0][0] <= 0), None)
        spread = Hypothesis(spread.name, flat is None, None if flat is None else "a variance is 0")
    hypotheses = [on_the_line(model), one_head(model), plain]
    if model.dimension == 1:
        hypotheses += [*_nonzero(model), differs, spread]
    return Application(NOT_MASKED_SOFTMAX, tuple(hypotheses)), "not preserved"
