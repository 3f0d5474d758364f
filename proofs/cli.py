"""The command ``lemmaformer``."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from rich.console import Console


def fail(message: object) -> NoReturn:
    """End with one line on stderr and exit code 2."""
    line = " ".join(str(message).split())
    click.echo(f"lemmaformer: {line}", err=True)
    sys.exit(2)


def console() -> Console:
    from rich.console import Console

    # piped output keeps a readable width
    return Console(highlight=False, width=None if sys.stdout.isatty() else 110)


def is_terminal() -> bool:
    return sys.stdout.isatty()


def print_json(document: Any) -> None:
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


class OneLineErrors(click.Group):
    """Wrong calls end like wrong files: one line on stderr, exit code 2."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # whatever the encoding, no crash
                stream.reconfigure(errors="backslashreplace")
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.ClickException as error:
            fail(error.format_message())
        except click.Abort:
            sys.exit(1)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        sys.exit(code if isinstance(code, int) else 0)


@click.group(
    cls=OneLineErrors,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="lemmaformer")
def main() -> None:
    """Theorems on the dynamics of deep Transformers, checked; verdicts on your parameters, proved.

    `proved` and `refuted` never rest on floating point: a small kernel checks every step.
    """


@main.command()
@click.argument("ids", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def check(ids: tuple[str, ...], as_json: bool) -> None:
    """Run the kernel on the claims of the ledger (all, or those of the given IDS).

    Exit code 1 if a status differs from the recorded one.
    """
    from proofs.check import check as run
    from proofs.reports.ledger import document, progress, show

    try:
        results = list(progress(run(ids), len(ids) or None))
    except ValueError as error:
        fail(error)
    if as_json:
        print_json(document(results))
    else:
        show(results, console())
    sys.exit(0 if all(result.as_recorded for result in results) else 1)


@main.command()
@click.argument("claim_id", metavar="ID")
@click.option("--brief", is_flag=True, help="Leave out the steps of the proof.")
def explain(claim_id: str, brief: bool) -> None:
    """One claim in full: statement, proof, facts, cross-check, and why it can be trusted."""
    from proofs.claims.base import claim_named
    from proofs.reports.explain import explain as run

    try:
        claim = claim_named(claim_id)
    except ValueError as error:
        fail(error)
    for section in run(claim, brief):
        click.secho(section.title, bold=True)
        for line in section.lines:
            click.echo(f"  {line}")
        click.echo()


@main.command()
@click.argument("variant")
@click.option(
    "--part",
    default="gaussian",
    show_default=True,
    metavar="gaussian|gradient|second-variation",
    help="What becomes of Gaussian measures, the flow as a gradient flow of an energy, or the "
    "second derivative of that energy along geodesics.",
)
@click.option(
    "--format",
    "form",
    default="md",
    show_default=True,
    metavar="md|tex|html|pdf",
    help="Markdown, a LaTeX article, one HTML page that works offline, or a PDF, which needs a TeX "
    "engine (pdflatex, lualatex, xelatex or tectonic).",
)
@click.option(
    "-o",
    "file",
    type=click.Path(path_type=Path),
    help="Write to a file instead of stdout; needed for a PDF unless stdout is redirected.",
)
def derive(variant: str, part: str, form: str, file: Path | None) -> None:
    """A derivation for an attention VARIANT, printed from what was checked or derived.

    VARIANT is softmax, l2, sinkhorn, linear, sigmoid or exponential, with the prefixes multihead-
    and masked-; where no claim decides, the document says so. Gradient flows and second variations
    are those of the variants without prefix.
    """
    from proofs.reports.derivation import derive as run
    from proofs.reports.derivation import rendered, require
    from proofs.reports.document import write_atomically
    from proofs.reports.pdf import TexError

    try:
        require(variant, part, form)
        if form == "pdf" and file is None and is_terminal():
            fail("a PDF is not text for a terminal: name a file with -o FILE")
        content = rendered(run(variant, part), form)
        if file is None:
            click.echo(content, nl=False)
        else:
            write_atomically(file, content)
    except (ValueError, TexError) as error:
        fail(error)
    except OSError as error:
        fail(f"{file}: {error.strerror}")


@main.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option(
    "--format",
    "form",
    default="latex",
    show_default=True,
    metavar="latex|python|mathml",
    help="LaTeX, NumPy functions, or HTML with MathML.",
)
@click.option(
    "-o",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write to this folder; without it the file of a single claim goes to stdout.",
)
@click.option("--digits", is_flag=True, help="Run the cross-checks too (slow).")
def export(ids: tuple[str, ...], form: str, folder: Path | None, digits: bool) -> None:
    """Write claims, settled by the kernel, for a paper, a program or a web page.

    \b
    latex   ID.tex for \\input, which compiles alone too; all.tex, with all of them and the
            facts.tex they cite; macros.tex, the notation; references.bib
    python  ID.py (with _ for . and -): velocity, equations of mean and covariance, closed
            forms; for the claims that have such functions
    mathml  ID.html, to be put into a page

    All claims when no ID is given.  Files that an earlier export wrote are overwritten, others
    never: to keep what you change in macros.tex, remove its first line.

    Exit code 1 if a status differs from the recorded one.
    """
    from proofs.exports.files import write
    from proofs.exports.run import export as run
    from proofs.exports.run import selected
    from proofs.reports.progress import bar

    try:
        selected(ids, form)
        if folder is None and len(set(ids)) != 1:
            fail("several claims need a folder: -o DIR")
        with bar("checking") as progress:
            made = run(ids, form, digits, progress)
        if folder is None:
            click.echo(made.fragment(), nl=False)
        else:
            for name in write(folder, made.files):
                click.echo(f"lemmaformer: {folder / name} is yours and was kept", err=True)
            click.echo(f"{len(made.settled)} claims, {len(made.files)} files in {folder}", err=True)
    except ValueError as error:
        fail(error)
    except OSError as error:
        fail(f"{error.filename or folder}: {error.strerror}")
    if made.left_out:
        click.echo(
            f"lemmaformer: no Python functions for {len(made.left_out)} claims, left out: "
            f"{', '.join(made.left_out)}",
            err=True,
        )
    if made.differing:
        click.echo(f"lemmaformer: not as recorded: {', '.join(made.differing)}", err=True)
        sys.exit(1)


class ExampleHelp(click.Command):
    """Lists the examples after the options."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from numeric import examples

        with formatter.section("Examples that come with the package"):
            formatter.write_dl(list(examples.descriptions().items()))


@main.command(cls=ExampleHelp)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--example", help="Parameters that come with the package, by name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option(
    "-o",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write certificates there; without it nothing is written.",
)
@click.option(
    "--sigma0",
    type=click.Path(path_type=Path),
    help="A JSON file with Sigma0, in place of the one in FILE.",
)
@click.option("--layer", type=int, help="Only this layer, counted from 0, as if it acted for ever.")
@click.option("--head", type=int, help="Only this head, counted from 0.")
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="For searches where no theorem decides (10 when left out); 0 searches nothing.",
)
@click.option(
    "--heads", type=int, help="Heads of a layer, for a checkpoint without config.json beside it."
)
def verify(
    file: Path | None,
    example: str | None,
    as_json: bool,
    folder: Path | None,
    sigma0: Path | None,
    layer: int | None,
    head: int | None,
    budget: float | None,
    heads: int | None,
) -> None:
    """Decide which theorems hold for the parameters in FILE, and prove what follows.

    FILE is JSON: {"variant": "softmax", "Q", "K", "V", "b_q", "b_k", "b_v", "Sigma0", "alpha0",
    "scale"}, with "A" in place of Q and K (not for l2), or "heads": [{"Q", "K", "V"}, ...], or
    "layers": [{"Q", "K", "V", "time"}, ...]; or .npz with the same names; or a .safetensors
    checkpoint.  Numbers are taken as the exact rationals that they are; "p/q" works too.

    Variants are softmax, l2, sinkhorn, sigmoid, linear and exponential.  A causal mask is "mask":
    "causal", with "positions": [{"mass", "alpha", "Sigma"}, ...] in place of Sigma0 and alpha0.
    """
    from dataclasses import replace

    from numeric import examples
    from numeric.errors import ParameterError
    from numeric.loading import load_covariance, load_model
    from proofs.certificates import CertificateError
    from proofs.codec import CodecError
    from proofs.parameter_arrays import model_of
    from proofs.reports.progress import bar
    from proofs.searches import BUDGET
    from proofs.verify import verify as run

    if (file is None) == (example is None):
        fail("expected either FILE or --example NAME")
    try:
        subject: Any
        if file is None:
            subject = model_of(examples.load(example or "")).select(layer=layer, head=head)
        else:
            subject = load_model(file, layer=layer, head=head, heads=heads)
        if sigma0 is not None:
            if model_of(subject).mask is not None:
                fail("--sigma0 is not for a mask, which takes Sigma of every position")
            start = load_covariance(sigma0, dimension=subject.dimension)
            subject = replace(model_of(subject), Sigma0=start)
        with bar("verifying") as progress:
            seconds = BUDGET if budget is None else budget
            answer = run(subject, certificates_in=folder, budget=seconds, progress=progress)
    except (ParameterError, CertificateError, CodecError) as error:
        fail(error)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    if as_json:
        print_json(answer.to_json())
    else:
        from proofs.reports.verification import show

        show(answer, console())


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--parameters",
    type=click.Path(path_type=Path),
    help="Reject a certificate that is not about the parameters in this file, a layer or a head.",
)
@click.option(
    "--sigma0",
    type=click.Path(path_type=Path),
    help="A file with Sigma0, in place of the one in the file of --parameters.",
)
@click.option(
    "--heads", type=int, help="Heads of a layer, for a checkpoint without config.json beside it."
)
def recheck(
    files: tuple[Path, ...], parameters: Path | None, sigma0: Path | None, heads: int | None
) -> None:
    """Check certificates by the kernel alone and print what each proves.

    Exit code 1 if any is rejected.
    """
    from dataclasses import replace

    from numeric.errors import ParameterError
    from numeric.loading import load_covariance, load_model
    from proofs.certificates import CertificateError
    from proofs.certificates import recheck as run
    from proofs.parameter_arrays import arrays_of, model_of
    from proofs.printing.large import text_with_names
    from proofs.verdicts.subject import stated_subject

    try:
        expected = None
        if parameters is not None:
            model = load_model(parameters, heads=heads)
            if sigma0 is not None:
                start = load_covariance(sigma0, dimension=model.dimension)
                model = replace(model, Sigma0=start)
            expected = stated_subject(model)
        elif sigma0 is not None:
            fail("--sigma0 goes with --parameters FILE")
    except ParameterError as error:
        fail(error)
    rejected = False
    for path in files:
        try:
            accepted = run(path, expected)
        except CertificateError as error:
            click.echo(f"rejected: {' '.join(str(error).split())}", err=True)
            rejected = True
            continue
        about = f" ({accepted.part} of {parameters})" if accepted.part else ""
        click.echo(f"{path}: proved{about}")
        arrays = arrays_of(model_of(accepted.parameters))
        click.echo(text_with_names(accepted.theorem.statement, arrays))
        click.echo(f"facts: {', '.join(sorted(accepted.theorem.facts))}")
    sys.exit(1 if rejected else 0)


if __name__ == "__main__":
    main()
