"""Models written by hand in the formats and namings of checkpoints, from the same linear maps.

A layer is a mapping from a role to a weight (output x input, d x d) and a bias, or None.
"""

import json
import struct

import numpy as np

ROLES = ("query", "key", "value", "output")


def random_layers(d, count, dtype="f4", biases=True, size=1.0, seed=7):
    """Weights of standard deviation ``size``, and biases or None, of every layer."""
    rng = np.random.default_rng(seed)
    return [
        {
            role: (
                (size * rng.standard_normal((d, d))).astype(dtype),
                (size * rng.standard_normal(d)).astype(dtype) if biases else None,
            )
            for role in ROLES
        }
        for _ in range(count)
    ]


def width(layers):
    """Token dimension d."""
    return len(layers[0]["query"][0])


# Namings --------------------------------------------------------------------------------------


def named(layers, names, prefix):
    """Tensors with one linear map a role."""
    tensors = {"embeddings.word_embeddings.weight": np.ones((4, width(layers)), dtype="f4")}
    for n, layer in enumerate(layers):
        for role, name in zip(ROLES, names, strict=True):
            weight, bias = layer[role]
            tensors[f"{prefix}.{n}.{name}.weight"] = weight
            if bias is not None:
                tensors[f"{prefix}.{n}.{name}.bias"] = bias
    return tensors


def fused(layers, names, prefix, transposed):
    """Tensors with one linear map for query, key and value."""
    tensors = {"pos_embed": np.ones((1, 4, width(layers)), dtype="f4")}
    for n, layer in enumerate(layers):
        joined = np.concatenate([layer[role][0] for role in ROLES[:3]])
        for name, weight in zip(names, (joined, layer["output"][0]), strict=True):
            stored = np.ascontiguousarray(weight.T) if transposed else weight
            tensors[f"{prefix}.{n}.{name}.weight"] = stored
        if layer["query"][1] is not None:
            joined = np.concatenate([layer[role][1] for role in ROLES[:3]])
            tensors[f"{prefix}.{n}.{names[0]}.bias"] = joined
            tensors[f"{prefix}.{n}.{names[1]}.bias"] = layer["output"][1]
    return tensors


def bert(layers, prefix="encoder.layer"):
    of, d = "attention.self.", width(layers)
    names = (of + "query", of + "key", of + "value", "attention.output.dense")
    tensors = named(layers, names, prefix)
    for n in range(len(layers)):
        tensors[f"{prefix}.{n}.attention.output.LayerNorm.weight"] = np.ones(d, dtype="f4")
        tensors[f"{prefix}.{n}.output.dense.weight"] = np.ones((d, d), dtype="f4")
    return tensors


def vit(layers):
    of = "attention.attention."
    names = (of + "query", of + "key", of + "value", "attention.output.dense")
    return named(layers, names, "vit.encoder.layer")


def distilbert(layers):
    names = [f"attention.{x}_lin" for x in ("q", "k", "v", "out")]
    return named(layers, names, "distilbert.transformer.layer")


def timm(layers):
    return fused(layers, ("attn.qkv", "attn.proj"), "blocks", False)


def gpt2(layers, prefix="transformer.h"):
    tensors = fused(layers, ("attn.c_attn", "attn.c_proj"), prefix, True)
    for n in range(len(layers)):
        tensors[f"{prefix}.{n}.attn.bias"] = np.tril(np.ones((1, 1, 4, 4), dtype="f4"))
        tensors[f"{prefix}.{n}.attn.masked_bias"] = np.array(-1e4, dtype="f4")
    return tensors


#: a layout and the tensors that it has
LAYOUTS = {"bert": bert, "vit": vit, "distilbert": distilbert, "timm": timm, "gpt2": gpt2}


# Formats --------------------------------------------------------------------------------------


def safetensors_bytes(tensors):
    """Return a file of arrays, or of (dtype, shape, bytes), written as the format says."""
    header, data = {}, b""
    names = {"float32": "F32", "float64": "F64", "float16": "F16", "int64": "I64", "uint8": "U8"}
    for name, value in tensors.items():
        if isinstance(value, np.ndarray):
            value = names[str(value.dtype)], list(value.shape), value.tobytes()
        dtype, shape, content = value
        place = [len(data), len(data) + len(content)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": place}
        data += content
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def as_json(layers, heads, **more):
    """The same model as a JSON parameter file, sliced by hand."""
    k = width(layers) // heads
    parts = []
    for layer in layers:
        parts.append([])
        for h in range(heads):
            rows = range(h * k, h * k + k)
            head = {"scale": "1/sqrt(k)", "W": layer["output"][0][:, rows].tolist()}
            for name, role in (("Q", "query"), ("K", "key"), ("V", "value")):
                weight, bias = layer[role]
                head[name] = weight[rows].tolist()
                if bias is not None:
                    head["b_" + name.lower()] = bias[rows].tolist()
            parts[-1].append(head)
    result = {"variant": "softmax", "layers": [{"heads": item} for item in parts], **more}
    for item, layer in zip(result["layers"], layers, strict=True):
        if layer["output"][1] is not None:
            item["output_bias"] = layer["output"][1].tolist()
    return result


def flat(node, prefix=""):
    """The arrays of a nested JSON file, named for .npz."""
    if isinstance(node, dict):
        items = node.items()
    elif isinstance(node, list) and node and isinstance(node[0], dict):
        items = enumerate(node)
    else:
        return {prefix[1:]: np.asarray(node)}
    return {k: v for name, value in items for k, v in flat(value, f"{prefix}.{name}").items()}
