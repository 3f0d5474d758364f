"""Attention velocities on Gaussians N(alpha, Sigma) in floating point, from a factor of Sigma.

On a Gaussian these velocities are affine, x -> B x + c (arXiv:2501.18322, Castin, Ablin, Carrillo,
Peyré), and mean and covariance change at the rates B alpha + c and B Sigma + Sigma B^T.  L2 and
Sinkhorn attention take a factor of Sigma = G G^T, from its eigenvalues, negative ones (rounding)
counted as zero: what has to be inverted are matrices I + N with N positive semidefinite, so that
singular and nearly singular covariances need no care.

Arrays are batched: matrices (..., d, d), columns (..., d), queries and keys (..., k, d); leading
dimensions broadcast, and shapes that do not fit raise ValueError.  Times are in the unit of the
equation, velocities in that of x per unit of time.  Rounding errors are relative to the products
of the norms of the factors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numeric.heads import Array


@dataclass(frozen=True, eq=False)
class AffineVelocity:
    """x -> B x + c, with ``linear`` B (..., d, d) and ``constant`` c (..., d); heads add up.

    Claim ``gaussian.multihead``.

    >>> mean, one = np.array([1.0]), np.array([[1.0]])
    >>> heads = softmax(one, one, mean, one) + linear(one, one, mean, one)
    >>> heads.rates(mean, one)
    (array([4.]), array([[6.]]))
    """

    linear: Array
    constant: Array

    def __call__(self, x: Array) -> Array:
        """The velocity at x (..., d)."""
        return times(self.linear, x) + self.constant

    def __add__(self, other: AffineVelocity) -> AffineVelocity:
        return AffineVelocity(self.linear + other.linear, self.constant + other.constant)

    def rates(self, alpha: Array, Sigma: Array) -> tuple[Array, Array]:
        """Time derivatives of mean (..., d) and covariance (..., d, d)."""
        half = self.linear @ Sigma
        return self(alpha), half + half.mT


def times(matrix: Array, column: Array) -> Array:
    """The product of matrices (..., m, n) and columns (..., n)."""
    result: Array = (matrix @ column[..., None])[..., 0]
    return result


def factor(Sigma: Array) -> Array:
    """G (..., d, d) with Sigma = G G^T."""
    values, vectors = np.linalg.eigh(Sigma)
    result: Array = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    return result


def softmax(V: Array, A: Array, alpha: Array, Sigma: Array) -> AffineVelocity:
    """Softmax attention: B = V Sigma A, c = V alpha.

    V, A and Sigma (..., d, d), alpha (..., d); claim ``gaussian.softmax``.

    >>> V, A, Sigma = np.array([[[2.0]], [[1.0]], [[3.0]]])
    >>> softmax(V, A, np.array([1.0]), Sigma)
    AffineVelocity(linear=array([[6.]]), constant=array([2.]))
    """
    return AffineVelocity(V @ (Sigma @ A), times(V, alpha))


def l2(V: Array, Q: Array, K: Array, alpha: Array, Sigma: Array) -> AffineVelocity:
    """L2 attention: the tokens have covariance G (I + 2 (K G)^T K G)^{-1} G^T under the kernel.

    V (..., d, d), Q and K (..., k, d), alpha (..., d), Sigma (..., d, d); claim ``gaussian.l2``.

    >>> one = np.array([[1.0]])
    >>> l2(one, one, one, np.array([1.0]), one).linear
    array([[0.66666667]])
    """
    G = factor(Sigma)
    keys = K @ G
    precision = np.eye(G.shape[-1]) + 2.0 * keys.mT @ keys
    # From standard normal coordinates of the tokens to the shift by a query.
    slope = 2.0 * G @ np.linalg.solve(precision, keys.mT)
    return AffineVelocity(V @ slope @ Q, times(V, alpha - times(slope, times(K, alpha))))


def sinkhorn(V: Array, A: Array, alpha: Array, Sigma: Array) -> AffineVelocity:
    """Sinkhorn attention: with G^T A G = U diag(s) Z^T, B = V G U diag(e) U^T G^T A.

    e = 2 / (1 + sqrt(1 + 4 s^2)).  On the range of Sigma, B Sigma = V C, see :func:`plan`.

    V, A and Sigma (..., d, d), alpha (..., d); claim ``gaussian.sinkhorn``.

    >>> one = np.array([[1.0]])
    >>> sinkhorn(one, one, np.array([0.0]), one).linear  # 2 / (1 + sqrt 5)
    array([[0.61803399]])
    """
    G = factor(Sigma)
    U, s, _ = np.linalg.svd(G.mT @ A @ G)
    shared = G @ U
    linear = (V @ shared) * _contraction(s)[..., None, :] @ (shared.mT @ A)
    return AffineVelocity(linear, times(V, alpha) - times(linear, alpha))


def plan(A: Array, Sigma: Array) -> Array:
    """The covariance C (..., d, d) of y and x under the doubly stochastic plan of Sinkhorn.

    C = G U diag(c) Z^T G^T with the correlations c = (sqrt(1 + 4 s^2) - 1) / (2 s), written
    2 s / (1 + sqrt(1 + 4 s^2)) against cancellation.
    """
    G = factor(Sigma)
    U, s, Zt = np.linalg.svd(G.mT @ A @ G)
    result: Array = (G @ U) * (s * _contraction(s))[..., None, :] @ (Zt @ G.mT)
    return result


def linear(V: Array, A: Array, alpha: Array, Sigma: Array) -> AffineVelocity:
    """Linear attention: B = V (Sigma + alpha alpha^T) A, c = 0.

    V, A and Sigma (..., d, d), alpha (..., d); claim ``gaussian.linear``.

    >>> V, A, Sigma = np.array([[[1.0]], [[1.0]], [[3.0]]])
    >>> linear(V, A, np.array([1.0]), Sigma).linear
    array([[4.]])
    """
    return _by_moments(V, A, second_moment(alpha, Sigma), alpha)


def masked_linear(V: Array, A: Array, mass: Array, alpha: Array, Sigma: Array) -> AffineVelocity:
    """Masked linear attention with n positions: B_s = V M_s A, c = 0.

    ``mass`` (n,) are the masses of the positions in their order, ``alpha`` (..., n, d) and
    ``Sigma`` (..., n, d, d) the laws there; V and A are d x d.  M_s sums the second moments of
    the positions up to s.

    Claim ``gaussian.masked-linear``.

    >>> V, A = np.array([[[1.0]], [[1.0]]])
    >>> law = {"alpha": np.zeros((2, 1)), "Sigma": np.ones((2, 1, 1))}
    >>> masked_linear(V, A, np.array([0.5, 0.5]), **law).linear.ravel()
    array([0.5, 1. ])
    """
    moments = np.cumsum(mass[:, None, None] * second_moment(alpha, Sigma), axis=-3)
    return _by_moments(V, A, moments, alpha)


def second_moment(alpha: Array, Sigma: Array) -> Array:
    """Sigma + alpha alpha^T (..., d, d)."""
    return Sigma + alpha[..., :, None] * alpha[..., None, :]


def _by_moments(V: Array, A: Array, moments: Array, alpha: Array) -> AffineVelocity:
    return AffineVelocity(V @ moments @ A, np.zeros_like(alpha))


def _contraction(s: Array) -> Array:
    result: Array = 2.0 / (1.0 + np.hypot(1.0, 2.0 * s))
    return result
