"""How long a verdict on large heads takes, against one matrix product in the same run.

Run as ``python tests/benchmarks/bench_verify.py`` or ``make bench``: seconds of processor time on
one core, seeded weights, the minimum of several repetitions.  Everything that ``verify`` decides
and proves is measured, without numerical integration.  What a process does once, proving the
lemmas, is shown apart.
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

from numeric.mappings import model_from_mapping
from numeric.model import Model
from proofs.verify import verify

DIMENSIONS = (64, 128, 256, 512, 1024)
HEADS = (1, 2, 4, 8)
#: rows of Q, K and V
ROWS = 64
#: token dimension for the table of heads
HEADS_DIMENSION = 256


def model(d: int, heads: int, seed: int) -> Model:
    """Heads of low rank with float32 weights as a network has at the start of its training."""
    rng = np.random.default_rng([seed, d, heads])

    def weights(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / np.sqrt(d)).astype("f4")

    listed = [
        {
            "Q": weights(ROWS, d),
            "K": weights(ROWS, d),
            "V": weights(ROWS, d),
            "W": weights(d, ROWS),
            "scale": "1/sqrt(k)",
        }
        for _ in range(heads)
    ]
    return model_from_mapping({"variant": "softmax", "heads": listed})


def shortest(run: Callable[[], object], repetitions: int) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def verdict(d: int, heads: int, options: argparse.Namespace) -> float:
    """Seconds of one verdict; fails when no existence time is proved."""
    subject = model(d, heads, options.seed)

    def run() -> None:
        answer = verify(subject, trend=False)
        assert answer.existence.time is not None, "no existence time was proved"

    return shortest(run, options.repeat)


def product(d: int, seed: int) -> float:
    """Seconds of one product of dense d x d matrices in float64."""
    left, right = np.random.default_rng([seed, d]).standard_normal((2, d, d))
    return shortest(lambda: left @ right, max(20, 10**8 // d**3))


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of a line through logarithms, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def by_dimension(options: argparse.Namespace) -> Table:
    table = Table(title=f"One head, k = {ROWS}")
    for column in ("d", "verdict, s", "d x d product, s", "ratio"):
        table.add_column(column, justify="right")
    verdicts, products = [], []
    for d in track(options.dimensions, "dimensions", transient=True):
        verdicts.append(verdict(d, 1, options))
        products.append(product(d, options.seed))
        ratio = verdicts[-1] / products[-1]
        table.add_row(str(d), f"{verdicts[-1]:.3f}", f"{products[-1]:.2e}", f"{ratio:,.0f}")
    if len(verdicts) > 1:
        slopes = [exponent(options.dimensions, seconds) for seconds in (verdicts, products)]
        table.caption = f"verdict ~ d^{slopes[0]:.2f}, product ~ d^{slopes[1]:.2f}"
    return table


def by_heads(options: argparse.Namespace) -> Table:
    table = Table(title=f"Heads that act together, d = {HEADS_DIMENSION}, k = {ROWS}")
    for column in ("heads", "verdict, s", "s a head"):
        table.add_column(column, justify="right")
    seconds = []
    for heads in track(HEADS, "heads", transient=True):
        seconds.append(verdict(HEADS_DIMENSION, heads, options))
        table.add_row(str(heads), f"{seconds[-1]:.3f}", f"{seconds[-1] / heads:.3f}")
    table.caption = f"verdict ~ heads^{exponent(HEADS, seconds):.2f}"
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="repetitions of each verdict")
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    parser.add_argument("--dimensions", type=int, nargs="+", default=DIMENSIONS, metavar="D")
    options = parser.parse_args()
    console = Console()
    once = argparse.Namespace(**{**vars(options), "repeat": 1})
    first = verdict(ROWS, 1, once) + verdict(ROWS, 2, once)
    options.repeat = max(1, options.repeat)
    console.print(f"first verdicts, with the lemmas of all others: {first:.2f} s")
    console.print(by_dimension(options))
    console.print(by_heads(options))


if __name__ == "__main__":
    main()
