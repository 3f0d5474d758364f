"""The answer of ``verify`` as text and as Markdown."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from numeric.model import Model
from proofs.parameter_arrays import model_of
from proofs.reports.by_head import (
    HEAD_COLUMNS,
    LAYER_COLUMNS,
    head_rows,
    layer_rows,
    met_by_no_head,
)
from proofs.verdicts.base import Hypothesis, Witness
from proofs.verdicts.subject import equation_of, head_count, is_stack
from proofs.verdicts.workspace import brief, rounded

if TYPE_CHECKING:
    from numeric.covariance import Trend
    from proofs.answers import Answer, GradientFlow, Verification

#: variant -> how the covariance of a Gaussian moves, in one line
CONVENTIONS = {
    "softmax": "Σ′ = VΣAΣ + ΣAᵀΣVᵀ, A = scale · KᵀQ, S = VA + AᵀVᵀ, F(Σ) the right-hand side",
    "linear": "Σ′ = BΣ + ΣBᵀ, α′ = Bα, B = V(Σ + ααᵀ)A, A = scale · KᵀQ",
    "l2": (
        "Σ′ = BΣ + ΣBᵀ, α′ = Bα + V(I + 2ΣKᵀK)⁻¹α, B = 2V(I + 2ΣKᵀK)⁻¹ΣKᵀQ; the scale multiplies Q"
    ),
    "sinkhorn": "Σ′ = BΣ + ΣBᵀ, α′ = Vα, B = 2V√Σ(I + √(I + 4√ΣAΣAᵀ√Σ))⁻¹√ΣA, A = scale · KᵀQ",
    "masked linear": (
        "Σ′ = BΣ + ΣBᵀ and α′ = Bα at each position s, B = V · ∫_{τ ≤ s} (Σ + ααᵀ) dθ(τ) · A, "
        "A = scale · KᵀQ"
    ),
}
#: columns of text that the widest table needs
WIDTH = 110
#: reasons that are listed for one theorem
MOST_REASONS = 3
#: larger matrices are not printed
MOST_ROWS = 4


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
    answer, parameters = verification.existence, verification.parameters
    start = "the given Σ₀"
    if parameters.Sigma0 is None:
        bound = None if answer.finding is None else answer.finding.up_to
        start = "every Σ₀ > 0" if bound is None else f"every Σ₀ > 0 with Σ₀ ≤ {_multiple(bound)}"
    if answer.verdict == "global" and is_stack(parameters) and _last_time(verification):
        line = f"global: the solution from {start} exists to the end of the last layer"
    elif answer.verdict == "global":
        line = f"global: the solution from {start} exists for all times"
    elif answer.verdict == "blow-up" and answer.time is None:
        line = f"blow-up in finite time from {start}"
    elif answer.verdict == "blow-up":
        line = f"blow-up from {start} at {_time(answer.time)}"
    elif answer.verdict == "depends":
        line = "depends on Σ₀: " + ", ".join(map(_witness, answer.witnesses))
    else:
        line = "unknown: no theorem decides"
        if answer.time is not None:
            low = decimal(answer.time[0], up=False)
            line += f"; the solution from {start} is proved to exist until t = {low}"
    return line


def _witness(witness: Witness) -> str:
    rows = "; ".join(" ".join(map(brief, row)) for row in witness.start)
    if witness.verdict == "global":
        return f"global from [{rows}]"
    when = "" if witness.time is None else f" at {_time(witness.time)}"
    return f"blow-up from [{rows}]{when}"


def _multiple(bound: Fraction) -> str:
    return "I" if bound == 1 else f"{bound} I"


def _last_time(verification: Verification) -> Fraction | None:
    return verification.layers[-1].time


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
        if finding.covariance is not None and len(finding.covariance) <= MOST_ROWS:
            rows = "; ".join(" ".join(brief(x) for x in row) for row in finding.covariance)
            line += f"; limit [{rows}]"
        return line
    if answer.verdict == "bounded" and finding.rank_at_most is not None:
        return f"bounded; every limit point has rank at most {finding.rank_at_most}"
    return answer.verdict


def title(verification: Verification) -> str:
    """Variant, dimension, layers and heads."""
    parameters = verification.parameters
    heads = head_count(parameters)
    count = "one head" if heads == 1 else f"{heads} heads"
    layers = len(parameters.layers) if isinstance(parameters, Model) else 1
    if layers > 1:
        count = f"{layers} layers of {count}"
    elif is_stack(parameters):
        count = f"one layer of finite time, {count}"
    return f"{_name(verification)} attention, d = {parameters.dimension}, {count}"


def _name(verification: Verification) -> str:
    parameters = verification.parameters
    masked = isinstance(parameters, Model) and parameters.mask is not None
    return f"masked {parameters.variant}" if masked else parameters.variant


def _convention(verification: Verification) -> str | None:
    """The equation, where it is that of these parameters."""
    if equation_of(model_of(verification.parameters)) == "softmax":
        return CONVENTIONS["softmax"]
    if verification.gaussian.verdict != "preserved":
        return None
    line = CONVENTIONS.get(_name(verification))
    if line is not None and head_count(verification.parameters) > 1:
        line += "; sum over heads"
    return line


def plain(verification: Verification) -> str:
    """The answer as text for a terminal."""
    stream = io.StringIO()
    show(verification, Console(file=stream, width=WIDTH, force_terminal=False))
    return stream.getvalue().rstrip()


def show(verification: Verification, console: Console) -> None:
    """Print the answer to a rich console."""
    console.print(
        f"[bold]{title(verification)}[/bold]",
        highlight=False,
    )
    if convention := _convention(verification):
        console.print(Text(convention, style="dim"))
    summary = Table.grid(padding=(0, 2))
    for row in _summary(verification):
        summary.add_row(*(Text(cell) for cell in row))
    console.print(summary)
    console.print()
    _print_table(console, ("theorem", "applies", "why"), _reasons(verification), folded="why")
    for name, columns, rows in _tables(verification):
        console.print(Text(name, style="bold"))
        _print_table(console, columns, rows)
    for line in _remarks(verification):
        console.print(Text(line))


def _print_table(
    console: Console,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    folded: str | None = None,
) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1 if folded else 0, 0, 1))
    for column in columns:
        wraps = column == folded or console.width < WIDTH
        table.add_column(column, overflow="fold", no_wrap=not wraps)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _tables(
    verification: Verification,
) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Tables by layer and by head: a name, columns, rows."""
    tables: list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]] = []
    if verification.layers:
        tables.append(("By layer", LAYER_COLUMNS, layer_rows(verification)))
        heads = [(layer.index, head) for layer in verification.layers for head in layer.heads]
        tables.append(("By head, each alone", HEAD_COLUMNS, head_rows(heads)))
    elif verification.heads:
        alone = [(None, head) for head in verification.heads]
        rows = [row[1:] for row in head_rows(alone)]
        tables.append(("By head, each alone", HEAD_COLUMNS[1:], rows))
    return tables


