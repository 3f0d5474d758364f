"""L2 heads that compare with one row of the tokens: softmax in another time."""

from fractions import Fraction

import pytest

from numeric.precise.flow_l2 import l2_covariance_at
from proofs.certificates import recheck
from proofs.verdicts.l2.clock import compared
from proofs.verdicts.l2.problem import L2Problem
from proofs.verify import verify

F = Fraction
#: softmax blows up
HEAD = {"V": [[-2, 2, 2], [0, -2, 0], [2, 2, 0]], "K": [[2, 0, 0]], "Q": [[-1, 1, 1]]}
START = {"Sigma0": [[5, 0, -4], [0, 3, -2], [-4, -2, 9]]}
#: K_h = a_h (2, 0, 0) with |a_h|^2 = 1, and the same A as for the head above twice
PAIR = [
    {**HEAD, "K": [["6/5", 0, 0], ["8/5", 0, 0]], "Q": [[-1, 1, 1], ["-1/2", "1/2", "1/2"]]},
    {**HEAD, "K": [[0, 0, 0], [-2, 0, 0]], "Q": [[5, 7, 1], [1, -1, -1]]},
]
#: V = -(A + A^T)/2: the trace never grows under softmax
FALLING = {
    "V": [[0, -1, 0], [-1, 0, 0], [0, 0, 0]],
    "K": [[1, 0, 0]],
    "Q": [[0, 2, 0]],
}
#: d = 2, K = (1, 0), Q = (0, 1): w V = (V_11, V_12)
PLANE = {"K": [[1, 0]], "Q": [[0, 1]]}


def existence(budget=10, **parameters):
    answer = verify({"variant": "l2", **parameters}, trend=False, budget=budget)
    return answer.existence.verdict, answer.existence.time, answer.existence.theorem


def lasting(**parameters):
    verdict, (low, high), _ = existence(**parameters)
    assert (verdict, high) == ("unknown", None)
    return low


@pytest.mark.parametrize("scale", [1, "1/sqrt(d)", 3])
def test_no_blow_up_where_softmax_takes_for_ever_in_the_time_of_l2(scale, tmp_path):
    parameters = {"variant": "l2", **HEAD, **START, "scale": scale}
    answer = verify(parameters, certificates_in=tmp_path)
    assert (answer.existence.verdict, answer.existence.status) == ("global", "proved")
    assert answer.existence.theorem == "covariance.l2-one-row, covariance.enclosure"
    again = recheck(tmp_path / answer.existence.certificate, answer.parameters)
    assert again.theorem.statement == answer.existence.finding.statement
    if scale == 1:
        softmax = verify({**parameters, "variant": "softmax"})
        assert softmax.existence.verdict == "blow-up"


def test_heads_that_share_a_row():
    """Two heads of two rows each move like one of one row and twice the value."""
    verdict, _, theorem = existence(heads=PAIR, **START)
    assert (verdict, theorem) == ("global", "covariance.l2-one-row, covariance.enclosure")
    doubled = {**HEAD, "V": [[-4, 4, 4], [0, -4, 0], [4, 4, 0]]}
    one, two = (
        l2_covariance_at(heads, START["Sigma0"], F(1, 50), 20)
        for heads in ([rows(doubled)], [rows(head) for head in PAIR])
    )
    assert max(abs(x) for x in one - two) < 1e-15


def rows(head):
    return tuple([[F(x) for x in row] for row in head[name]] for name in "QKV")


def test_existence_at_least_half_as_long_as_for_softmax():
    """By a theorem; the tubes say more."""
    softmax = verify({"variant": "softmax", **HEAD, **START}, budget=0).existence.time[0]
    assert lasting(budget=0, **HEAD, **START) == softmax / 2
    turning = {
        "V": [[2, -2, 2], [0, -2, 0], [0, 0, 1]],
        "K": [[0, -1, 1]],
        "Q": [[1, -1, -2]],
        "Sigma0": [[3, 2, -2], [2, 6, -4], [-2, -4, 5]],
    }
    assert lasting(**turning) > 10 * lasting(budget=0, **turning)


@pytest.mark.parametrize("start", [{}, START])
def test_global_where_softmax_is(start):
    verdict, _, theorem = existence(**FALLING, **start)
    assert (verdict, theorem.split(", ")[0]) == ("global", "covariance.l2-one-row")


def problem(*keys):
    values = ((F(1), F(0)), (F(0), F(1)))
    return L2Problem(
        values=(values,) * len(keys),
        queries=keys,
        keys=keys,
        scale_squared=None,
        start=None,
        mean=(F(0), F(0)),
        biased=False,
    )


def matrix(*lines):
    return tuple(tuple(map(F, line)) for line in lines)


def test_which_heads_compare_with_one_row():
    nothing, one, twice = matrix((0, 0)), matrix((1, 2)), matrix((2, 4))
    _, keys = compared(problem(one, matrix((-1, -2))))
    assert (keys.row, keys.size, keys.columns) == (one, 1, (matrix((1,)), matrix((-1,))))
    _, keys = compared(problem(nothing))
    assert (keys.size, keys.row) == (0, nothing)
    _, keys = compared(problem(matrix((0, 0), (2, 4))))
    assert (keys.row, keys.columns, keys.size) == (twice, (matrix((0,), (1,)),), 1)
    for heads in ((one, twice), (one, nothing), (matrix((1, 2), (1, 3)),)):
        condition, keys = compared(problem(*heads))
        assert condition.holds is False
        assert condition.witness
        assert keys is None


@pytest.mark.parametrize("scale", [1, "1/sqrt(d)", "1/3"])
@pytest.mark.parametrize("mixed", [3, -3, "1/1000"])
@pytest.mark.parametrize("start", [{}, {"Sigma0": [[4, 2], [2, 1]]}])
def test_global_in_the_plane_unless_w_is_an_eigenvector(scale, mixed, start):
    """V = [[a, b], [c, e]] with b = 0 is another case: l2-blowup is one."""
    value = [[2, mixed], [-1, 5]]
    verdict, _, theorem = existence(**PLANE, **start, V=value, scale=scale, budget=0)
    assert (verdict, theorem) == ("global", "covariance.l2-one-row, covariance.two-forms")
    alone = existence(**PLANE, **start, V=[[2, 0], [-1, 5]], scale=scale, budget=0)
    assert alone[0] == "unknown"


def test_the_plane_with_large_and_small_numbers():
    for size, name in ((1e-200, "V"), (1e-8, "K"), (1e8, "Q"), (1e200, "K")):
        head = {**PLANE, "V": [[1, -2], [3, 1]]}
        head[name] = [[size * x for x in row] for row in head[name]]
        assert existence(**head, budget=0)[0] == "global"


def test_certificates_of_the_plane(tmp_path):
    parameters = {"variant": "l2", **PLANE, "V": [[0, 1], [1, 1]]}
    answer = verify(parameters, certificates_in=tmp_path)
    again = recheck(tmp_path / answer.existence.certificate, answer.parameters)
    assert again.theorem.statement == answer.existence.finding.statement
