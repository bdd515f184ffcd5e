#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains small SentencePiece vocabularies and writes goldens of `sentencepiece` and of Hugging Face
`tokenizers` for them.

    pip install sentencepiece==0.2.3 protobuf tokenizers==0.23.3
    python make_sentencepiece.py

Writes beside itself
  spm_bpe/, spm_unigram/  tokenizer.model, and golden.json: its ids, by sentencepiece
  llama2/, t5/            the same vocabularies in a tokenizer.json, as Llama 2 and T5 have it, with
                          golden.json by tokenizers
  variants.json           changes to those two files (JSON merge patches) that other families make,
                          each with the ids of every third string of the corpus
"""
import base64
import json
import tempfile
from pathlib import Path

import sentencepiece as spm
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import Tokenizer

from corpus import corpus
from make_goldens import encode_all, write

HERE = Path(__file__).resolve().parent
MARK = "\u2581"


def train(name, strings, **options):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        text = Path(temporary) / "text"
        lines = [line for s in strings for line in s.replace("\0", "").splitlines() if line.strip()]
        text.write_text("\n".join(lines * 3))
        spm.SentencePieceTrainer.train(
            input=str(text), model_prefix=str(folder / "tokenizer"), vocab_size=1400,
            hard_vocab_limit=False, minloglevel=2, num_threads=1, byte_fallback=True, **options)
    (folder / "tokenizer.vocab").unlink()
    processor = spm.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
    write(folder / "golden.json", {"plain": [processor.encode(s) for s in strings]})
    model = proto.ModelProto()
    model.ParseFromString((folder / "tokenizer.model").read_bytes())
    return model


def merges_of(model):
    """As transformers makes them: by the merged token's score, then by its parts' places."""
    ids = {p.piece: i for i, p in enumerate(model.pieces)}
    merges = []
    for piece in model.pieces:
        ways = [(piece.piece[:i], piece.piece[i:]) for i in range(1, len(piece.piece))]
        ways = [w for w in ways if w[0] in ids and w[1] in ids]
        merges += [(piece.score, w) for w in sorted(ways, key=lambda w: (ids[w[0]], ids[w[1]]))]
    merges.sort(key=lambda m: m[0], reverse=True)
    return [list(w) for _, w in merges]


def special(model):
    kinds = {2: True, 3: True}  # unknown, control
    return [{"id": i, "content": p.piece, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
            for i, p in enumerate(model.pieces) if p.type in kinds]


def llama2(model):
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special(model),
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": MARK},
            {"type": "Replace", "pattern": {"String": " "}, "content": MARK}]},
        "pre_tokenizer": None,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                       {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": MARK}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": "<unk>", "fuse_unk": True,
            "byte_fallback": True, "ignore_merges": False,
            "vocab": {p.piece: i for i, p in enumerate(model.pieces)}, "merges": merges_of(model)},
    }


def t5(model):
    charsmap = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
    metaspace = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always",
                 "split": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special(model),
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": charsmap},
            {"type": "Strip", "strip_left": False, "strip_right": True},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": MARK}]},
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}},
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": False,
                  "vocab": [[p.piece, p.score] for p in model.pieces]},
    }


def added(content, at, **switches):
    return {"id": at, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": True, "special": False, **switches}


def patches(size):
    """Name: which file, what changes. `size` tokens are in the vocabulary."""
    def metaspace(scheme, split):
        return {"type": "Metaspace", "replacement": MARK, "prepend_scheme": scheme, "split": split}

    def sequence(kind, key, *rules):
        return {"type": "Sequence", key: list(rules)} if kind else None

    def normalizers(*rules):
        return {"normalizer": {"type": "Sequence", "normalizers": list(rules)}}

    def pieces(*rules):
        return {"pre_tokenizer": {"type": "Sequence", "pretokenizers": list(rules)}}

    to_mark = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
    whitespace, split_space = {"type": "WhitespaceSplit"}, {
        "type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious",
        "invert": False}
    llama = {
        "mistral": {"normalizer": None, "pre_tokenizer": metaspace("first", False)},
        "first, cut": {"normalizer": None, "pre_tokenizer": metaspace("first", True)},
        "never, cut": {"normalizer": None, "pre_tokenizer": metaspace("never", True)},
        "gemma": {"normalizer": to_mark, "pre_tokenizer": split_space},
        "no fallback": {"model": {"byte_fallback": False}},
        "no fallback, not fused": {"model": {"byte_fallback": False, "fuse_unk": False}},
        "no unknown": {"model": {"byte_fallback": False, "unk_token": None}},
        "ignore merges": {"model": {"ignore_merges": True}, "normalizer": None,
                          "pre_tokenizer": metaspace("always", True)},
        "words": {"normalizer": None, **pieces(whitespace, metaspace("always", True))},
        "digits": {"normalizer": None,
                   **pieces({"type": "Digits", "individual_digits": True},
                            metaspace("first", False))},
        "punctuation": {"normalizer": None,
                        **pieces({"type": "Whitespace"},
                                 {"type": "Punctuation", "behavior": "Isolated"})},
        "delimiter": {"normalizer": None, "pre_tokenizer": {
            "type": "CharDelimiterSplit", "delimiter": "e"}},
        "added": {"added_tokens": [
            *({"id": i, "content": c, "single_word": False, "lstrip": False, "rstrip": False,
               "normalized": False, "special": True} for i, c in enumerate(("<unk>", "<s>"))),
            added("swordfish", size), added("<think>", size + 1, normalized=False),
            added("e\u0301tag", size + 2), added("foxtrot", size + 3, single_word=True),
            added("<mask>", size + 4, lstrip=True, special=True)]},
        "strip": normalizers({"type": "Strip", "strip_left": True, "strip_right": True}, to_mark),
    }
    for form in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt"):
        llama[form] = normalizers({"type": form}, {"type": "Prepend", "prepend": MARK}, to_mark)
    llama["NFD, no accents"] = normalizers(
        {"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}, to_mark)
    t5_variants = {
        "xlm-roberta": {**pieces(whitespace, metaspace("always", True))},
        "byte fallback": {"model": {"byte_fallback": True}},
        "no cut": {"pre_tokenizer": metaspace("first", False)},
        "no normalizer": {"normalizer": None},
    }
    return [(n, "llama2", p) for n, p in llama.items()] + [(n, "t5", p)
                                                          for n, p in t5_variants.items()]


def merge_patch(target, patch):
    if not isinstance(patch, dict):
        return patch
    out = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merge_patch(out.get(key), value)
    return out


def save(name, content, strings):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    write(folder / "tokenizer.json", content)
    tokenizer = Tokenizer.from_str(json.dumps(content))
    golden = encode_all(tokenizer, strings)
    tokenizer.encode_special_tokens = True
    golden["with_bos"] = [tokenizer.encode(s).ids for s in ("hello", "")]
    write(folder / "golden.json", golden)


def main():
    strings = corpus()
    bpe = train("spm_bpe", strings, model_type="bpe", normalization_rule_name="identity",
                remove_extra_whitespaces=False, character_coverage=0.99)
    unigram = train("spm_unigram", strings, model_type="unigram", character_coverage=0.99)
    files = {"llama2": llama2(bpe), "t5": t5(unigram)}
    for name, content in files.items():
        save(name, content, strings)
    variants = []
    for name, base, patch in patches(len(bpe.pieces)):
        content = merge_patch(files[base], patch)
        tokenizer = Tokenizer.from_str(json.dumps(content))
        golden = encode_all(tokenizer, strings[::3])
        if golden["plain"] == golden["special"]:
            del golden["special"]
        variants.append({"name": name, "base": base, "patch": patch, **golden})
    write(HERE / "variants.json", variants)


if __name__ == "__main__":
    main()
