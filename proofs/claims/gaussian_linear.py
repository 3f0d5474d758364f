"""Linear attention keeps Gaussian measures Gaussian."""

from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import d, t
from proofs.claims.preservation import MU, Layer
from proofs.claims.preserving_heads import LinearHead
from proofs.language import lam, time_to
from proofs.printing.abbreviations import Definition

LAYER = Layer((LinearHead((time_to("V", d, d), time_to("A", d, d))),))

CLAIM = Claim(
    id="gaussian.linear",
    title="Linear attention keeps Gaussians Gaussian, and the rank of the covariance",
    source=PAPER_ID,
    statement=LAYER.statement,
    hypotheses=LAYER.hypotheses,
    prove=LAYER.prove,
    note="Mean and covariance are coupled. Layers are parameters that jump in time; derivatives "
    "are from the right.",
    notation=(
        MU,
        Definition("Gamma", LAYER.velocity),
        Definition("B", lam(t, LAYER.linear)),
    ),
)
