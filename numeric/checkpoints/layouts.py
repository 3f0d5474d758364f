"""Layouts of checkpoints: what the tensors are called, and telling one layout from another."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from numeric.errors import FieldError
from numeric.safetensors import shown, tensor_fault


def _numbered(stem: str, number: str) -> str:
    """Return a regular expression for a stem, with one for the number in place of N."""
    return number.join(map(re.escape, stem.split("N")))


@dataclass(frozen=True)
class Layout:
    """How a family of models names the weights of a layer.

    Attributes:
        name: what people call it.
        stem: start of the names, with N for the number of the layer.
        inputs: the linear maps for query, key and value, or the one map for all three.
        output: the linear map after the heads.
        harmless: regular expressions for the other tensors below the stem that may be left out.
        transposed: whether weights are (input) x (output), and not (output) x (input).
        causal: whether tokens see only those before them.
    """

    name: str
    stem: str
    inputs: tuple[str, ...]
    output: str
    harmless: tuple[str, ...] = ()
    transposed: bool = False
    causal: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches the name of an input weight or bias: prefix and number of the layer."""
        stem = _numbered(self.stem, r"(?P<number>0|[1-9][0-9]{0,5})")
        maps = "|".join(map(re.escape, self.inputs))
        return re.compile(rf"(?P<prefix>(?:.+\.)?){stem}(?:{maps})\.(?:weight|bias)")

    @property
    def example(self) -> str:
        """The name of one weight."""
        return self.stem.replace("N", "0") + self.inputs[0] + ".weight"


@dataclass(frozen=True)
class Stack:
    """The layers found in a file: their layout, the start of all their names and their number."""

    layout: Layout
    prefix: str
    count: int

    def stem(self, layer: int) -> str:
        """Return the start of the names of a layer."""
        return self.prefix + self.layout.stem.replace("N", str(layer))

    def foreign(self, names: Iterable[str]) -> str | None:
        """Return the name of a tensor of the attention of some layer that has no known role."""
        layout = self.layout
        stem = re.escape(self.prefix) + _numbered(layout.stem, "[0-9]+")
        maps = "|".join(map(re.escape, (*layout.inputs, layout.output)))
        known = "|".join((rf"(?:{maps})\.(?:weight|bias)", *layout.harmless))
        pattern = re.compile(rf"{stem}(?!(?:{known})$)")
        return next((name for name in names if pattern.match(name)), None)


_NORM = r"output\.LayerNorm\.(?:weight|bias|gamma|beta)"

LAYOUTS = (
    Layout(
        "BERT",
        "encoder.layer.N.attention.",
        ("self.query", "self.key", "self.value"),
        "output.dense",
        (_NORM,),
    ),
    Layout(
        "ViT",
        "encoder.layer.N.attention.",
        ("attention.query", "attention.key", "attention.value"),
        "output.dense",
    ),
    Layout("ViT of timm", "blocks.N.attn.", ("qkv",), "proj"),
    Layout("DistilBERT", "transformer.layer.N.attention.", ("q_lin", "k_lin", "v_lin"), "out_lin"),
    Layout(
        "GPT-2",
        "h.N.attn.",
        ("c_attn",),
        "c_proj",
        ("bias", "masked_bias"),  # buffers that hold the causal mask
        transposed=True,
        causal=True,
    ),
)

_ROTARY = "rotary positions turn queries and keys by position"
_RELATIVE = "relative positions enter the scores"
_SCALED = "the output of the attention is rescaled entry by entry"
_NORMALISED = "queries and keys are normalised before the scores"
REFUSED = (
    (r"rotary|inv_freq|roformer|(?:^|[._])rope(?:$|[._])", _ROTARY),
    (r"(?:^|\.)self_attn\.o_proj\.", f"named as in LLaMA, where {_ROTARY}"),
    (r"relative|rel_pos|rel_embeddings|distance_embedding|pos_(?:q|key|query)_proj", _RELATIVE),
    (r"(?:^|\.)(?:r_w_bias|r_r_bias|r_net|linear_pos|pos_bias_[uv])(?:$|\.)", _RELATIVE),
    (r"alibi", "scores are biased by distance (ALiBi)"),
    (r"(?:^|[._])(?:q_norm|k_norm|query_norm|key_norm|q_layernorm|k_layernorm)\.", _NORMALISED),
    (r"(?:^|\.)(?:ls1|layer_scale1|layer_scale|lambda_1|gamma_1)(?:$|\.)", _SCALED),
    (r"crossattention|cross_attn|encoder_attn|EncDecAttention", "tokens see another sequence"),
)
"""Names of tensors that reveal what is not plain attention, and what that is."""


def refuse_by_name(names: Iterable[str]) -> None:
    """Raise :class:`FieldError`, with the reason, when a tensor reveals other attention."""
    patterns = [(re.compile(pattern), reason) for pattern, reason in REFUSED]
    for name in names:
        for pattern, reason in patterns:
            if pattern.search(name):
                raise tensor_fault(
                    name, f"not supported: {reason}, expected plain dot products of tokens"
                )


def find_stack(names: Collection[str]) -> Stack:
    """Return the layers that the names tell of; raises :class:`FieldError` when they do not."""
    found: dict[tuple[str, str], set[int]] = {}
    layouts = {layout.name: layout for layout in LAYOUTS}
    for layout in LAYOUTS:
        for name in names:
            if match := layout.pattern.fullmatch(name):
                key = layout.name, match["prefix"]
                found.setdefault(key, set()).add(int(match["number"]))
    if not found:
        expected = ", ".join(f"{layout.example} ({layout.name})" for layout in LAYOUTS)
        raise FieldError(
            None, f"tensors found: {_summary(names)}; expected names such as {expected}"
        )
    if len(found) > 1:
        listed = ", ".join(f"{name} {shown(prefix + '...')}" for name, prefix in sorted(found))
        raise FieldError(None, f"several stacks of layers: {listed}; expected one")
    ((name, prefix), numbers) = next(iter(found.items()))
    for number in range(len(numbers)):
        if number not in numbers:
            raise FieldError(
                None,
                f"layer {number} is missing: {len(numbers)} layers found, up to {max(numbers)}",
            )
    return Stack(layouts[name], prefix, len(numbers))


def _summary(names: Collection[str]) -> str:
    """List the kinds of names, those of attention first: digits become N."""
    if not names:
        return "none"
    kinds = sorted({re.sub(r"(?<=\.)[0-9]+(?=\.)", "N", name) for name in names})
    kinds.sort(key=lambda kind: "att" not in kind.lower())
    more = f" and {len(kinds) - 4} more kinds" if len(kinds) > 4 else ""
    return ", ".join(map(shown, kinds[:4])) + more
