// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/edit_options.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "app/command_line/cli_text.h"
#include "app/verbs/export_view.h"
#include "engine/values/failure.h"

namespace app {
namespace {

constexpr std::string_view ablateForm = "L12.H7, or L12.H7@9-29 for rows 9 to 29",
                           forbidForm = "L12.H7@5-39:0-3, rows before the colon, sources behind it";

std::optional<std::int64_t> position(std::string_view text) {
    const auto number = parseUnsigned(text);
    if (!number || *number > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
        return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

// "9" and "9-29", which has both ends in it.
std::optional<engine::Rows> range(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto first = position(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : position(text.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    return engine::Rows{*first, *last + 1};
}

std::string written(engine::Rows rows) {
    if (rows == engine::every_row) return {};
    const std::string first = std::to_string(rows.begin);
    return rows.count() == 1 ? first : first + "-" + std::to_string(rows.end - 1);
}

std::optional<engine::HeadEdit> ablation(std::string_view part) {
    const std::size_t at = part.find('@');
    const auto head = parseHead(part.substr(0, at));
    if (!head) return std::nullopt;
    engine::HeadEdit edit;
    edit.at = *head;
    if (at == std::string_view::npos) return edit;
    const auto rows = range(part.substr(at + 1));
    if (!rows) return std::nullopt;
    edit.rows = *rows;
    return edit;
}

std::optional<engine::EdgeEdit> forbidden(std::string_view part) {
    const std::size_t at = part.find('@'), colon = part.find(':');
    if (at == std::string_view::npos || colon == std::string_view::npos || colon < at)
        return std::nullopt;
    const std::string_view rows = part.substr(at + 1, colon - at - 1);
    const auto head = parseHead(part.substr(0, at));
    const auto dest = rows.empty() ? std::optional(engine::every_row) : range(rows);
    const auto src = range(part.substr(colon + 1));
    if (!head || !dest || !src) return std::nullopt;
    return engine::EdgeEdit{*head, *dest, *src};
}

template <typename Edit>
void parseList(const Arguments& arguments, const char* option, std::string_view form,
               std::optional<Edit> (*parse)(std::string_view), std::vector<Edit>& into) {
    const auto typed = arguments.text(option);
    if (!typed) return;
    for (const std::string& part : splitList(*typed)) {
        const auto edit = parse(part);
        if (!edit) badArgument(option, *typed, quote(part) + " is not " + std::string(form));
        into.push_back(*edit);
    }
}

std::string ofMany(const char* one, engine::Rows range) {
    return (range.count() == 1 ? std::string(one) : std::string(one) + "s") + " " + written(range);
}

// A key that no row of the edit sees anyhow: the latest row comes nearest to keys behind it, the
// first to those that have left the layer's window. The engine names a head that is not there.
void checkEdgeIsSeen(const engine::EdgeEdit& edit, std::int64_t end,
                     const engine::ModelInfo& info) {
    const engine::Rows dest{edit.dest.begin, end};
    const auto layer = static_cast<std::size_t>(engine::to_int(edit.at.layer));
    const int window = layer < info.attention.size() ? info.attention[layer].window : 0;
    const bool later = edit.src.begin >= dest.end;
    const bool left = window > 0 && dest.begin - (edit.src.end - 1) >= window;
    if (!later && !left) return;
    throw engine::Error(engine::Failure::Kind::BadRequest,
                        "--forbid " + to_string(edit.at) + ": " + ofMany("row", dest) +
                            (dest.count() == 1 ? " does" : " do") + " not see " +
                            ofMany("source", edit.src) + " anyhow: " +
                            (later ? "a later token is never seen"
                                   : "the layer's window is " + counted(window, "token")));
}

}  // namespace

std::vector<Option> editOptions() {
    return {{"--ablate", "L.H[@ROWS],…",
             "switch these heads off (their z is zero), at all rows or at 9-29"},
            {"--forbid", "L.H@ROWS:SRCS,…", "forbid a head these sources (keys) at these rows"}};
}

engine::Edits parseEdits(const Arguments& arguments) {
    engine::Edits edits;
    parseList<engine::HeadEdit>(arguments, "--ablate", ablateForm, ablation, edits.heads);
    parseList<engine::EdgeEdit>(arguments, "--forbid", forbidForm, forbidden, edits.edges);
    return edits;
}

void checkRows(const engine::Edits& edits, std::int64_t rows, const engine::ModelInfo& info) {
    const auto check = [&](const char* option, engine::LayerHead at, engine::Rows range,
                           const char* of) {
        if (range == engine::every_row || range.end <= rows) return;
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            std::string(option) + " " + to_string(at) + ": there is no " + of +
                                " " + std::to_string(range.end - 1) + ", the run has " +
                                counted(rows, "row"));
    };
    for (const engine::HeadEdit& edit : edits.heads) check("--ablate", edit.at, edit.rows, "row");
    for (const engine::EdgeEdit& edit : edits.edges) {
        check("--forbid", edit.at, edit.dest, "row");
        check("--forbid", edit.at, edit.src, "source");
        checkEdgeIsSeen(edit, std::min(edit.dest.end, rows), info);
    }
}

std::string describe(const engine::Edits& edits) {
    std::string ablate, forbid;
    for (const engine::HeadEdit& edit : edits.heads) {
        const std::string rows = written(edit.rows);
        ablate += (ablate.empty() ? "--ablate " : ",") + to_string(edit.at) +
                  (rows.empty() ? "" : "@" + rows);
    }
    for (const engine::EdgeEdit& edit : edits.edges)
        forbid += (forbid.empty() ? "--forbid " : ",") + to_string(edit.at) + "@" +
                  written(edit.dest) + ":" + written(edit.src);
    return ablate + (ablate.empty() || forbid.empty() ? "" : " ") + forbid;
}

}  // namespace app
