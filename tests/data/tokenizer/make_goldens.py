#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the tokenizer goldens: what Hugging Face `tokenizers` makes of the corpus.

    pip install tokenizers==0.23.3 gguf==0.19.0 jinja2==3.1.6
    python make_goldens.py [--model SmolLM2-135M-Instruct.Q4_1.gguf]

Writes beside itself
  corpus.json            the strings of corpus.py
  smollm.json            ids of the default model, rebuilt from what its GGUF file holds
  qwen/, llama3/, gpt2/  small tokenizers trained here, in the files that a model's folder has,
                         each with golden.json
  rules.json             pieces of pre-tokenizers that those do not have
  chat.json              the templates of templates/ rendered by jinja2, and their ids
decoded.json is make_decoded.py's.
A golden is {"plain": [[ids] …], "special": [[ids] …]}, one list a string of the corpus: control
strings in the text taken as text, and as control tokens. What a post-processor adds is only under
"with_bos" ("hello" and "" as a model would get them).

templates/qwen3.jinja, qwen2.5.jinja and smollm2.jinja are those models' own (Apache-2.0); the
others were written for these tests.
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
    """What its tokenizer.json holds: digits one by one, then ByteLevel with GPT-2's pattern."""
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


QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA3 = QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CHATML = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def train(pre_tokenizer, normalizer, strings, vocabulary):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator([s for s in strings for _ in range(2)], trainer)
    return tokenizer


def split_and_bytes(pattern):
    """As in Qwen's and Llama-3's files: the pattern, then bytes without a pattern of their own."""
    from tokenizers import Regex, pre_tokenizers

    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), behavior="isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False),
    ])


def save(folder, tokenizer, strings, string_merges=False, files=None):
    from tokenizers import Tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    content = json.loads(tokenizer.to_str())
    if string_merges:
        content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    write(folder / "tokenizer.json", content)
    for name, value in (files or {}).items():
        write(folder / name, value)
    # What was written is what is asked, so that the file and its golden cannot part.
    written = Tokenizer.from_file(str(folder / "tokenizer.json"))
    golden = encode_all(written, strings)
    written.encode_special_tokens = True
    golden["with_bos"] = [written.encode(s).ids for s in ("hello", "")]
    write(folder / "golden.json", golden)
    return written


def qwen(strings):
    """Qwen's shape: NFC, no BOS, plain added tokens, each of their switches. Merges as pairs."""
    from tokenizers import AddedToken, normalizers, processors

    tokenizer = train(split_and_bytes(QWEN), normalizers.NFC(), strings, 2000)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in CHATML])
    plain = ("<think>", "</think>", "<ab>", "<abc>")
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in plain])
    tokenizer.add_tokens([
        AddedToken("e\u0301tag", normalized=True),
        AddedToken("<word>", single_word=True, normalized=False),
        AddedToken("<mask>", lstrip=True, normalized=False),
        AddedToken("[MASK]", lstrip=True, rstrip=True, normalized=True),
        AddedToken("[PAD]", rstrip=True, normalized=False),
    ])
    template = (HERE / "templates/qwen3.jinja").read_text()
    ends = [tokenizer.token_to_id(t) for t in ("<|im_end|>", "<|endoftext|>")]
    return save(HERE / "qwen", tokenizer, strings, files={
        "tokenizer_config.json": {
            "bos_token": None, "eos_token": "<|im_end|>", "chat_template": template},
        "generation_config.json": {"eos_token_id": ends},
    })


def llama3(strings):
    """Llama-3's shape: a BOS, digits in threes, ignore_merges. Merges as strings."""
    from tokenizers import AddedToken, processors

    tokenizer = train(split_and_bytes(LLAMA3), None, strings, 2000)
    tokenizer.model.ignore_merges = True
    special = ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"]
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in special])
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True),
        processors.TemplateProcessing(single="<|begin_of_text|> $A", special_tokens=[
            ("<|begin_of_text|>", tokenizer.token_to_id("<|begin_of_text|>"))]),
    ])
    # Whole words that no merge leads to are reached only by ignore_merges.
    content = json.loads(tokenizer.to_str())
    model = content["model"]
    made = {a + b for a, b in model["merges"]}
    dropped = {"\u0120word", "Hello", "\u0120brown"} & made
    assert dropped, "the corpus has these words"
    model["merges"] = [m for m in model["merges"] if "".join(m) not in dropped
                       and m[0] not in dropped and m[1] not in dropped]
    tokenizer = type(tokenizer).from_str(json.dumps(content))
    return save(HERE / "llama3", tokenizer, strings, string_merges=True, files={
        "tokenizer_config.json": {
            "bos_token": "<|begin_of_text|>", "eos_token": {"content": "<|eot_id|>"}},
        "generation_config.json": {"eos_token_id": tokenizer.token_to_id("<|end_of_text|>")},
    })


