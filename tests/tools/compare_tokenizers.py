#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares ids with Hugging Face `tokenizers` on generated strings.

    pip install tokenizers==0.23.3
    ninja -C BUILD encode_lines
    python compare_tokenizers.py BUILD/tests/encode_lines [--count 10000] [--seed 1] [FOLDER …]

Each folder holds a tokenizer.json; without one the test data's own are compared, and the variants
of tests/data/tokenizer/variants.json. Strings hold every script, emoji, spaces, control characters
and the tokenizer's own added tokens. Broken UTF-8 cannot be given to `tokenizers`: there the ids
are to be those of the whole text where it is valid, and to decode to the very bytes.
"""
import argparse
import json
import random
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

from tokenizers import Tokenizer

DATA = Path(__file__).resolve().parent.parent / "data/tokenizer"
sys.path.insert(0, str(DATA))

BLOCKS = [  # first and last of scripts and symbols, from all over Unicode
    (0x20, 0x7E), (0x20, 0x7E), (0x61, 0x7A), (0xA0, 0xFF), (0x100, 0x24F), (0x250, 0x2FF),
    (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x530, 0x5FF), (0x600, 0x6FF), (0x700, 0x8FF),
    (0x900, 0xDFF), (0xE00, 0xEFF), (0xF00, 0xFFF), (0x1000, 0x139F), (0x1100, 0x11FF),
    (0x1400, 0x18AF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x218F), (0x2190, 0x2BFF),
    (0x2581, 0x2581), (0x3000, 0x30FF), (0x3400, 0x3500), (0x4E00, 0x5000), (0xAC00, 0xAD00),
    (0xFB00, 0xFDFF), (0xFE00, 0xFE0F), (0xFE20, 0xFEFF), (0xFF00, 0xFFEF), (0x10000, 0x103FF),
    (0x1D400, 0x1D7FF), (0x1F1E6, 0x1F1FF), (0x1F300, 0x1F64F), (0x1F900, 0x1F9FF),
    (0x20000, 0x20100), (0xE0020, 0xE007F),
]
SPACES = [" ", " ", " ", "  ", "   ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "\u200b"]
CONTROLS = [chr(c) for c in [*range(0x20), 0x7F, *range(0x80, 0xA0), 0xFEFF, 0xFFFD]]
WORDS = ["the", "The", "quick", "I'm", "don't", "2025", "3.14", "x=y", "def", "http://", "e\u0301",
         "naïve", "你好", "世界", "привет", "שלום", "नमस्ते", "ไทย", "한국", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "❤️",
         "\u1100\u1161\u11a8", "<s>", "</s>", "<unk>", "<0x41>", "\u2581", "\u2581the"]


def assigned(c):
    return unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")


def make(rng, added):
    out = []
    for _ in range(rng.randint(0, 14)):
        kind = rng.random()
        if kind < 0.35:
            first, last = rng.choice(BLOCKS)
            out += [chr(c) for c in (rng.randint(first, last) for _ in range(rng.randint(1, 7)))
                    if assigned(c)]
        elif kind < 0.60:
            out.append(rng.choice(WORDS))
        elif kind < 0.85:
            out.append(rng.choice(SPACES))
        elif kind < 0.90:
            out.append(rng.choice(CONTROLS))
        elif kind < 0.95 and added:
            out.append(rng.choice(added))
        else:
            out.append(rng.choice("aA1.- \n") * rng.randint(1, 60))
    return "".join(out)


def encode_lines(program, folder, texts, *mode):
    lines = "\n".join(t.hex() for t in texts) + "\n"
    done = subprocess.run([program, folder, *mode], input=lines, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{folder}: {done.stderr}")
    return [[int(i) for i in line.split()] for line in done.stdout.splitlines()]


def compare(program, name, folder, count, seed):
    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    rng = random.Random(seed)
    added = [t.content for t in tokenizer.get_added_tokens_decoder().values()]
    texts = [make(rng, added) for _ in range(count)]
    wrong = 0
    for mode, as_text in (("plain", True), ("special", False)):
        tokenizer.encode_special_tokens = as_text
        ours = encode_lines(program, str(folder), [t.encode() for t in texts], mode)
        for text, mine, theirs in zip(
                texts, ours, tokenizer.encode_batch(texts, add_special_tokens=False)):
            if mine != theirs.ids:
                wrong += 1
                if wrong <= 3:
                    print(f"  {mode} {text!a}\n    ours   {mine}\n    theirs {theirs.ids}")
    # Broken: as Python hands such bytes on, with U+FFFD for what is no character.
    tokenizer.encode_special_tokens = True
    broken = [t.encode() + rng.choice([b"\xf0\x9f", b"\xc3", b"\xff", b"\xed\xa0\x80"]) + u.encode()
              for t, u in zip(texts[:1000], texts[1000:2000])]
    read = [t.decode("utf-8", "replace") for t in broken]
    for text, mine, theirs in zip(broken, encode_lines(program, str(folder), broken, "plain"),
                                  tokenizer.encode_batch(read, add_special_tokens=False)):
        if mine != theirs.ids:
            wrong += 1
            print(f"  broken {text!a}\n    ours   {mine}\n    theirs {theirs.ids}")
    print(f"{name}: {2 * count} texts, {wrong} differ", flush=True)
    return wrong


def variants(folder):
    from make_sentencepiece import merge_patch
    for one in json.loads((DATA / "variants.json").read_text()):
        base = json.loads((DATA / one["base"] / "tokenizer.json").read_text())
        path = Path(folder) / one["name"].replace(" ", "_")
        path.mkdir()
        (path / "tokenizer.json").write_text(json.dumps(merge_patch(base, one["patch"])))
        yield one["name"], path


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        chosen = [(f, f) for f in options.folders]
        if not chosen:
            chosen = [(p.parent.name, p.parent) for p in sorted(DATA.glob("*/tokenizer.json"))]
            chosen += variants(temporary)
        for name, folder in chosen:
            wrong += compare(options.program, name, folder, options.count, options.seed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
