// SPDX-License-Identifier: GPL-3.0-or-later
// A token that is named by hand. Engine thread, or a verb.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace app {

// What was typed for the target or the distractor of logit attribution.
struct TypedToken {
    std::string typed;
    bool distractor = false;
    std::optional<engine::Candidate> token;  // neither probability nor logit is known
    std::string why;                         // a sentence, where it is none
    std::vector<engine::Candidate> completions;
};

// The vocabulary of one engine, looked up by hand's ways: "#" and an id; or a text that is one
// token, in which "·" may stand for a space, "⏎" for a line break and "⇥" for a tab, as tokens are
// shown; one that is a token only with a space before it is that one. Text in double quotes is
// taken to the letter.
class TokenNames {
  public:
    explicit TokenNames(const engine::Engine&);  // which must outlive it; some 10 ms

    // Throws BadRequest with a sentence where it is no token, or more than one.
    engine::Candidate find(const std::string& typed) const;
    // Tokens that begin as what was typed does, that or it after a space first; then in the order
    // of their ids.
    std::vector<engine::Candidate> startingWith(const std::string& typed, std::size_t most) const;
    TypedToken look(const std::string& typed, bool distractor) const;

  private:
    std::optional<engine::TokenId> idOf(std::string_view bytes) const;
    engine::Candidate candidate(engine::TokenId) const;

    const engine::Engine& m_engine;
    std::vector<std::string> m_bytes;  // by id
};

}  // namespace app
