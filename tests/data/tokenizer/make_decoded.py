#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes decoded.json: what Hugging Face `tokenizers` decodes lists of ids to.

    pip install tokenizers==0.23.3
    python make_decoded.py

One entry a tokenizer.json of the test data: lists [ids, text], control tokens written out. Half of
the lists are texts' own ids, cut anywhere; the others are drawn from the whole vocabulary, so that
characters end halfway and bytes stand alone.
"""
import json
import random
from pathlib import Path

from tokenizers import Tokenizer

HERE = Path(__file__).resolve().parent
TEXTS = ["Hello, world! 1234", "caf\u00e9 \U0001f469\u200d\U0001f467 \u65e5\u672c\u8a9e",
         "\u05e9\u05dc\u05d5\u05dd  two  spaces\n\ttab", " leading and trailing ", "\n\n"]


def lists(tokenizer, rng):
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:  # all white space, which the vocabulary trims
            continue
        yield ids
        yield ids[:rng.randint(1, len(ids))]
        yield ids[rng.randint(0, len(ids) - 1):]
    size = tokenizer.get_vocab_size()
    special = [i for i, t in tokenizer.get_added_tokens_decoder().items() if t.special]
    for _ in range(15):
        ids = [rng.randrange(size) for _ in range(rng.randint(1, 8))]
        if special and rng.random() < 0.4:
            ids.insert(rng.randint(0, len(ids)), rng.choice(special))
        yield ids


def main():
    rng = random.Random(0)
    out = {}
    for folder in ("qwen", "llama3", "gpt2", "llama2", "t5"):
        tokenizer = Tokenizer.from_file(str(HERE / folder / "tokenizer.json"))
        out[folder] = [[ids, tokenizer.decode(ids, skip_special_tokens=False)]
                       for ids in lists(tokenizer, rng)]
    text = json.dumps(out, ensure_ascii=True, separators=(",", ":"))
    (HERE / "decoded.json").write_text(text.replace("]],", "]],\n") + "\n")


if __name__ == "__main__":
    main()
