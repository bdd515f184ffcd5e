#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The head finder's numbers of the default model, by numpy from Hugging Face's own patterns.

    pip install numpy
    python head_scores.py smollm2_names.safetensors smollm2_names_heads.safetensors

The first is what make_goldens.py wrote. The second gets float32 [L, H] tensors: mass, distance,
sink, entropy, previous_token, duplicate_token and induction. The last three are what detect_head of
TransformerLens computes with its defaults (error_measure "mul", exclude_bos and
exclude_current_token false) from detection patterns of ones and zeros, here as dense matrices.
"""

import json
import struct
import sys

import numpy as np


def read(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    types = {"F32": "<f4", "I64": "<i8"}
    return {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
        if name != "__metadata__"
    }


def write(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        piece = values.astype("<f4").tobytes()
        offsets = [len(data), len(data) + len(piece)]
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": offsets}
        data += piece
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def detection_patterns(tokens):
    count = len(tokens)
    previous = np.zeros((count, count))
    previous[1:, :-1] = np.eye(count - 1)
    equal = (tokens[:, None] == tokens[None, :]).astype(float)
    np.fill_diagonal(equal, 0)
    duplicate = np.tril(equal)
    shifted = np.roll(duplicate, 1, axis=1)
    shifted[:, 0] = 0
    return {
        "previous_token": previous,
        "duplicate_token": duplicate,
        "induction": np.tril(shifted),
    }


def main(source, target):
    golden = read(source)
    tokens = golden["token_ids"]
    count = len(tokens)
    rows, columns = np.tril_indices(count)
    patterns = detection_patterns(tokens)
    assert all(pattern.sum() > 0 for pattern in patterns.values())
    found = {}
    layer = 0
    while f"layers.{layer}.pattern_tril" in golden:
        for cells in golden[f"layers.{layer}.pattern_tril"].astype(float):
            p = np.zeros((count, count))
            p[rows, columns] = cells
            numbers = {
                "mass": p.sum() / count,
                "distance": (p * (np.arange(count)[:, None] - np.arange(count))).sum() / count,
                "sink": p[:, 0].mean(),
                "entropy": -(p * np.log(np.where(p > 0, p, 1))).sum() / count,
            }
            for name, pattern in patterns.items():
                numbers[name] = (p * pattern).sum() / p.sum()
            for name, value in numbers.items():
                found.setdefault(name, []).append(value)
        layer += 1
    write(target, {name: np.array(values).reshape(layer, -1) for name, values in found.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
