"""Checkpoints: ``.safetensors`` files of trained Transformers, read as attention models.

Only attention is read, as softmax attention with scale 1/sqrt(k): residual connections give the
flow, each layer acts for time 1, and layer norms and feed-forward parts are left out. What would
change the attention itself, such as rotary positions, is refused.

=============  ========================================================================
layout         weights, for layer N
=============  ========================================================================
BERT           ``encoder.layer.N.attention.self.{query,key,value}``,
               ``encoder.layer.N.attention.output.dense``
ViT            ``encoder.layer.N.attention.attention.{query,key,value}``,
               ``encoder.layer.N.attention.output.dense``
ViT of timm    ``blocks.N.attn.{qkv,proj}``
DistilBERT     ``transformer.layer.N.attention.{q,k,v,out}_lin``
GPT-2          ``h.N.attn.{c_attn,c_proj}``, transposed, with a causal mask
=============  ========================================================================
"""

from numeric.checkpoints.load import load_checkpoint

__all__ = ["load_checkpoint"]
