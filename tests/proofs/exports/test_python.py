"""The exported functions against the terms of the claims, at random exact parameters."""

import ast
import random
from fractions import Fraction

import numpy as np
import pytest

from proofs.claims.base import claim_named
from proofs.crosschecks import covariance_self_similar as ray
from proofs.crosschecks import gaussian_masked_linear as masked
from proofs.crosschecks import gaussian_softmax as softmax
from proofs.crosschecks.commuting_family import VALUE, score, start
from proofs.crosschecks.evaluate import evaluate
from proofs.crosschecks.preservation import constantly, formula_of
from proofs.crosschecks.structure import expect, instantiated
from proofs.exports import python
from proofs.exports.run import export
from proofs.language import at, real
from symbolic.gaussian import derived

t = real("t")
TOLERANCE = 1e-12
LETTERS = {"softmax": "VA", "l2": "VQK", "sinkhorn": "VA", "linear": "VA"}
MARKS = {"softmax": "soft", "l2": "l2", "sinkhorn": "sink", "linear": "lin"}


class Parameters:
    """Matrices of dyadic rationals, exact as floats too."""

    def __init__(self, seed, d, k=2, rank=None):
        self.random = random.Random(seed)
        self.d, self.k, self.rank = d, k, rank or d

    def number(self):
        return Fraction(self.random.randint(-12, 12), 8)

    def matrix(self, rows, columns):
        return [[self.number() for _ in range(columns)] for _ in range(rows)]

    def head(self, letters):
        rows = {"V": self.d, "A": self.d, "Q": self.k, "K": self.k}
        return {letter: self.matrix(rows[letter], self.d) for letter in letters}

    def vector(self):
        return [self.number() for _ in range(self.d)]

    def covariance(self):
        L = np.array(self.matrix(self.d, self.rank))
        return (L @ L.T).tolist()

    def law(self):
        return {"alpha": self.vector(), "Sigma": self.covariance(), "x": self.vector()}


@pytest.fixture(scope="module")
def functions():
    """All functions of all modules, made by running them."""
    found = {}
    for name, text in export([], "python").files.items():
        scope = {}
        exec(compile(text, name, "exec"), scope)
        found |= scope
    return found


def exact(term, values):
    return np.array(evaluate(term, values, 30).tolist(), dtype=float)


def close(computed, term, values):
    expected = exact(term, values)
    if np.ndim(computed) == 1:
        expected = expected[:, 0]
    np.testing.assert_allclose(
        computed, expected, rtol=0, atol=TOLERANCE * max(1.0, np.abs(expected).max())
    )


def called(function, arguments):
    return function(**{name: np.array(value, dtype=float) for name, value in arguments.items()})


def rates_of(claim):
    return {
        str(h.args[1].data): at(h.args[2], t) for h in claim.statement.hypotheses if h.op == "ode"
    }


CASES = [Parameters(1, 1, 1), Parameters(2, 2), Parameters(3, 4, 3), Parameters(4, 3, rank=1)]


@pytest.mark.parametrize("drawn", CASES, ids=lambda p: f"d{p.d}-rank{p.rank}")
@pytest.mark.parametrize("variant", LETTERS)
def test_one_head(functions, variant, drawn):
    head, law = drawn.head(LETTERS[variant]), drawn.law()
    values = {"d": drawn.d, "k": drawn.k, "t": 0, "x": law["x"], "Sigma0": law["Sigma"]}
    values |= {name: constantly(law[name]) for name in ("alpha", "Sigma")}
    if variant == "softmax":  # here the matrices are constant
        values |= head
        velocity = softmax.VELOCITY
        rates = {"alpha": softmax.MEAN_RATE, "Sigma": softmax.COVARIANCE_RATE}
    else:
        values |= {name: constantly(matrix) for name, matrix in head.items()}
        claim = claim_named(f"gaussian.{variant}")
        velocity, rates = formula_of(claim), rates_of(claim)
    close(called(functions[f"{variant}_velocity"], head | law), velocity, values)
    del law["x"]
    close(called(functions[f"{variant}_mean_rhs"], head | law), rates["alpha"], values)
    close(called(functions[f"{variant}_covariance_rhs"], head | law), rates["Sigma"], values)


