"""Sinkhorn attention keeps Gaussian measures Gaussian."""

from proofs.claims.base import PAPER_ID, Claim
from proofs.claims.covariance_equation import d, t
from proofs.claims.preservation import MU, Layer
from proofs.claims.preserving_heads import COVARIANCE, SinkhornHead
from proofs.claims.sinkhorn_roots import shrinking
from proofs.language import at, lam, time_to, tp
from proofs.printing.abbreviations import Definition

V, A = time_to("V", d, d), time_to("A", d, d)
LAYER = Layer((SinkhornHead((V, A)),))

CLAIM = Claim(
    id="gaussian.sinkhorn",
    title="Sinkhorn attention keeps Gaussians Gaussian; the mean decouples",
    source=PAPER_ID,
    statement=LAYER.statement,
    hypotheses=LAYER.hypotheses,
    prove=LAYER.prove,
    note="The kernel is that of gaussian.sinkhorn-plan. Layers are parameters that jump in time; "
    "derivatives are from the right. Sigma and A may be singular.",
    notation=(
        MU,
        Definition("Gamma", LAYER.velocity),
        Definition("E", lam(t, shrinking(at(A, t), COVARIANCE, tp(at(A, t))))),
        Definition("B", lam(t, LAYER.linear)),
    ),
)
