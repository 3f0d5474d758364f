"""Verdicts on stored random cases, against what integration suggests for them.

``cases/existence.jsonl`` holds one case a line: name, parameters, ``truth`` as far as integration
goes (blow-up, bounded-so-far, grows, undecided), and the time of a blow-up.
"""

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from proofs.certificates import recheck
from proofs.verify import verify

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "existence.jsonl").read_text().splitlines()
]
BY_NAME = {case["name"]: case for case in CASES}
ACCURACY = 1e-6
"""Relative error of the integrated blow-up times."""


def searched(answer):
    """Whether a search found what is proved of existence."""
    return "lyapunov" in (answer.theorem or "") and answer.status == "proved"


def contradiction(case, existence):
    """What is proved against the evidence, or an empty text."""
    truth, reached = case["truth"], case["time"]
    if existence.status == "proved":
        if existence.verdict == "global" and truth == "blow-up":
            return "global, but it blows up"
        if existence.verdict == "blow-up" and truth in ("bounded-so-far", "grows"):
            return "blow-up, but it lives on"
    if existence.time is not None and truth == "blow-up":
        lower, upper = existence.time
        if lower > reached * (1 + ACCURACY):
            return f"alive until {float(lower)}, but it blows up at {reached}"
        if upper is not None and upper < reached * (1 - ACCURACY):
            return f"gone by {float(upper)}, but it blows up at {reached}"
    return ""


def decided(case, folder):
    """The answer on existence, seconds for it, and seconds to re-check its certificate."""
    begun = time.process_time()
    verification = verify(case["parameters"], trend=False, certificates_in=folder)
    found = time.process_time() - begun
    existence = verification.existence
    assert not contradiction(case, existence), case["name"]
    checks = [0.0]
    if existence.status == "proved":
        checks = []
        for _ in range(2):  # the faster one: other processes disturb
            begun = time.process_time()
            recheck(folder / existence.certificate, verification.parameters)
            checks.append(time.process_time() - begun)
    return existence, found, min(checks)


@pytest.mark.parametrize(
    ("name", "verdict", "theorem"),
    [
        ("multihead-d3-12", "global", "covariance.lyapunov"),
        ("softmax-d2-19", "blow-up", "covariance.blowup-lyapunov"),
        ("softmax-d3-18", "blow-up", "covariance.blowup-lyapunov"),
        ("softmax-d2-13", "blow-up", "covariance.commuting-bounds"),
        ("softmax-d3-3", "unknown", "covariance.existence-time"),
    ],
)
def test_sample(name, verdict, theorem, tmp_path):
    existence, _, _ = decided(BY_NAME[name], tmp_path)
    assert (existence.verdict, existence.theorem) == (verdict, theorem)


@pytest.mark.acceptance
def test_no_case_is_contradicted(tmp_path):
    proved, every, by = Counter(), Counter(), Counter()
    lines = []
    for case in CASES:
        folder = tmp_path / case["name"]
        existence, seconds, again = decided(case, folder)
        variant = case["name"].split("-")[0]
        every[variant] += 1
        if existence.status == "proved":
            proved[variant] += 1
            by[existence.theorem] += 1
        if searched(existence):
            lines.append(f"{case['name']}: found in {seconds:.2f} s, re-checked in {again:.2f} s")
            assert again < seconds, case["name"]
    shares = [f"{variant}: {proved[variant]} of {every[variant]}" for variant in sorted(every)]
    print(f"\nproved {proved.total()} of {every.total()}; " + "; ".join(shares))
    print("\n".join([f"{name}: {count}" for name, count in by.most_common()] + lines))
    assert every.total() == 40
    assert lines
