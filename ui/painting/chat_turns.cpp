// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/chat_turns.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "ui/painting/text_spans.h"

namespace ui {

namespace {

// Of ChatML, Llama 3, Gemma, Phi-3, SmolLM and gpt-oss.
constexpr std::array<std::string_view, 8> roles = {"system", "user",      "assistant", "model",
                                                   "tool",   "developer", "ipython",   "function"};

std::string_view bare(std::string_view text, std::string_view around) {
    const std::size_t begin = text.find_first_not_of(around);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(around) + 1 - begin);
}

std::string_view knownRole(std::string_view text) {
    const auto* found = std::find(roles.begin(), roles.end(), text);
    return found == roles.end() ? std::string_view() : *found;
}

QString roleOf(const std::vector<engine::Token>& tokens, const engine::Rows& turn) {
    std::string line;
    bool opened = false;
    for (std::int64_t i = turn.begin; i < turn.end; ++i) {
        const engine::Token& token = tokens[static_cast<std::size_t>(i)];
        if (token.control) {
            if (!line.empty()) break;
            opened = true;
            const std::string_view own = knownRole(bare(token.bytes, "<|>"));
            if (!own.empty()) return QString::fromLatin1(own.data(), static_cast<int>(own.size()));
            continue;
        }
        if (!opened) return {};
        const std::size_t end = token.bytes.find('\n');
        line += token.bytes.substr(0, end);
        if (end != std::string::npos && !bare(line, " \r").empty()) break;
    }
    const std::string_view role = knownRole(bare(line, " \r"));
    return QString::fromLatin1(role.data(), static_cast<int>(role.size()));
}

}  // namespace

std::vector<ChatTurn> chatTurns(const std::vector<engine::Token>& tokens) {
    const std::vector<std::int64_t> edges = spanEdges(tokens, Granularity::Turns);
    std::vector<ChatTurn> turns;
    bool named = false;
    for (std::size_t i = 1; i < edges.size(); ++i) {
        const engine::Rows rows{edges[i - 1], edges[i]};
        turns.push_back({rows, roleOf(tokens, rows)});
        named = named || !turns.back().role.isEmpty();
    }
    if (!named) turns.clear();
    return turns;
}

const ChatTurn* turnOf(const std::vector<ChatTurn>& turns, std::int64_t token) {
    const auto after =
        std::upper_bound(turns.begin(), turns.end(), token,
                         [](std::int64_t at, const ChatTurn& t) { return at < t.tokens.begin; });
    if (after == turns.begin() || token >= std::prev(after)->tokens.end) return nullptr;
    return &*std::prev(after);
}

}  // namespace ui
