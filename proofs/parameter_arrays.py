"""The large matrices of the parameters of a certificate, by the path where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from numeric.exact import Matrix
from numeric.matrices import SMALL, ExactMatrix
from numeric.model import Head, Layer, Model
from numeric.parameters import Parameters
from proofs.codec import Arrays, float_literal
from proofs.terms import Literal


def model_of(subject: Parameters | Model) -> Model:
    """The parameters of one head as a model; a model as it is."""
    if isinstance(subject, Model):
        return subject
    head = Head(
        V=ExactMatrix.from_rows(subject.V),
        W=_exact(subject.W),
        A=_exact(subject.A),
        Q=_exact(subject.Q),
        K=_exact(subject.K),
        b_q=subject.b_q,
        b_k=subject.b_k,
        b_v=subject.b_v,
        scale_squared=subject.scale_squared,
    )
    return Model(
        variant=subject.variant,
        layers=(Layer((head,)),),
        alpha0=subject.alpha0,
        Sigma0=_exact(subject.Sigma0),
        comment=subject.comment,
        source=subject.source,
    )


def arrays_of(model: Model) -> Arrays:
    """The large matrices of a model by their paths in ``model.to_json()``, in this order.

    Paths look like ``Q``, ``heads/3/Q``, ``layers/0/Q``, ``layers/0/heads/3/Q`` and ``Sigma0``.
    """
    large = (item for item in _matrices(model) if item[1].rows * item[1].columns > SMALL)
    return Arrays({path: literal_of(matrix) for path, matrix in large})


def _matrices(model: Model) -> Iterator[tuple[str, ExactMatrix]]:
    listed = len(model.layers) > 1 or model.layers[0].time is not None
    for i, layer in enumerate(model.layers):
        above = f"layers/{i}/" if listed else ""
        for j, head in enumerate(layer.heads):
            place = f"{above}heads/{j}/" if len(layer.heads) > 1 else above
            for name in ("A", "Q", "K", "V", "W"):
                matrix = getattr(head, name)
                if matrix is not None:
                    yield place + name, matrix
    if model.Sigma0 is not None:
        yield "Sigma0", model.Sigma0


_known: WeakKeyDictionary[ExactMatrix, Literal] = WeakKeyDictionary()


def literal_of(matrix: ExactMatrix) -> Literal:
    """An exact matrix for the kernel; a matrix of floats is the same object while it lives."""
    if isinstance(matrix.data, bytes):
        literal = _known.get(matrix)
        if literal is None:
            literal = _known[matrix] = float_literal(matrix.kind, *matrix.shape, matrix.data)
        return literal
    return Literal(*matrix.shape, tuple(value for row in matrix.data for value in row))


def _exact(rows: Matrix | None) -> ExactMatrix | None:
    return None if rows is None else ExactMatrix.from_rows(rows)
