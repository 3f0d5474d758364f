"""Heads of low rank move the covariance in few directions only.

Let P be an orthonormal basis of a space that holds the ranges of all V_h, V_h^T, A_h and A_h^T, and
the images of these under Sigma(0). Then P^T Sigma P solves the equation of the heads P^T V_h P,
P^T A_h P, and all other blocks of Sigma in this basis are constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from numeric.heads import Array, FloatHead

WORTH = 0.75
"""Share of d above which nothing is gained."""


def compressed(heads: Sequence[FloatHead], Sigma0: Array) -> tuple[Sequence[FloatHead], Array]:
    """Return heads and start in the few directions that move, or as they are.

    ``Sigma0`` is d x d symmetric positive semidefinite.
    """
    d = len(Sigma0)
    spans: list[Array] = []
    for head in heads:
        if head.W is None or head.K is None:
            return heads, Sigma0
        spans += [head.W, head.V.T, head.K.T, head.Q.T]
    if sum(span.shape[1] for span in spans) >= WORTH * d:
        return heads, Sigma0
    active = np.hstack(spans)
    P = _orthonormal(np.hstack([active, Sigma0 @ active]))
    if not 0 < P.shape[1] < WORTH * d:
        return heads, Sigma0
    inside = []
    for head in heads:
        assert head.W is not None
        assert head.K is not None
        inside.append(FloatHead(V=head.V @ P, Q=head.Q @ P, W=P.T @ head.W, K=head.K @ P))
    return inside, P.T @ Sigma0 @ P


def _orthonormal(matrix: Array) -> Array:
    """Return an orthonormal basis of the range, its directions told from rounding errors."""
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    floor = max(matrix.shape) * np.finfo(np.float64).eps * sizes[0]
    basis: Array = left[:, sizes > floor]
    return basis
