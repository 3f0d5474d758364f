"""The heads of a layer in floating point, and the linear part of their velocity.

Gaussian tokens N(alpha, Sigma) have in softmax attention a velocity that is affine in the token,
with the linear part

    B(Sigma) = sum_h V_h Sigma A_h,    V_h = W_h V'_h,    A_h = K_h^T Q_h

(arXiv:2501.18322, Castin, Ablin, Carrillo, Peyré; biases move the mean only). With Sigma = G G^T,

    B(G G^T) G = sum_h W_h ((V'_h G) (K_h G)^T) (Q_h G)

takes O(d^2 (k + r)) operations a head, and heads with factors of equal shapes share one product
with G. All numbers are dimensionless.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numeric.model import Head, Model

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FloatHead:
    """One head by the factors of its value matrix W V and its attention matrix K^T Q.

    Attributes:
        V: right factor of the value matrix, r x d; the d x d matrix itself without ``W``.
        Q: right factor of the attention matrix, k x d, with the scale multiplied in; the d x d
            matrix itself without ``K``.
        W: left factor of the value matrix, d x r, or None for the identity.
        K: transposed left factor of the attention matrix, k x d, or None for the identity.
    """

    V: Array
    Q: Array
    W: Array | None = None
    K: Array | None = None

    def normalised(self) -> tuple[FloatHead, float]:
        """Return the head with value and attention matrices of spectral norm one.

        With it comes the natural logarithm of the product of the two norms, minus infinity when
        that is zero.
        """
        W, V, value = _normalised(self.W, self.V)
        left, Q, attention = _normalised(None if self.K is None else self.K.T, self.Q)
        return FloatHead(V, Q, W, None if left is None else left.T), value + attention

    def check(self, dimension: int) -> None:
        """Raise :class:`ValueError` unless shapes fit d = ``dimension`` and entries are finite."""
        (r, k), d = (len(self.V), len(self.Q)), dimension
        expected = {
            "V": (d if self.W is None else r, d),
            "Q": (d if self.K is None else k, d),
            "W": (d, r),
            "K": (k, d),
        }
        for name, shape in expected.items():
            matrix = getattr(self, name)
            if matrix is None:
                continue
            if matrix.shape != shape:
                raise ValueError(f"{name}: shape {matrix.shape}, expected {shape}")
            if not np.isfinite(matrix).all():
                raise ValueError(f"{name}: not a finite number")


@dataclass(frozen=True)
class FloatLayer:
    """Heads that act together for ``time`` > 0, which may be infinite."""

    heads: tuple[FloatHead, ...]
    time: float = 1.0


def float_head(head: Head) -> FloatHead:
    """Return the float64 arrays nearest to an exact head, its scale multiplied into Q.

    Raises :class:`OverflowError` for numbers beyond float64.
    """
    scale = math.sqrt(head.scale_squared)
    Q = head.A if head.Q is None else head.Q
    assert Q is not None
    return FloatHead(
        V=head.V.array(),
        Q=scale * Q.array(),
        W=None if head.W is None else head.W.array(),
        K=None if head.K is None else head.K.array(),
    )


def float_layers(model: Model) -> tuple[FloatLayer, ...]:
    """Return the layers of an exact model in floating point, as :func:`float_head` does.

    Raises :class:`ValueError` for a variant other than softmax and for a mask, whose covariance
    equations are others, and :class:`OverflowError` for numbers beyond float64.
    """
    if model.variant != "softmax" or model.mask is not None:
        kind = model.variant if model.mask is None else f"{model.mask} mask"
        raise ValueError(f"{kind}, expected softmax attention without a mask")
    return tuple(
        FloatLayer(
            heads=tuple(map(float_head, layer.heads)),
            time=math.inf if layer.time is None else float(layer.time),
        )
        for layer in model.layers
    )


class LinearPart:
    """The linear part B of the velocity of some heads, ready for many evaluations.

    Attributes:
        log_speed: natural logarithm of the speed sum_h |V_h| |A_h| (spectral norms), which bounds
            |B(Sigma)| / |Sigma|; minus infinity when B = 0.
    """

    def __init__(self, heads: Sequence[FloatHead]) -> None:
        """Stack the factors of ``heads``: at least one, all for the same dimension d."""
        pairs = [head.normalised() for head in heads]
        logs = np.array([log for _, log in pairs])
        self.log_speed = float(np.logaddexp.reduce(logs))
        self._stacks: list[_Stack] = []
        if self.log_speed == -np.inf:
            return
        alike: dict[tuple[bool, int, bool, int], list[FloatHead]] = {}
        for head, log in pairs:
            shape = (head.W is None, len(head.V), head.K is None, len(head.Q))
            share = math.exp(log - self.log_speed)
            alike.setdefault(shape, []).append(replace(head, V=share * head.V))
        self._stacks = [_Stack.of(group) for group in alike.values()]

    def __call__(self, G: Array) -> Array:
        """Return B(G G^T) G divided by the speed, d x n, for ``G`` of shape d x n."""
        if not self._stacks:
            return np.zeros_like(G)
        return reduce(np.add, (stack.times(G) for stack in self._stacks))

    def operations(self, columns: int) -> int:
        """Return the floating point operations of one evaluation with n = ``columns``."""
        return sum(stack.operations(columns) for stack in self._stacks)


@dataclass(frozen=True, eq=False)
class _Stack:
    """Heads with factors of equal shapes."""

    heads: int
    r: int
    k: int
    rows: Array  # all V, then all Q, then all K unless those are identities
    W: Array | None  # all W side by side, d x (heads r), None when those are identities

    @classmethod
    def of(cls, heads: Sequence[FloatHead]) -> _Stack:
        keys = [head.K for head in heads if head.K is not None]
        left = [head.W for head in heads if head.W is not None]
        return cls(
            heads=len(heads),
            r=len(heads[0].V),
            k=len(heads[0].Q),
            rows=np.concatenate([head.V for head in heads] + [head.Q for head in heads] + keys),
            W=np.concatenate(left, axis=1) if left else None,
        )

    def times(self, G: Array) -> Array:
        n = G.shape[1]
        several = (self.heads,) if self.heads > 1 else ()  # two dimensions are faster than three
        values = self.heads * self.r
        queries = values + self.heads * self.k
        products = self.rows @ G
        VG = products[:values].reshape(*several, self.r, n)
        QG = products[values:queries].reshape(*several, self.k, n)
        KG = products[queries:].reshape(*several, self.k, n) if len(products) > queries else G
        result: Array = VG @ KG.mT @ QG
        if self.W is not None:
            return self.W @ result.reshape(values, n)
        return result.sum(axis=0) if several else result

    def operations(self, columns: int) -> int:
        left = 0 if self.W is None else self.W.size
        return 2 * columns * (self.rows.size + left + 2 * self.heads * self.r * self.k)


def _normalised(left: Array | None, right: Array) -> tuple[Array | None, Array, float]:
    """Return factors whose product has spectral norm one, and the logarithm of the norm it had.

    No ``left`` is the identity. A zero product stays zero.
    """
    log = 0.0
    if left is not None:
        size = np.abs(left).max()
        if size == 0:
            return left, right, -np.inf
        left, log = left / size, math.log(size)
    size = np.abs(right).max()
    if size == 0:
        return left, right, -np.inf
    right = right / size
    norm = np.linalg.norm(right if left is None else np.linalg.qr(left, mode="r") @ right, 2)
    if norm == 0:
        return left, right, -np.inf
    return left, right / norm, log + math.log(size) + math.log(norm)
