"""The answer of ``verify`` as JSON, as text and as Markdown."""

from __future__ import annotations

import io
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from proofs.claims.base import claim_named
from proofs.claims.covariance_equation import Sigma
from proofs.language import at, real
from proofs.printing.latex import latex
from proofs.verdicts.base import Hypothesis
from proofs.verdicts.subject import head_count
from proofs.verdicts.workspace import brief, rounded

if TYPE_CHECKING:
    from numeric.covariance import Trend
    from proofs.verify import Answer, Verification

FORMAT = "lemmaformer/verify/1"
CONVENTIONS = "Σ′ = VΣAΣ + ΣAᵀΣVᵀ, A = scale · KᵀQ, S = VA + AᵀVᵀ, F(Σ) the right-hand side"
NOT_DECIDED = "not decided by this version"


def document(verification: Verification) -> dict[str, Any]:
    """The JSON document; its schema is ``proofs/schemas/verify.json``."""
    parameters = verification.parameters
    return {
        "format": FORMAT,
        "variant": parameters.variant,
        "dimension": parameters.dimension,
        "heads": head_count(parameters),
        "gaussian": {
            "preserved": verification.gaussian.verdict == "preserved",
            "status": verification.gaussian.status,
            "equations": equations(verification.gaussian),
        },
        "existence": _existence(verification),
        "limit": _limit(verification.limit),
        "gradient_flow": {
            "verdict": "unknown",
            "status": "open",
            "metric": None,
            "energy": None,
            "reason": NOT_DECIDED,
        },
        "convexity": {
            "verdict": "unknown",
            "status": "open",
            "lambda": None,
            "ratio": None,
            "certificate": None,
        },
        "theorems": [
            {
                "id": application.id,
                "applies": application.applies,
                "hypotheses": [
                    {"name": h.name, "holds": h.holds, "witness": h.witness}
                    for h in application.hypotheses
                ],
            }
            for application in sorted(verification.applications, key=lambda a: a.id)
        ],
    }


def equations(gaussian: Answer) -> dict[str, str]:
    """The equations of mean and covariance in LaTeX, printed from the checked claim."""
    assert gaussian.theorem is not None
    covariance, mean = claim_named(gaussian.theorem).statement.hypotheses[1:]
    return {
        # maximal(T, Sigma, F, Sigma0) and ode(T, alpha, velocity)
        "mean": rf"\dot\alpha(t) = {latex(at(mean.args[2], real('t')))}",
        "covariance": rf"\dot\Sigma(t) = {latex(at(covariance.args[2], at(Sigma, real('t'))))}",
    }


def _existence(verification: Verification) -> dict[str, Any]:
    answer = verification.existence
    bounds = None
    if answer.time is not None:
        bounds = [None if bound is None else str(bound) for bound in answer.time]
    trend = verification.trend
    return {
        "verdict": answer.verdict,
        "for_sigma0": "all" if verification.parameters.Sigma0 is None else "given",
        "status": answer.status,
        "time": bounds,
        "theorem": answer.theorem,
        "certificate": answer.certificate,
        "trend": None if trend is None else {"verdict": trend.verdict, "digits": trend.digits},
    }


def _limit(answer: Answer) -> dict[str, Any]:
    finding = answer.finding
    covariance = None if finding is None else finding.covariance
    return {
        "verdict": answer.verdict,
        "status": answer.status,
        "rank": None if finding is None else finding.rank,
        "rank_at_most": None if finding is None else finding.rank_at_most,
        "covariance": None if covariance is None else [[str(x) for x in row] for row in covariance],
        "theorem": answer.theorem,
        "certificate": answer.certificate,
    }


# For people ----------------------------------------------------------------------------------


def decimal(bound: Fraction, up: bool, digits: int = 15) -> str:
    """A rational as a decimal that is rounded down, or up."""
    if bound.denominator == 1 and abs(bound) < 10**digits:
        return str(bound)
    shift = digits - 1 - _magnitude(bound)
    scaled = bound * Fraction(10) ** shift
    floor = scaled.numerator // scaled.denominator
    exact = scaled.denominator == 1
    number = Decimal(floor + (up and not exact)).scaleb(-shift).normalize()
    return f"{number:f}" if -6 <= _magnitude(bound) < digits else str(number)


def existence_line(verification: Verification) -> str:
    """One sentence on existence, with what it rests on."""
    answer = verification.existence
    start = "every Σ₀ > 0" if verification.parameters.Sigma0 is None else "the given Σ₀"
    if answer.verdict == "global":
        line = f"global: the solution from {start} exists for all times"
    elif answer.verdict == "blow-up" and answer.time is None:
        line = f"blow-up in finite time from {start}"
    elif answer.verdict == "blow-up":
        line = f"blow-up from {start} at {_time(answer.time)}"
    else:
        line = "unknown: no theorem decides"
        if answer.time is not None:
            low = decimal(answer.time[0], up=False)
            line += f"; the solution is proved to exist until t = {low}"
    return line


