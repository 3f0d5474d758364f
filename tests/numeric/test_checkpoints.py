"""Checkpoints in the layouts of BERT, ViT, timm, DistilBERT and GPT-2, and what is refused.

Every layout is built from the same linear maps, and the models are compared with NumPy's own
multi-head attention, written out from its definition.
"""

import json
from fractions import Fraction

import numpy as np
import pytest
from checkpoint_files import LAYOUTS, ROLES, as_json, bert, flat, gpt2, random_layers, timm

from numeric.checkpoints import load as checkpoint_load
from numeric.errors import ParameterError
from numeric.loading import load_model
from numeric.mappings import model_from_mapping

D, HEADS, LAYERS = 6, 3, 2
K = D // HEADS
CONFIG = {"num_attention_heads": HEADS, "hidden_size": D, "position_embedding_type": "absolute"}


def maps(dtype="f4", biases=True):
    """Weights (output x input) and biases of every layer, by role."""
    return random_layers(D, LAYERS, dtype, biases)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("biases", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_model_of_the_json_file(save, tmp_path, layout, biases, dtype):
    layers = maps(dtype, biases)
    path = save(LAYOUTS[layout](layers))
    model = load_model(path, heads=HEADS)
    expected = as_json(layers, HEADS, **({"mask": "causal"} if layout == "gpt2" else {}))
    (tmp_path / "model.json").write_text(json.dumps(expected))
    assert model == load_model(tmp_path / "model.json")
    assert hash(model) == hash(load_model(tmp_path / "model.json"))
    assert model_from_mapping(json.loads(json.dumps(model.to_json()))) == model


def test_json_npz_and_safetensors_are_equal(save, tmp_path):
    layers = maps()
    content = as_json(layers, HEADS)
    np.savez(tmp_path / "model.npz", **flat(content))
    assert load_model(tmp_path / "model.npz") == load_model(save(bert(layers), CONFIG))


def attention(layer, tokens):
    """One multi-head attention layer from its definition, in floats: n x d to n x d."""
    query, key, value = (tokens @ layer[role][0].T + layer[role][1] for role in ROLES[:3])
    parts = []
    for h in range(HEADS):
        part = slice(h * K, h * K + K)
        scores = np.exp(query[:, part] @ key[:, part].T / np.sqrt(K))
        parts.append(scores / scores.sum(1, keepdims=True) @ value[:, part])
    return np.hstack(parts) @ layer["output"][0].T + layer["output"][1]


def test_the_heads_add_up_to_the_layer(save):
    layers = maps("f8")
    tokens = np.random.default_rng(3).standard_normal((5, D))
    for number, layer in enumerate(load_model(save(gpt2(layers)), heads=HEADS).layers):
        total = np.array([float(x) for x in layer.output_bias])
        for head in layer.heads:
            b_q, b_k, b_v = (
                np.array([float(x) for x in b]) for b in (head.b_q, head.b_k, head.b_v)
            )
            query = (tokens @ head.Q.array().T + b_q) * float(head.scale_squared) ** 0.5
            scores = np.exp(query @ (tokens @ head.K.array().T + b_k).T)
            mean = scores / scores.sum(1, keepdims=True) @ tokens
            total = total + (mean @ head.V.array().T + b_v) @ head.W.array().T
        assert np.allclose(total, attention(layers[number], tokens), rtol=1e-12)


def test_selection_and_order(save):
    path = save(dict(reversed(bert(maps(), "bert.encoder.layer").items())), CONFIG)
    model = load_model(path)
    assert model == load_model(save(bert(maps())), heads=HEADS)
    assert [layer.time for layer in model.layers] == [1, 1]
    one = load_model(path, layer=1, head=2)
    assert one == model.select(layer=1, head=2)
    assert (one.layers[0].index, one.layers[0].heads[0].index) == (1, 2)
    assert load_model(path, head=0) == model.select(head=0)
    assert load_model(path, layer=0) == model.select(layer=0)
    for wrong, message in [({"layer": 2}, "layers 0 to 1"), ({"head": 3}, "heads 0 to 2")]:
        with pytest.raises(ParameterError, match=message):
            load_model(path, **wrong)


def test_a_layer_that_is_not_asked_for_is_not_read(save):
    tensors = bert(maps())
    tensors["encoder.layer.1.attention.self.key.weight"][0, 0] = np.nan
    path = save(tensors, CONFIG)
    assert load_model(path, layer=0).layers
    with pytest.raises(ParameterError, match=r"layer\.1\.\S+key\.weight: entry \[0, 0\] .* is nan"):
        load_model(path)


def test_scales_and_masks_that_the_configuration_tells(save):
    config = {"n_head": HEADS, "n_embd": D, "scale_attn_by_inverse_layer_idx": True}
    scales = [x.heads[0].scale_squared for x in load_model(save(gpt2(maps()), config)).layers]
    assert scales == [Fraction(1, K), Fraction(1, 4 * K)]
    config = {"n_head": HEADS, "scale_attn_weights": False}
    assert load_model(save(gpt2(maps()), config)).layers[1].heads[0].scale_squared == 1
    assert load_model(save(bert(maps()), {**CONFIG, "is_decoder": True})).mask == "causal"
    assert load_model(save(bert(maps()), CONFIG)).mask is None


def test_too_many_weights_at_once(save, monkeypatch):
    path = save(bert(maps()), CONFIG)
    monkeypatch.setattr(checkpoint_load, "MAX_WEIGHT_BYTES", 600)
    with pytest.raises(ParameterError, match="1152 bytes of attention weights, at most 600"):
        load_model(path)
    assert load_model(path, layer=0).layers


Q0 = "encoder.layer.0.attention.self.query"
Q1 = "encoder.layer.1.attention.self.query"
ONE = np.ones((D, D), dtype="f4")
ADDED = {
    "rotary": ("encoder.layer.0.attention.self.rotary_emb.inv_freq", "rotary positions"),
    "RoPE": ("blocks.0.rope.freqs", "rotary positions"),
    "RoFormer": ("roformer.encoder.embed_positions.weight", "rotary positions"),
    "LLaMA": ("model.layers.0.self_attn.o_proj.weight", "as in LLaMA, where rotary positions"),
    "relative_key": ("encoder.layer.0.attention.self.distance_embedding.weight", "relative"),
    "T5": ("block.0.layer.0.SelfAttention.relative_attention_bias.weight", "relative positions"),
    "Swin": ("layers.0.blocks.0.attn.relative_position_bias_table", "relative positions"),
    "DeBERTa": ("deberta.encoder.rel_embeddings.weight", "relative positions"),
    "Transformer-XL": ("layer.0.rel_attn.r_w_bias", "relative positions"),
    "ALiBi": ("encoder.alibi", "biased by distance"),
    "QK norm": ("blocks.0.attn.q_norm.weight", "normalised before the scores"),
    "LayerScale": ("blocks.0.ls1.gamma", "rescaled entry by entry"),
    "cross": ("encoder.layer.0.crossattention.self.query.weight", "another sequence"),
    "LoRA": (Q0 + ".lora_A.weight", "no part of the attention of BERT"),
    "Longformer": (Q0 + "_global.weight", "no part of the attention of BERT"),
}


@pytest.mark.parametrize(("name", "reason"), ADDED.values(), ids=ADDED)
def test_attention_that_is_not_plain_is_refused_with_the_reason(save, name, reason):
    with pytest.raises(ParameterError) as caught:
        load_model(save({**bert(maps()), name: ONE}, CONFIG))
    assert f"tensor {name}: not supported: " in str(caught.value)
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 400


def without(name):
    return {key: value for key, value in bert(maps()).items() if not key.startswith(name)}


LINEAR = {f"h.0.attn.{name}.weight": np.ones((3 * D, D)) for name in ("c_attn",)}
NAMING = {
    "no attention": (
        {"model.layers.3.mlp.up.weight": ONE, "model.layers.7.attn.wq.weight": ONE},
        "tensors found: model.layers.N.attn.wq.weight, model.layers.N.mlp.up.weight; expected "
        "names such as encoder.layer.0.attention.self.query.weight (BERT)",
    ),
    "nothing": ({}, "tensors found: none; expected names such as"),
    "many kinds": ({f"a{i}.weight": ONE for i in range(50)}, "and 46 more kinds; expected"),
    "weight missing": (without(Q1 + ".weight"), f"tensor {Q1}.weight: missing"),
    "bias missing": (without(Q0 + ".bias"), f"tensor {Q0}.bias: missing"),
    "layer missing": (without("encoder.layer.0."), "layer 0 is missing: 1 layers found, up to 1"),
    "output missing": (
        without("encoder.layer.0.attention.output.dense.weight"),
        "tensor encoder.layer.0.attention.output.dense.weight: missing",
    ),
    "two stacks": (
        {**bert(maps()), **bert(maps(), "decoder.encoder.layer")},
        "several stacks of layers: BERT ..., BERT decoder....; expected one",
    ),
    "two layouts": ({**bert(maps()), **timm(maps())}, "several stacks of layers: BERT"),
    "wrong shape": (
        {**bert(maps()), Q1 + ".weight": np.ones((D, 2 * D))},
        f"tensor {Q1}.weight: wrong shape 6 x 12, expected 6 x 6 (BERT naming)",
    ),
    "grouped queries": (
        {**bert(maps()), "encoder.layer.0.attention.self.key.weight": np.ones((2, D))},
        "self.key.weight: wrong shape 2 x 6, expected 6 x 6",
    ),
    "bias shape": (
        {**bert(maps()), Q0 + ".bias": np.ones((D, 1))},
        f"tensor {Q0}.bias: wrong shape 6 x 1, expected 6 (BERT naming)",
    ),
    "output not square": (
        {**bert(maps()), "encoder.layer.0.attention.output.dense.weight": np.ones((D, 3))},
        "wrong shape 6 x 3, expected d x d",
    ),
    "not transposed": (
        {**gpt2(maps(), "h"), **LINEAR},
        "tensor h.0.attn.c_attn.weight: wrong shape 18 x 6, expected 6 x 18 (GPT-2 naming)",
    ),
    "integers": ({**bert(maps()), Q0 + ".weight": np.ones((D, D), dtype="i8")}, "dtype I64"),
    "infinite bias": ({**bert(maps()), Q0 + ".bias": np.full(D, np.inf)}, "entry [0] (from 0)"),
}


@pytest.mark.parametrize(("tensors", "message"), NAMING.values(), ids=NAMING)
def test_tensors_that_do_not_fit(save, tensors, message):
    path = save(tensors)
    with pytest.raises(ParameterError) as caught:
        load_model(path, heads=HEADS)
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert message in line
    assert line.isprintable()
    assert len(line) < 700


CONFIGS = {
    "no configuration": (None, {}, 'expected {"num_attention_heads": N} in '),
    "no number": ({"hidden_size": D}, {}, "the weights do not tell the number of heads"),
    "other heads": (CONFIG, {"heads": 2}, "heads=2, but "),
    "other width": ({**CONFIG, "hidden_size": 8}, {}, "says 8: it is of another model"),
    "no divisor": (None, {"heads": 4}, "d = 6 is no multiple of 4 heads"),
    "zero": (None, {"heads": 0}, "heads=0, expected a positive integer"),
    "not an integer": ({**CONFIG, "num_attention_heads": "3"}, {}, "got the string"),
    "negative": ({**CONFIG, "num_attention_heads": -3}, {}, "field num_attention_heads: expected"),
    "a list": ([CONFIG], {}, "config.json: expected a JSON object, got a list of 1"),
    "relative": (
        {**CONFIG, "position_embedding_type": "relative_key"},
        {},
        'config.json: field position_embedding_type: not supported: the string "relative_key"',
    ),
    "rotary": ({**CONFIG, "rope_theta": 10000.0}, {}, "field rope_theta: not supported: scores"),
    "DeBERTa": ({**CONFIG, "relative_attention": True}, {}, "field relative_attention: not supp"),
    "sparse": ({**CONFIG, "attention_type": "block_sparse"}, {}, "field attention_type: not"),
}


@pytest.mark.parametrize(("config", "options", "message"), CONFIGS.values(), ids=CONFIGS)
def test_configurations(save, config, options, message):
    with pytest.raises(ParameterError) as caught:
        load_model(save(bert(maps()), config), **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_damaged_configuration_is_named(save, tmp_path):
    path = save(bert(maps()))
    (tmp_path / "config.json").write_text('{"hidden_size": ')
    with pytest.raises(ParameterError, match=r"config\.json: not valid JSON at line 1"):
        load_model(path)
    (tmp_path / "config.json").write_bytes(b" " * 2**21)
    with pytest.raises(ParameterError, match=r"config\.json: larger than 1 MiB"):
        load_model(path)
