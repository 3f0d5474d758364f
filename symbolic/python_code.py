'''Python source of NumPy functions for symbolic expressions.

Letters become arguments.  A column (n x 1) is an array of shape (..., n), a matrix of shape
(..., m, n), a number of shape (...); the leading dimensions are batches that broadcast.  A letter
that a sum over heads binds has the heads in front of all that, on axis 0.  Equal subexpressions,
and those that are transposes of each other, are computed once, and those without a letter of a
head before the loop over heads.  Products are evaluated from the right, inverses by solving, and
roots by eigenvalues, negative ones (rounding) counted as zero.

NumPy is imported when a function is made, not before.

>>> from symbolic.notation import Sigma, V
>>> print(numpy_source("carried", V * Sigma * V.T, doc="Covariance of V y."))
import numpy as np
<BLANKLINE>
<BLANKLINE>
def carried(V, Sigma):
    """Covariance of V y.
<BLANKLINE>
    V: (..., d, d)
    Sigma: (..., d, d), symmetric
    Returns (..., d, d); leading dimensions broadcast.
    """
    V = np.asarray(V)
    Sigma = np.asarray(Sigma)
    m1 = np.swapaxes(V, -1, -2)
    m2 = Sigma @ m1
    m3 = V @ m2
    return m3
<BLANKLINE>
'''

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import sympy as sp
from sympy import Basic, MatrixExpr, MatrixSymbol, Symbol

from symbolic.gaussian.base import GaussianReduction
from symbolic.nodes import HeadSum, Inner, PositionIntegral, SymmetricMatrixSymbol
from symbolic.notation import x

ORDER = ("V", "A", "Q", "K", "b_q", "b_k", "b_v", "M_s", "alpha", "alpha_s", "Sigma", "Sigma_s")
"""Arguments with these names come in this order, before the others by name."""

SOURCE = "Castin, Ablin, Carrillo, Peyré, arXiv:2501.18322."

_IMPORT = "import numpy as np\n"
_ROOT = '''

def _root(M):
    """Positive semidefinite root of M (..., n, n), symmetric; negative eigenvalues count as 0."""
    values, vectors = np.linalg.eigh(M)
    scaled = vectors * np.sqrt(np.clip(values, 0.0, None))[..., None, :]
    return scaled @ np.swapaxes(vectors, -1, -2)
'''

Letter: TypeAlias = MatrixSymbol | Symbol


@dataclass(frozen=True)
class ReductionFunctions:
    """The NumPy functions of a reduction, and the source that they come from.

    All take the letters of ``arguments`` in that order, ``velocity`` the point x after them.
    """

    arguments: tuple[str, ...]
    velocity: Callable[..., Any]
    mean_rhs: Callable[..., Any]
    covariance_rhs: Callable[..., Any]
    source: str


def numpy_source(
    name: str, expression: Basic, arguments: Sequence[Letter] | None = None, *, doc: str = ""
) -> str:
    """Source of a module with the function ``name`` that computes the expression.

    ``arguments`` are all letters of the expression unless given; more are allowed.  ``doc`` is the
    first line of the docstring.  Raises ValueError for a letter that is no argument and for nodes
    that are not algebra, such as integrals.

    >>> from symbolic.notation import V, alpha
    >>> print(*numpy_source("drift", V * alpha).splitlines()[-4:], sep="\\n")
        V = np.asarray(V)
        alpha = np.asarray(alpha)[..., None]
        m1 = V @ alpha
        return m1[..., 0]
    """
    letters = _ordered(_letters(expression)) if arguments is None else arguments
    return _module([_function(name, expression, letters, _of_heads(expression), doc or name)])


def numpy_function(
    name: str, expression: Basic, arguments: Sequence[Letter] | None = None, *, doc: str = ""
) -> Callable[..., Any]:
    """The function ``name`` of `numpy_source`, with the same expression, arguments and doc.

    >>> from symbolic.notation import V, alpha
    >>> numpy_function("drift", V * alpha)([[0, 1], [2, 0]], [3, 4])
    array([4, 6])
    """
    function: Callable[..., Any] = _executed(numpy_source(name, expression, arguments, doc=doc))[
        name
    ]
    return function


