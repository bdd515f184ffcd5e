#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden values of edited runs of tiny_qwen3, by hooks on Hugging Face transformers in fp32.

    pip install torch==2.11.0 transformers==5.24.0
    python make_edits.py OUT_FILE

Layer 1, head 2 of the prompt of tiny_qwen3/goldens.safetensors:

    ablate   z of rows 9 ... 29 is zero
    patch    z of every row is half of what it was, plus value[i] = i / 32 - 0.5
    forbid   rows 5 ... 39 may not see keys 0 ... 3, and row 20 no key at all but 7 ... 20

For each NAME.logits [T, vocab] and NAME.z2 [T, 4 * 32], what layer 2's heads make of it.
"""

import pathlib
import sys

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

LAYER, HEAD, DIM = 1, 2, 32
folder = pathlib.Path(__file__).parent / "tiny_qwen3"
goldens = load_file(folder / "goldens.safetensors")
ids = goldens["token_ids"][:-1]
model = AutoModelForCausalLM.from_pretrained(
    folder, dtype=torch.float32, attn_implementation="eager"
)
layer = model.model.layers[LAYER].self_attn
columns = slice(HEAD * DIM, (HEAD + 1) * DIM)
count = len(ids)


def ablate():
    def hook(module, args):
        z = args[0].clone()
        z[:, 9:30, columns] = 0
        return (z,)

    return layer.o_proj.register_forward_pre_hook(hook)


def patch():
    def hook(module, args):
        z = args[0].clone()
        z[:, :, columns] = 0.5 * z[:, :, columns] + torch.arange(DIM) / DIM - 0.5
        return (z,)

    return layer.o_proj.register_forward_pre_hook(hook)


def forbid():
    def hook(module, args, kwargs):
        heads = module.config.num_attention_heads
        mask = torch.full((count, count), float("-inf")).triu(1).repeat(1, heads, 1, 1)
        mask[:, HEAD, 5:40, 0:4] = float("-inf")
        mask[:, HEAD, 20, 0:7] = float("-inf")
        kwargs["attention_mask"] = mask
        return args, kwargs

    return layer.register_forward_pre_hook(hook, with_kwargs=True)


out = {}
for edit in (ablate, patch, forbid):
    z2 = []
    handles = [
        edit(),
        model.model.layers[2].self_attn.o_proj.register_forward_pre_hook(
            lambda module, args: z2.append(args[0][0].clone())
        ),
    ]
    with torch.no_grad():
        out[f"{edit.__name__}.logits"] = model(ids[None]).logits[0].contiguous()
    out[f"{edit.__name__}.z2"] = z2[0].contiguous()
    for handle in handles:
        handle.remove()
# Rows spread over the prompt are enough, and keep the file small.
rows = torch.tensor([0, 4, 5, 9, 20, 29, 30, 39, 40, count - 1])
chosen = {name: value[rows].contiguous() for name, value in out.items()}
save_file({"rows": rows} | chosen, sys.argv[1])
