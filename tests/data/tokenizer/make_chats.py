#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes chat_families.json: the templates of chat_families/ rendered by jinja2 as Hugging Face
does, and the ids of a tokenizer that has each family's control tokens.

    pip install tokenizers==0.23.3 jinja2==3.1.6
    python make_chats.py

The templates were written for these tests: they do what the families' own do, in the same
constructs.
"""
import json
from pathlib import Path

from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from make_goldens import write
from make_sentencepiece import merge_patch

HERE = Path(__file__).resolve().parent
TEXTS = ["hello", "", "\n\nstarts with newlines", "ends with spaces  ", " e\u0301te\u0301 ",
         "two\nlines\n", "\u00a0\x1cwide\u3000", "<|eot_id|> [INST] <end_of_turn>"]
# Base file, bos and eos, control tokens, and whether they take white space behind them.
FAMILIES = {
    "llama3": ("llama3", "<|begin_of_text|>", "<|eot_id|>",
               ["<|start_header_id|>", "<|end_header_id|>"], False),
    "llama31": ("llama3", "<|begin_of_text|>", "<|eot_id|>",
                ["<|start_header_id|>", "<|end_header_id|>"], False),
    "gemma": ("llama2", "<s>", "</s>", ["<start_of_turn>", "<end_of_turn>"], False),
    "gemma3": ("llama2", "<s>", "</s>", ["<start_of_turn>", "<end_of_turn>"], False),
    "mistral": ("llama2", "<s>", "</s>", [], False),
    "mistral3": ("llama2", "<s>", "</s>", ["[INST]", "[/INST]"], False),
    "phi3": ("llama2", "<s>", "</s>", ["<|user|>", "<|assistant|>", "<|end|>", "<|system|>"], True),
}


def raise_exception(message):
    raise ValueError(message)


def main():
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = raise_exception
    out = []
    for name, (base, bos, eos, controls, rstrip) in FAMILIES.items():
        content = json.loads((HERE / base / "tokenizer.json").read_text())
        size = 1 + max([t["id"] for t in content["added_tokens"]] +
                       list(content["model"]["vocab"].values()))
        added = content["added_tokens"] + [
            {"id": size + i, "content": c, "single_word": False, "lstrip": False, "rstrip": rstrip,
             "normalized": False, "special": True} for i, c in enumerate(controls)]
        patch = {"added_tokens": added}
        if base == "llama2":  # as Gemma and newer Mistral: no space in front of each stretch
            patch["normalizer"] = {
                "type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
        tokenizer = Tokenizer.from_str(json.dumps(merge_patch(content, patch)))
        source = (HERE / "chat_families" / f"{name}.jinja").read_text()
        render = environment.from_string(source).render
        chats = []
        for text in TEXTS:
            rendered = render(messages=[{"role": "user", "content": text}], tools=None,
                              documents=None, add_generation_prompt=True, bos_token=bos,
                              eos_token=eos)
            chats.append({"text": text, "rendered": rendered,
                          "ids": tokenizer.encode(rendered, add_special_tokens=False).ids})
        out.append({"name": name, "base": base, "patch": patch, "bos_token": bos,
                    "eos_token": eos, "chats": chats})
    write(HERE / "chat_families.json", out)


if __name__ == "__main__":
    main()
