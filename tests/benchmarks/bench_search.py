"""How long the search of linear Lyapunov functions takes, and re-checking what it proves.

Run as ``python tests/benchmarks/bench_search.py`` or ``make bench``: seconds of processor time on
one core, seeded weights, the minimum of the repetitions.  For V_h = -M A_h^T, M > 0, the trace
with the inverse of M never grows, for any A_h; squares alone do not show it.  Growth is searched
from the start I for V = V^T > 0 and A + A^T > 0.  Ratios are to the first row, and to the re-check
of the certificate by the kernel in the same run.
"""

import argparse
import os
import random
import time
from collections.abc import Callable, Sequence
from fractions import Fraction

# before anything imports NumPy
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from flint import fmpq, fmpq_mat
from rich.console import Console
from rich.progress import track
from rich.table import Table

from numeric.exact import Matrix
from numeric.lyapunov import decrease, growth
from numeric.mappings import model_from_mapping
from proofs.certificates import make, recheck_document
from proofs.verdicts.lyapunov import decreasing, growing
from proofs.verdicts.subject import problem_of, subject_of

DIMENSIONS = (2, 3, 4, 5, 6, 7, 8)
#: largest d for growth, which takes minutes beyond
LARGEST_GROWTH = 6
HEADS = (1, 2, 3, 4)
#: token dimension for the table of heads
HEADS_DIMENSION = 3
#: seconds that a search may take
SECONDS = 600.0


def heads(d: int, count: int, sign: int, seed: int) -> list[tuple[Matrix, Matrix]]:
    """Pairs (V, A) of small rationals, for which tr(P Z) never grows (-1) or blows up (1)."""
    generator = random.Random(f"{seed} {d} {count} {sign}")
    identity = fmpq_mat(d, d, [int(i == j) for i in range(d) for j in range(d)])

    def entries() -> fmpq_mat:
        return fmpq_mat(d, d, [fmpq(generator.randint(-2, 2), 2) for _ in range(d * d)])

    def definite() -> fmpq_mat:
        F = entries()
        return F * F.transpose() + identity

    M = definite()
    listed = []
    for _ in range(count):
        K = entries()
        if sign < 0:
            listed.append((_rows(M * K.transpose() * -1), _rows(K)))
        else:
            listed.append((_rows(M), _rows(definite() + K - K.transpose())))
    return listed


def _rows(matrix: fmpq_mat) -> Matrix:
    return tuple(tuple(Fraction(int(x.p), int(x.q)) for x in row) for row in matrix.tolist())


def shortest(run: Callable[[], object], repetitions: int) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def searched(d: int, count: int, sign: int, options: argparse.Namespace) -> tuple[float, float]:
    """Seconds of the search, and of the re-check; fails when nothing is found."""
    pairs = heads(d, count, sign, options.seed)
    unit = tuple(tuple(Fraction(int(i == j)) for j in range(d)) for i in range(d))

    def search() -> None:
        if sign < 0:
            found = decrease(pairs, seconds=SECONDS)
        else:
            found = growth(pairs, unit, seconds=SECONDS)
        assert found.certificate is not None, f"nothing found: {found.status.value}"

    text = [
        {name: [[str(x) for x in row] for row in M] for name, M in zip("VA", pair, strict=True)}
        for pair in pairs
    ]
    start = [[str(x) for x in row] for row in unit]
    model = model_from_mapping({"variant": "softmax", "Sigma0": start, "heads": text})
    subject = subject_of(model)
    problem = problem_of(subject)
    if sign < 0:
        application = decreasing(problem, SECONDS)
    else:
        application, _ = growing(problem, SECONDS)
    finding = application.findings[0]
    document = make(subject, finding.statement, finding.proof)
    seconds = shortest(search, options.repeat)
    return seconds, shortest(lambda: recheck_document(document), options.repeat)


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of a line through logarithms, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def table(
    title: str, size: str, cases: Sequence[tuple[int, int]], sign: int, options: argparse.Namespace
) -> Table:
    """Search and re-check for pairs of a dimension and a number of heads."""
    shown = Table(title=title)
    for column in (size, "search, s", "ratio", "re-check, s", "search / re-check"):
        shown.add_column(column, justify="right")
    index = 0 if size == "d" else 1
    sizes, searches, checks = [], [], []
    for case in track(cases, title, transient=True):
        seconds, again = searched(*case, sign, options)
        sizes.append(case[index])
        searches.append(seconds)
        checks.append(again)
        shown.add_row(
            str(case[index]),
            f"{seconds:.3f}",
            f"{seconds / searches[0]:.1f}",
            f"{again:.3f}",
            f"{seconds / again:.2f}",
        )
    if len(sizes) > 1:
        slopes = [exponent(sizes, measured) for measured in (searches, checks)]
        shown.caption = f"search ~ {size}^{slopes[0]:.2f}, re-check ~ {size}^{slopes[1]:.2f}"
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=1, help="repetitions of each search")
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    parser.add_argument("--dimensions", type=int, nargs="+", default=DIMENSIONS, metavar="D")
    options = parser.parse_args()
    options.repeat = max(1, options.repeat)
    console = Console()
    decrease(heads(2, 1, -1, 0))  # imports
    one = [(d, 1) for d in options.dimensions]
    several = [(HEADS_DIMENSION, count) for count in HEADS]
    console.print(table("tr(P Sigma) never grows, one head", "d", one, -1, options))
    small = [(d, 1) for d in options.dimensions if d <= LARGEST_GROWTH]
    console.print(table("tr(P Sigma) blows up, one head", "d", small, 1, options))
    title = f"tr(P Sigma) never grows, d = {HEADS_DIMENSION}"
    console.print(table(title, "heads", several, -1, options))


if __name__ == "__main__":
    main()
