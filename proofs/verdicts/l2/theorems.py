"""All theorems on L2 attention at the parameters of one layer."""

from __future__ import annotations

from proofs.claims.covariance_l2_rank import CLAIM as RANK
from proofs.verdicts.always import POSITIVE
from proofs.verdicts.base import Application, Hypothesis
from proofs.verdicts.l2.growth import growth
from proofs.verdicts.l2.in_kernel import Prove, in_kernel
from proofs.verdicts.l2.one_row import one_row
from proofs.verdicts.l2.plane import in_plane
from proofs.verdicts.l2.problem import L2Problem


def apply_l2(problem: L2Problem, softmax: Prove) -> tuple[Application, ...]:
    """``softmax`` proves what holds for softmax heads."""
    start = Hypothesis(POSITIVE, True, "every Sigma0" if problem.start is None else None)
    return (
        Application(RANK.id, (start,)),
        growth(problem),
        in_kernel(problem, softmax),
        one_row(problem, softmax),
        in_plane(problem),
    )