def reduction_functions(reduction: GaussianReduction) -> ReductionFunctions:
    """Velocity, alpha' and Sigma' of a reduction as NumPy functions.

    Letters that abbreviate others are written out, but for M_s of masked variants, an integral
    over positions, which is an argument.

    >>> from symbolic.gaussian import reduction
    >>> reduction_functions(reduction("multihead-l2")).arguments
    ('V', 'Q', 'K', 'alpha', 'Sigma')

    >>> softmax = reduction_functions(reduction("softmax"))
    >>> softmax.covariance_rhs([[2]], [[3]], [1], [[1]])
    array([[12]])
    """
    written_out = {
        letter: meaning
        for letter, meaning in reduction.definitions
        if not meaning.has(PositionIntegral)
    }
    parts = {
        part: _written_out(getattr(reduction, part), written_out)
        for part in ("velocity", "mean_rhs", "covariance_rhs")
    }
    letters = _ordered(set().union(*map(_letters, parts.values())) - {x})
    of_heads = set().union(*map(_of_heads, parts.values()))
    prefix = reduction.variant.replace("-", "_")
    titles = {
        "velocity": "Velocity at x",
        "mean_rhs": "Time derivative of the mean",
        "covariance_rhs": "Time derivative of the covariance",
    }
    functions = [
        _function(
            f"{prefix}_{part}",
            expression,
            [*letters, x] if part == "velocity" else letters,
            of_heads,
            f"{titles[part]} of {reduction.variant} attention on Gaussians.\n\n    {SOURCE}",
        )
        for part, expression in parts.items()
    ]
    source = _module(functions)
    made = _executed(source)
    return ReductionFunctions(
        arguments=tuple(letter.name for letter in letters),
        **{part: made[f"{prefix}_{part}"] for part in parts},
        source=source,
    )


def _written_out(expression: MatrixExpr, definitions: dict[MatrixSymbol, MatrixExpr]) -> MatrixExpr:
    """The expression with abbreviations replaced, those of a head by what they mean in the head."""
    if isinstance(expression, HeadSum):
        body = _written_out(expression.args[0], definitions)
        kept = set(expression.bound_symbols) - set(definitions)
        meant = [definitions[u] for u in expression.bound_symbols if u in definitions]
        own = kept.union(*(meaning.free_symbols & _letters(body) for meaning in meant))
        return HeadSum(body, _ordered(own), expression.args[2])
    return expression.xreplace(definitions).doit()


def _letters(expression: Basic) -> set[Letter]:
    """The letters that must be arguments, those of heads included, without dimensions."""
    free = expression.free_symbols | _of_heads(expression)
    letters = {u for u in free if isinstance(u, MatrixSymbol | Symbol)}
    dimensions = {n for u in letters if isinstance(u, MatrixSymbol) for n in u.shape}
    dimensions |= {heads.args[2] for heads in expression.atoms(HeadSum)}
    dimensions |= {n for u in expression.atoms(sp.Identity, sp.ZeroMatrix) for n in u.shape}
    return letters - dimensions


def _of_heads(expression: Basic) -> set[Letter]:
    """The letters that differ by head."""
    return {u for heads in expression.atoms(HeadSum) for u in heads.bound_symbols}


def _ordered(letters: set[Letter]) -> list[Letter]:
    rank = {name: index for index, name in enumerate(ORDER)}
    return sorted(letters, key=lambda u: (rank.get(u.name, len(rank)), u.name))


def _module(functions: Sequence[str]) -> str:
    text = "".join(f"\n\n{function}" for function in functions)
    return _IMPORT + (_ROOT if "_root(" in text else "") + text


def joined(sources: Sequence[str]) -> str:
    """One module with the functions of several."""
    text = "".join(source.removeprefix(_IMPORT).removeprefix(_ROOT) for source in sources)
    return _IMPORT + (_ROOT if "_root(" in text else "") + text


