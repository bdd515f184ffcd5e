// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace engine::tokenizer {

// A number of tokenizer.json as Hugging Face's tokenizers reads it: the digits as one integer, then
// times or by a power of ten, each rounded to a double. The last bit may differ from the nearest
// double, and with it which of two paths through a Unigram model is the better by that bit.
// `value`: the nearest double; its shortest decimal is taken for the text of the file.
double as_tokenizers_reads(double value);

}  // namespace engine::tokenizer
