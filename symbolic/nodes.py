"""Expression nodes that SymPy lacks: inner products, integrals against measures, head sums.

The nodes carry no algebra of their own beyond what is listed in their docstrings.  Those that
bind a variable substitute as binders should: a bound letter is never replaced, and it is renamed
when the new expression would be captured.
"""

from __future__ import annotations

from typing import Any

from sympy import Basic, Expr, MatAdd, MatrixExpr, MatrixSymbol, S, Symbol, Tuple
from sympy.core.symbol import Str
from sympy.matrices.exceptions import ShapeError


class SymmetricMatrixSymbol(MatrixSymbol):
    """A square matrix letter that equals its transpose, such as a covariance (d x d).

    >>> from sympy import Symbol
    >>> Sigma = SymmetricMatrixSymbol("Sigma", Symbol("d"), Symbol("d"))
    >>> Sigma.T == Sigma
    True
    """

    def _eval_transpose(self) -> SymmetricMatrixSymbol:
        return self


def indexed(letter: MatrixSymbol, h: object) -> MatrixSymbol:
    """The letter of head ``h``: V becomes V_h, of the same shape and kind."""
    return letter.func(f"{letter.name}_{h}", *letter.shape)


class Measure(Basic):
    """A named measure on R^d, such as mu."""

    def __new__(cls, name: str | Str) -> Measure:
        return super().__new__(cls, name if isinstance(name, Str) else Str(name))

    @property
    def free_symbols(self) -> set[Basic]:
        return {self}

    def _sympystr(self, printer: Any) -> str:
        return str(self.args[0].name)

    def _latex(self, printer: Any) -> str:
        return str(printer._print(Symbol(self.args[0].name)))


class Gaussian(Basic):
    """The normal law N(mean, covariance) on R^d; mean d x 1, covariance d x d, maybe singular."""

    def __new__(cls, mean: MatrixExpr, covariance: MatrixExpr) -> Gaussian:
        if covariance.shape != (mean.shape[0], mean.shape[0]) or mean.shape[1] != 1:
            raise ShapeError(f"mean {mean.shape} does not fit covariance {covariance.shape}")
        return super().__new__(cls, mean, covariance)

    def _latex(self, printer: Any) -> str:
        mean, covariance = map(printer._print, self.args)
        return rf"\mathcal{{N}}({mean}, {covariance})"


class Past(Basic):
    """A measure on [0, 1] x R^d restricted to positions tau <= s: what a causal mask lets through.

    Integrands do not depend on tau, so integrating against it is integrating over R^d; for a
    measure on [0, 1] alone there is `PositionIntegral`.
    """

    def __new__(cls, mu: Basic, position: Expr) -> Past:
        return super().__new__(cls, mu, position)


class Inner(Expr):
    r"""The real number <u, v> of two columns of the same height; symmetric but kept as written.

    Evaluates only when a column is a ZeroMatrix.

    >>> from symbolic.notation import K, Q, x, y
    >>> Inner(Q * x, K * y)
    Inner(Q*x, K*y)
    """

    is_commutative = True
    is_extended_real = True
    is_finite = True

    def __new__(cls, u: MatrixExpr, v: MatrixExpr) -> Expr:
        if u.shape != v.shape or u.shape[1] != 1:
            raise ShapeError(f"no inner product of shapes {u.shape} and {v.shape}")
        if u.is_ZeroMatrix or v.is_ZeroMatrix:
            return S.Zero
        return super().__new__(cls, u, v)

    def doit(self, **hints: Any) -> Expr:
        return self.func(*(arg.doit(**hints) for arg in self.args))

    def _latex(self, printer: Any) -> str:
        u, v = map(printer._print, self.args)
        return rf"\lvert {u}\rvert^2" if u == v else rf"\langle {u}, {v}\rangle"


class _Binder(Basic):
    """Capture-avoiding substitution for a node whose ``args[0]`` is the body."""

    @property
    def bound_symbols(self) -> list[MatrixSymbol]:
        """The bound letters: ``args[1]`` is one letter or a Tuple of letters."""
        letters = self.args[1]
        return list(letters) if isinstance(letters, Tuple) else [letters]

    @property
    def free_symbols(self) -> set[Basic]:
        free = self.args[0].free_symbols - set(self.bound_symbols)
        return free.union(*(arg.free_symbols for arg in self.args[2:]))

    def doit(self, **hints: Any) -> Basic:
        return self.func(self.args[0].doit(**hints), *self.args[1:])

    def _eval_subs(self, old: Basic, new: Basic) -> Basic:
        body, letters = self.args[:2]
        rest = [arg._subs(old, new) for arg in self.args[2:]]
        if old.free_symbols & set(self.bound_symbols):
            return self.func(body, letters, *rest)
        if old.free_symbols & body.free_symbols:
            taken = new.free_symbols | body.atoms(MatrixSymbol)
            clash = new.free_symbols & set(self.bound_symbols)
            rename = {letter: fresh(letter, taken) for letter in clash}
            body, letters = body.xreplace(rename), letters.xreplace(rename)
        # A bound letter can still change its shape, when a dimension is substituted.
        return self.func(body._subs(old, new), letters._subs(old, new), *rest)


