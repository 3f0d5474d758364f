"""Extreme but valid parameters: an answer, never a traceback; certificates that re-check."""

from fractions import Fraction

import pytest
from click.testing import CliRunner

from numeric.errors import ParameterError
from numeric.parameters import from_mapping
from proofs.certificates import CertificateError, make, recheck_document
from proofs.cli import main
from proofs.codec import digest
from proofs.verify import verify

ONE = [[1, 0], [0, 1]]
LONG = str(10**1900 + 7)
EXTREME = {
    "large products": {"A": [["1e200"]], "V": [["1e200"]], "Sigma0": [[1]]},
    "large entries": {
        "V": [["1e300", 0], [0, "1e300"]],
        "A": [["-1e300", 0], [0, "-1e300"]],
        "Sigma0": [["1e300", 0], [0, "1e300"]],
    },
    "beyond floats": {"V": [["1e400", 0], [0, 1]], "A": [[-1, 0], [0, -1]], "Sigma0": ONE},
    "beyond floats, not symmetric": {
        "V": [["1e400", 2], [0, 0]],
        "A": [[0, 0], [0, 0]],
        "Sigma0": ONE,
    },
    "products beyond floats": {
        "V": [["1e300", "1e300"], [0, 1]],
        "A": [[0, 0], [0, 0]],
        "Sigma0": ONE,
    },
    "long digits": {"A": [[-1]], "V": [["9" * 3900 + "e900"]], "Sigma0": [[1]]},
    "large scale": {"V": ONE, "Q": ONE, "K": ONE, "Sigma0": ONE, "scale": "sqrt(2e600)"},
    "small scale": {"V": ONE, "Q": ONE, "K": ONE, "Sigma0": ONE, "scale": "sqrt(2e-60)"},
    "subnormal": {"V": [[1]], "A": [["1e-320"]], "Sigma0": [[1]]},
    "subnormal start": {
        "V": [[1, 2], [3, 4]],
        "A": [[-1, 0], [3, 1]],
        "Sigma0": [["1e-320", 0], [0, "1e-322"]],
    },
    "cancelling drift": {
        "V": [["1e16", "1e16"], [0, 0]],
        "Q": [["1e16", 1], ["-1e16", 1]],
        "K": ONE,
        "Sigma0": [[1, 0], [0, 2]],
        "scale": "sqrt(2)",
    },
    "tiny": {
        "V": [["1e-200", 0], ["1e-200", "1e-200"]],
        "A": [["1e-200", 0], ["3e-200", "1e-200"]],
        "Sigma0": [[1, 0], [0, 2]],
    },
}


@pytest.mark.parametrize("name", EXTREME)
def test_extreme_parameters_get_an_answer(name):
    answer = verify(from_mapping({"variant": "softmax", **EXTREME[name]}))
    assert repr(answer)
    for part in (answer.existence, answer.limit):
        if part.finding is not None:
            part.finding.theorem()


def test_time_bounds_stay_tight_for_small_irrational_scales():
    parameters = from_mapping(
        {
            "variant": "softmax",
            "V": [[1]],
            "Q": [[1]],
            "K": [[1]],
            "Sigma0": [["4/9"]],
            "scale": "sqrt(2e-48)",
        }
    )
    low, high = verify(parameters).existence.time
    # t* = 9 / (8 s), s^2 = 2e-48
    target = Fraction(81, 64) / Fraction("2e-48")
    assert low**2 <= target <= high**2
    assert high - low < Fraction(1, 10**12) * low


def test_certificates_are_about_the_covariance_of_softmax():
    """Linear attention with mean 0 has the same equation, and no other variant."""
    parameters = from_mapping({"variant": "softmax", "V": [[1]], "A": [[1]], "Sigma0": [[1]]})
    finding = verify(parameters).existence.finding
    document = make(parameters, finding.statement, finding.proof)
    document["parameters"]["variant"] = "linear"
    document["digest"] = digest(document)
    assert recheck_document(document).parameters.variant == "linear"
    changes = [("variant", name) for name in ("sigmoid", "exponential")]
    for field, value in [*changes, ("alpha0", ["1"])]:
        other = {**document, "parameters": {**document["parameters"], field: value}}
        other["digest"] = digest(other)
        with pytest.raises(ParameterError, match="are about softmax, about one layer"):
            recheck_document(other)
    other = {**document, "parameters": {**document["parameters"], "variant": "sinkhorn"}}
    other["digest"] = digest(other)
    with pytest.raises(CertificateError, match="hypotheses are not those"):
        recheck_document(other)


def test_numbers_too_long_for_a_certificate_end_in_one_line(tmp_path):
    path, folder = tmp_path / "long.json", tmp_path / "out"
    path.write_text(
        '{"variant": "softmax", "V": [["0.%s"]], "A": [[-1]], "Sigma0": [[1]]}' % ("3" * 3990)
    )
    result = CliRunner().invoke(main, ["verify", str(path), "-o", str(folder)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert not folder.exists()


def test_output_folder_that_is_a_file(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    result = CliRunner().invoke(
        main, ["verify", "--example", "softmax-identity", "-o", str(blocked)]
    )
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_mapping_in_place_of_a_file():
    answer = verify({"variant": "softmax", "V": [[1]], "A": [[-1]], "Sigma0": [[2]]})
    assert answer.existence.verdict == "global"
    assert len(repr(answer.existence)) < 1000