@pytest.mark.parametrize("drawn", CASES[1:], ids=lambda p: f"d{p.d}-rank{p.rank}")
def test_several_heads(functions, drawn):
    claim = claim_named("gaussian.multihead")
    law = drawn.law()
    values = {"d": drawn.d, "k": drawn.k, "t": 0, "x": law["x"], "Sigma0": law["Sigma"]}
    values |= {name: constantly(law[name]) for name in ("alpha", "Sigma")}
    totals = dict.fromkeys(("velocity", "mean_rhs", "covariance_rhs"), 0)
    for count, (variant, letters) in enumerate(LETTERS.items(), 1):
        heads = [drawn.head(letters) for _ in range(count)]
        mark = MARKS[variant]
        values[f"H_{mark}"] = count
        stacked = {name: [head[name] for head in heads] for name in letters}
        for name, matrices in stacked.items():
            values[f"{name}_{mark}"] = [constantly(matrix) for matrix in matrices]
        for part in totals:
            given = law if part == "velocity" else {n: law[n] for n in ("alpha", "Sigma")}
            totals[part] = totals[part] + called(
                functions[f"multihead_{variant}_{part}"], stacked | given
            )
    rates = rates_of(claim)
    close(totals["velocity"], formula_of(claim), values)
    close(totals["mean_rhs"], rates["alpha"], values)
    close(totals["covariance_rhs"], rates["Sigma"], values)


@pytest.mark.parametrize("seed", [1, 2])
def test_masked(functions, seed):
    drawn = Parameters(seed, 3)
    head, laws = drawn.head("VA"), [drawn.law() for _ in range(3)]
    masses, x = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], drawn.vector()
    values = {
        **{name: constantly(matrix) for name, matrix in head.items()},
        "theta": list(enumerate(masses)),
        "alpha": lambda place: constantly(laws[int(place)]["alpha"]),
        "Sigma": lambda place: constantly(laws[int(place)]["Sigma"]),
    }
    values |= {"d": 3, "s": 1, "t": 0, "x": x}
    seen = sum(  # from the position 1
        mass * (np.array(law["Sigma"]) + np.outer(law["alpha"], law["alpha"]))
        for mass, law in zip(masses[:2], laws[:2], strict=True)
    )
    _, _, covariance, mean = masked.CLAIM.statement.hypotheses
    mean_rate, covariance_rate = (
        at(expect(instantiated(h, masked.s), "ode").args[2], t) for h in (mean, covariance)
    )
    own = {"alpha_s": laws[1]["alpha"], "Sigma_s": laws[1]["Sigma"]}
    for prefix, matrices in (
        ("masked_linear", head),
        ("masked_multihead_linear", {name: [matrix] for name, matrix in head.items()}),
    ):
        for part, term in (
            ("velocity", masked.FORMULA),
            ("mean_rhs", mean_rate),
            ("covariance_rhs", covariance_rate),
        ):
            function = functions[f"{prefix}_{part}"]
            given = matrices | {"M_s": seen, "x": x} | own
            names = function.__code__.co_varnames[: function.__code__.co_argcount]
            close(called(function, {name: given[name] for name in names}), term, values)


def test_commuting(functions):
    conclusion = claim_named("covariance.commuting").statement.conclusion.args[0]
    curve, field = expect(conclusion, "ode").args[1:]
    drawn = Parameters(5, 4)
    v = drawn.number() or Fraction(1, 2)
    scalar = [[v if i == j else Fraction(0) for j in range(4)] for i in range(4)]
    block = [[Fraction(1, 2), Fraction(-1, 4)], [Fraction(-1, 4), Fraction(-1, 8)]]
    for V, A, Sigma0 in (
        (scalar, drawn.head("A")["A"], drawn.covariance()),
        (VALUE, score(block, Fraction(3, 4)), start([[2, 1], [1, 3]], Fraction(1, 2))),
        (VALUE, score(block, Fraction(3, 4)), start([[1, 2], [2, 4]], Fraction(1, 4))),
    ):
        time = Fraction(1, 64)
        values = {"d": 4, "V": V, "A": A, "Sigma0": Sigma0, "t": time}
        given = {"V": V, "A": A, "Sigma_0": Sigma0, "t": time}
        close(called(functions["commuting_covariance"], given), at(curve, t), values)
        close(called(functions["commuting_rate"], given), at(field, t), values)


def test_self_similar(functions):
    curve, field = ray.DECAY.args[1:3]
    for rate, time in ((-2, 3), (-1, Fraction(1, 8)), (3, Fraction(1, 8))):
        values = ray.ray(rate) | {"t": time}
        given = {"Sigma_0": ray.START, "c": rate, "t": time}
        close(called(functions["self_similar_covariance"], given), at(curve, t), values)
        close(called(functions["self_similar_rate"], given), at(field, at(curve, t)), values)


def test_every_reduction_is_exported():
    exported = {name for item in python.FUNCTIONS.values() for name in item.reductions}
    assert exported == set(derived())


def test_modules_need_numpy_only():
    for name, text in export([], "python").files.items():
        tree = ast.parse(text)
        imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
        assert [ast.unparse(n) for n in imports] == ["import numpy as np"], name
        assert name.removesuffix(".py").isidentifier()
        assert max(map(len, text.splitlines())) <= 100
