#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiny random checkpoints and their golden values, from Hugging Face transformers in fp32.

    pip install torch==2.11.0 transformers==5.24.0 tokenizers==0.23.3 gguf==0.19.0 accelerate
    python make_tiny.py OUT_FOLDER

makes a folder a model, each with config.json, weights, tokenizer.json and goldens.safetensors:

    tiny_qwen3      4 query heads, 2 KV, head_dim 32 at d_model 64, uneven q and k norms, untied
                    head, 2 shards; config in the v5 dialect (rope_parameters, dtype)
    tiny_llama      8 query heads, 2 KV, head_dim 16 at d_model 64, tied; config in the v4 dialect
                    (rope_theta, torch_dtype); tiny_llama.gguf in the folder is its F16 twin, with
                    q and k rows permuted as GGUF's are
    tiny_llama3     as tiny_llama, with llama3 rope scaling whose three regimes show in 51 tokens
    qwen3_8b_heads  the head layout of Qwen3-8B (32 query heads, 8 KV, head_dim 128) on d_model 16
                    and 2 layers, tokens 5 + 4

Weights are bfloat16 in the files, so they are exact in float32, and magnitudes below 2^-10 are
zero, so they are exact in F16 too. They are large enough for patterns to be sharp, and norms are
uneven, or a wrong order of norm and rotation would not show.

goldens.safetensors: prompt_length [1] and token_ids [N] int64 (prompt, then greedy tokens), and
with T = N - 1 rows logits, embedding and for every layer q, k, v, qkv, scores, pattern, lse, z,
attention_out, mlp_out, residual, named and shaped as `headscope dump` does.
"""

import argparse
import json
import pathlib
import shutil

import gguf
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

from hf_capture import capture, greedy

VOCAB = 320
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEXT = [
    "Mary gave the keys to John and John gave the map to Tom, so the three of them went to the "
    "store that they had seen on the way to the station, where Mary had left the other key."
]
QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN, SMOLLM = "qwen2", "smollm"  # pre-tokenizers, by their GGUF names


def make_tokenizer(kind):
    tokenizer = Tokenizer(models.BPE())
    if kind == QWEN:
        tokenizer.normalizer = normalizers.NFC()
        first = pre_tokenizers.Split(Regex(QWEN_SPLIT), "isolated")
    else:
        first = pre_tokenizers.Digits(individual_digits=True)
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=kind != QWEN)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([first, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        TEXT,
        trainers.BpeTrainer(
            vocab_size=VOCAB,
            special_tokens=CONTROL,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    assert tokenizer.get_vocab_size() == VOCAB, tokenizer.get_vocab_size()
    return tokenizer


def randomize(model, seed, spread):
    """Every weight normal with the given spread, every norm uneven."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in sorted(model.named_parameters()):
            if "norm" in name:
                low, high = (0.6, 3.0) if "q_norm" in name or "k_norm" in name else (0.4, 2.2)
                value = low + (high - low) * torch.rand(weight.shape, generator=generator)
            else:
                value = torch.randn(weight.shape, generator=generator) * spread
            value[value.abs() < 2.0**-10] = 0
            weight.copy_(value.bfloat16().float())
    return model.eval()


def save(model, config, folder, shards):
    """The weights in bfloat16 under the published names, with an index where there are shards."""
    tensors = {
        name: weight.detach().bfloat16().contiguous() for name, weight in model.named_parameters()
    }
    names = sorted(tensors)
    if shards == 1:
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    else:
        weight_map = {}
        for shard in range(shards):
            part = names[len(names) * shard // shards : len(names) * (shard + 1) // shards]
            file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
            save_file(
                {name: tensors[name] for name in part}, folder / file, metadata={"format": "pt"}
            )
            weight_map |= {name: file for name in part}
        total = sum(tensor.nbytes for tensor in tensors.values())
        index = {"metadata": {"total_size": total}, "weight_map": weight_map}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1) + "\n")
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


def save_goldens(model, folder, prompt_length, steps, seed):
    generator = torch.Generator().manual_seed(seed)
    prompt = torch.randint(len(CONTROL), VOCAB, (prompt_length,), generator=generator).tolist()
    third = prompt_length // 3
    prompt[-third:] = prompt[:third]  # what was seen before, so that some heads look back
    ids = greedy(model, prompt, steps)
    full = capture(model, ids[:-1])
    full |= {"token_ids": torch.tensor(ids), "prompt_length": torch.tensor([len(prompt)])}
    save_file(full, folder / "goldens.safetensors")
    sharp = max(full[name][:, -1].max().item() for name in full if name.endswith(".pattern"))
    scores = max(
        full[name].nan_to_num(neginf=0).abs().max().item()
        for name in full
        if name.endswith(".scores")
    )
    print(
        f"{folder.name}: {len(prompt)} + {steps} tokens, largest |score| {scores:.1f}, "
        f"largest probability of the last rows {sharp:.3f}"
    )


