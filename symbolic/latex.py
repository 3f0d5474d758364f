r"""LaTeX as people write it: \Sigma_0^{1/2}, A^\top, products without spaces, V before V^\top.

>>> from symbolic.notation import A, Sigma, V
>>> print(latex(V * Sigma * A * Sigma + Sigma * A.T * Sigma * V.T))
V\Sigma A\Sigma + \Sigma A^\top\Sigma V^\top
"""

# SymPy dispatches on the names of the methods.
# ruff: noqa: N815

import re
from collections.abc import Iterable

import sympy as sp
from sympy import (
    Add,
    Basic,
    Expr,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    Mul,
    Pow,
    Symbol,
    Transpose,
)
from sympy.printing.latex import LatexPrinter, translate

from symbolic.nodes import HeadSum


def latex(expression: Basic) -> str:
    """LaTeX of an expression made of the nodes listed in `symbolic.notation`.

    Raises NotImplementedError for other nodes.

    >>> from symbolic.gaussian import reduction
    >>> print(latex(reduction("softmax").covariance_rhs))
    V\\Sigma A\\Sigma + \\Sigma A^\\top\\Sigma V^\\top
    """
    return str(PaperPrinter().doprint(expression))


class PaperPrinter(LatexPrinter):
    """SymPy's LaTeX printer with the habits of a paper for matrix letters, products and sums."""

    def _print_Symbol(self, symbol: Symbol | MatrixSymbol) -> str:
        name, *indices = symbol.name.split("_")
        if not indices:
            return str(translate(name))
        index = ",".join(map(translate, indices))
        return f"{translate(name)}_{index if len(index) == 1 else '{' + index + '}'}"

    _print_MatrixSymbol = _print_Symbol

    def _print_Identity(self, expression: Basic) -> str:
        return "I"

    def _print_ZeroMatrix(self, expression: Basic) -> str:
        return "0"

    def _print_Transpose(self, expression: Transpose) -> str:
        return rf"{self._factor(expression.arg, base=True)}^\top"

    def _print_MatPow(self, expression: MatPow | Pow) -> str:
        power = str(expression.exp)
        power = power if len(power) == 1 else f"{{{power}}}"
        return f"{self._factor(expression.base, base=True)}^{power}"

    _print_Inverse = _print_MatPow

    def _print_Pow(self, expression: Pow) -> str:
        negative = expression.exp.is_negative
        return self._print_Mul(expression) if negative else self._print_MatPow(expression)

    def _print_Mul(self, expression: Mul | MatMul | Pow) -> str:
        factors = Mul.make_args(expression) if expression.is_commutative else expression.args
        matrices = [factor for factor in factors if factor.is_Matrix]
        number, scalar = Mul(*(f for f in factors if not f.is_Matrix)).as_coeff_Mul()
        sign, number = ("-", -number) if number.is_negative else ("", number)
        # exact: e^{-z} stays where it is.
        above, below = sp.fraction(scalar, exact=True)
        factors = [f for f in Mul.make_args(above) if f != 1] + matrices
        if below == 1 or len(factors) > 1:
            text = _juxtapose(map(self._factor, factors))
        else:
            text = self._print(factors[0]) if factors else "1"
        if below != 1:
            text = rf"\frac{{{text}}}{{{self._print(below)}}}"
        return sign + (text if number == 1 else _juxtapose([self._print(number), text]))

    _print_MatMul = _print_Mul

    def _print_Add(self, expression: Add | MatAdd, order: None = None) -> str:
        terms = sorted((_rank(term), self._print(term)) for term in expression.args)
        return " + ".join(term for _, term in terms).replace("+ -", "- ")

    _print_MatAdd = _print_Add

    def _factor(self, expression: Basic, base: bool = False) -> str:
        """The expression as a factor, or as the base of a power, in parentheses when needed."""
        text = str(self._print(expression))
        loose: tuple[type, ...] = (Add, MatAdd, HeadSum)
        if base:
            loose += (Mul, MatMul, MatPow, Transpose)
        # A squared norm has its own exponent.
        if not isinstance(expression, loose) and not (base and text.endswith("^2")):
            return text
        tall = any(part in text for part in ("(", r"\frac", r"\int", r"\sum"))
        return rf"\left({text}\right)" if tall else f"({text})"


def _juxtapose(factors: Iterable[str]) -> str:
    """The factors side by side, with a space after a command or an index before a letter."""
    text = ""
    for factor in factors:
        if re.search(r"(\\[A-Za-z]+|_\w)$", text) and factor[:1].isalpha():
            text += " "
        text += factor
    return text


def _rank(term: Expr) -> tuple[bool, bool, int, int]:
    """Sort key of a term: plus before minus, biases last, short first, transposes last."""
    nodes = list(sp.preorder_traversal(term))
    letters = [node for node in nodes if isinstance(node, (Symbol, MatrixSymbol))]
    bias = any(letter.name.startswith("b_") for letter in letters)
    transposes = sum(isinstance(node, Transpose) for node in nodes)
    coefficient = term.as_coeff_mmul()[0] if term.is_Matrix else term
    return coefficient.as_coeff_Mul()[0].is_negative, bias, len(letters), transposes
