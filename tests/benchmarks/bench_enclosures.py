"""How long steps around solutions take, their proofs, and verdicts that follow a given start.

Run as ``python tests/benchmarks/bench_enclosures.py`` or ``make bench``: seconds of processor time
on one core, seeded weights.  One head with V near diag(1, -1/2, ..., -1/2), A near I and the start
near I: the solution blows up along a direction that attracts, and enters a cone around it.  There
are n = d (d + 1)/2 coordinates.  Ratios are to the first row, and to other columns in the same
run.  A case is what ``verify`` takes, with rehearsal, search for a cone, steps and proof.
"""

import argparse
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

# before anything imports NumPy
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from flint import fmpq, fmpq_mat
from rich.console import Console
from rich.progress import track
from rich.table import Table

from numeric.enclosures.cones import Entry, entries
from numeric.enclosures.journey import Journey, rehearsed
from numeric.enclosures.system import QuadraticSystem, fraction, to_rows
from numeric.enclosures.taylor import Step, Stepper, form_norms
from numeric.exact import Matrix
from numeric.mappings import model_from_mapping
from numeric.model import Model
from proofs.certificates import make, recheck_document
from proofs.claims.covariance_blowup_cone import CLAIM as BLOWUP
from proofs.claims.covariance_enclosure import CLAIM as ENCLOSURE
from proofs.claims.covariance_multihead_rank import CLAIM as RANK
from proofs.verdicts.as_heads import AsHeads
from proofs.verdicts.enclosures.cone_end import by_cone
from proofs.verdicts.enclosures.coordinates import Coordinates
from proofs.verdicts.enclosures.followed import NEAREST, WIDTH
from proofs.verdicts.enclosures.tubes import Tubes
from proofs.verdicts.subject import problem_of, subject_of
from proofs.verdicts.workspace import Workspace
from proofs.verify import verify

DIMENSIONS = (2, 3, 4, 5, 6)
#: steps of which the proofs are measured, and seeds of the weights that are tried
STEPS, SEEDS = 3, 20
#: seconds that a verdict may take
SECONDS = 3600.0


@dataclass(frozen=True)
class Case:
    """Weights with a start from which the solution enters a cone."""

    model: Model
    pairs: list[tuple[Matrix, Matrix]]
    start: Matrix
    journey: Journey
    entry: Entry