def twin(folder, tokenizer, hf):
    """The F16 GGUF of a tiny llama. GGUF rotates neighbours, so the two halves of each head's rows
    are dealt out into pairs."""

    def permuted(weight, heads):
        return weight.reshape(heads, 2, -1, weight.shape[-1]).transpose(1, 2).reshape(weight.shape)

    names = {
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    writer = gguf.GGUFWriter(folder / "tiny_llama.gguf", "llama")
    writer.add_name("tiny llama")
    writer.add_block_count(hf.num_hidden_layers)
    writer.add_context_length(hf.max_position_embeddings)
    writer.add_embedding_length(hf.hidden_size)
    writer.add_feed_forward_length(hf.intermediate_size)
    writer.add_head_count(hf.num_attention_heads)
    writer.add_head_count_kv(hf.num_key_value_heads)
    writer.add_key_length(hf.head_dim)
    writer.add_value_length(hf.head_dim)
    writer.add_rope_dimension_count(hf.head_dim)
    writer.add_rope_freq_base(hf.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(hf.rms_norm_eps)
    writer.add_vocab_size(hf.vocab_size)
    model = json.loads(tokenizer.to_str())["model"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(SMOLLM)
    writer.add_token_list(sorted(model["vocab"], key=model["vocab"].get))
    writer.add_token_types([3 if i < len(CONTROL) else 1 for i in range(VOCAB)])
    writer.add_token_merges([" ".join(merge) for merge in model["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)
    for name, tensor in load_file(folder / "model.safetensors").items():
        if name == "model.embed_tokens.weight":
            target = "token_embd"
        elif name == "model.norm.weight":
            target = "output_norm"
        else:
            _, _, layer, role = name.removesuffix(".weight").split(".", 3)
            target = f"blk.{layer}.{names[role]}"
        if target.endswith("attn_q"):
            tensor = permuted(tensor, hf.num_attention_heads)
        elif target.endswith("attn_k"):
            tensor = permuted(tensor, hf.num_key_value_heads)
        values = tensor.float() if "norm" in target else tensor.half()
        assert torch.equal(values.float(), tensor.float()), f"{name} is not exact in F16"
        writer.add_tensor(target + ".weight", values.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=pathlib.Path)
    out = parser.parse_args().out
    torch.set_num_threads(1)  # one order of summation

    def fresh(name, kind):
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        tokenizer = make_tokenizer(kind)
        (folder / "tokenizer.json").write_text(tokenizer.to_str(pretty=False) + "\n")
        return folder, tokenizer

    common = {
        "vocab_size": VOCAB,
        "hidden_act": "silu",
        "attention_bias": False,
        "attention_dropout": 0.0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 0,
    }

    def qwen3(name, seed, spread, shards, prompt, steps, dialect, **sizes):
        folder, _ = fresh(name, QWEN)
        fields = (
            common
            | {
                "rms_norm_eps": 1e-6,
                "max_position_embeddings": 512,
                "use_sliding_window": False,
                "sliding_window": None,
                "max_window_layers": 8,
                "tie_word_embeddings": False,
            }
            | sizes
        )
        hf = Qwen3Config(**fields, rope_parameters={"rope_type": "default", "rope_theta": 10000.0})
        hf._attn_implementation = "eager"
        model = randomize(Qwen3ForCausalLM(hf), seed, spread)
        save(
            model,
            {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"} | fields | dialect,
            folder,
            shards,
        )
        save_goldens(model, folder, prompt, steps, seed)

    v4 = {"rope_theta": 10000.0, "rope_scaling": None, "torch_dtype": "bfloat16"}
    v5 = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}, "dtype": "bfloat16"}
    qwen3(
        "tiny_qwen3",
        31,
        0.16,
        2,
        40,
        12,
        v5,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
    )
    qwen3(
        "qwen3_8b_heads",
        32,
        0.25,
        1,
        5,
        4,
        v4,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=128,
    )

    def llama(name, seed, rope, dialect):
        folder, tokenizer = fresh(name, SMOLLM)
        fields = common | {
            "rms_norm_eps": 1e-5,
            "max_position_embeddings": 512,
            "tie_word_embeddings": True,
            "mlp_bias": False,
            "hidden_size": 64,
            "intermediate_size": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "head_dim": 16,
        }
        hf = LlamaConfig(**fields, rope_parameters=dict(rope))
        hf._attn_implementation = "eager"
        model = randomize(LlamaForCausalLM(hf), seed, 0.2)
        save(
            model,
            {"architectures": ["LlamaForCausalLM"], "model_type": "llama"} | fields | dialect,
            folder,
            1,
        )
        save_goldens(model, folder, 40, 12, seed)
        return folder, tokenizer, hf

    twin(*llama("tiny_llama", 35, {"rope_type": "default", "rope_theta": 10000.0}, v4))
    llama3 = {
        "rope_type": "llama3",
        "rope_theta": 10000.0,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }
    llama("tiny_llama3", 36, llama3, {"rope_parameters": llama3, "dtype": "bfloat16"})


if __name__ == "__main__":
    main()
