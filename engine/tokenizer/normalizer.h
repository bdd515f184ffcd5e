// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of a text before it is cut and tokenized, with the way back to the text as given.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine::tokenizer {

class Regex;

struct NormalizedText {
    // Stretches of both texts that correspond, in order and without gaps. An unchanged stretch maps
    // byte by byte, a changed one only as a whole.
    struct Stretch {
        std::size_t normalized = 0, original = 0;  // where it begins
        std::size_t normalized_size = 0, original_size = 0;
        bool changed = false;
    };
    std::string text;
    std::vector<Stretch> stretches;  // empty: nothing changed

    struct Range {
        std::size_t begin = 0, end = 0;
    };
    // The bytes as given that bytes [begin, end) of `text` come from.
    Range original(std::size_t begin, std::size_t end) const;
};

// Makes a changed text from left to right.
class TextBuilder {
  public:
    explicit TextBuilder(std::string_view from) : from_(from) {}

    void keep(std::size_t bytes);                          // the next bytes as they are
    void replace(std::size_t bytes, std::string_view by);  // the next bytes, or none, become this
    NormalizedText finish();                               // keeps the rest

  private:
    std::string_view from_;
    std::size_t at_ = 0;
    NormalizedText out_;
    bool changed_ = false;
};

// A text and what it became, change by change.
class ChangedText {
  public:
    explicit ChangedText(std::string_view given) : given_(given) {}

    std::string_view text() const { return changes_.empty() ? given_ : changes_.back().text; }
    void add(NormalizedText change);  // of text(); dropped where nothing changed
    NormalizedText::Range original(std::size_t begin, std::size_t end) const;

  private:
    std::string_view given_;
    std::deque<NormalizedText> changes_;  // views into them stay good
};

// U+FFFD for each part of the text that is no UTF-8, cut as Unicode 3.9 and Python's
// bytes.decode("utf-8", "replace") cut them: what Hugging Face's tokenizers would be given.
NormalizedText without_broken_utf8(std::string_view text);

// One change. The text is valid UTF-8; `at_start`: it begins a text or follows an added token.
using NormalizerStep = std::function<NormalizedText(std::string_view text, bool at_start)>;

class Normalizer {
  public:
    void add(NormalizerStep step) { steps_.push_back(std::move(step)); }
    void run(ChangedText&, bool at_start) const;
    bool empty() const { return steps_.empty(); }

  private:
    std::vector<NormalizerStep> steps_;
};

// `text` must be valid UTF-8.
NormalizedText to_nfc(std::string_view text);

enum class UnicodeForm { Nfc, Nfd, Nfkc, Nfkd };
NormalizerStep to_unicode_form(UnicodeForm);
NormalizerStep lower_case();
NormalizerStep without_accents();  // drops combining marks
NormalizerStep without_space_around(bool left, bool right);
NormalizerStep replacing(std::string what, std::string by);
NormalizerStep replacing(Regex what, std::string by);
NormalizerStep starting_with(std::string prefix);  // of a text that is not empty
NormalizerStep plain_spaces_and_no_controls();     // Hugging Face's Nmt
// SentencePiece's remove_extra_whitespaces: none around the text, one where there were several.
NormalizerStep single_spaces();

}  // namespace engine::tokenizer
