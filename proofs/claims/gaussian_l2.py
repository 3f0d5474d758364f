"""L2 attention keeps Gaussian measures Gaussian."""

from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import d, t
from proofs.claims.preservation import MU, Layer
from proofs.claims.preserving_heads import L2Head
from proofs.language import dim, lam, time_to
from proofs.printing.abbreviations import Definition

k = dim("k")
LAYER = Layer((L2Head((time_to("Q", k, d), time_to("K", k, d), time_to("V", d, d))),))

CLAIM = Claim(
    id="gaussian.l2",
    title="L2 attention keeps Gaussians Gaussian, and the rank of the covariance",
    source=PAPER_ID,
    statement=LAYER.statement,
    hypotheses=LAYER.hypotheses,
    prove=LAYER.prove,
    note="Layers are parameters that jump in time; derivatives are from the right. Sigma and "
    "A = K^T Q may be singular, and k < d.",
    notation=(
        MU,
        Definition("Gamma", LAYER.velocity),
        Definition("B", lam(t, LAYER.linear)),
    ),
)
