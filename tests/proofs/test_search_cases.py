"""Verdicts on stored random cases, against what integration suggests for them.

``cases/existence.jsonl`` holds one case a line: name, parameters, ``truth`` as far as integration
goes (blow-up, bounded-so-far, grows, undecided), and the time of a blow-up.
"""

import json
import math
import statistics
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
BUDGET = 60
"""Seconds for the searches: more than they take where they find something, on a busy machine."""


def searched(answer):
    """Whether a search found what is proved of existence."""
    theorem = answer.theorem or ""
    return answer.status == "proved" and ("lyapunov" in theorem or "enclosure" in theorem)


def width(answer):
    """Relative distance of the bounds of a blow-up time, None without such bounds."""
    if answer.verdict != "blow-up" or answer.time is None:
        return None
    lower, upper = answer.time
    return math.inf if upper is None else float((upper - lower) / upper)


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
    verification = verify(case["parameters"], trend=False, budget=BUDGET, certificates_in=folder)
    found = time.process_time() - begun
    existence = verification.existence
    assert not contradiction(case, existence), case["name"]
    begun = time.process_time()
    if existence.status == "proved":
        recheck(folder / existence.certificate, verification.parameters)
    return existence, found, time.process_time() - begun


@pytest.mark.parametrize(
    ("name", "verdict", "theorem"),
    [
        ("multihead-d3-12", "global", "covariance.lyapunov"),
        ("softmax-d2-14", "global", "covariance.definite-value"),
        ("softmax-d2-13", "blow-up", "covariance.commuting-bounds"),
        ("multihead-d2-11", "blow-up", "covariance.enclosure"),
        ("softmax-d2-19", "blow-up", "covariance.enclosure"),
        ("softmax-d3-3", "blow-up", "covariance.enclosure"),
    ],
)
def test_sample(name, verdict, theorem, tmp_path):
    existence, _, _ = decided(BY_NAME[name], tmp_path)
    assert (existence.verdict, existence.theorem) == (verdict, theorem)
    assert verdict == "global" or width(existence) <= 1e-6


@pytest.mark.acceptance
def test_no_case_is_contradicted(tmp_path):
    proved, every, by = Counter(), Counter(), Counter()
    lines, times, widths = [], [], []
    for case in CASES:
        existence, seconds, again = decided(case, tmp_path / case["name"])
        truth, close = case["truth"], width(existence)
        every[truth] += 1
        times.append(seconds)
        if existence.status == "proved":
            proved[truth] += 1
            by[existence.theorem] += 1
        if close is not None:
            widths.append(close)
        if searched(existence) or existence.status != "proved":
            told = "" if close is None else f", width {close:.1e}"
            lines.append(
                f"{case['name']}: {truth}, {existence.verdict} by {existence.theorem}{told}, "
                f"found in {seconds:.1f} s, re-checked in {again:.1f} s"
            )
    shares = [f"{truth}: {proved[truth]} of {every[truth]}" for truth in sorted(every)]
    print(f"\nproved {proved.total()} of {every.total()}; " + "; ".join(shares))
    print("\n".join([f"{name}: {count}" for name, count in by.most_common()] + lines))
    print(f"CPU time: median {statistics.median(times):.2f} s, at most {max(times):.1f} s")
    assert every.total() == 40
    known = ("blow-up", "bounded-so-far")
    assert sum(proved[t] for t in known) >= 0.9 * sum(every[t] for t in known)
    assert max(widths) <= 1e-3