def _remarks(verification: Verification) -> list[str]:
    """What no head meets, and what the numbers of heads and layers mean."""
    if not verification.every_head:
        return []
    none = met_by_no_head(verification.every_head)
    lines = [f"No head meets the hypotheses of: {', '.join(none)}."] if none else []
    lines.append(
        "Layers and heads are counted from 0, entries of matrices from 1. Ranks are those of V, "
        "A, A + Aᵀ and S; λ(M) in [a, b] holds for all eigenvalues of M. A + Aᵀ ≤ 0, VS = SV and "
        "PV ≥ 0 for some P > 0 fail as shown: at a vector, at an entry, by an eigenvalue of V."
    )
    return lines


def _reasons(verification: Verification) -> list[tuple[str, str, str]]:
    """Theorems, whether they apply, and what decides it: those that apply first."""
    groups: dict[tuple[bool | None, str], list[str]] = {}
    for application in sorted(verification.applications, key=lambda a: a.id):
        decisive = [h for h in application.hypotheses if h.holds is application.applies]
        reasons = "\n".join(_because(h) for h in decisive[:MOST_REASONS])
        if len(decisive) > MOST_REASONS:
            reasons += f"\nand {len(decisive) - MOST_REASONS} more"
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


def _trend_line(trend: Trend, start: str) -> str:
    line = f"numerical integration{start} suggests: {trend.verdict}"
    if trend.time is not None:
        line += f" at t ≈ {trend.time:.6g}"
    return (
        line if trend.digits is None else f"{line} (two tolerances agree to {trend.digits} digits)"
    )