def _time(bounds: tuple[Fraction, Fraction | None] | None) -> str:
    assert bounds is not None
    low, high = bounds
    assert high is not None
    if low == high:
        return (
            f"t* = {low}"
            if low.denominator == 1
            else f"t* = {low} ≈ {rounded(low, 12).normalize()}"
        )
    return f"{decimal(low, up=False)} ≤ t* ≤ {decimal(high, up=True)}"


def limit_line(answer: Answer) -> str:
    """One sentence on the limit."""
    finding = answer.finding
    if finding is None:
        return "unknown"
    if answer.verdict == "unbounded":
        return "unbounded: it ends in finite time"
    if answer.verdict == "converges" and finding.rank == 0:
        return "converges to 0"
    if answer.verdict == "converges":
        line = f"converges; rank of the limit: {finding.rank}"
        if finding.covariance is not None and len(finding.covariance) <= 4:
            rows = "; ".join(" ".join(brief(x) for x in row) for row in finding.covariance)
            line += f"; limit [{rows}]"
        return line
    if answer.verdict == "bounded" and finding.rank_at_most is not None:
        return f"bounded; every limit point has rank at most {finding.rank_at_most}"
    return answer.verdict


def title(verification: Verification) -> str:
    """Variant, dimension and heads."""
    parameters = verification.parameters
    heads = head_count(parameters)
    count = "one head" if heads == 1 else f"{heads} heads"
    return f"{parameters.variant} attention, d = {parameters.dimension}, {count}"


def plain(verification: Verification) -> str:
    """The answer as text for a terminal."""
    stream = io.StringIO()
    show(verification, Console(file=stream, width=100, force_terminal=False))
    return stream.getvalue().rstrip()


def show(verification: Verification, console: Console) -> None:
    """Print the answer to a rich console."""
    console.print(
        f"[bold]{title(verification)}[/bold]",
        highlight=False,
    )
    console.print(Text(CONVENTIONS, style="dim"))
    summary = Table.grid(padding=(0, 2))
    for row in _summary(verification):
        summary.add_row(*(Text(cell) for cell in row))
    console.print(summary)
    console.print()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("theorem", no_wrap=True)
    table.add_column("applies", no_wrap=True)
    table.add_column("why", overflow="fold")
    for row in _reasons(verification):
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _reasons(verification: Verification) -> list[tuple[str, str, str]]:
    """Theorems, whether they apply, and what decides it: those that apply first."""
    groups: dict[tuple[bool | None, str], list[str]] = {}
    for application in sorted(verification.applications, key=lambda a: a.id):
        decisive = [h for h in application.hypotheses if h.holds is application.applies]
        reasons = "\n".join(_because(h) for h in decisive)
        groups.setdefault((application.applies, reasons), []).append(application.id)
    order = (True, None, False)
    return [
        ("\n".join(names), _word(applies), reasons)
        for (applies, reasons), names in sorted(groups.items(), key=lambda g: order.index(g[0][0]))
    ]


def _because(hypothesis: Hypothesis) -> str:
    if hypothesis.witness is not None:
        return f"{hypothesis.name}: {hypothesis.witness}"
    return f"{hypothesis.name}: {_word(hypothesis.holds)}"


def _trend_line(trend: Trend) -> str:
    line = f"numerical integration suggests: {trend.verdict}"
    if trend.time is not None:
        line += f" at t ≈ {trend.time:.6g}"
    return (
        line if trend.digits is None else f"{line} (two tolerances agree to {trend.digits} digits)"
    )


def _summary(verification: Verification) -> list[tuple[str, str, str]]:
    gaussian = verification.gaussian
    rows = [("Gaussian", gaussian.verdict, f"{gaussian.status} ({gaussian.theorem})")]
    for name, line, answer in (
        ("existence", existence_line(verification), verification.existence),
        ("limit", limit_line(verification.limit), verification.limit),
    ):
        by = answer.status if answer.theorem is None else f"{answer.status} ({answer.theorem})"
        rows.append((name.capitalize(), line, by))
        if answer.certificate is not None:
            rows.append(("", f"certificate {answer.certificate}", ""))
    if verification.trend is not None:
        rows.append(("Trend", _trend_line(verification.trend), "evidence only"))
    return rows


def markdown(verification: Verification) -> str:
    """The answer as Markdown, for notebooks."""
    lines = [
        f"**{title(verification)}**",
        "",
    ]
    lines += ["| | | |", "|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in _summary(verification)]
    lines += ["", "| theorem | applies | why |", "|---|---|---|"]
    lines += [
        "| " + " | ".join(cell.replace("\n", "<br>") for cell in row) + " |"
        for row in _reasons(verification)
    ]
    return "\n".join(lines)


def _word(state: bool | None) -> str:
    return {True: "yes", False: "no", None: "not decided"}[state]


def _magnitude(value: Fraction) -> int:
    """The exponent of the first digit of a nonzero rational."""
    return rounded(value, 30).adjusted()
