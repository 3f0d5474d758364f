"""Verdicts on several heads, against what is known by hand, and their certificates."""

from fractions import Fraction

import pytest

from numeric.errors import ParameterError
from proofs import language as la
from proofs.certificates import make, recheck_document
from proofs.kernel import Lemma
from proofs.verdicts import several_heads
from proofs.verify import verify

ONE = [[1, 0], [0, 1]]
TURN = [[0, 1], [-1, 0]]


def heads(*pairs, **fields):
    listed = [{"V": V, "A": A} for V, A in pairs]
    return {"variant": "softmax", "heads": listed, **fields}


def established(answer):
    for part in (answer.existence, answer.limit):
        if part.finding is not None:
            assert part.finding.theorem().statement == part.finding.statement


def test_scalar_values_reduce_to_one_head():
    # S = 2 (1 diag(-1, 0) + 2 skew part): only diag(-1, 0) counts
    answer = verify(
        heads((ONE, [[-1, 0], [0, 0]]), ([[2, 0], [0, 2]], TURN), Sigma0=[[2, 1], [1, 2]])
    )
    assert answer.existence.verdict == "global"
    assert answer.limit.theorem == "covariance.multihead-scalar"
    # Sigma0 (I + 2 t e e^T Sigma0)^{-1} for e = (1, 0): Sigma0 - Sigma0 e e^T Sigma0 / 2
    assert answer.limit.finding.covariance == ((0, 0), (0, Fraction(3, 2)))
    established(answer)
    assert answer.to_json()["heads"] == 2


def test_blow_up_of_scalar_heads_is_exact():
    # V_1 A_1 + V_2 A_2 = (1 + 2/4) I: Sigma' = 3 Sigma^2
    answer = verify(
        heads((ONE, ONE), ([[2, 0], [0, 2]], [["1/4", 0], [0, "1/4"]]), Sigma0=[[5, 0], [0, 1]])
    )
    assert answer.existence.time == (Fraction(1, 15), Fraction(1, 15))
    established(answer)


def test_every_start_for_scalar_heads():
    answer = verify(heads((ONE, [[-1, 0], [0, -1]]), ([[-1, 0], [0, -1]], [[0, 0], [0, "1/2"]])))
    assert answer.existence.verdict == "global"
    assert answer.limit.verdict == "converges"
    assert answer.limit.finding.rank == 0
    established(answer)


def test_positive_values_and_negative_scores():
    answer = verify(heads(([[1, 0], [0, 2]], [[-1, 0], [0, 0]]), ([[2, 1], [1, 3]], TURN)))
    assert answer.existence.theorem == "covariance.multihead-definite-value"
    assert (answer.existence.verdict, answer.limit.verdict) == ("global", "bounded")
    established(answer)


COMMUTING = [([[1, 0], [0, 2]], [[-1, 2], [0, -3]]), ([[3, 0], [0, -1]], [[0, 0], [2, 1]])]
"""Diagonal values, and S = diag(-2, -14) although no A_h is diagonal."""


@pytest.mark.parametrize("scale", [1, "1/sqrt(2)"])
def test_heads_that_commute_have_the_closed_form(scale):
    # S - 2 E for the second entry: Sigma' = Sigma S Sigma
    listed = [
        {"Q": A, "K": ONE, "V": V, "scale": scale} for V, A in (*COMMUTING, (ONE, [[1, 0], [0, 0]]))
    ]
    answer = verify({"variant": "softmax", "heads": listed, "Sigma0": [[1, 0], [0, 4]]})
    # S = scale diag(0, -14): the first entry rests, the second one tends to 0
    assert answer.limit.theorem == "covariance.multihead-commuting"
    assert answer.limit.finding.covariance == ((1, 0), (0, 0))
    assert answer.existence.verdict == "global"
    established(answer)
    document = make(answer.parameters, answer.limit.finding.statement, answer.limit.finding.proof)
    assert recheck_document(document).theorem.statement == answer.limit.finding.statement


def test_blow_up_of_commuting_heads_is_exact():
    # S = diag(-2, -14) + diag(8, 0): Sigma' = 6 Sigma^2 in the first entry, from 1/2
    answer = verify(
        heads(*COMMUTING, ([[1, 0], [0, 0]], [[4, 0], [0, 0]]), Sigma0=[["1/2", 0], [0, 4]])
    )
    assert answer.existence.theorem == "covariance.multihead-commuting"
    assert answer.existence.time == (Fraction(1, 3), Fraction(1, 3))
    established(answer)


