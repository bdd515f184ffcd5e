# SPDX-License-Identifier: GPL-3.0-or-later
"""The GGUF twin of a tiny checkpoint, as llama.cpp's converter lays it: names, norm weights with
their offset added, matrices [out, in], q and k rows permuted where that architecture rotates
neighbours. Plain weights in BF16, vectors in F32, so the numbers are those of the original."""

import json
import re

import gguf
import gguf.quants
import numpy
import torch
from safetensors.torch import load_file

# What follows the layer's number, by what the original calls it.
LLAMA = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "self_attn.qkv_proj": "attn_qkv",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate_up_proj": "ffn_up",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
POST_NORMS = LLAMA | {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
EXPERTS = {
    "mlp.gate": "ffn_gate_inp",
    "gate_proj": "ffn_gate_exps",
    "up_proj": "ffn_up_exps",
    "down_proj": "ffn_down_exps",
}
MIXTRAL = LLAMA | {
    "block_sparse_moe.gate": "ffn_gate_inp",
    "w1": "ffn_gate_exps",
    "w3": "ffn_up_exps",
    "w2": "ffn_down_exps",
}
GPT_OSS = LLAMA | {
    "self_attn.sinks": "attn_sinks",
    "mlp.router": "ffn_gate_inp",
    "post_attention_layernorm": "post_attention_norm",
    "mlp.experts.gate": "ffn_gate_exps",
    "mlp.experts.up": "ffn_up_exps",
    "mlp.experts.down": "ffn_down_exps",
}
GPT2 = {
    "ln_1": "attn_norm",
    "attn.c_attn": "attn_qkv",
    "attn.c_proj": "attn_output",
    "ln_2": "ffn_norm",
    "mlp.c_fc": "ffn_up",
    "mlp.c_proj": "ffn_down",
}
GPT_NEOX = {
    "input_layernorm": "attn_norm",
    "attention.query_key_value": "attn_qkv",
    "attention.dense": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.dense_h_to_4h": "ffn_up",
    "mlp.dense_4h_to_h": "ffn_down",
}
TOP = {
    "embed_tokens": "token_embd",
    "embed_in": "token_embd",
    "wte": "token_embd",
    "wpe": "position_embd",
    "norm": "output_norm",
    "ln_f": "output_norm",
    "final_layer_norm": "output_norm",
    "lm_head": "output",
    "embed_out": "output",
}


def permuted(tensor, heads):
    """The two halves of each head's rows dealt out into pairs."""
    return tensor.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)


def by_kind(tensor, heads):
    """Rows [head [q k v]] to all of q, all of k, all of v."""
    return tensor.unflatten(0, (heads, 3, -1)).transpose(0, 1).flatten(0, 2)


def stacked(tensors):
    """Experts' own tensors as one each, outermost."""
    out, experts = {}, {}
    for name, tensor in tensors.items():
        expert = re.fullmatch(r"(.*?\.\d+\.).*\.experts\.(\d+)\.(\w+)\.weight", name)
        if expert:
            layer, index, role = expert.groups()
            experts.setdefault(f"{layer}{role}.weight", {})[int(index)] = tensor
        else:
            out[name] = tensor
    return out | {
        name: torch.stack([parts[i] for i in range(len(parts))]) for name, parts in experts.items()
    }


def parted(tensors):
    """gpt-oss's experts: gate and up apart, matrices [out, in], weights and biases by ending."""
    out = {}
    for name, tensor in tensors.items():
        stem, found, role = name.partition(".mlp.experts.")
        if not found:
            out[name if "." in name and name.rsplit(".", 1)[1] in ("weight", "bias")
                else name + ".weight"] = tensor
            continue
        kind = "bias" if role.endswith("_bias") else "weight"
        part = tensor if kind == "bias" else tensor.transpose(1, 2)
        prefix = f"{stem}.mlp.experts."
        if role.startswith("gate_up"):
            out[f"{prefix}gate.{kind}"] = part[:, ::2].contiguous()
            out[f"{prefix}up.{kind}"] = part[:, 1::2].contiguous()
        else:
            out[f"{prefix}down.{kind}"] = part.contiguous()
    return out


def write_tokenizer(writer, tokenizer, pre, control):
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types([3 if i < control else 1 for i in range(len(tokens))])
    writer.add_token_merges([" ".join(merge) for merge in model["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)


def write_gguf(file, arch, names, folder, tokenizer, config, heads, kv_heads, **how):
    """config: the keys after the architecture's name; how: permute, norm_offset, transpose,
    gather (q, k and v head by head), interleaved (gpt-oss's experts), mxfp4 (of
    the experts), extra (tensors by their GGUF name)."""
    writer = gguf.GGUFWriter(folder / file, arch)
    writer.add_name(arch + " tiny")
    for key, value in config.items():
        full = f"{arch}.{key}"
        if isinstance(value, str):
            writer.add_string(full, value)
        elif isinstance(value, bool):
            writer.add_bool(full, value)
        elif isinstance(value, int):
            writer.add_uint32(full, value)
        else:
            writer.add_float32(full, value)
    write_tokenizer(writer, tokenizer, "smollm", 3)
    tensors = stacked(load_file(folder / "model.safetensors"))
    if how.get("interleaved"):
        tensors = parted(tensors)
    for name, tensor in tensors.items():
        stem, kind = name.rsplit(".", 1)
        layer = re.search(r"\.(\d+)\.", "." + stem)
        if layer:
            role = stem[layer.end() - 1 :]
            target = f"blk.{layer.group(1)}.{names[role]}"
        else:
            target = TOP[stem.rsplit(".", 1)[-1]]
        if how.get("transpose") and layer and tensor.ndim == 2:
            tensor = tensor.T.contiguous()
        if how.get("gather") and target.endswith("attn_qkv"):
            tensor = by_kind(tensor, heads)
        if how.get("permute") and target.endswith("attn_q"):
            tensor = permuted(tensor, heads)
        if how.get("permute") and target.endswith("attn_k"):
            tensor = permuted(tensor, kv_heads)
        if "norm" in target and kind == "weight":
            tensor = tensor.float() + how.get("norm_offset", 0)
        target = f"{target}.{kind}"
        if tensor.ndim == 1 or kind == "bias" or target.startswith("position_embd"):
            writer.add_tensor(target, tensor.float().numpy())
        elif how.get("mxfp4") and "_exps." in target:
            mxfp4 = gguf.GGMLQuantizationType.MXFP4
            blocks = gguf.quants.quantize(tensor.float().numpy(), mxfp4)
            writer.add_tensor(target, blocks, raw_dtype=mxfp4)
        else:
            words = tensor.bfloat16().contiguous().view(torch.int16).numpy().view(numpy.uint16)
            writer.add_tensor(target, words, raw_dtype=gguf.GGMLQuantizationType.BF16)
    for name, values in how.get("extra", {}).items():
        writer.add_tensor(name, numpy.array(values, dtype=numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
