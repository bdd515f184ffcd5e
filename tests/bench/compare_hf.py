#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Headscope beside Hugging Face transformers on the CPU, in one run on one machine, fp32.

    pip install torch==2.11.0 transformers==5.24.0 gguf==0.19.0 accelerate
    python compare_hf.py MODEL.gguf --headscope build/release/bin/headscope [--rounds 2]

Each round starts a process each for HF eager with output_attentions (which sees every pattern),
HF sdpa without (which sees none) and `headscope bench --json` (full capture). Rounds alternate,
so that what else the machine does meets all three alike. Shown are medians over the rounds. HF
computes the logits of the last row only (logits_to_keep=1) and keeps its KV cache, as generation
needs it. Without --headscope only HF is measured.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

STARTED = time.perf_counter()
PROMPT = 14  # tokens of the example prompt: what a launch shows first
# Figure, contexts, unit, and how many times HF eager and HF sdpa Headscope means to be as fast.
GOALS = {
    ("prefill_ms", 512): (1.2, 1.0),
    ("prefill_ms", 2048): (4.0, 1.15),
    ("decode_tok_s", 512): (3.0, 2.3),
    ("load_s", 0): (None, None),
    ("first_heatmap_s", 0): (None, None),
    ("peak_memory_bytes", 2048): (1.0, None),
}
GROWING = {"decode_tok_s"}  # the others are better when smaller


def seconds(work, runs):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def peak_memory():
    """Of this process, bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def measure_hf(model_path, attention, threads):
    """Runs in a process of its own and prints {figure: value} as JSON."""
    import torch
    import transformers

    torch.set_num_threads(threads)
    figures = {}
    begin = time.perf_counter()
    model = transformers.AutoModelForCausalLM.from_pretrained(
        model_path.parent,
        gguf_file=model_path.name,
        dtype=torch.float32,
        attn_implementation=attention,
    ).eval()
    figures["load_s", 0] = time.perf_counter() - begin
    watched = attention == "eager"
    ids = torch.randint(
        1000, model.config.vocab_size, (1, 4096), generator=torch.Generator().manual_seed(1)
    )

    def step(tokens, cache=None):
        return model(
            tokens,
            cache=cache,
            use_cache=True,
            output_attentions=watched,
            logits_to_keep=1,
        )

    with torch.no_grad():
        step(ids[:, :PROMPT])
        figures["first_heatmap_s", 0] = time.perf_counter() - STARTED
        for context, runs in ((512, 3), (2048, 1)):
            if context == 512:
                step(ids[:, :context])  # warm
            elapsed = seconds(lambda context=context: step(ids[:, :context]), runs)
            figures["prefill_ms", context] = elapsed * 1e3
            figures["peak_memory_bytes", context] = peak_memory()
        cache = step(ids[:, :512]).past_key_values
        tokens = iter(range(512, 544))

        def decode():
            position = next(tokens)
            step(ids[:, position : position + 1], cache)

        decode()
        figures["decode_tok_s", 512] = 1 / seconds(decode, 24)
    print(json.dumps([[name, context, value] for (name, context), value in figures.items()]))


def child(command, threads):
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "TRANSFORMERS_VERBOSITY": "error"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def run_hf(model, attention, threads):
    command = [sys.executable, __file__, str(model), "--threads", str(threads)]
    rows = child(command + ["--measure", attention], threads)
    return {(name, context): value for name, context, value in rows}


def run_headscope(program, model, threads):
    command = [program, "bench", str(model), "--json", "--threads", str(threads)]
    rows = child(command + ["--dtype", "float32", "--device", "cpu"], threads)
    return {(row["name"], row["context"]): row["value"] for row in rows}


def found(figures, name, context):
    """Figures without a context of their own, as load_s, carry the one they were taken at."""
    if context and (name, context) in figures:
        return figures[name, context]
    return next((value for (key, _), value in figures.items() if key == name), None)


def table(rounds):
    """Lines of markdown: rows are figures, columns the medians over rounds and the ratios."""
    lines = [
        "| figure | tokens | Headscope | HF eager | HF sdpa | x eager (goal) | x sdpa (goal) |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, context), goals in GOALS.items():
        values = {}
        for who in ("headscope", "eager", "sdpa"):
            taken = [found(one[who], name, context) for one in rounds if who in one]
            taken = [value for value in taken if value is not None]
            values[who] = statistics.median(taken) if taken else None
        ratios = []
        for who, goal in zip(("eager", "sdpa"), goals):
            if None in (values["headscope"], values[who]):
                ratios.append("-")
                continue
            ratio = values["headscope"] / values[who]
            ratio = ratio if name in GROWING else 1 / ratio
            wanted = f" ({goal})" if goal else ""
            missed = " missed" if goal and ratio < goal else ""
            ratios.append(f"{ratio:.2f}{wanted}{missed}")
        shown = ["-" if value is None else f"{value:,.4g}" for value in values.values()]
        if name.endswith("_bytes"):
            shown = ["-" if value is None else f"{value / 1e9:.2f} GB" for value in values.values()]
        lines.append(f"| {name} | {context or ''} | " + " | ".join(shown + ratios) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--headscope", help="the program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--measure", choices=("eager", "sdpa"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure_hf(arguments.model, arguments.measure, arguments.threads)
        return

    rounds = []
    for index in range(arguments.rounds):
        one = {}
        for attention in ("eager", "sdpa"):
            print(f"round {index + 1}: HF {attention}", file=sys.stderr)
            one[attention] = run_hf(arguments.model, attention, arguments.threads)
        if arguments.headscope:
            print(f"round {index + 1}: Headscope", file=sys.stderr)
            one["headscope"] = run_headscope(
                arguments.headscope, arguments.model, arguments.threads
            )
        rounds.append(one)
    print("\n".join(table(rounds)))


if __name__ == "__main__":
    main()
