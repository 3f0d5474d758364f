"""Python source of the matrices H and M of quadratic forms that are given by pair densities.

For tokens x_i of masses w_i, the double integral of a density that is quadratic in the velocities
is v^T H v with H of shape (n d, n d), in blocks (i, j) of size d x d.  Monomials are sorted by what
they weigh: velocities of the same token go into diagonal blocks, by matrix products over the other
token, and those of two tokens into block (i, j), where monomials with the same scalar are summed
before it multiplies them.  No array is larger than H.

NumPy and SciPy are imported when the code runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeAlias

import sympy as sp
from sympy import Expr, MatMul, MatrixExpr, MatrixSymbol, Symbol

from symbolic.energies import lookup
from symbolic.energies.base import Interaction
from symbolic.nodes import Inner
from symbolic.notation import A_symmetric, m, x, xdot, y, ydot
from symbolic.pair_densities import OF_X, exchanged, monomials
from symbolic.second_variation import SecondVariation, second_variation
from symbolic.variants.sigmoid import logistic

SOURCE = "Castin, Ablin, Carrillo, Peyré, arXiv:2501.18322."

_HEADER = '''import numpy as np
from scipy.special import expit


def {name}(x, w, A, B):
    """Second variation along geodesics, and metric, of the energy of {variant} attention.

    {source}

    x: (..., n, d), tokens
    w: (..., n), their masses
    {score}
    B: (..., d, d), symmetric positive definite{tied}
    Returns H and M, both (..., n d, n d); leading dimensions broadcast.
    """
    x, w, B = np.asarray(x, float), np.asarray(w, float), np.asarray(B, float)
'''

_LETTERS = {xdot, ydot}
_Monomials: TypeAlias = dict[tuple[Expr, ...], list[tuple[Expr, list[Inner]]]]
"""By their scalar factors: the number in front, and the inner products with velocities."""


def source(variant: str) -> str:
    """Source of a module with a function of x, w, A, B that returns H and M.

    Raises ValueError when the variant has no second variation.

    >>> print(source("linear").splitlines()[3])
    def linear_second_variation(x, w, A, B):
    """
    form = second_variation(variant)
    return _Writer(form).module()


def function(variant: str) -> Callable[..., Any]:
    """The function of `source`."""
    namespace: dict[str, Any] = {}
    exec(compile(source(variant), "<generated>", "exec"), namespace)
    made: Callable[..., Any] = namespace[_name(variant)]
    return made


def _name(variant: str) -> str:
    return f"{variant}_second_variation"


def _of_x(column: MatrixExpr) -> bool:
    return bool(column.free_symbols & set(OF_X))


class _Writer:
    """Writes assignments, one for each array that is not known yet.

    Arrays of columns are (..., n, d), of numbers of a token (..., n), of a pair (..., n, n) with x
    on the first axis.
    """

    def __init__(self, form: SecondVariation) -> None:
        energy = lookup(form.variant)
        assert isinstance(energy, Interaction)
        self.form, self.energy = form, energy
        self.lines: list[str] = []
        self.known: dict[Any, str] = {}
        self.count = 0
        self.uses_scores = A_symmetric in form.hessian.free_symbols

    def module(self) -> str:
        tied = not self.uses_scores
        text = _HEADER.format(
            name=_name(self.form.variant),
            variant=self.form.variant,
            source=SOURCE,
            score="A: None" if tied else "A: (..., d, d), symmetric",
            tied=", 2 Q^T Q" if tied else "",
        )
        if not tied:
            self.lines.append("A = np.asarray(A, float)")
        self.lines.append("n, d = x.shape[-2:]")
        if tied:
            # Only differences matter: small numbers keep the squares accurate.
            self.lines.append("x = x - np.mean(x, axis=-2, keepdims=True)")
        self.known[x] = "x"
        if self.form.kernel is not None:
            kernel = self.pair(self.form.kernel)
            weighted = self.assign("Z", f"({kernel} @ w[..., None])[..., 0]")
            self.known[m] = self.assign(
                "m", f"({kernel} @ (w[..., None] * x)) / {weighted}[..., None]"
            )
        self.hessian()
        self.metric()
        body = "".join(f"    {line}\n" for line in [*self.lines, "return H, M"])
        used = "expit" in body
        return (text if used else text.replace("from scipy.special import expit\n", "")) + body

    def assign(self, key: Any, code: str) -> str:
        self.count += 1
        name = f"t{self.count}"
        self.lines.append(f"{name} = {code}")
        self.known[key] = name
        return name

    # Arrays --------------------------------------------------------------------------------

    def matrix(self, factors: tuple[MatrixExpr, ...]) -> str:
        """A product of matrices (..., d, d)."""
        if factors in self.known:
            return self.known[factors]
        if not factors:
            return self.assign(factors, "np.eye(d)")
        if len(factors) == 1:
            (one,) = factors
            if isinstance(one, MatrixSymbol):
                return str(one.name)
            return self.assign(factors, f"np.linalg.inv({self.matrix((one.arg,))})")
        return self.assign(factors, f"{self.matrix(factors[:1])} @ {self.matrix(factors[1:])}")

    def column(self, column: MatrixExpr) -> str:
        """W a for all tokens (..., n, d); the same array whether a belongs to x or to y."""
        if not _of_x(column):
            column = column.xreplace({y: x, ydot: xdot, exchanged(m): m})
        if column in self.known:
            return self.known[column]
        matrices, letter = _split(column)
        array = self.known[letter]
        return self.assign(column, f"{array} @ np.swapaxes({self.matrix(matrices)}, -1, -2)")

    def pair(self, e: Expr) -> str:
        """A number for each pair of tokens: (..., n, n), or what broadcasts to it."""
        if e in self.known:
            return self.known[e]
        letters = dict(self.energy.kernels)
        if e in letters:
            z = Symbol("z", real=True)
            return self.assign(e, _scalar_code(letters[e](z), z, self.score()))
        if isinstance(e, Inner):
            left, right = e.args
            first, second = self.column(left), self.column(right)
            if _of_x(left) == _of_x(right):
                axis = "[..., :, None]" if _of_x(left) else "[..., None, :]"
                return self.assign(e, f"np.sum({first} * {second}, axis=-1){axis}")
            if not _of_x(left):
                first, second = second, first
            return self.assign(e, f"{first} @ np.swapaxes({second}, -1, -2)")
        raise ValueError(f"no code for {e}")

    def score(self) -> str:
        """The score of all pairs."""
        score = self.energy.metric_score()
        if score in self.known:
            return self.known[score]
        if isinstance(score, Inner):
            return self.pair(score)
        terms = [
            _factor(number) + " * ".join(map(self.pair, factors))
            for number, factors in monomials(score)
        ]
        return self.assign(score, " + ".join(terms))

    # The two matrices ----------------------------------------------------------------------

    def hessian(self) -> None:
        diagonal, mixed = _sorted(self.form.hessian)
        self.lines.append("masses = w[..., :, None] * w[..., None, :]")
        arrays = ["masses", "x", "A", "B"] if self.uses_scores else ["masses", "x", "B"]
        shapes = ", ".join(f"{name}.shape[:-2]" for name in arrays)
        self.lines.append(f"shape = np.broadcast_shapes({shapes})")
        self.lines.append("H = np.zeros((*shape, n, d, n, d))")
        for scalar, terms in mixed.items():
            self.off_diagonal(self.weighted(scalar), terms)
        self.lines.append("H = H.reshape(*shape, n * d, n * d)")
        self.lines.append("H = (H + np.swapaxes(H, -1, -2)) / 2")
        self.lines.append("D = np.zeros((*shape, n, d, d))")
        for scalar, terms in diagonal.items():
            weighted = self.weighted(scalar)
            for number, moving in terms:
                self.on_diagonal(weighted, number, moving)
        self.lines.append("D = (D + np.swapaxes(D, -1, -2)) / 2")
        self.lines.append("np.einsum('...ipiq->...ipq', H.reshape(*shape, n, d, n, d))[...] += D")

    def weighted(self, scalar: tuple[Expr, ...]) -> str:
        """The scalar of all pairs times both masses."""
        return self.assign(
            ("weighted", scalar), " * ".join(["masses", *(self.pair(f) for f in scalar)])
        )

    def off_diagonal(self, scalar: str, terms: list[tuple[Expr, list[Inner]]]) -> None:
        """Blocks (i, j): the sum of the matrices between xdot and ydot, times the scalar."""
        of_i: list[str] = []
        of_j: list[str] = []
        outer: list[str] = []
        for number, moving in terms:
            factor = _factor(number)
            if len(moving) == 1:
                W = _between(moving[0])
                of_i.append(f"{factor}{self.matrix(W)}[..., None, :, :]")
                continue
            p, q = (_partner(moving, v) for v in (xdot, ydot))
            u, v = self.column(p), self.column(q)
            if _of_x(p) == _of_x(q):
                block = f"{factor}({u}[..., :, None] * {v}[..., None, :])"
                (of_i if _of_x(p) else of_j).append(block)
            elif _of_x(p):
                outer.append(f"({factor}{u})[..., :, :, None, None] * {v}[..., None, None, :, :]")
            else:
                outer.append(
                    f"np.swapaxes({factor}{u}, -1, -2)[..., None, :, :, None]"
                    f" * {v}[..., :, None, None, :]"
                )
        parts = list(outer)
        if of_i:
            parts.append(f"({' + '.join(of_i)})[..., :, :, None, :]")
        if of_j:
            parts.append(f"np.swapaxes({' + '.join(of_j)}, -3, -2)[..., None, :, :, :]")
        first, *others = parts
        # The last block may broadcast over tokens: it is added to zeros of the right shape.
        self.lines.append("T = np.zeros((*shape, n, d, n, d))")
        for part in (first, *others):
            self.lines.append(f"T += {part}")
        self.lines.append(f"T *= {scalar}[..., :, None, :, None]")
        self.lines.append("H += T")

    def on_diagonal(self, scalar: str, number: Expr, moving: list[Inner]) -> None:
        """The matrix between xdot and xdot, summed over y."""
        factor = _factor(number)
        if len(moving) == 1:
            W = self.matrix(_between(moving[0]))
            self.lines.append(
                f"D += {factor}np.sum({scalar}, axis=-1)[..., None, None] * {W}[..., None, :, :]"
            )
            return
        p, q = (_other(inner, xdot) for inner in moving)
        if _of_x(q):
            p, q = q, p
        u, v = self.column(p), self.column(q)
        if _of_x(p) and _of_x(q):
            total = f"np.sum({scalar}, axis=-1)[..., None, None]"
            block = f"{total} * ({u}[..., :, None] * {v}[..., None, :])"
        elif _of_x(p):
            block = f"{u}[..., :, None] * ({scalar} @ {v})[..., None, :]"
        else:
            flat = f"({u}[..., :, None] * {v}[..., None, :]).reshape(*{u}.shape[:-1], d * d)"
            block = f"({scalar} @ {flat}).reshape(*shape, n, d, d)"
        self.lines.append(f"D += {factor}{block}")

    def metric(self) -> None:
        """Diagonal blocks w_i B, times Z_i where the metric is twisted."""
        weight = f"w * {self.known['Z']}" if self.form.kernel is not None else "w"
        self.lines.append("M = np.zeros((*shape, n, d, n, d))")
        self.lines.append(
            "np.einsum('...ipiq->...ipq', M)[...] = "
            f"({weight})[..., None, None] * B[..., None, :, :]"
        )
        self.lines.append("M = M.reshape(*shape, n * d, n * d)")


def _sorted(density: Expr) -> tuple[_Monomials, _Monomials]:
    """Monomials with the velocity of x only, and with both; those of y are exchanged first."""
    totals: dict[tuple[Expr, ...], Expr] = defaultdict(lambda: sp.Integer(0))
    for number, factors in monomials(density):
        if not any(xdot in f.free_symbols for f in factors):
            ((number, factors),) = monomials(exchanged(number * sp.Mul(*factors)))
        totals[tuple(sorted(factors, key=sp.default_sort_key))] += number
    diagonal: _Monomials = defaultdict(list)
    mixed: _Monomials = defaultdict(list)
    for product, number in totals.items():
        scalar = tuple(f for f in product if not f.free_symbols & _LETTERS)
        moving = [f for f in product if f.free_symbols & _LETTERS]
        chosen = mixed if any(ydot in f.free_symbols for f in moving) else diagonal
        chosen[scalar].append((number, moving))
    return diagonal, mixed


def _split(column: MatrixExpr) -> tuple[tuple[MatrixExpr, ...], MatrixSymbol]:
    factors = column.args if isinstance(column, MatMul) else (column,)
    return tuple(factors[:-1]), factors[-1]


def _between(inner: Inner) -> tuple[MatrixExpr, ...]:
    """W with <W xdot, ydot>, or <W xdot, xdot>; W is symmetric in all densities of this project."""
    (matrices, _), (none, _) = _split(inner.args[0]), _split(inner.args[1])
    assert not none
    return matrices


def _other(inner: Inner, velocity: MatrixSymbol) -> MatrixExpr:
    """c of <c, velocity>."""
    left, right = inner.args
    if right == velocity:
        return left
    matrices, letter = _split(left)
    assert letter == velocity
    return MatMul(*(f.T.doit() for f in reversed(matrices)), right).doit()


def _partner(moving: list[Inner], velocity: MatrixSymbol) -> MatrixExpr:
    (inner,) = (e for e in moving if velocity in e.free_symbols)
    return _other(inner, velocity)


def _factor(number: Expr) -> str:
    """Code of a number in front of a product, none for 1."""
    return "" if number == 1 else "-" if number == -1 else f"{float(number)!r} * "


def _scalar_code(e: Expr, z: Symbol, score: str) -> str:
    """A function of the score; logistic functions do not overflow."""
    text = {
        sp.exp(z): f"np.exp({score})",
        logistic(z): f"expit({score})",
        logistic(z) * logistic(-z): f"expit({score}) * expit(-{score})",
        sp.log(1 + sp.exp(z)): f"np.logaddexp(0.0, {score})",
    }
    if e not in text:
        raise ValueError(f"no code for {e}")
    return text[e]
