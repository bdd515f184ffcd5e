#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hugging Face on a GPU, beside `headscope bench --shape qwen3-8b --json`: the same shape in bf16
with random weights, eager attention with output_attentions (sees every pattern), sdpa (sees none),
and one layer's pattern in plain torch. Prints one JSON array of the figures that bench has too.

Needs torch 2.11 with CUDA and transformers 5:   python tests/bench/hf_gpu.py [--contexts 512,2048]
"""
import argparse
import gc
import json
import statistics
import time

import torch
from transformers import AutoModelForCausalLM, Qwen3Config

SHAPE = dict(
    num_hidden_layers=36, num_attention_heads=32, num_key_value_heads=8, head_dim=128,
    hidden_size=4096, intermediate_size=12288, vocab_size=151936, max_position_embeddings=131072,
    tie_word_embeddings=False)
figures = []


def add(name, who, context, value, unit):
    figures.append(
        dict(name=name, who=who, context=context, value=value, unit=unit,
             device=torch.cuda.get_device_name(), dtype="bfloat16"))


def seconds(work, runs):
    times = []
    for run in range(runs + 1):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        if run:
            times.append(time.perf_counter() - begin)
    return statistics.median(times)


def measure(who, attention, contexts, **options):
    config = Qwen3Config(**SHAPE)
    torch.manual_seed(0)
    with torch.device("cuda"):
        model = AutoModelForCausalLM.from_config(
            config, dtype=torch.bfloat16, attn_implementation=attention).eval()
    for context in contexts:
        tokens = torch.randint(0, config.vocab_size, (1, context), device="cuda")
        try:
            work = lambda: model(tokens, logits_to_keep=1, use_cache=True, **options)
            add("prefill_ms", who, context, seconds(work, 3) * 1e3, "ms")
            cache = work().past_key_values
            token = tokens[:, -1:]
            step = lambda: model(token, past_key_values=cache, use_cache=True, **options)
            add("decode_tok_s", who, context, 1 / seconds(step, 16), "tok/s")
            del cache
        except torch.OutOfMemoryError:
            add("prefill_ms", who, context, None, "out of memory")
        gc.collect()
        torch.cuda.empty_cache()
    del model
    gc.collect()
    torch.cuda.empty_cache()


def pattern(q, k, lse, scale):
    """One layer's exact pattern [heads, T, T] in fp32, as one writes it in torch."""
    scores = torch.matmul(q.float(), k.float().repeat_interleave(4, 0).transpose(1, 2)) * scale
    masked = torch.ones(scores.shape[1:], dtype=torch.bool, device="cuda").triu(1)
    return torch.exp(scores - lse[:, :, None]).masked_fill(masked, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contexts", default="512,2048,8192")
    contexts = [int(each) for each in parser.parse_args().contexts.split(",")]
    with torch.inference_mode():
        for context in (each for each in contexts if each <= 8192):
            q = torch.randn(32, context, 128, device="cuda", dtype=torch.bfloat16)
            k = torch.randn(8, context, 128, device="cuda", dtype=torch.bfloat16)
            lse = torch.randn(32, context, device="cuda")
            add("layer_pattern_ms", "torch", context,
                seconds(lambda: pattern(q, k, lse, 128**-0.5), 5) * 1e3, "ms")
        torch.cuda.empty_cache()
        measure("HF sdpa", "sdpa", contexts)
        measure("HF eager, output_attentions", "eager", contexts, output_attentions=True)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
