#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tiny random checkpoint for every family beside those of make_tiny.py, its golden values from
Hugging Face transformers in fp32, and its GGUF twin where llama.cpp has the architecture.

    python make_families.py OUT_FOLDER [NAME ...]

Set-up as for make_tiny.py. Weights are large enough for patterns to be sharp, norms uneven, and
windows, caps, bases and positions placed so that a run without one of them is far off: the test
leaves each out in turn. goldens.safetensors holds prompt_length, token_ids (prompt, then greedy
tokens) and, for all rows but the last token's, logits, embedding and for every layer scores,
pattern, lse, z, attention_out, mlp_out, residual, contribution (of the last row),
contribution_norm and logit_attribution. A model in two dialects of config.json gets a
second file, config_v4.json.
"""

import argparse
import json
import math
import pathlib
import shutil
import sys

import torch
import transformers as hf
from gguf import GGMLQuantizationType
from gguf.quants import dequantize, quantize
from safetensors.torch import save_file

from family_goldens import goldens, randomize
from make_tiny import SMOLLM, VOCAB, make_tokenizer
from tiny_gguf import (
    EXPERTS, GPT2, GPT_NEOX, GPT_OSS, LLAMA, MIXTRAL, POST_NORMS, write_gguf,
)  # fmt: skip

MXFP4 = GGMLQuantizationType.MXFP4
COMMON = {"vocab_size": VOCAB, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
}
PLAIN = {"rope_type": "default", "rope_theta": 10000.0}


class Maker:
    def __init__(self, out, wanted):
        self.out, self.wanted = out, wanted

    def make(self, name, config_class, model_class, fields, spread=0.25, prompt=20, steps=6,
             publish=lambda key, weight: {key: weight}, v4=None, adjust=lambda model: None, seed=7):
        """Writes the folder; returns (folder, tokenizer, config), or None if it is not wanted."""
        if self.wanted and name not in self.wanted:
            return None
        folder = self.out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        tokenizer = make_tokenizer(SMOLLM)
        (folder / "tokenizer.json").write_text(tokenizer.to_str(pretty=False) + "\n")
        config = config_class(**COMMON, **fields)
        config._attn_implementation = "eager"
        model = randomize(model_class(config), seed, spread)
        adjust(model)
        tensors = {}
        for key, weight in model.named_parameters():
            for name_of, part in publish(key, weight.detach().bfloat16()).items():
                tensors[name_of] = part.contiguous()
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        written = config.to_diff_dict()
        written |= {"architectures": [model_class.__name__], "dtype": "bfloat16"}
        for key in ("transformers_version", "_attn_implementation"):
            written.pop(key, None)
        (folder / "config.json").write_text(json.dumps(written, indent=1) + "\n")
        if v4 is not None:
            old = {key: value for key, value in written.items() if value is not None}
            for key in ("rope_parameters", "dtype", "layer_types"):
                old.pop(key, None)
            old |= {"torch_dtype": "bfloat16"} | v4
            (folder / "config_v4.json").write_text(json.dumps(old, indent=1) + "\n")
        goldens(model, folder, prompt, steps)
        return folder, tokenizer, config


def gguf_sizes(config, **more):
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": getattr(config, "intermediate_size", 4 * config.hidden_size),
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": getattr(
            config, "num_key_value_heads", config.num_attention_heads
        ),
        "attention.key_length": head_dim,
        "attention.value_length": head_dim,
        "vocab_size": config.vocab_size,
    } | more


def rms(config, **more):
    return gguf_sizes(config, **{"attention.layer_norm_rms_epsilon": config.rms_norm_eps}, **more)


def twin(made, arch, names, sizes, **how):
    if made is None:
        return
    folder, tokenizer, config = made
    write_gguf(
        folder.name + ".gguf", arch, names, folder, tokenizer, sizes(config),
        config.num_attention_heads, getattr(config, "num_key_value_heads", None), **how,
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # one order of summation
    maker = Maker(arguments.out, arguments.names)
    qwen2(maker)
    mistral(maker)
    scalings(maker)
    smollm3(maker)
    gemma2(maker)
    gemma3(maker)
    olmo2(maker)
    phi3(maker)
    gpt_neox(maker)
    gpt2(maker)
    mixtral(maker)
    qwen3_moe(maker)
    gpt_oss(maker)


def qwen2(maker):
    made = maker.make(
        "tiny_qwen2", hf.Qwen2Config, hf.Qwen2ForCausalLM,
        SIZES | {
            "num_hidden_layers": 3, "rope_parameters": dict(PLAIN), "use_sliding_window": True,
            "sliding_window": 6, "max_window_layers": 2, "rms_norm_eps": 1e-6,
        },
        spread=0.3, v4={"rope_theta": 10000.0},
    )  # fmt: skip
    # llama.cpp's format has no windows for this architecture: the twin is of other goldens.
    full = maker.make(
        "tiny_qwen2_full", hf.Qwen2Config, hf.Qwen2ForCausalLM,
        SIZES | {"rope_parameters": PLAIN | {"rope_theta": 1e6}, "tie_word_embeddings": True},
        spread=0.3,
    )  # fmt: skip
    twin(full, "qwen2", LLAMA, lambda config: rms(config, **{"rope.freq_base": 1e6}))
    return made


def mistral(maker):
    maker.make(
        "tiny_mistral", hf.MistralConfig, hf.MistralForCausalLM,
        SIZES | {"rope_parameters": dict(PLAIN), "sliding_window": 5, "head_dim": 16},
        spread=0.3, v4={"rope_theta": 10000.0},
    )  # fmt: skip


def scalings(maker):
    sets = {
        "linear": {"rope_type": "linear", "factor": 4.0},
        "yarn": {
            "rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 16,
            "beta_fast": 4.0, "beta_slow": 0.5,
        },
        "dynamic": {"rope_type": "dynamic", "factor": 4.0},
    }  # fmt: skip
    for kind, scaling in sets.items():
        made = maker.make(
            "tiny_llama_" + kind, hf.LlamaConfig, hf.LlamaForCausalLM,
            SIZES | {
                "rope_parameters": PLAIN | scaling, "head_dim": 16, "attention_bias": True,
                "mlp_bias": True, "rms_norm_eps": 1e-5,
            },
            spread=0.3,
            v4={"rope_theta": 10000.0, "rope_scaling": {
                ("type" if key == "rope_type" else key): value for key, value in scaling.items()
            }},
        )  # fmt: skip
        if kind == "yarn":
            twin(made, "llama", LLAMA, lambda config: rms(config, **{
                "rope.freq_base": 1e4, "rope.scaling.type": "yarn", "rope.scaling.factor": 8.0,
                "rope.scaling.original_context_length": 16, "rope.scaling.yarn_beta_fast": 4.0,
                "rope.scaling.yarn_beta_slow": 0.5,
            }), permute=True)  # fmt: skip


def smollm3(maker):
    made = maker.make(
        "tiny_smollm3", hf.SmolLM3Config, hf.SmolLM3ForCausalLM,
        SIZES | {
            "num_hidden_layers": 4, "rope_parameters": PLAIN | {"rope_theta": 2e6},
            "tie_word_embeddings": True, "rms_norm_eps": 1e-6,
        },
        spread=0.3, v4={"rope_theta": 2e6},
    )  # fmt: skip
    twin(made, "smollm3", LLAMA, lambda config: rms(config, **{"rope.freq_base": 2e6}),
         permute=True)  # fmt: skip


def gemma2(maker):
    made = maker.make(
        "tiny_gemma2", hf.Gemma2Config, hf.Gemma2ForCausalLM,
        SIZES | {
            "num_hidden_layers": 4, "rope_parameters": dict(PLAIN), "head_dim": 12,
            "query_pre_attn_scalar": 20, "sliding_window": 6, "attn_logit_softcapping": 8.0,
            "final_logit_softcapping": 6.0,
        },
        spread=0.3, v4={"rope_theta": 10000.0},
    )  # fmt: skip
    twin(made, "gemma2", POST_NORMS, lambda config: rms(config, **{
        "rope.freq_base": 1e4, "attention.sliding_window": 6, "attention.scale": 20**-0.5,
        "attn_logit_softcapping": 8.0, "final_logit_softcapping": 6.0,
    }), norm_offset=1)  # fmt: skip


def gemma3(maker):
    made = maker.make(
        "tiny_gemma3", hf.Gemma3TextConfig, hf.Gemma3ForCausalLM,
        SIZES | {
            "num_hidden_layers": 4, "head_dim": 12, "query_pre_attn_scalar": 20,
            "sliding_window": 6, "sliding_window_pattern": 3,
            "rope_parameters": {
                "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
                "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0},
            },
        },
        spread=0.3,
        v4={
            "rope_theta": 10000.0, "rope_local_base_freq": 100.0, "sliding_window_pattern": 3,
            "rope_scaling": {"rope_type": "linear", "factor": 4.0},
        },
    )  # fmt: skip
    twin(made, "gemma3", POST_NORMS, lambda config: rms(config, **{
        "rope.freq_base": 1e4, "rope.freq_base_swa": 100.0, "attention.sliding_window": 6,
        "attention.sliding_window_pattern": 3, "attention.scale": 20**-0.5,
        "rope.scaling.type": "linear", "rope.scaling.factor": 4.0,
    }), norm_offset=1)  # fmt: skip


def olmo2(maker):
    made = maker.make(
        "tiny_olmo2", hf.Olmo2Config, hf.Olmo2ForCausalLM,
        SIZES | {"rope_parameters": PLAIN | {"rope_theta": 5e5}, "rms_norm_eps": 1e-6},
        spread=0.4, v4={"rope_theta": 5e5},
    )  # fmt: skip
    twin(made, "olmo2", POST_NORMS, lambda config: rms(config, **{"rope.freq_base": 5e5}))


def phi3(maker):
    short, long = [1.0, 1.5, 2.0], [2.0, 4.0, 8.0]
    scaling = {
        "rope_type": "longrope", "short_factor": short, "long_factor": long,
        "original_max_position_embeddings": 32,
    }  # fmt: skip
    fields = SIZES | {
        "rope_parameters": PLAIN | scaling | {"partial_rotary_factor": 0.75},
        "original_max_position_embeddings": 32, "sliding_window": 7, "rms_norm_eps": 1e-5,
    }  # fmt: skip
    v4 = {
        "auto_map": {"AutoModelForCausalLM": "modeling_phi3.Phi3ForCausalLM"},
        "rope_theta": 10000.0, "partial_rotary_factor": 0.75, "rope_scaling": {
            "type": "longrope", "short_factor": short, "long_factor": long,
        },
    }  # fmt: skip
    for name, prompt in (("tiny_phi3", 20), ("tiny_phi3_long", 34)):
        made = maker.make(
            name, hf.Phi3Config, hf.Phi3ForCausalLM, fields, spread=0.3, prompt=prompt, v4=v4
        )
        twin(made, "phi3", LLAMA, lambda config: rms(config, **{
            "rope.freq_base": 1e4, "rope.dimension_count": 6, "attention.sliding_window": 7,
            "rope.scaling.original_context_length": 32,
            "rope.scaling.attn_factor": (1 + math.log(4) / math.log(32)) ** 0.5,
        }), extra={
            "rope_factors_short.weight": short, "rope_factors_long.weight": long,
        })  # fmt: skip


def gpt_neox(maker):
    sizes = {key: value for key, value in SIZES.items() if key != "num_key_value_heads"}
    for name, parallel in (("tiny_gpt_neox", True), ("tiny_gpt_neox_sequential", False)):
        made = maker.make(
            name, hf.GPTNeoXConfig, hf.GPTNeoXForCausalLM,
            sizes | {
                "num_attention_heads": 2, "use_parallel_residual": parallel,
                "rope_parameters": PLAIN | {"partial_rotary_factor": 0.25},
                "hidden_dropout": 0.0, "attention_dropout": 0.0,
            },
            spread=0.3, v4={"rotary_pct": 0.25, "rotary_emb_base": 10000},
            # As the published files have it; the other one as transformers now names it.
            publish=lambda key, weight: {
                key.replace("lm_head", "embed_out") if parallel else key: weight
            },
        )  # fmt: skip
        twin(made, "gptneox", GPT_NEOX, lambda config: gguf_sizes(config, **{
            "attention.layer_norm_epsilon": config.layer_norm_eps, "rope.dimension_count": 4,
            "use_parallel_residual": parallel,
        }), gather=True)  # fmt: skip


def gpt2(maker):
    fields = {
        "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128, "embd_pdrop": 0.0,
        "attn_pdrop": 0.0, "resid_pdrop": 0.0,
    }  # fmt: skip
    made = maker.make(
        "tiny_gpt2", hf.GPT2Config, hf.GPT2LMHeadModel, fields, spread=0.3,
        # As the published files have them.
        publish=lambda key, weight: {key.removeprefix("transformer."): weight},
    )  # fmt: skip
    twin(made, "gpt2", GPT2, lambda config: gguf_sizes(config, **{
        "attention.layer_norm_epsilon": config.layer_norm_epsilon,
    }), transpose=True)  # fmt: skip
    maker.make(
        "tiny_gpt2_scaled", hf.GPT2Config, hf.GPT2LMHeadModel,
        fields | {"n_layer": 3, "scale_attn_by_inverse_layer_idx": True}, spread=0.4,
    )  # fmt: skip


def apart(block, gate, up, down):
    """Experts as the published files have them: each its own tensors."""

    def publish(key, weight):
        start, found, rest = key.partition(".mlp.")
        if not found or rest in ("gate_proj.weight", "up_proj.weight", "down_proj.weight"):
            return {key: weight}
        out = {}
        if rest == "gate.weight":
            out[f"{start}.{block}.gate.weight"] = weight
        for index, part in enumerate(weight if rest.startswith("experts.") else []):
            expert = f"{start}.{block}.experts.{index}."
            if rest == "experts.gate_up_proj":
                out[expert + gate + ".weight"], out[expert + up + ".weight"] = part.chunk(2)
            else:
                out[expert + down + ".weight"] = part
        return out

    return publish


def mixtral(maker):
    made = maker.make(
        "tiny_mixtral", hf.MixtralConfig, hf.MixtralForCausalLM,
        SIZES | {
            "rope_parameters": PLAIN | {"rope_theta": 1e6}, "num_local_experts": 4,
            "num_experts_per_tok": 2, "intermediate_size": 32, "rms_norm_eps": 1e-5,
        },
        spread=0.3, publish=apart("block_sparse_moe", "w1", "w3", "w2"), v4={"rope_theta": 1e6},
    )  # fmt: skip
    twin(made, "llama", MIXTRAL, lambda config: rms(config, **{
        "rope.freq_base": 1e6, "expert_count": 4, "expert_used_count": 2,
    }), permute=True)  # fmt: skip


def qwen3_moe(maker):
    fields = SIZES | {
        "rope_parameters": dict(PLAIN), "num_experts": 6, "num_experts_per_tok": 2, "head_dim": 16,
        "moe_intermediate_size": 16, "rms_norm_eps": 1e-6,
    }  # fmt: skip
    publish = apart("mlp", "gate_proj", "up_proj", "down_proj")
    made = maker.make(
        "tiny_qwen3_moe", hf.Qwen3MoeConfig, hf.Qwen3MoeForCausalLM,
        fields | {"norm_topk_prob": True}, spread=0.3, publish=publish,
    )  # fmt: skip
    twin(made, "qwen3moe", LLAMA | EXPERTS, lambda config: rms(config, **{
        "rope.freq_base": 1e4, "expert_count": 6, "expert_used_count": 2,
        "expert_feed_forward_length": 16,
    }))  # fmt: skip
    maker.make(
        "tiny_qwen3_moe_mixed", hf.Qwen3MoeConfig, hf.Qwen3MoeForCausalLM,
        fields | {
            "num_hidden_layers": 4, "decoder_sparse_step": 2, "mlp_only_layers": [3],
            "num_experts": 4,
        },
        spread=0.3, publish=publish,
    )  # fmt: skip


def gpt_oss(maker):
    scaling = {
        "rope_type": "yarn", "factor": 4.0, "beta_fast": 8.0, "beta_slow": 1.0, "truncate": False,
        "original_max_position_embeddings": 32,
    }  # fmt: skip

    def own(model):
        """Uneven sinks, and experts whose weights MXFP4 holds exactly."""
        generator = torch.Generator().manual_seed(3)
        with torch.no_grad():
            for layer in model.model.layers:
                for weight in (layer.mlp.experts.gate_up_proj, layer.mlp.experts.down_proj):
                    wide = 4 * weight.transpose(1, 2)  # past the limit of gate and up
                    blocks = quantize(wide.contiguous().numpy(), MXFP4)
                    exact = torch.from_numpy(dequantize(blocks, MXFP4))
                    weight.copy_(exact.transpose(1, 2))
                sinks = 1 + 4 * torch.rand(layer.self_attn.sinks.shape, generator=generator)
                layer.self_attn.sinks.copy_(sinks.bfloat16().float())

    made = maker.make(
        "tiny_gpt_oss", hf.GptOssConfig, hf.GptOssForCausalLM,
        SIZES | {
            "rope_parameters": scaling | {"rope_theta": 10000.0}, "num_local_experts": 4,
            "num_experts_per_tok": 2, "intermediate_size": 32, "head_dim": 16,
            "sliding_window": 6,
        },
        spread=0.3, adjust=own,
        v4={"rope_theta": 10000.0, "rope_scaling": scaling},
    )  # fmt: skip
    twin(made, "gpt-oss", GPT_OSS, lambda config: rms(config, **{
        "rope.freq_base": 1e4, "attention.sliding_window": 6, "expert_count": 4,
        "expert_used_count": 2, "expert_feed_forward_length": 32, "rope.scaling.type": "yarn",
        "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 32,
        "rope.scaling.yarn_beta_fast": 8.0,
    }), interleaved=True, mxfp4=True)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
