// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/typed_token.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/command_line/arguments.h"
#include "app/command_line/cli_text.h"
#include "app/threads/engine_worker.h"

namespace app {

namespace {

std::string withoutMarks(std::string text) {
    for (const auto& [mark, meant] :
         {std::pair<std::string_view, char>("·", ' '), {"⏎", '\n'}, {"⇥", '\t'}, {"␍", '\r'}})
        for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at)
            text.replace(at, mark.size(), 1, meant);
    return text;
}

bool isQuoted(const std::string& typed) {
    return typed.size() >= 3 && typed.front() == '"' && typed.back() == '"';
}

std::optional<std::uint64_t> typedId(const std::string& typed) {
    return typed.starts_with('#') ? parseUnsigned(typed.substr(1)) : std::nullopt;
}

[[noreturn]] void refuseToken(std::string what, std::string hint = {}) {
    throw engine::Error(engine::Failure::Kind::BadRequest, std::move(what), {}, std::move(hint));
}

std::vector<engine::Token> piecesOf(const engine::Engine& engine, const std::string& text) {
    engine::TokenizeOptions options;
    options.add_bos = false;
    options.parse_special = true;
    return engine.tokenize(text, options).tokens;
}

// "'kettle drums' is 2 tokens, 'kettle' and ' drums'".
std::string namedPieces(const std::string& typed, const std::vector<engine::Token>& pieces) {
    constexpr std::size_t most = 6;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(pieces.size(), most); ++i)
        names.push_back(quote(pieces[i].bytes));
    if (pieces.size() > most) names.emplace_back("more");
    return quote(typed) + " is " + counted(std::ssize(pieces), "token") + ", " + joined(names);
}

}  // namespace

TokenNames::TokenNames(const engine::Engine& engine) : m_engine(engine) {
    constexpr int atOnce = 4096;
    const int vocab = engine.info().vocab;
    m_bytes.reserve(static_cast<std::size_t>(vocab));
    std::vector<engine::TokenId> ids;
    for (int id = 0; id < vocab; ++id) {
        ids.push_back(static_cast<engine::TokenId>(id));
        if (std::ssize(ids) < atOnce && id + 1 < vocab) continue;
        for (engine::Token& token : engine.describe(ids).tokens)
            m_bytes.push_back(std::move(token.bytes));
        ids.clear();
    }
}

engine::Candidate TokenNames::candidate(engine::TokenId id) const {
    return {id, m_bytes.at(static_cast<std::size_t>(engine::to_int(id))), 0, 0};
}

// What the tokenizer makes of it, where that is it; else the first with these bytes.
std::optional<engine::TokenId> TokenNames::idOf(std::string_view bytes) const {
    const auto pieces = piecesOf(m_engine, std::string(bytes));
    if (pieces.size() == 1 && pieces[0].bytes == bytes) return pieces[0].id;
    const auto found = std::find(m_bytes.begin(), m_bytes.end(), bytes);
    if (found == m_bytes.end()) return std::nullopt;
    return static_cast<engine::TokenId>(found - m_bytes.begin());
}

engine::Candidate TokenNames::find(const std::string& typed) const {
    if (typed.empty()) refuseToken("type a token, or # and its id");
    if (const auto id = typedId(typed)) {
        if (*id < m_bytes.size()) return candidate(static_cast<engine::TokenId>(*id));
        refuseToken(quote(typed) + " is no id: the vocabulary has #0 to #" +
                    std::to_string(m_bytes.size() - 1));
    }
    std::vector<std::string> ways{typed};  // to read it
    if (isQuoted(typed)) {
        ways = {typed.substr(1, typed.size() - 2), typed};
    } else {
        const std::string text = withoutMarks(typed);
        if (text != typed) ways = {text, typed};
        ways.push_back(' ' + text);
    }
    for (const std::string& way : ways)
        if (const auto id = idOf(way)) return candidate(*id);
    refuseToken(namedPieces(typed, piecesOf(m_engine, ways.front())),
                "name one token, or # and its id");
}

std::vector<engine::Candidate> TokenNames::startingWith(const std::string& typed,
                                                        std::size_t most) const {
    std::vector<engine::Candidate> found;
    if (typed.empty()) return found;
    if (const auto id = typedId(typed)) {
        if (*id < m_bytes.size()) found.push_back(candidate(static_cast<engine::TokenId>(*id)));
        return found;
    }
    const std::string text =
        isQuoted(typed) ? typed.substr(1, typed.size() - 2) : withoutMarks(typed);
    const std::string spaced = ' ' + text;
    for (const std::string& whole : {text, spaced})
        if (const auto id = idOf(whole)) found.push_back(candidate(*id));
    for (std::size_t id = 0; id < m_bytes.size() && found.size() < most; ++id) {
        const std::string& bytes = m_bytes[id];
        if (bytes != text && bytes != spaced &&
            (bytes.starts_with(text) || bytes.starts_with(spaced)))
            found.push_back(candidate(static_cast<engine::TokenId>(id)));
    }
    return found;
}

TypedToken TokenNames::look(const std::string& typed, bool distractor) const {
    constexpr std::size_t mostCompletions = 12;
    TypedToken out{typed, distractor, {}, {}, {}};
    try {
        out.completions = startingWith(typed, mostCompletions);
        out.token = find(typed);
    } catch (...) {
        out.why = currentFailure({}).line();
    }
    return out;
}

}  // namespace app