def test_what_does_not_commute_is_named():
    def hypotheses(answer):
        (application,) = [
            a for a in answer.applications if a.id == "covariance.multihead-commuting"
        ]
        assert application.findings == ()
        return [(x.holds, x.witness) for x in application.hypotheses]

    bent = verify(heads(*COMMUTING, Sigma0=[[1, 1], [1, 4]]))
    assert hypotheses(bent) == [(False, "head 0: entry (1, 2): 1 is not 2"), (True, None)]
    turned = verify(heads(COMMUTING[0], (ONE, TURN), Sigma0=[[1, 0], [0, 4]]))
    assert hypotheses(turned)[0] == (True, None)
    assert hypotheses(turned)[1][0] is False
    without_start = verify(heads(*COMMUTING))
    assert hypotheses(without_start) == [
        (None, "head 0: depends on Sigma0, which is not given"),
        (True, None),
    ]


def test_failing_head_is_named():
    answer = verify(heads((ONE, [[-1, 0], [0, 0]]), ([[1, 0], [1, 1]], TURN), Sigma0=ONE))
    (application,) = [
        a for a in answer.applications if a.id == "covariance.multihead-definite-value"
    ]
    assert application.applies is False
    assert application.hypotheses[0].witness.startswith("head 1: not symmetric")


def test_existence_time_is_attained_in_dimension_one():
    # Sigma' = 2 (1 + 1) Sigma^2, Sigma0 = 3: t* = 1/12
    answer = verify(heads(([[1]], [[1]]), ([[1]], [[1]]), Sigma0=[[3]]))
    bounds = [
        f.time[0]
        for a in answer.applications
        if a.id == "covariance.multihead-existence-time"
        for f in a.findings
    ]
    assert bounds[0] <= Fraction(1, 12) < bounds[0] * Fraction(10**8 + 1, 10**8)
    assert answer.existence.time == (Fraction(1, 12), Fraction(1, 12))


@pytest.mark.parametrize("scale", [1, "1/sqrt(2)"])
def test_existence_time_from_each_head(scale, monkeypatch):
    """Where S is too large to be summed, the bounds of the heads are."""
    value, score = [[1, 2], [0, 1]], [[-1, 0], [1, -3]]
    listed = [{"Q": ONE, "K": K, "V": value, "scale": scale} for K in (score, TURN)]
    found = {}
    for limit in (several_heads.SUMMED_DIMENSION, 0):
        monkeypatch.setattr(several_heads, "SUMMED_DIMENSION", limit)
        answer = verify({"variant": "softmax", "heads": listed, "Sigma0": ONE})
        (found[limit],) = (
            f
            for a in answer.applications
            if a.id == "covariance.multihead-existence-time"
            for f in a.findings
        )
        theorem = found[limit].theorem()
        assert theorem.statement == found[limit].statement
        time = theorem.conclusion.args[0].args[0]
        assert time == la.number(found[limit].time[0])
    assert 0 < found[0].time[0] <= max(f.time[0] for f in found.values())


@pytest.mark.parametrize("scale", [1, "1/sqrt(2)"])
def test_certificates_of_heads(scale):
    listed = [{"Q": ONE, "K": [[-1, 0], [0, -1]], "V": ONE, "scale": scale}] * 2
    answer = verify({"variant": "softmax", "heads": listed, "Sigma0": ONE})
    finding = answer.limit.finding
    document = make(answer.parameters, finding.statement, finding.proof)
    accepted = recheck_document(document)
    assert accepted.parameters == answer.parameters
    assert accepted.theorem.statement == finding.statement
    assert isinstance(finding.proof.lemmas["written otherwise"], Lemma)


def test_biased_heads_are_preserved():
    listed = [{"Q": ONE, "K": ONE, "V": ONE, "b_q": [1, 2], "b_v": [0, 1]}] * 2
    answer = verify({"variant": "softmax", "heads": listed, "Sigma0": ONE})
    assert answer.gaussian.theorem == "gaussian.multihead-bias"
    assert answer.gaussian.status == "proved"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (
            {"layers": [{"V": ONE, "Q": ONE, "K": ONE, "scale": f"sqrt({n})"} for n in (2, 3)]},
            "--layer",
        ),
        (
            {"heads": [{"V": ONE, "Q": ONE, "K": ONE, "scale": s} for s in ("sqrt(2)", "sqrt(3)")]},
            "one scale",
        ),
    ],
)
def test_what_is_not_covered_says_so(fields, reason):
    with pytest.raises(ParameterError, match=reason):
        verify({"variant": "softmax", **fields})
