#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiny checkpoints whose weights are quantized as published ones are, with golden values of the
numbers that they stand for.

    python make_quantized.py OUT_FOLDER

Set-up as for make_tiny.py, and tiny_gpt_oss of make_families.py in OUT_FOLDER.

    tiny_qwen3_fp8  matrices of the layers in float8_e4m3fn, with a factor (weight_scale_inv) for
                    each block of 16 × 8; goldens as make_families.py's
    tiny_gpt_oss    mxfp4.safetensors: its experts as gpt-oss has them, blocks and scales apart,
                    which stand for the very numbers of model.safetensors; mxfp4.index.json and
                    config_mxfp4.json go with it

What the factors are worth is checked against transformers' own reading of the files.
"""

import argparse
import json
import pathlib
import sys

import numpy as np
import torch
import transformers as hf
from gguf import GGMLQuantizationType
from gguf.quants import quantize
from safetensors.torch import load_file, save_file
from transformers.integrations.mxfp4 import convert_moe_packed_tensors

from make_families import PLAIN, SIZES, Maker

BLOCK = (16, 8)


def fp8(maker):
    """Weights that 8 bits hold with a factor a block, uneven enough for each of them to show."""
    stored = {}

    def quantized(model):
        generator = torch.Generator().manual_seed(5)
        for key, weight in model.named_parameters():
            if weight.dim() != 2 or "embed" in key or "lm_head" in key:
                continue
            rows, columns = (side // block for side, block in zip(weight.shape, BLOCK))
            spread = 2 ** (2 * torch.rand(rows, columns, generator=generator) - 1)
            tiles = weight.detach().reshape(rows, BLOCK[0], columns, BLOCK[1])
            tiles = tiles * spread[:, None, :, None]
            scale = tiles.abs().amax((1, 3)) / 448
            numbers = (tiles / scale[:, None, :, None]).to(torch.float8_e4m3fn)
            exact = numbers.float() * scale[:, None, :, None]
            stored[key] = {key: numbers.reshape(weight.shape), key + "_scale_inv": scale}
            with torch.no_grad():
                weight.copy_(exact.reshape(weight.shape))

    folder, _, _ = maker.make(
        "tiny_qwen3_fp8", hf.Qwen3Config, hf.Qwen3ForCausalLM,
        SIZES | {"rope_parameters": dict(PLAIN), "head_dim": 16, "rms_norm_eps": 1e-6},
        spread=0.25, prompt=14, steps=5, adjust=quantized,
        publish=lambda key, weight: stored.get(key, {key: weight}),
    )  # fmt: skip
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["quantization_config"] = {
        "activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
        "weight_block_size": list(BLOCK), "modules_to_not_convert": ["lm_head"],
    }  # fmt: skip
    path.write_text(json.dumps(config, indent=1) + "\n")
    read = hf.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    weights = dict(read.named_parameters())
    assert len(stored) == 14
    for key, parts in stored.items():
        scale = parts[key + "_scale_inv"].repeat_interleave(BLOCK[0], 0)
        exact = parts[key].float() * scale.repeat_interleave(BLOCK[1], 1)
        assert torch.equal(weights[key], exact), key


def mxfp4(folder):
    tensors = load_file(folder / "model.safetensors")
    packed, places = {}, {}
    for key, weight in tensors.items():
        if not key.endswith(("gate_up_proj", "down_proj")):
            places[key] = "model.safetensors"
            continue
        rows = weight.transpose(1, 2).float().contiguous().numpy()  # [experts, out, in]
        raw = quantize(rows, GGMLQuantizationType.MXFP4).reshape(*rows.shape[:2], -1, 17)
        low, high = raw[..., 1:] & 15, raw[..., 1:] >> 4
        numbers = np.concatenate([low, high], -1)  # in the order of their elements
        blocks = torch.from_numpy(numbers[..., 0::2] | numbers[..., 1::2] << 4)
        scales = torch.from_numpy(raw[..., 0].copy())
        assert torch.equal(convert_moe_packed_tensors(blocks, scales), weight), key
        packed |= {key + "_blocks": blocks.contiguous(), key + "_scales": scales}
    save_file(packed, folder / "mxfp4.safetensors", metadata={"format": "pt"})
    places |= {key: "mxfp4.safetensors" for key in packed}
    index = {"metadata": {}, "weight_map": dict(sorted(places.items()))}
    (folder / "mxfp4.index.json").write_text(json.dumps(index, indent=1) + "\n")
    config = json.loads((folder / "config.json").read_text())
    config["quantization_config"] = {
        "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"], "quant_method": "mxfp4",
    }  # fmt: skip
    (folder / "config_mxfp4.json").write_text(json.dumps(config, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # one order of summation
    fp8(Maker(arguments.out, []))
    mxfp4(arguments.out / "tiny_gpt_oss")


if __name__ == "__main__":
    sys.exit(main())