def _summary(verification: Verification) -> list[tuple[str, str, str]]:
    gaussian = verification.gaussian
    by = "" if gaussian.theorem is None else f" ({gaussian.theorem})"
    rows = [("Gaussian", gaussian.verdict, f"{gaussian.status}{by}")]
    for name, line, answer in (
        ("existence", existence_line(verification), verification.existence),
        ("limit", limit_line(verification.limit), verification.limit),
    ):
        by = answer.status if answer.theorem is None else f"{answer.status} ({answer.theorem})"
        rows.append((name.capitalize(), line, by))
        if answer.certificate is not None:
            rows.append(("", f"certificate {answer.certificate}", ""))
    rows += _gradient_rows(verification.gradient_flow)
    if verification.trend is not None:
        start = "" if verification.parameters.Sigma0 is not None else " from Σ₀ = I"
        rows.append(("Trend", _trend_line(verification.trend, start), "evidence only"))
    if verification.evolution is not None:
        rows.append(("Trend", _evolution_line(verification), "evidence only"))
    return rows


def _gradient_rows(answer: GradientFlow) -> list[tuple[str, str, str]]:
    """Whether attention is a gradient flow, by what, and the certificate."""
    by = answer.status if answer.theorem is None else f"{answer.status} ({answer.theorem})"
    line = answer.verdict if answer.reason is None else f"{answer.verdict}: {answer.reason}"
    if answer.metric is not None:
        B, d = answer.metric, len(answer.metric)
        plain = all(x == (i == j) for i, row in enumerate(B) for j, x in enumerate(row))
        if plain:
            line += ", B = I"
        elif d <= MOST_ROWS:
            line += f", B = [{'; '.join(' '.join(map(brief, row)) for row in B)}]"
    rows = [("Gradient flow", line, by)]
    if answer.certificate is not None:
        rows.append(("", f"certificate {answer.certificate}", ""))
    return rows


def _evolution_line(verification: Verification) -> str:
    """The fate of the flow through the layers, by integration."""
    evolution = verification.evolution
    assert evolution is not None
    start = "the given Σ₀" if verification.parameters.Sigma0 is not None else "Σ₀ = I"
    number, time = evolution.blow_up_layer, evolution.blow_up_time
    if number is not None and time is not None:
        layer = verification.layers[number].index
        fate = f"blow-up in layer {layer}, at t ≈ {time:.6g}"
    elif evolution.layers[-1].flow_end is not None:
        fate = "the flow passes all layers"
    else:
        fate = "unknown"
    return f"numerical integration from {start} suggests: {fate}"


def markdown(verification: Verification) -> str:
    """The answer as Markdown, for notebooks."""
    lines = [
        f"**{title(verification)}**",
        "",
    ]
    lines += ["| | | |", "|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in _summary(verification)]
    lines += ["", "| theorem | applies | why |", "|---|---|---|"]
    lines += _markdown_rows(_reasons(verification))
    for name, columns, rows in _tables(verification):
        lines += ["", f"**{name}**", ""]
        lines += ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
        lines += _markdown_rows(rows)
    lines += ["", *_remarks(verification)]
    return "\n".join(lines).rstrip()


def _markdown_rows(rows: Iterable[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(cell.replace("\n", "<br>") for cell in row) + " |" for row in rows]


def _word(state: bool | None) -> str:
    return {True: "yes", False: "no", None: "not decided"}[state]


def _magnitude(value: Fraction) -> int:
    """The exponent of the first digit of a nonzero rational."""
    return rounded(value, 30).adjusted()