def fresh(letter: MatrixSymbol, taken: set[Basic]) -> MatrixSymbol:
    """The letter itself, or a primed copy of it that is not taken."""
    while letter in taken:
        letter = letter.func(letter.name + "'", *letter.shape)
    return letter


class _Integral(_Binder):
    def __new__(cls, body: Basic, y: MatrixSymbol, mu: Basic) -> Basic:
        return super().__new__(cls, body, y, mu)

    def _latex(self, printer: Any) -> str:
        body, y, mu = self.args
        text, at, domain = printer._print(body), printer._print(y), ""
        sign = ""
        if body.is_Add or body.is_MatAdd:
            text = f"({text})"
        elif text.startswith("-"):
            sign, text = "-", text[1:]
        if isinstance(mu, Past):
            mu, position = mu.args
            domain, at = rf"_{{\tau \le {printer._print(position)}}}", rf"\tau, {at}"
        return rf"{sign}\int{domain} {text} \, d{printer._print(mu)}({at})"


class MeasureIntegral(_Integral, Expr):
    """The number int body dmu(y) of a scalar body; y (d x 1) is bound."""

    is_commutative = True


class VectorMeasureIntegral(_Integral, MatrixExpr):
    """The column int body dmu(y) of a matrix body of the same shape; y (d x 1) is bound."""

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.args[0].shape


class DoublyStochastic(_Binder, Expr):
    r"""kappa_infinity(x, y), the limit of alternating row and column normalisation against mu.

    ``kernel`` is a scalar in the two bound letters ``pair`` = (u, v); ``at`` = (x, y) is where the
    limit is evaluated.
    """

    is_commutative = True

    def __new__(cls, kernel: Expr, pair: Tuple, mu: Basic, at: Tuple) -> DoublyStochastic:
        return super().__new__(cls, kernel, Tuple(*pair), mu, Tuple(*at))

    def _latex(self, printer: Any) -> str:
        x, y = map(printer._print, self.args[3])
        head = "^h" if any(str(s).endswith("_h") for s in self.free_symbols) else ""
        return rf"\kappa_\infty{head}({x}, {y})"


class HeadSum(_Binder, MatrixExpr):
    """The sum over heads h = 1, ..., count of a matrix body whose ``letters`` differ by head.

    The letters are bound and stand for V_h, K_h and so on; the other letters are shared.

    >>> from symbolic.notation import A, H, Sigma, V
    >>> HeadSum(V * Sigma * A, (V, A), H).explicit(2)
    V_1*Sigma*A_1 + V_2*Sigma*A_2
    """

    def __new__(cls, body: MatrixExpr, letters: Tuple, count: Expr) -> HeadSum:
        return super().__new__(cls, body, Tuple(*letters), count)

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.args[0].shape

    def _head(self, h: object) -> MatrixExpr:
        return self.args[0].xreplace({letter: indexed(letter, h) for letter in self.bound_symbols})

    def explicit(self, heads: int) -> MatrixExpr:
        """The sum written out for a number of heads, with the letters V_1, V_2, ..."""
        return MatAdd(*(self._head(h) for h in range(1, heads + 1))).doit(deep=False)

    def _latex(self, printer: Any) -> str:
        body = self._head("h")
        text = printer._print(body)
        if body.is_MatAdd:
            text = rf"\left({text}\right)" if "(" in text else f"({text})"
        return rf"\sum_{{h=1}}^{{{printer._print(self.args[2])}}} {text}"


class PositionIntegral(_Binder, MatrixExpr):
    r"""int_{tau <= s} body dtheta(tau) of a matrix body whose ``letters`` differ by position tau.

    ``past`` is Past(theta, s) with theta a measure on [0, 1]; the letters are bound and stand for
    alpha_tau, Sigma_tau and so on.

    >>> from symbolic.latex import latex
    >>> from symbolic.notation import Sigma, s, theta
    >>> print(latex(PositionIntegral(Sigma, (Sigma,), Past(theta, s))))
    \int_{\tau \le s} \Sigma_{\tau} \, d\theta(\tau)
    """

    def __new__(cls, body: MatrixExpr, letters: Tuple, past: Past) -> PositionIntegral:
        return super().__new__(cls, body, Tuple(*letters), past)

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.args[0].shape

    def _latex(self, printer: Any) -> str:
        body = self.args[0].xreplace({u: indexed(u, "tau") for u in self.bound_symbols})
        text = printer._print(body)
        text = f"({text})" if body.is_MatAdd else text
        theta, position = map(printer._print, self.args[2].args)
        return rf"\int_{{\tau \le {position}}} {text} \, d{theta}(\tau)"
