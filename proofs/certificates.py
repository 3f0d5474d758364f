"""Certificates: a statement about exact parameters, with the proof that the kernel re-checks.

===============  =============================================================================
key              content
===============  =============================================================================
``format``       ``lemmaformer/certificate/1``
``parameters``   the parameters in normal form: rationals as strings, large float matrices as
                 ``{"float32": base64, "shape": [m, n]}``
``statement``    hypotheses and conclusion; the hypotheses say that Sigma is the maximal
                 solution of the covariance equation of these parameters, or what V and A are
                 and that Gamma is the velocity of attention
``evidence``     the proof, lemmas included: every step with its rule, uses and arguments
``digest``       SHA-256 of all of the above
===============  =============================================================================

In the statement and in the evidence, a large matrix of the parameters is written as its path, as
in ``["parameter", "heads/3/Q"]``, and another that is repeated once, in a table.

Re-checking rebuilds the hypotheses from the parameters, compares them with the statement, and
runs the kernel on the evidence.  Nothing that is printed comes from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from numeric.errors import ParameterError
from numeric.mappings import model_from_mapping
from numeric.model import Model
from proofs.codec import (
    CodecError,
    decode_proof,
    decode_statement,
    digest,
    encode_proof,
    encode_statement,
    read_json,
)
from proofs.kernel import KernelError, Proof, Statement, Theorem, establish
from proofs.parameter_arrays import arrays_of, model_of
from proofs.terms import Term
from proofs.verdicts.gradient.no_energy import TwoTokens
from proofs.verdicts.gradient.problem import GradientProblem
from proofs.verdicts.subject import (
    Subject,
    equation_of,
    parts,
    problem_of,
    read_subject,
    stated_subject,
    subject_of,
)

FORMAT = "lemmaformer/certificate/1"
KEYS = {"format", "parameters", "statement", "evidence", "digest"}
#: a larger file is refused before it is read
MAX_BYTES = 128 * 2**20


class CertificateError(ValueError):
    """A certificate that is malformed, altered, or does not prove what it states."""


@dataclass(frozen=True)
class Rechecked:
    """A certificate that the kernel accepted: its parameters and the theorem.

    ``part`` names the layer or head of the given parameters that it is about, "" for all of them,
    None when none were given.
    """

    parameters: Subject
    theorem: Theorem
    part: str | None = None


def make(parameters: Subject, statement: Statement, proof: Proof) -> dict[str, Any]:
    """The certificate of a statement about parameters, as a JSON document.

    Raises:
        ParameterError, CodecError: numbers are too long to be read back.
    """
    # a comment says nothing exact
    stated = replace(model_of(parameters), comment=None)
    arrays = arrays_of(stated)
    document: dict[str, Any] = {
        "format": FORMAT,
        "parameters": stated.to_json(),
        "statement": encode_statement(statement, arrays),
        "evidence": encode_proof(proof, arrays),
    }
    document["digest"] = digest(document)
    if read_subject(document["parameters"], parameters.source) != parameters:
        raise CertificateError(f"{parameters.source}: the parameters do not survive JSON")
    return document


def write(path: Path, document: dict[str, Any]) -> None:
    """Write a certificate in one piece."""
    write_all({path: document})


def write_all(documents: Mapping[Path, dict[str, Any]]) -> None:
    """Write certificates, each in one piece, and none unless there is room for all."""
    partial = {path: path.with_name(path.name + ".part") for path in documents}
    try:
        for path, document in documents.items():
            text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
            partial[path].write_text(text + "\n", encoding="utf-8")
        for path, part in partial.items():
            part.replace(path)
    except BaseException:  # an interrupt too
        for part in partial.values():
            part.unlink(missing_ok=True)
        raise


def recheck(path: Path, parameters: Subject | None = None) -> Rechecked:
    """Check a certificate file by the kernel alone.

    Args:
        path: the certificate.
        parameters: what it has to be about, if given: them, one layer or one head of them.

    Raises:
        CertificateError: one line that says what is wrong.

    >>> import tempfile
    >>> from proofs.printing.text import text
    >>> from proofs.verify import verify
    >>> given = {"variant": "softmax", "A": [[-1]], "V": [[1]], "Sigma0": [[2]]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = verify(given, certificates_in=folder)
    ...     existence = recheck(Path(folder) / "existence.certificate.json")
    >>> print(text(existence.theorem.conclusion))
    T = ∞
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise CertificateError(f"{path}: larger than {MAX_BYTES} bytes")
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise CertificateError(f"{path}: cannot be read: {reason}") from None
    try:
        return recheck_document(read_json(text), parameters)
    except (CertificateError, CodecError, ParameterError, KernelError) as error:
        raise CertificateError(f"{path}: {error}") from None


def recheck_document(document: Any, parameters: Subject | None = None) -> Rechecked:
    """Check a certificate; see :func:`recheck`.

    Raises:
        CertificateError, CodecError, ParameterError, KernelError: it is rejected.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CertificateError(f"not a certificate: expected format {FORMAT!r}")
    if set(document) != KEYS:
        odd = ", ".join(sorted(set(document) ^ KEYS))
        raise CertificateError(f"missing or unknown fields: {odd}")
    if document["digest"] != digest(document):
        raise CertificateError("the digest does not match: the certificate was altered")
    model = model_from_mapping(document["parameters"], source="field parameters")
    if model.to_json() != document["parameters"]:
        raise CertificateError("the parameters are not in normal form")
    stated = stated_subject(model)
    part = None
    if parameters is not None:
        part = next((name for name, own in parts(parameters) if own == stated), None)
        if part is None:
            raise CertificateError("the certificate is about other parameters")
    arrays = arrays_of(model)
    statement = decode_statement(document["statement"], arrays)
    if all(statement.hypotheses != expected for expected in _hypotheses(model, stated)):
        subject_of(model)  # says what certificates are about, when these parameters are not it
        raise CertificateError("the hypotheses are not those of the stated parameters")
    theorem = establish(statement, decode_proof(document["evidence"], arrays))
    return Rechecked(stated, theorem, part)


def _hypotheses(model: Model, stated: Subject) -> Iterator[tuple[Term, ...]]:
    """What a certificate about a model may assume: on its covariance, or on its particles."""
    if equation_of(model) is not None:
        yield problem_of(stated).hypotheses
    heads = GradientProblem.of(model)
    if heads is not None:
        yield heads.hypotheses
        yield heads.matrices
    tokens = TwoTokens.of(model)
    if tokens is not None:
        yield tokens.matrices
