"""The ``config.json`` beside a checkpoint: the number of heads, and what the weights do not tell.

Standard library only.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from numeric.errors import FieldError
from numeric.json_text import decode, read_bytes
from numeric.rationals import describe

MAX_BYTES = 2**20
"""Largest ``config.json`` read, in bytes."""

_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
_WIDTHS = ("hidden_size", "n_embd", "dim")
_TURNED = re.compile(r"rope|rotary|alibi|relative")


@dataclass(frozen=True)
class Config:
    """What a ``config.json`` says of attention.

    Attributes:
        path: the file, for errors.
        heads: number of heads of a layer, or None when it does not say.
        width: token dimension d, or None when it does not say.
        causal: whether a model that could do without has a causal mask.
        scaled: whether scores are multiplied by 1/sqrt(k).
        scaled_by_layer: whether scores of layer N are divided by N + 1 as well.
    """

    path: str
    heads: int | None
    width: int | None
    causal: bool
    scaled: bool
    scaled_by_layer: bool

    def scale_squared(self, k: int, layer: int) -> Fraction:
        """Return the square of the scale of the scores of heads of dimension k."""
        by_layer = layer + 1 if self.scaled_by_layer else 1
        return Fraction(1, k if self.scaled else 1) / by_layer**2


def read_config(checkpoint: str) -> Config | None:
    """Read the ``config.json`` in the folder of a checkpoint, None when there is none.

    Raises :class:`numeric.errors.ParameterError`, also when it tells of attention that is not
    plain.
    """
    path = Path(checkpoint).with_name("config.json")
    if not path.exists():
        return None
    source = str(path)
    obj = decode(read_bytes(path, MAX_BYTES), source)
    try:
        if not isinstance(obj, Mapping):
            raise FieldError(None, f"expected a JSON object, got {describe(obj)}")
        _refuse(obj)
        return Config(
            path=source,
            heads=_number(obj, _HEADS),
            width=_number(obj, _WIDTHS),
            causal=obj.get("is_decoder") is True,
            scaled=obj.get("scale_attn_weights", True) is not False,
            scaled_by_layer=obj.get("scale_attn_by_inverse_layer_idx") is True,
        )
    except FieldError as error:
        raise error.in_source(source) from None


def _refuse(obj: Mapping[str, object]) -> None:
    plain = {
        "position_embedding_type": (None, "absolute"),
        "attention_type": (None, "original_full"),
        "add_cross_attention": (None, False),
    }
    for name, allowed in plain.items():
        value = obj.get(name)
        if value not in allowed:
            raise FieldError(
                name, f"not supported: {describe(value)}, expected {describe(allowed[1])}"
            )
    for name, value in obj.items():
        if _TURNED.search(name) and value not in (None, False, 0, ""):
            raise FieldError(
                name, "not supported: scores depend on positions, expected plain dot products"
            )


def _number(obj: Mapping[str, object], names: tuple[str, ...]) -> int | None:
    for name in names:
        if name in obj:
            value = obj[name]
            if type(value) is not int or not 0 < value < 10**6:
                raise FieldError(name, f"expected a positive integer, got {describe(value)}")
            return value
    return None
