#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes blocks.gguf: for each block type a tensor of random blocks, and what gguf-py's own numpy
code makes of it, as "NAME.expected" in F32.

    pip install gguf==0.19.0
    python make_blocks.py
"""
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import dequantize

HERE = Path(__file__).resolve().parent
COLUMNS = 512
ROWS = 2
# Where a block has its 16-bit floats: random bits could be infinite there.
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82],
    "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0],
    "MXFP4": [],
}


def random_rows(name, rng):
    kind = gguf.GGMLQuantizationType[name]
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (ROWS * COLUMNS // elements, size), dtype=np.uint8)
    for at in HALVES[name]:
        halves = rng.normal(0, 0.02, len(blocks)).astype(np.float16)
        halves[0] = np.float16(2.0**-24)  # the smallest subnormal
        blocks[:, at:at + 2] = halves.view(np.uint8).reshape(-1, 2)
    if name == "MXFP4":  # its scale is a power of two of 8 bits; the three smallest as well
        blocks[:, 0] = rng.integers(100, 140, len(blocks))
        blocks[:3, 0] = [0, 1, 2]
    return kind, blocks.reshape(ROWS, -1)


def main():
    rng = np.random.default_rng(20261130)
    writer = gguf.GGUFWriter(HERE / "blocks.gguf", "none")
    for name in HALVES:
        kind, rows = random_rows(name, rng)
        expected = dequantize(rows, kind).astype(np.float32)
        assert expected.shape == (ROWS, COLUMNS) and np.isfinite(expected).all()
        writer.add_tensor(name, rows, raw_dtype=kind)
        writer.add_tensor(name + ".expected", expected)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
