"""Loading a model from a file: JSON, ``.npz`` or a ``.safetensors`` checkpoint.

The end of the file name decides. NumPy is imported only where it is needed.
"""

import os
from pathlib import PurePath

from numeric.errors import FieldError
from numeric.fields import read_covariance, reject_unknown
from numeric.json_text import decode, read_bytes
from numeric.mappings import MODEL_FIELDS, model_from_mapping
from numeric.matrices import ExactMatrix
from numeric.model import Model
from numeric.rationals import describe

_FOREIGN = {
    **dict.fromkeys((".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"), "a pickle"),
    **dict.fromkeys((".h5", ".hdf5", ".keras"), "an HDF5 file"),
    ".gguf": "quantised weights",
    ".onnx": "an ONNX graph",
    ".npy": "a single array",
}


def load_model(
    path: str | os.PathLike[str],
    *,
    layer: int | None = None,
    head: int | None = None,
    heads: int | None = None,
) -> Model:
    """Read a model: all layers in sequence, all heads of a layer together, or what is selected.

    Args:
        path: ``.npz`` (see :mod:`numeric.archives`), ``.safetensors`` (see
            :mod:`numeric.checkpoints`), anything else is JSON (see :mod:`numeric.parameters`).
        layer: only this layer, from 0; it acts alone, hence for ever.
        head: only this head of every layer, from 0, without the output bias of its layer.
        heads: number of heads of a layer, for a checkpoint without a ``config.json`` beside it.

    Raises:
        numeric.errors.ParameterError: one line that names the file, the fault and what was
            expected.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     _ = file.write('{"variant": "softmax", "A": [[-0.5]], "V": [["1/3"]]}')
    ...     file.flush()
    ...     model = load_model(file.name)
    >>> head = model.layers[0].heads[0]
    >>> head.A.fractions(), head.V.fractions()
    (((Fraction(-1, 2),),), ((Fraction(1, 3),),))
    """
    source = os.fspath(path)
    suffix = PurePath(source).suffix.lower()
    if suffix == ".safetensors":
        from numeric.checkpoints import load_checkpoint

        return load_checkpoint(path, layer=layer, head=head, heads=heads)
    if suffix in _FOREIGN:
        reason = f"{_FOREIGN[suffix]}, expected .json, .npz or .safetensors"
        raise FieldError(None, reason).in_source(source)
    if heads is not None:
        reason = "a number of heads is for .safetensors files only, this file has them listed"
        raise FieldError(None, reason).in_source(source)
    if suffix == ".npz":
        from numeric.archives import read_archive

        obj: object = read_archive(path)
    else:
        obj = decode(read_bytes(path), source)
    return model_from_mapping(obj, source=source).select(layer=layer, head=head)


def load_covariance(path: str | os.PathLike[str], *, dimension: int | None = None) -> ExactMatrix:
    """Read a covariance from a JSON file at path, a d x d matrix or an object with "Sigma0".

    Raises :class:`numeric.errors.ParameterError` when it is not a symmetric positive semidefinite
    matrix, or is not ``dimension`` x ``dimension`` when that is given.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     _ = file.write('[[1, "1/3"], ["1/3", 2]]')
    ...     file.flush()
    ...     covariance = load_covariance(file.name)
    >>> covariance.fractions()[0]
    (Fraction(1, 1), Fraction(1, 3))
    """
    source = os.fspath(path)
    obj = decode(read_bytes(path), source)
    try:
        if isinstance(obj, dict) and not {"float32", "float64"} & set(obj):
            reject_unknown(obj, MODEL_FIELDS)
            if "Sigma0" not in obj:
                raise FieldError("Sigma0", "missing, expected a symmetric matrix")
            obj = obj["Sigma0"]
        elif not isinstance(obj, (list, dict)):
            expected = 'expected a matrix or an object with "Sigma0"'
            raise FieldError(None, f"{expected}, got {describe(obj)}")
        return read_covariance(obj, dimension)
    except FieldError as error:
        raise error.in_source(source) from None
