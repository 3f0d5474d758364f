"""Verdicts on exact parameters: each is compared with a solution known by hand."""

import json
from fractions import Fraction
from importlib import resources

import jsonschema
import pytest

from numeric import examples
from numeric.parameters import from_mapping
from proofs.verdicts.base import Finding
from proofs.verdicts.pencil import simplest_between
from proofs.verify import verify

SCHEMA = json.loads(resources.files("proofs").joinpath("schemas/verify.json").read_text())


def softmax(**fields):
    return from_mapping({"variant": "softmax", **fields})


def matrices(V, A, Sigma0=None):
    fields = {"V": V, "A": A}
    return softmax(**fields, **({} if Sigma0 is None else {"Sigma0": Sigma0}))


def test_self_similar_counterexample_blows_up_at_one():
    answer = verify(examples.load("softmax-clustering-counterexample"))
    assert (answer.existence.verdict, answer.existence.status) == ("blow-up", "proved")
    assert answer.existence.time == (1, 1)
    assert answer.limit.verdict == "unbounded"


def test_rank_one_counterexample_blows_up_at_five_over_twenty_two():
    answer = verify(examples.load("softmax-clustering-rank-one"))
    assert answer.existence.time == (Fraction(5, 22), Fraction(5, 22))
    assert answer.existence.status == "proved"


def test_identity_value_and_negative_score_converge_to_zero():
    answer = verify(examples.load("softmax-identity"))
    assert (answer.existence.verdict, answer.existence.status) == ("global", "proved")
    assert (answer.limit.verdict, answer.limit.status) == ("converges", "proved")
    assert answer.limit.finding.rank == 0
    assert answer.limit.finding.covariance == ((0, 0), (0, 0))


def test_definite_value_bounds_the_rank_for_every_start():
    parameters = examples.load("softmax-definite-value")
    V, A = parameters.V, parameters.A_unscaled
    assert any(A[i][j] != A[j][i] for i in range(3) for j in range(3))
    answer = verify(parameters)
    assert (answer.existence.verdict, answer.existence.status) == ("global", "proved")
    assert answer.existence.theorem == "covariance.definite-value"
    assert answer.limit.finding.rank_at_most == 1
    # S has a positive eigenvalue: the condition S <= 0 would not have helped
    S = [
        [sum(V[i][k] * A[k][j] + A[k][i] * V[j][k] for k in range(3)) for j in range(3)]
        for i in range(3)
    ]
    assert _largest_form(S) > 0
    assert answer.to_json()["existence"]["for_sigma0"] == "all"


def _largest_form(matrix):
    """The largest u^T M u over a grid of integer vectors."""
    grid = range(-3, 4)
    vectors = [(a, b, c) for a in grid for b in grid for c in grid]
    return max(sum(u[i] * matrix[i][j] * u[j] for i in range(3) for j in range(3)) for u in vectors)


@pytest.mark.parametrize("scale", [1, "1/sqrt(d)", "sqrt(3/5)"])
def test_blow_up_time_in_the_commuting_case(scale):
    # V = I, A = s diag(1, -2): I - 2 t A Sigma0 is singular at the blow-up time, and with x = s t
    # its determinant is 1 - 2 x - 16 x^2
    parameters = softmax(
        V=[[1, 0], [0, 1]],
        K=[[1, 0], [0, 1]],
        Q=[[1, 0], [0, -2]],
        Sigma0=[[3, 1], [1, 1]],
        scale=scale,
    )
    square = {1: Fraction(1), "1/sqrt(d)": Fraction(1, 2), "sqrt(3/5)": Fraction(3, 5)}[scale]
    low, high = verify(parameters).existence.time
    assert 0 < high - low < Fraction(1, 10**9) * low
    for bound, sign in ((low, 1), (high, -1)):
        x_squared = square * bound**2
        # the sign of 1 - 16 x^2 - 2 x, decided without the root
        assert 16 * x_squared < 1
        assert sign * ((1 - 16 * x_squared) ** 2 - 4 * x_squared) >= 0


@pytest.mark.parametrize(
    ("A", "start", "time"),
    [
        # Sigma_11' = 2 Sigma_11^2
        ([[1, 0], [0, -1]], [[3, 0], [0, 2]], Fraction(1, 6)),
        # det(I - t S Sigma0) = 1 - 10 t + 9 t^2
        ([[1, 1], [0, 1]], [[2, 1], [1, 2]], Fraction(1, 9)),
    ],
)
def test_rational_blow_up_time_in_the_commuting_case_is_exact(A, start, time):
    answer = verify(matrices([[1, 0], [0, 1]], A, start))
    assert answer.existence.time == (time, time)
    assert answer.existence.finding.theorem().statement == answer.existence.finding.statement


def test_simplest_rational_of_an_interval():
    for low, high in ((Fraction(31, 100), Fraction(34, 100)), (Fraction(7, 3), Fraction(12, 5))):
        found = simplest_between(low, high)
        assert low <= found <= high
        smaller = range(1, found.denominator)
        # no fraction with a smaller denominator lies in [low, high]
        assert all((low * q).__ceil__() > high * q for q in smaller)


def test_limit_in_the_commuting_case_is_exact():
    # A = -e e^T with e = (1, 1): the limit is L G L^T on the kernel of S
    answer = verify(matrices([[1, 0], [0, 1]], [[-1, -1], [-1, -1]], [[2, 0], [0, 1]]))
    # Sigma0 (I + 2 t e e^T Sigma0)^{-1} tends to Sigma0 - Sigma0 e e^T Sigma0 / (e^T Sigma0 e)
    third = Fraction(2, 3)
    assert answer.limit.finding.covariance == ((third, -third), (-third, third))
    assert answer.limit.finding.rank == 1


