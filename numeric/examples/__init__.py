"""Parameter files that come with the package: figures of the paper and counterexamples.

Standard library only.
"""

import difflib
from importlib import resources

from numeric.json_text import decode
from numeric.mappings import model_from_mapping
from numeric.model import Model
from numeric.parameters import ParameterError, Parameters


def names() -> tuple[str, ...]:
    """Return the names of the examples, sorted.

    >>> len(names()), names()[-1]
    (15, 'softmax-two-lines')
    """
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in files if name.endswith(".json")))


def descriptions() -> dict[str, str]:
    """Return one line on every example, by name: what it shows and where it comes from."""
    return {name: load(name).comment or "" for name in names()}


def load(name: str) -> Parameters | Model:
    """Load an example by name: one head alone as parameters, anything else as a model.

    Raises :class:`numeric.parameters.ParameterError` for a name that is not in :func:`names`.

    >>> print(load("softmax-identity").comment)
    V = I and A = -I: the covariance converges to 0 like 1/(2 t).
    """
    known = names()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f", did you mean {close[0]!r}?" if close else ""
        raise ParameterError(f"unknown example {name!r}{hint}; known: {', '.join(known)}")
    source = f"example {name}"
    data = resources.files(__name__).joinpath(f"{name}.json").read_bytes()
    model = model_from_mapping(decode(data, source), source=source)
    alone = len(model.layers) == 1 and len(model.layers[0].heads) == 1
    return Parameters.from_model(model) if alone else model
