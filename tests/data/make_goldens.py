#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden values of the default model, from Hugging Face transformers in fp32 on the CPU.

    pip install torch==2.11.0 transformers==5.24.0 tokenizers==0.23.3 gguf==0.19.0 accelerate
    python make_goldens.py SmolLM2-135M-Instruct.Q4_1.gguf OUT_FOLDER

writes smollm2_short, smollm2_names and smollm2_generate .safetensors. Tensors are named as
`headscope dump` names them and are float32 but for int64 lists. To keep the files small some hold
part of the rows only:

    token_ids                   [N]        the prompt, and in smollm2_generate 32 greedy tokens;
                                           T = N rows were computed, in smollm2_generate T = N - 1
    layers.L.pattern            [H, T, T]  smollm2_short only
    layers.L.pattern_tril       [H, T(T+1)/2] elsewhere: causal cells row by row, row t has t + 1
    layers.L.lse                [H, T]
    rows                        [R]        the rows of the next eight
    layers.L.z                  [R, H, D]  every layer
    layers.L.q .k .v            [R, heads, D]   layers 0, 14 and 29
    layers.L.attention_out .mlp_out  [R, d_model]   layers 0, 14 and 29
    embedding                   [R, d_model]
    residual_rows               [2]        the rows of layers.L.residual [2, d_model], every layer
    logits_rows                 [..]       the rows of logits [.., vocab]
    argmax                      [T]        of every row's logits
    top_ids, top_logits         [T, 8]     every row's eight largest logits, falling
    logits_scale                [T]        max |logit| of every row

The token ids come from Hugging Face `tokenizers` set up as the `smollm` pre-tokenizer asks,
Sequence(Digits one by one, ByteLevel): transformers' own conversion of a GGUF drops the digit
split. transformers un-permutes q and k as it loads, so channels are those of the original.
"""

import argparse
import json
import pathlib

import gguf
import tokenizers
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import decoders, models, pre_tokenizers

from hf_capture import capture, greedy

SHORT = "When Mary and John went to the store, John gave a drink to"
NAMES = (
    "Mary, John and Tom met at the station. Mary gave John the keys, John gave Tom the map, and "
    "Tom thanked Mary. Later that day Tom asked John for the keys, but John said that Mary had "
    "taken the keys from Tom, so Tom and John went back to Mary and "
    "asked Mary"
)
SOME_LAYERS = (0, 14, 29)


def tokenizer_of(path):
    fields = gguf.GGUFReader(path).fields
    pieces = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = tokenizers.Tokenizer(
        models.BPE({piece: i for i, piece in enumerate(pieces)}, merges)
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def lower_triangle(pattern):
    size = pattern.shape[-1]
    rows, columns = torch.tril_indices(size, size)  # row-major
    return pattern[:, rows, columns].contiguous()


def selected(full, ids, rows, logits_rows, dense):
    """The part of a capture that a file keeps."""
    last = len(full["logits"]) - 1
    rows, residual_rows = torch.tensor(rows), torch.tensor([last - 1, last])
    top = full["logits"].topk(8, dim=-1)
    kept = {
        "token_ids": torch.tensor(ids),
        "rows": rows,
        "residual_rows": residual_rows,
        "logits_rows": torch.tensor(logits_rows),
        "logits": full["logits"][logits_rows],
        "argmax": full["logits"].argmax(-1),
        "top_ids": top.indices,
        "top_logits": top.values,
        "logits_scale": full["logits"].abs().amax(-1),
        "embedding": full["embedding"][rows],
    }
    for layer in range(sum(name.endswith(".pattern") for name in full)):
        name = f"layers.{layer}."
        pattern = full[name + "pattern"]
        kept |= (
            {name + "pattern": pattern}
            if dense
            else {name + "pattern_tril": lower_triangle(pattern)}
        )
        kept[name + "lse"] = full[name + "lse"]
        kept[name + "z"] = full[name + "z"][rows]
        kept[name + "residual"] = full[name + "residual"][residual_rows]
        if layer in SOME_LAYERS:
            kept |= {
                name + kind: full[name + kind][rows]
                for kind in ("q", "k", "v", "attention_out", "mlp_out")
            }
    return {name: tensor.contiguous() for name, tensor in kept.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gguf", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)

    tokenizer = tokenizer_of(arguments.gguf)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        arguments.gguf.parent,
        gguf_file=arguments.gguf.name,
        dtype=torch.float32,
        attn_implementation="eager",
    ).eval()
    assert model.config.rope_parameters["rope_theta"] == 100000, model.config

    def write(name, text, ids, rows, logits_rows, dense=False):
        computed = ids[: max(rows) + 1]  # the last sampled token has no row yet
        kept = selected(capture(model, computed), ids, rows, logits_rows, dense)
        about = {
            "prompt": text,
            "text": tokenizer.decode(ids, skip_special_tokens=False),
            "transformers": transformers.__version__,
            "torch": torch.__version__,
        }
        target = arguments.out / f"smollm2_{name}.safetensors"
        save_file(
            kept,
            target,
            metadata={"about": json.dumps(about)},  # one key: several are written in random order
        )
        print(f"{target.name}: {len(ids)} tokens, {target.stat().st_size} bytes: {about['text']!r}")

    short = tokenizer.encode(SHORT).ids
    names = tokenizer.encode(NAMES).ids
    last, count = len(short) - 1, len(names)
    write("short", SHORT, short, [0, 1, last // 2, last], [last // 2, last], dense=True)
    write("names", NAMES, names, [0, count // 3, 2 * count // 3, count - 1], [count - 1])
    full = greedy(model, short, 32)
    write("generate", SHORT, full, [last + 1, last + 8, last + 19, last + 31], [last + 31])


if __name__ == "__main__":
    main()