def test_every_start_with_scalar_value():
    converging = verify(matrices([["1/2", 0], [0, "1/2"]], [[-1, 5], [-5, 0]]))
    assert converging.existence.verdict == "global"
    assert converging.limit.finding.rank == 1
    exploding = verify(matrices([["1/2", 0], [0, "1/2"]], [[-1, 0], [0, "1/1000"]]))
    assert exploding.existence.verdict == "blow-up"
    assert exploding.to_json()["existence"]["for_sigma0"] == "all"


def test_unstable_ray_is_decided_exactly():
    # the start of the counterexample, times 2/3: t* = 3/2
    parameters = examples.load("softmax-clustering-counterexample")
    start = [[str(Fraction(2, 3) * x) for x in row] for row in parameters.Sigma0]
    answer = verify(
        matrices(
            [[str(x) for x in row] for row in parameters.V],
            [[str(x) for x in row] for row in parameters.A],
            start,
        )
    )
    assert answer.existence.time == (Fraction(3, 2), Fraction(3, 2))
    # next to the ray the solution leaves it for another direction; integrated: t* = 5.7400504861
    start[0][0] = "2/3000001"
    beside = verify(
        matrices(
            [[str(x) for x in row] for row in parameters.V],
            [[str(x) for x in row] for row in parameters.A],
            start,
        )
    )
    assert beside.existence.verdict == "blow-up"
    lower, upper = beside.existence.time
    assert (
        lower < Fraction("5.74005048") < Fraction("5.74005049") < upper < lower * Fraction(11, 10)
    )


def test_symmetriser_is_found_for_a_diagonalisable_value():
    # eigenvalues 1 and 2, not symmetric
    answer = verify(matrices([[1, 1], [0, 2]], [[-1, 3], [-3, -1]]))
    assert answer.existence.verdict == "global"
    assert answer.existence.theorem == "covariance.definite-value"
    assert answer.limit.verdict == "converges"


@pytest.mark.parametrize(
    ("V", "reason"),
    [
        ([[0, -1], [1, 0]], "non-real"),
        ([[-1, 0], [0, 2]], "negative"),
        ([[1, 1], [0, 1]], "diagonalisable"),
    ],
)
def test_value_without_symmetriser_is_named(V, reason):
    answer = verify(matrices(V, [[-1, 0], [0, -1]], [[2, 1], [1, 3]]))
    (application,) = [a for a in answer.applications if a.id == "covariance.definite-value"]
    assert application.applies is False
    assert reason in application.hypotheses[0].witness


def test_open_cases_get_a_proved_existence_time():
    parameters = examples.load("softmax-two-lines")
    assert verify(parameters).existence.theorem == "covariance.lyapunov"
    answer = verify(parameters, budget=0)
    assert (answer.existence.verdict, answer.existence.status) == ("unknown", "open")
    low, high = answer.existence.time
    assert low > 0
    assert high is None
    assert answer.trend.verdict == "converges"


def test_existence_time_is_below_an_exact_blow_up_time():
    for name in ("softmax-clustering-counterexample", "softmax-clustering-rank-one"):
        answer = verify(examples.load(name))
        bounds = [
            f.time[0]
            for a in answer.applications
            if a.id == "covariance.existence-time"
            for f in a.findings
        ]
        assert 0 < bounds[0] <= answer.existence.time[0]


@pytest.mark.parametrize("name", examples.names())
def test_examples_answer_in_the_documented_format(name):
    answer = verify(examples.load(name))
    jsonschema.validate(answer.to_json(), SCHEMA)
    assert name.split("-")[0] in repr(answer)
    assert "| theorem | applies | why |" in answer._repr_markdown_()


def test_every_finding_is_established_by_the_kernel():
    for name in examples.names():
        answer = verify(examples.load(name), trend=False)
        findings = [f for a in answer.applications for f in a.findings]
        parts = (answer, *answer.layers, *answer.every_head)
        findings += [part.existence.finding for part in parts if part.existence.finding]
        assert findings or name == "softmax-both"
        for finding in findings:
            assert isinstance(finding, Finding)
            assert finding.theorem().statement == finding.statement


def test_dimension_one():
    answer = verify(matrices([[3]], [["1/7"]], [[5]]))
    # Sigma' = 2 v a Sigma^2
    assert answer.existence.time == (Fraction(7, 30), Fraction(7, 30))


def test_zero_start_stays_zero():
    answer = verify(matrices([[1, 2], [3, 4]], [[1, 0], [0, 1]], [[0, 0], [0, 0]]))
    assert answer.existence.verdict == "global"
    assert answer.limit.finding.covariance == ((0, 0), (0, 0))


def test_zero_score_keeps_the_start():
    answer = verify(matrices([[1, 2], [3, 4]], [[0, 0], [0, 0]], [[2, 1], [1, 3]]))
    assert answer.existence.verdict == "global"
    assert answer.limit.finding.covariance == ((2, 1), (1, 3))
    assert answer.limit.finding.rank == 2


@pytest.mark.parametrize("factor", ["1e-12", "1e12"])
def test_extreme_scales_of_the_start(factor):
    s = Fraction(factor)
    start = [[str(3 * s), str(s)], [str(s), str(s)]]
    answer = verify(matrices([[1, 0], [0, 1]], [[1, 0], [0, -2]], start))
    low, high = answer.existence.time
    # as in the commuting test: x = s t with 1 - 2 x - 16 x^2 = 0
    assert 1 - 2 * s * low - 16 * (s * low) ** 2 >= 0
    assert 1 - 2 * s * high - 16 * (s * high) ** 2 <= 0
    assert high - low < Fraction(1, 10**9) * low