def _executed(source: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {}
    exec(compile(source, "<generated>", "exec"), namespace)
    return namespace


def _function(
    name: str, expression: Basic, letters: Sequence[Letter], of_heads: set[Letter], title: str
) -> str:
    missing = _letters(expression) - set(letters)
    if missing:
        raise ValueError(f"no argument for {', '.join(sorted(u.name for u in missing))}")
    writer = _Writer(letters, of_heads)
    result = writer.visit(expression)
    drop = "[..., 0, 0]" if not expression.is_Matrix else "[..., 0]" * _is_column(expression)
    lines = [
        f"def {name}({', '.join(u.name for u in letters)}):",
        f'    """{title}\n',
        *(f"    {u.name}: {writer.shape(u)}" for u in letters),
        f"    Returns {_shape(expression)}; leading dimensions broadcast.",
        '    """',
        *writer.lines,
        f"    return {result}{drop}",
    ]
    return "\n".join(lines) + "\n"


def _is_column(expression: Basic) -> bool:
    return bool(expression.is_Matrix and expression.shape[1] == 1)


def _shape(expression: Basic, leading: str = "...") -> str:
    sizes = [str(n) for n in expression.shape] if expression.is_Matrix else []
    if _is_column(expression):
        sizes.pop()
    return f"({', '.join([leading, *sizes])}{'' if sizes or ',' in leading else ','})"


class _Writer:
    """Writes assignments, one for each subexpression that is not known yet.

    There is a scope for the function and one for a loop over heads; ``lines`` are those of the
    function.  Numbers are arrays of shape (..., 1, 1), so that they multiply matrices.
    """

    def __init__(self, letters: Sequence[Letter], of_heads: set[Letter]) -> None:
        self.heads = of_heads
        self.scopes: list[list[str]] = [[]]
        self.known: list[dict[Any, str]] = [{}]
        self.bound: list[set[Letter]] = [set()]
        self.count = 0
        self.letters = letters
        for u in letters:
            add = "" if u in self.heads else _added_axes(u)
            self.lines.append(f"    {u.name} = np.asarray({u.name}){add}")
            self.known[0][u] = u.name

    @property
    def lines(self) -> list[str]:
        return self.scopes[0]

    def shape(self, letter: Letter) -> str:
        """What the docstring says of an argument."""
        text = _shape(letter, "H, ..." if letter in self.heads else "...")
        return text + ", symmetric" * isinstance(letter, SymmetricMatrixSymbol)

    def visit(self, e: Basic) -> str:
        """The name of the array that holds the expression, or a literal number."""
        name = self._find(e)
        if name is not None:
            return name
        if isinstance(e, sp.Rational):
            return str(e) if e.is_Integer else f"({e.p} / {e.q})"
        if isinstance(e, HeadSum):
            return self._sum(e)
        if isinstance(e, sp.MatMul):
            scalars = [f for f in e.args if not f.is_Matrix]
            matrices = self._product(tuple(f for f in e.args if f.is_Matrix))
            if not scalars:
                return matrices
            return self._assign(e, " * ".join([*map(self.visit, scalars), matrices]))
        if isinstance(e, sp.MatAdd | sp.Add):
            opposite = [(-term).doit() for term in e.args if _is_negated(term)]
            plus = " + ".join(self.visit(term) for term in e.args if not _is_negated(term))
            return self._assign(e, " - ".join([plus or "0", *map(self.visit, opposite)]))
        if isinstance(e, sp.Mul):
            return self._assign(e, " * ".join(map(self.visit, e.args)))
        return self._assign(e, self._operation(e))

    def _operation(self, e: Basic) -> str:
        match e:
            case sp.Transpose():
                return f"np.swapaxes({self.visit(e.arg)}, -1, -2)"
            case sp.Inverse():
                return f"np.linalg.inv({self.visit(e.arg)})"
            case sp.MatPow() if e.exp == sp.Rational(1, 2):
                return f"_root({self.visit(e.base)})"
            case sp.MatPow() if e.exp.is_Integer and e.exp > 0:
                return f"np.linalg.matrix_power({self.visit(e.base)}, {e.exp})"
            case sp.Pow() if e.exp.is_Integer:
                return f"{self.visit(e.base)} ** {e.exp}.0"
            case sp.exp():
                return f"np.exp({self.visit(e.args[0])})"
            case Inner():
                u, v = map(self.visit, e.args)
                return f"np.swapaxes({u}, -1, -2) @ {v}"
            case sp.Identity():
                return f"np.eye({self._size(e.shape[0])})"
            case sp.ZeroMatrix():
                return f"np.zeros(({self._size(e.shape[0])}, {self._size(e.shape[1])}))"
        raise ValueError(f"no NumPy code for {type(e).__name__}: {e}")

    def _product(self, factors: tuple[MatrixExpr, ...]) -> str:
        if len(factors) == 1:
            return self.visit(factors[0])
        name = self._find(factors)
        if name is not None:
            return name
        mirrored = self._find(tuple(f.T.doit() for f in reversed(factors)))
        if mirrored is not None:
            return self._assign(factors, f"np.swapaxes({mirrored}, -1, -2)")
        first, *rest = factors
        if isinstance(first, sp.Inverse):
            return self._assign(
                factors, f"np.linalg.solve({self.visit(first.arg)}, {self._product(tuple(rest))})"
            )
        if len(rest) == 1 and isinstance(rest[0], sp.Inverse):  # X N^{-1}, by the transposes
            N, X = self.visit(rest[0].arg.T.doit()), self.visit(first.T.doit())
            return self._assign(factors, f"np.swapaxes(np.linalg.solve({N}, {X}), -1, -2)")
        return self._assign(factors, f"{self.visit(first)} @ {self._product(tuple(rest))}")

    def _sum(self, e: HeadSum) -> str:
        letters = e.bound_symbols
        if len(self.scopes) > 1:
            raise ValueError("no NumPy code for a sum over heads within another")
        self.scopes.append([])
        self.known.append({u: f"{u.name}_h" for u in letters})
        self.bound.append(set(letters))
        for u in letters:
            if _added_axes(u):
                self.scopes[1].append(f"    {u.name}_h = {u.name}_h{_added_axes(u)}")
        body = self.visit(e.args[0])
        lines, _, _ = self.scopes.pop(), self.known.pop(), self.bound.pop()
        names = ", ".join(u.name for u in letters)
        bound = ", ".join(f"{u.name}_h" for u in letters)
        loop = f"{bound} in {names}" if len(letters) == 1 else (
            f"{bound} in zip({names}, strict=True)"
        )  # fmt: skip
        total = self._assign(e, "0.0")
        self.lines.extend([f"    for {loop}:", *(f"    {line}" for line in lines)])
        self.lines.append(f"        {total} = {total} + {body}")
        return total

    def _assign(self, key: Any, code: str) -> str:
        """Write an assignment in the outermost scope where all letters of ``key`` have a value."""
        parts = key if isinstance(key, tuple) else (key,)
        free = set().union(*(part.free_symbols for part in parts))
        scope = max(i for i, bound in enumerate(self.bound) if i == 0 or free & bound)
        self.count += 1
        name = f"m{self.count}"
        self.scopes[scope].append(f"    {name} = {code}")
        self.known[scope][key] = name
        return name

    def _find(self, key: Any) -> str | None:
        # Innermost first: within the loop a letter is that of the head.
        return next((known[key] for known in reversed(self.known) if key in known), None)

    def _size(self, n: Basic) -> str:
        """Code for a dimension, from the shape of an argument."""
        if n.is_Integer:
            return str(n)
        for u in self.letters:
            if isinstance(u, MatrixSymbol) and n in u.shape:
                axis = -2 if u.shape[0] == n else -1
                if u in self.heads and _is_column(u):  # no axis is added before the loop
                    axis = -1
                return f"{u.name}.shape[{axis}]"
        raise ValueError(f"no argument has the dimension {n}")


def _is_negated(term: Basic) -> bool:
    """Whether the term is minus something that is written without a factor."""
    return isinstance(term, sp.MatMul | sp.Mul) and term.args[0] == -1


def _added_axes(letter: Letter) -> str:
    """Makes columns of shape (..., n, 1) and numbers of shape (..., 1, 1)."""
    if not isinstance(letter, MatrixSymbol):
        return "[..., None, None]"
    return "[..., None]" if _is_column(letter) else ""