def gpt2(strings):
    """GPT-2's shape, here with the space that add_prefix_space puts in front."""
    from tokenizers import AddedToken, pre_tokenizers, processors

    tokenizer = train(pre_tokenizers.ByteLevel(add_prefix_space=True), None, strings, 800)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    tokenizer.add_special_tokens([AddedToken("<|endoftext|>", special=True, normalized=False)])
    return save(HERE / "gpt2", tokenizer, strings)


def rules(strings):
    """Pieces, as byte ranges of the text, of pre-tokenizers that those above do not have."""
    from tokenizers import pre_tokenizers

    def split(pattern, behavior, invert=False):
        return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}

    def byte_level(use_regex):
        return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False,
                "use_regex": use_regex}

    def isolated(regex):
        return split({"Regex": regex}, "Isolated")

    plain, gpt2_rule = byte_level(False), byte_level(True)
    digits = {"type": "Digits", "individual_digits": False}
    cases = [[split({"Regex": r"\s+"}, b, i), plain]
             for b in ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")
             for i in (False, True)]
    cases += [
        [split({"Regex": r"\p{L}"}, "Contiguous"), plain],
        [split({"String": "a.b|c"}, "Isolated"), plain],
        [split({"String": " "}, "MergedWithNext"), plain],
        [digits, plain],
        [digits, gpt2_rule],
        [split({"Regex": GPT2}, "Removed", True), plain],
        [isolated(r"\S+|\s+"), plain],
        [isolated(r"[^\s\d]+"), plain],
    ]
    # o200k's pattern and DeepSeek's, as published: letter cases, escapes and ranges in classes.
    upper, lower = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
    ending = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    cases += [
        [isolated(rf"[^\r\n\p{{L}}\p{{N}}]?{upper}*{lower}+{ending}"
                  rf"|[^\r\n\p{{L}}\p{{N}}]?{upper}+{lower}*{ending}|\p{{N}}{{1,3}}"
                  r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"), plain],
        [isolated(r"\p{N}{1,3}"), isolated(r"[一-龥぀-ゟ゠-ヿ]+"),
         isolated(r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
                  r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
                  r"|\s*[\r\n]+|\s+(?!\S)|\s+"), plain],
    ]
    strings = ["a.b|c a.b|c", "aa.b|cb"] + [s for s in strings if len(s) < 60][:150]
    out = []
    for case in cases:
        rule = {"type": "Sequence", "pretokenizers": case}
        tokenizer = train(pre_tokenizers.ByteLevel(), None, ["a"], 256)
        content = json.loads(tokenizer.to_str())
        content["pre_tokenizer"] = rule
        pre = type(tokenizer).from_str(json.dumps(content)).pre_tokenizer
        pieces = []
        for s in strings:
            ranges = [r for _, r in pre.pre_tokenize_str(s)]
            pieces.append([[len(s[:b].encode()), len(s[:e].encode())] for b, e in ranges])
        out.append({"rule": rule, "pieces": pieces})
    return {"strings": strings, "cases": out}


def chats(tokenizer):
    """Templates rendered by jinja2 as Hugging Face does, and the ids, control strings parsed."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    texts = ["hello", "", "\n\nstarts with newlines", "ends with spaces  ",
             " e\u0301te\u0301 <think>x</think>", "two\nlines\n"]
    tokenizer.encode_special_tokens = False
    out = {}
    for path in sorted((HERE / "templates").glob("*.jinja")):
        render = environment.from_string(path.read_text()).render
        rendered = [render(messages=[{"role": "user", "content": t}], tools=None, documents=None,
                           add_generation_prompt=True) for t in texts]
        ids = [tokenizer.encode(r, add_special_tokens=False).ids for r in rendered]
        out[path.name] = [{"text": t, "rendered": r, "ids": i}
                          for t, r, i in zip(texts, rendered, ids)]
    return out


def main():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    default = cache / "headscope/models/SmolLM2-135M-Instruct.Q4_1.gguf"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=default, type=Path)
    model = parser.parse_args().model

    from corpus import corpus
    strings = corpus()
    write(HERE / "corpus.json", strings)
    smollm = smollm_from_gguf(model)
    write(HERE / "smollm.json", encode_all(smollm, strings))
    chat = {"qwen": chats(qwen(strings)), "smollm": chats(smollm)}
    llama3(strings)
    gpt2(strings)
    write(HERE / "rules.json", rules(strings))
    write(HERE / "chat.json", chat)


if __name__ == "__main__":
    main()