def weights(d: int, seed: str) -> tuple[Matrix, Matrix, Matrix]:
    """V, A and the start, of small rationals."""
    generator = random.Random(seed)

    def near(diagonal: Sequence[fmpq]) -> fmpq_mat:
        noise = [fmpq(generator.randint(-2, 2), 8 * d) for _ in range(d * d)]
        return fmpq_mat(
            d, d, [diagonal[i // d] * (i % (d + 1) == 0) + x for i, x in enumerate(noise)]
        )

    V = near([fmpq(1), *[fmpq(-1, 2)] * (d - 1)])
    A = near([fmpq(1)] * d)
    G = near([fmpq(1)] * d)
    return to_rows(V), to_rows(A), to_rows(G * G.transpose())


def case(d: int, seed: int) -> Case:
    """The first seeded weights for which there is a cone that is good enough."""
    for attempt in range(SEEDS):
        V, A, start = weights(d, f"{seed} {d} {attempt}")
        system = QuadraticSystem.of([(V, A)])
        journey = rehearsed(system, system.state(start), float(NEAREST))
        found = list(entries(journey.system, journey.states, journey.times, float(WIDTH)))
        if journey.blows_up and found and found[-1].width <= WIDTH:
            text = {
                name: [[str(x) for x in row] for row in M]
                for name, M in (("V", V), ("A", A), ("Sigma0", start))
            }
            model = model_from_mapping({"variant": "softmax", **text})
            return Case(model, [(V, A)], start, journey, found[-1])
    raise RuntimeError(f"no cone was found for d = {d} with {SEEDS} seeds")


def timed(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    start = time.process_time()
    run()
    return time.process_time() - start


def shortest(run: Callable[[], object], repetitions: int) -> float:
    """Seconds of the fastest of several runs."""
    return min(timed(run) for _ in range(repetitions))


def rigorous(journey: Journey) -> list[Step]:
    """The steps up to the cone."""
    stepper = Stepper(journey.system, journey.bits)
    centre, radius = tuple(map(fraction, journey.start.entries())), Fraction(0)
    steps = []
    for rehearsal in journey.steps:
        step = stepper.step(centre, radius, rehearsal)
        assert step is not None, "a step failed"
        steps.append(step)
        centre, radius = step.end, step.reached
    return steps


def proved(of: Case, journey: Journey, steps: Sequence[Step]) -> float:
    """Seconds for the proof of one of the last steps, on average."""
    problem = problem_of(subject_of(of.model))
    lemmas = {claim.id: claim.lemma() for claim in (ENCLOSURE, RANK, BLOWUP)}
    heads, norms = AsHeads.of(problem), form_norms(journey.system)
    tubes = Tubes(Coordinates(Workspace(problem, lemmas), heads, journey.system, norms))
    after = by_cone(tubes, of.entry.cone, of.entry.speed, steps[-1].end, steps[-1].reached)
    assert after is not None, "the end of the steps is not in the cone"
    seconds = []
    for step in reversed(steps[-STEPS:]):
        start = time.process_time()
        after = tubes.before(step, after)
        seconds.append(time.process_time() - start)
    return fmean(seconds)


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of a line through logarithms, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def caption(sizes: Sequence[int], named: dict[str, list[float]]) -> str:
    if len(sizes) < 2:
        return ""
    return ", ".join(f"{name} ~ d^{exponent(sizes, times):.2f}" for name, times in named.items())


def steps_table(cases: dict[int, Case], options: argparse.Namespace) -> Table:
    """The steps in numbers, and their proofs."""
    shown = Table(title="one step, one head")
    columns = ("d", "n", "terms", "bits", "step, s", "ratio", "proof, s", "ratio", "proof / step")
    for column in columns:
        shown.add_column(column, justify="right")
    numeric: list[float] = []
    kernel: list[float] = []
    for d, of in track(cases.items(), "steps", transient=True):
        journey = of.journey.until(of.entry.step)
        steps = rigorous(journey)
        numeric.append(shortest(lambda j=journey: rigorous(j), options.repeat) / len(steps))
        kernel.append(proved(of, journey, steps))
        shown.add_row(
            str(d),
            str(journey.system.size),
            f"{fmean(len(step.curve) for step in steps):.0f}",
            str(journey.bits),
            f"{numeric[-1]:.4f}",
            f"{numeric[-1] / numeric[0]:.1f}",
            f"{kernel[-1]:.3f}",
            f"{kernel[-1] / kernel[0]:.1f}",
            f"{kernel[-1] / numeric[-1]:.1f}",
        )
    shown.caption = caption(list(cases), {"step": numeric, "proof": kernel})
    return shown


def searched(of: Case) -> None:
    """The rehearsal and the search for a cone."""
    system = QuadraticSystem.of(of.pairs)
    journey = rehearsed(system, system.state(of.start), float(NEAREST))
    list(entries(journey.system, journey.states, journey.times, float(WIDTH)))


def cases_table(cases: dict[int, Case], options: argparse.Namespace) -> Table:
    """Verdicts, and re-checks of their certificates; fails when no blow-up is proved in tubes."""
    shown = Table(title="one case, one head")
    columns = ("d", "steps", "width", "cone, s", "verify, s", "ratio", "re-check, s")
    for column in (*columns, "cone / verify", "re-check / verify"):
        shown.add_column(column, justify="right")
    cones: list[float] = []
    verdicts: list[float] = []
    checks: list[float] = []
    for d, of in track(cases.items(), "cases", transient=True):
        cones.append(shortest(lambda c=of: searched(c), options.repeat))
        start = time.process_time()
        answer = verify(of.model, trend=False, budget=SECONDS)
        verdicts.append(time.process_time() - start)
        existence = answer.existence
        assert existence.verdict == "blow-up", "no blow-up was proved"
        assert existence.theorem == ENCLOSURE.id, f"proved by {existence.theorem}"
        lower, upper = existence.time
        found = existence.finding
        assert found is not None
        document = make(subject_of(of.model), found.statement, found.proof)
        checks.append(shortest(lambda x=document: recheck_document(x), options.repeat))
        shown.add_row(
            str(d),
            str(of.entry.step),
            f"{float((upper - lower) / upper):.1e}",
            f"{cones[-1]:.2f}",
            f"{verdicts[-1]:.2f}",
            f"{verdicts[-1] / verdicts[0]:.1f}",
            f"{checks[-1]:.2f}",
            f"{cones[-1] / verdicts[-1]:.2f}",
            f"{checks[-1] / verdicts[-1]:.2f}",
        )
    named = {"cone": cones, "verify": verdicts, "re-check": checks}
    shown.caption = caption(list(cases), named)
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=1, help="repetitions of what is short")
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    parser.add_argument("--dimensions", type=int, nargs="+", default=DIMENSIONS, metavar="D")
    options = parser.parse_args()
    options.repeat = max(1, options.repeat)
    console = Console()
    verify(case(2, options.seed).model, trend=False, budget=SECONDS)  # imports, lemmas
    cases = {d: case(d, options.seed) for d in track(options.dimensions, "cones", transient=True)}
    console.print(steps_table(cases, options))
    console.print(cases_table(cases, options))


if __name__ == "__main__":
    main()
