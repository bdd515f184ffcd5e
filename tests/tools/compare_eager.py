#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Headscope's pattern beside Hugging Face eager's own, layer by layer on the same q and k.

    pip install torch==2.11.0 transformers==5.24.0 safetensors numpy
    python compare_eager.py MODEL --headscope build/release/bin/headscope [--dtype bfloat16]

`headscope dump` writes q, k and the pattern of every layer. transformers' eager attention then gets
those q and k in the compute dtype and rounds as it always does: scores to that dtype, softmax in
fp32, weights to that dtype. The fp64 column is the plain softmax of the same q and k, which says
whose rounding the difference is. For models whose scores have no cap, window or sink.

Exit code 1 where a layer is further away than rounding explains.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import types

import torch
from safetensors import safe_open
from transformers.models.llama.modeling_llama import eager_attention_forward

# Of a bfloat16 score of 8 to 16, half a step is 2^-5: e^0.03 on the largest weights of a row.
FURTHEST = 0.04
COSINE = 0.9999
PROSE = (
    "The lighthouse keeper counted the ships twice, wrote {} in the book, and went down to the "
    "harbour where the nets of Anna and of Tom lay drying beside the nets of Tom and of Anna. "
)


def eager(q, k, dtype, device):
    """q [T, Hq, D], k [T, Hkv, D] in fp32, exact in `dtype`; returns the weights [Hq, T, T]."""
    length, heads, dim = q.shape
    module = types.SimpleNamespace(num_key_value_groups=heads // k.shape[1], training=False)
    query = q.to(device, dtype).transpose(0, 1)[None]
    key = k.to(device, dtype).transpose(0, 1)[None]
    mask = torch.full((length, length), torch.finfo(dtype).min, dtype=dtype, device=device).triu(1)
    weights = eager_attention_forward(module, query, key, key, mask[None, None], dim**-0.5)[1]
    return weights[0]


def exact(q, k):
    length, heads, dim = q.shape
    key = k.double().repeat_interleave(heads // k.shape[1], dim=1)
    scores = torch.einsum("ihd,jhd->hij", q.double(), key) * dim**-0.5
    later = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
    scores.masked_fill_(later, -torch.inf)
    return scores.softmax(-1)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--headscope", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float16", "float32"])
    parser.add_argument("--sentences", type=int, default=12, help="of 40 tokens")
    arguments = parser.parse_args()
    dtype = getattr(torch, arguments.dtype)

    with tempfile.TemporaryDirectory() as folder:
        prompt, out = pathlib.Path(folder, "prompt.txt"), pathlib.Path(folder, "dump.safetensors")
        prompt.write_text("".join(PROSE.format(n) for n in range(arguments.sentences)))
        subprocess.run(
            [arguments.headscope, "dump", arguments.model, "--prompt-file", prompt, "--tensors",
             "q,k,pattern", "--device", arguments.device, "--dtype", arguments.dtype, "--out", out],
            check=True)  # fmt: skip
        rows = []
        with safe_open(out, "pt", device=arguments.device) as dump:
            for layer in sorted({int(name.split(".")[1]) for name in dump.keys() if "." in name}):
                q, k, pattern = (
                    dump.get_tensor(f"layers.{layer}.{name}") for name in ("q", "k", "pattern"))
                if not all(torch.equal(x, x.to(dtype).float()) for x in (q, k)):
                    sys.exit(f"L{layer}: q or k are no numbers of {arguments.dtype}")
                theirs = eager(q, k, dtype, arguments.device).double()
                ours, plain = pattern.double(), exact(q, k)
                rows.append({
                    "layer": layer,
                    "from_eager": (ours - theirs).abs().max().item(),
                    "cosine": torch.cosine_similarity(
                        ours.flatten(), theirs.flatten(), dim=0).item(),
                    "eager_from_fp64": (theirs - plain).abs().max().item(),
                    "ours_from_fp64": (ours - plain).abs().max().item(),
                })  # fmt: skip
    print(json.dumps({"dtype": arguments.dtype, "tokens": q.shape[0], "layers": rows}, indent=1))
    worst = max(row["from_eager"] for row in rows)
    least = min(row["cosine"] for row in rows)
    print(f"furthest {worst:.4f}, least cosine {least:.6f}, ours from fp64 "
          f"{max(row['ours_from_fp64'] for row in rows):.2e}", file=sys.stderr)  # fmt: skip
    sys.exit(worst > FURTHEST or least < COSINE)


if __name__ == "__main__":
    main()
