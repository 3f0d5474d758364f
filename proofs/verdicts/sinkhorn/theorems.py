"""All theorems on Sinkhorn attention at the parameters of one layer."""

from __future__ import annotations

from proofs.claims.covariance_sinkhorn_rank import CLAIM as RANK
from proofs.verdicts.always import POSITIVE
from proofs.verdicts.base import Application, Hypothesis
from proofs.verdicts.sinkhorn.clustering import clustering
from proofs.verdicts.sinkhorn.growth import growth
from proofs.verdicts.sinkhorn.problem import SinkhornProblem


def apply_sinkhorn(problem: SinkhornProblem) -> tuple[Application, ...]:
    """All that is known for heads of Sinkhorn attention."""
    start = Hypothesis(POSITIVE, True, "every Sigma0" if problem.start is None else None)
    return (Application(RANK.id, (start,)), growth(problem), clustering(problem))
