"""Existence and limits under L2 and Sinkhorn attention, and for opposite value matrices."""

import copy
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat

from numeric import examples, gaussian_velocity
from numeric.precise.flow_l2 import l2_covariance_at
from proofs.certificates import CertificateError, recheck, recheck_document
from proofs.checkers.rational import from_flint, is_semidefinite, to_flint
from proofs.codec import digest, read_json
from proofs.kernel import KernelError
from proofs.language import literal
from proofs.verdicts.opposite import metric
from proofs.verify import verify

BLOW_UP = {"Q": [[0, 1]], "K": [[1, 0]], "V": [[0, 0], [0, 1]]}
START = {"Sigma0": [[2, 1], [1, 2]]}
SCALES = [1, "1/sqrt(d)"]


def decided(answer) -> tuple:
    return answer.existence.verdict, answer.existence.status, answer.limit.verdict


def named(answer, name):
    (application,) = [one for one in answer.applications if one.id == name]
    return application


def data(rows):
    return literal(rows).data


# L2 attention


def test_l2_attention_blows_up_at_five_halves(tmp_path):
    answer = verify(examples.load("l2-blowup"), certificates_in=tmp_path)
    assert decided(answer) == ("blow-up", "proved", "unbounded")
    assert answer.existence.time == (Fraction(5, 2), Fraction(5, 2))
    path = tmp_path / answer.existence.certificate
    assert recheck(path, answer.parameters).theorem.statement == answer.existence.finding.statement
    document = read_json(path.read_text("utf-8"))
    for field, entry, other in (("Q", "1", "2"), ("K", "1", "2"), ("Sigma0", "2", "3")):
        changed = copy.deepcopy(document)
        row = next(row for row in changed["parameters"][field] if entry in row)
        row[row.index(entry)] = other
        changed["digest"] = digest(changed)
        with pytest.raises((CertificateError, KernelError)):
            recheck_document(changed)


@pytest.mark.parametrize("factor", [1, "1/3", 4])
def test_l2_blow_up_times_scale_like_the_value_matrix(factor):
    value = [[0, 0], [0, factor]]
    answer = verify({"variant": "l2", **BLOW_UP, "V": value, **START})
    assert answer.existence.time == (Fraction(5, 2) / Fraction(factor),) * 2


def test_l2_attention_without_a_start_has_witnesses_of_both_fates():
    answer = verify({"variant": "l2", **BLOW_UP})
    assert decided(answer)[:2] == ("depends", "proved")
    fates = {witness.verdict: witness for witness in answer.existence.witnesses}
    assert set(fates) == {"blow-up", "global"}
    for witness in fates.values():
        start = [[str(x) for x in row] for row in witness.start]
        alone = verify({"variant": "l2", **BLOW_UP, "Sigma0": start})
        assert (alone.existence.verdict, alone.existence.time) == (witness.verdict, witness.time)


def test_two_l2_heads_add_up():
    """kappa counts twice for two equal heads, and not at all for opposite ones."""
    opposite = {**BLOW_UP, "Q": [[0, -1]]}
    twice = verify({"variant": "l2", "heads": [BLOW_UP, BLOW_UP], **START})
    assert twice.existence.time == (Fraction(5, 4), Fraction(5, 4))
    none = verify({"variant": "l2", "heads": [BLOW_UP, opposite], **START})
    assert none.existence.verdict == "global"


@pytest.mark.parametrize("scale", SCALES)
def test_l2_heads_that_see_what_they_move_grow_at_most_exponentially(scale):
    fields = {"variant": "l2", "Q": [[1, 2]], "K": [[1, -1]], "V": [[2, -2], [3, -3]]}
    answer = verify({**fields, "scale": scale})
    assert decided(answer) == ("global", "proved", "unknown")
    tied = verify({**fields, "scale": scale, "Q": [["1/3", "-1/3"]], "V": [[1, 2], [3, 4]]})
    assert decided(tied) == ("global", "proved", "unknown")
    other = verify({**fields, "scale": scale, "V": [[2, -2], [3, -4]]})
    assert named(other, "covariance.l2-global").applies is False
    assert other.existence.theorem == "covariance.l2-one-row, covariance.two-forms"


def test_l2_verdicts_agree_with_the_criterion_for_planes():
    """d = 2, k = 1, K n = 0, V n = e n: blow-up needs Q n != 0 and |e| > |tr V - e|."""
    generator = np.random.default_rng(7)
    for _ in range(12):
        Q, V, K = generator.integers(-2, 3, (1, 2)), generator.integers(-2, 3, (2, 2)), [[1, 0]]
        V[0, 1] = 0
        fields = {"Q": Q.tolist(), "K": K, "V": V.tolist()}
        may = Q[0, 1] != 0 and abs(V[1, 1]) > abs(V[0, 0])
        verdict = verify({"variant": "l2", **fields}, budget=2).existence.verdict
        assert verdict in (("depends", "unknown") if may else ("global", "unknown")), fields


