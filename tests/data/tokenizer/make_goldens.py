#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the tokenizer goldens: what Hugging Face `tokenizers` makes of the corpus.

    pip install tokenizers==0.23.3 gguf==0.19.0 jinja2==3.1.6
    python make_goldens.py [--model SmolLM2-135M-Instruct.Q4_1.gguf]

Writes beside itself
  corpus.json            the strings of corpus.py
  smollm.json            ids of the default model, rebuilt from the vocabulary and merges of its GGUF file
  qwen/, llama3/, …      small tokenizers trained here, in the files that a model's folder has, each with golden.json
A golden is {"plain": [[ids] …], "special": [[ids] …]}, one list a string of the corpus: control strings in the text
taken as text, and as control tokens. Nothing that a post-processor adds is in them but where a key says so.
"""
import argparse
import json
import os
from pathlib import Path

HERE = Path(__file__).resolve().parent


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n")


def encode_all(tokenizer, strings):
    golden = {}
    for key, as_text in (("plain", True), ("special", False)):
        tokenizer.encode_special_tokens = as_text
        golden[key] = [tokenizer.encode(s, add_special_tokens=False).ids for s in strings]
    return golden


def smollm_from_gguf(path):
    """The default model's tokenizer.json holds exactly this: digits one by one, then ByteLevel with GPT-2's pattern."""
    import gguf
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    types = fields["tokenizer.ggml.token_type"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([
        AddedToken(t, special=True, normalized=False) for t, kind in zip(tokens, types) if kind == 3
    ])
    return tokenizer


def main():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=cache / "headscope/models/SmolLM2-135M-Instruct.Q4_1.gguf", type=Path)
    model = parser.parse_args().model

    from corpus import corpus
    strings = corpus()
    write(HERE / "corpus.json", strings)
    write(HERE / "smollm.json", encode_all(smollm_from_gguf(model), strings))


if __name__ == "__main__":
    main()
