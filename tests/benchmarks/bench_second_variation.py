"""How long the matrices of a second variation take, against one matrix product of their size.

Run as ``python tests/benchmarks/bench_second_variation.py`` or ``make bench``: seconds of processor
time on one core, seeded tokens, the minimum of the repetitions.  H and M have (n d)^2 entries each,
so that exponents near 2 in n and in d mean that the work is filling them.  Ratios are to the first
row, and to the matrix product H H in the same run.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence

# before anything imports NumPy
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from numeric.second_variation import second_variation

VARIANTS = ("softmax", "l2", "linear", "sigmoid", "exponential")
TOKENS = (50, 100, 200, 300)
#: coordinates in the table of tokens
COORDINATES = 8
DIMENSIONS = (2, 4, 8, 16)
#: tokens in the table of dimensions
COUNT = 100


def tokens(variant: str, n: int, d: int, seed: int) -> tuple:
    """Arguments of the function: tokens in the unit ball, equal masses, A and B of norm about 1."""
    rng = np.random.default_rng([seed, n, d])
    x = rng.standard_normal((n, d)) / np.sqrt(d)
    M, N = rng.standard_normal((2, d, d)) / (2 * np.sqrt(d))
    A = None if variant == "l2" else M + M.T
    return variant, x, np.full(n, 1 / n), A, N @ N.T + np.eye(d)


def shortest(run: Callable[[], object], repetitions: int) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of a line through logarithms, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def table(variant: str, size: str, options: argparse.Namespace) -> Table:
    """Seconds for several numbers of tokens, or of coordinates."""
    fixed = f"d = {COORDINATES}" if size == "n" else f"n = {COUNT}"
    shown = Table(title=f"{variant}, {fixed}")
    for column in (size, "H and M, s", "ratio", "H H, s", "H and M / H H"):
        shown.add_column(column, justify="right")
    sizes = TOKENS if size == "n" else DIMENSIONS
    times: list[float] = []
    for value in track(sizes, variant, transient=True):
        n, d = (value, COORDINATES) if size == "n" else (COUNT, value)
        arguments = tokens(variant, n, d, options.seed)
        H, _ = second_variation(*arguments)
        times.append(shortest(lambda call=arguments: second_variation(*call), options.repeat))
        product = shortest(lambda H=H: H @ H, options.repeat)
        shown.add_row(
            str(value),
            f"{times[-1]:.4f}",
            f"{times[-1] / times[0]:.1f}",
            f"{product:.4f}",
            f"{times[-1] / product:.2f}",
        )
    shown.caption = f"H and M ~ {size}^{exponent(sizes, times):.2f}"
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each measurement")
    parser.add_argument("--seed", type=int, default=0, help="of the tokens")
    parser.add_argument("--variants", nargs="+", default=VARIANTS, metavar="NAME")
    options = parser.parse_args()
    options.repeat = max(1, options.repeat)
    console = Console()
    for variant in options.variants:
        console.print(table(variant, "n", options))
        console.print(table(variant, "d", options))


if __name__ == "__main__":
    main()