def test_the_proved_growth_bound_of_l2_is_one_of_the_flow():
    """The flow of an example at two times, against lambda_max(Sigma0) exp(2 n q t)."""
    parameters = examples.load("l2-global")
    Q, K, V = (np.array(m, dtype=float) for m in (parameters.Q, parameters.K, parameters.V))
    rate = 2 * np.linalg.norm(V @ np.linalg.inv(K), 2) * np.linalg.norm(Q, 2)
    for time in (Fraction(1, 4), Fraction(1, 2)):
        end = l2_covariance_at([(parameters.Q, parameters.K, parameters.V)], [[2, 1], [1, 2]], time)
        top = np.linalg.eigvalsh(np.array(end.tolist(), dtype=float))[-1]
        assert top <= 3 * np.exp(rate * float(time))


# Sinkhorn attention


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("start", [{}, START, {"Sigma0": [[1, 2], [2, 4]]}])
def test_sinkhorn_attention_is_global(scale, start):
    head = {"Q": [[1, 2]], "K": [[3, -1]], "V": [[1, 2], [3, 4]]}
    other = {"Q": [[0, 2]], "K": [[1, 1]], "V": [[0, 0], [0, 0]]}
    for fields in (head, {"heads": [head, other]}):
        answer = verify({"variant": "sinkhorn", **fields, "scale": scale, **start})
        assert decided(answer) == ("global", "proved", "unknown")
        assert answer.existence.theorem == "covariance.sinkhorn-global"


@pytest.mark.parametrize(
    ("A", "limit", "rank"),
    [
        ([[1, -3], [2, 1]], "converges", None),
        ([[-1, -3], [2, -1]], "converges", None),
        ([[0, 2], [-2, 0]], "bounded", 1),
        ([[1, 0], [0, 0]], "bounded", 1),
        ([[1, 1], [0, 0]], "bounded", 1),
        ([[0, 0], [0, 0]], "bounded", 2),
    ],
)
@pytest.mark.parametrize("variant", ["sinkhorn", "softmax"])
@pytest.mark.parametrize("scale", SCALES)
def test_opposite_value_matrices_have_limits_of_low_rank(variant, A, limit, rank, scale):
    """P = I, and P = 2 I."""
    for factor in (1, 2):
        value = [[Fraction(-x, factor) for x in column] for column in zip(*A, strict=True)]
        fields = {"Q": A, "K": [[1, 0], [0, 1]], "V": [[str(x) for x in row] for row in value]}
        answer = verify({"variant": variant, **fields, "scale": scale}, budget=0)
        name = f"covariance.{'sinkhorn-clustering' if variant == 'sinkhorn' else 'opposite-value'}"
        findings = {one.section: one for one in named(answer, name).findings}
        assert findings["existence"].verdict == "global"
        assert findings["limit"].verdict == limit
        assert findings["limit"].rank_at_most == rank
        for finding in findings.values():
            assert finding.theorem().statement.conclusion == finding.statement.conclusion


def test_the_found_function_falls_along_sinkhorn_attention():
    """tr(P F(Sigma)) <= 0 at random covariances, in floating point."""
    generator = np.random.default_rng(3)
    for d in (1, 2, 3, 4):
        A, root = generator.integers(-2, 3, (2, d, d))
        P = root @ root.T + np.eye(d, dtype=int)
        inverse = fmpq_mat(P.tolist()).inv()
        value = from_flint(-inverse * fmpq_mat(A.T.tolist()))
        found = metric([value], [data(A.tolist())])
        assert is_semidefinite(found, strict=True)
        V, Q = (np.array(m.entries, dtype=float).reshape(d, d) for m in (value, found))
        for _ in range(20):
            factor = generator.normal(size=(d, d))
            Sigma = factor @ factor.T
            rate = gaussian_velocity.sinkhorn(V, A, np.zeros(d), Sigma).rates(np.zeros(d), Sigma)[1]
            assert np.trace(Q @ rate) <= 1e-9 * np.linalg.norm(Sigma) ** 2


def test_opposite_metrics_are_found_just_when_they_exist():
    """Small matrices: P V = -A^T in the coordinates of P, solved and searched on a grid."""
    generator = np.random.default_rng(11)
    found = 0
    for _ in range(300):
        V, A = generator.integers(-1, 2, (2, 2, 2)).tolist()
        answer = metric([data(V)], [data(A)])
        grid = [
            (a, b, c)
            for a in range(1, 5)
            for b in range(-4, 5)
            for c in range(1, 5)
            if a * c > b * b
            and [[a * V[0][j] + b * V[1][j], b * V[0][j] + c * V[1][j]] for j in range(2)]
            == [[-A[j][0], -A[j][1]] for j in range(2)]
        ]
        if isinstance(answer, str):
            assert not grid, (V, A, answer)
            continue
        found += 1
        assert to_flint(answer) * fmpq_mat(V) == -fmpq_mat(A).transpose()
        assert to_flint(answer) == to_flint(answer).transpose()
        assert is_semidefinite(answer, strict=True)
    assert found > 5
