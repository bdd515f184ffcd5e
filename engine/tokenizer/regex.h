// SPDX-License-Identifier: GPL-3.0-or-later
// A pattern of a tokenizer file, run by PCRE2 as Hugging Face's Oniguruma would run it. Immutable,
// any thread.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace engine::tokenizer {

struct Match {
    std::size_t begin = 0, end = 0;  // bytes
};

class Regex {
  public:
    // Throws Error(Unsupported) naming what the pattern holds that we cannot run, Error(BadFile)
    // where it is no pattern.
    Regex(std::string_view pattern, const std::string& where);

    // All matches from left to right, empty ones left out. The text must be valid UTF-8. Throws
    // Error(BadRequest) where the pattern backtracks without end on this text.
    void find_all(std::string_view text, std::vector<Match>& out) const;

  private:
    std::string pattern_;  // as in the file, for messages
    std::shared_ptr<const void> code_;
};

// The pattern in PCRE2's dialect. The two agree on nearly all of what tokenizers use; what differs
// in meaning is rewritten (\s) or refused by name, never run with another meaning.
std::string to_pcre2(std::string_view pattern, const std::string& where);

}  // namespace engine::tokenizer
