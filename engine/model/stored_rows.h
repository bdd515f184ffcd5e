// SPDX-License-Identifier: GPL-3.0-or-later
// Matrices as files lay them, in the order that the decoder wants: whole rows move, so blocks stay
// as they are.
#pragma once
#include "engine/formats/checkpoint.h"

namespace engine {

// Rows of each head from pair order (a0 b0 a1 b1 …) to half-split (a0 a1 … b0 b1 …), as llama.cpp's
// converter permutes them. Of a bias [out]: its elements.
formats::StoredTensor half_split_rows(const formats::StoredTensor&, int head_dim);

// From head after head, each with its q, k and v, to all of q, all of k, all of v.
formats::StoredTensor gathered_heads(const formats::StoredTensor&, int head_dim);

// From rows in turn, a b a b …, to all of a, then all of b.
formats::StoredTensor dealt_rows(const formats::StoredTensor&);

// One of two matrices whose rows lie in turn, a b a b …, where it lies.
formats::StoredTensor every_second_row(const formats::StoredTensor&, int first);

// [in, out] to [out, in]; throws Error(Unsupported) for blocks, whose rows cannot be cut.
formats::StoredTensor transposed(const formats::StoredTensor&);

}  // namespace engine
