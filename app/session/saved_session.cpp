// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/saved_session.h"

#include "app/command_line/cli_text.h"
#include "engine/values/failure.h"

namespace app {

using engine::to_int;

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
    throw engine::Error(engine::Failure::Kind::BadFile, what, where, "nothing was changed");
}

}  // namespace

SavedSession besideOf(const SavedSession& session, std::size_t index) {
    SavedSession part;
    part.model = session.model;
    part.bar = session.bar;
    part.prompt = session.beside.at(index).prompt;
    part.runs = session.beside.at(index).runs;
    part.shown = session.beside.at(index).shown;
    return part;
}

std::int64_t tokensOf(const SavedSession& session, std::size_t run) {
    const SavedRun& at = session.runs.at(run);
    return static_cast<std::int64_t>(session.prompt->tokens.size() + at.tokens.size()) +
           (at.parent ? at.at : 0);
}

std::vector<engine::TokenId> idsOf(const SavedSession& session, std::size_t run) {
    const SavedRun& at = session.runs.at(run);
    std::vector<engine::TokenId> ids =
        at.parent ? idsOf(session, *at.parent) : session.prompt->tokens;
    if (at.parent) ids.resize(session.prompt->tokens.size() + static_cast<std::size_t>(at.at));
    ids.insert(ids.end(), at.tokens.begin(), at.tokens.end());
    return ids;
}

void checkSession(const SavedSession& session, const engine::ModelInfo& model,
                  const std::string& where) {
    const auto lacks = [&](const std::string& what, std::int64_t number, std::int64_t count) {
        refuse("the session names " + what + " " + std::to_string(number) + ", and its model " +
                   oneLine(model.name) + " has " + thousands(count),
               where);
    };
    const auto check = [&](engine::TokenId id) {
        if (to_int(id) >= model.vocab) lacks("token", to_int(id), model.vocab);
    };
    if (session.prompt)
        for (const engine::TokenId id : session.prompt->tokens) check(id);
    for (std::size_t i = 0; i < session.runs.size(); ++i) {
        for (const engine::TokenId id : session.runs[i].tokens) check(id);
        if (tokensOf(session, i) > model.context)
            refuse("a run of the session has " + thousands(tokensOf(session, i)) +
                       " tokens, and its model's context holds " + thousands(model.context),
                   where);
    }
    if (session.view.target) check(*session.view.target);
    if (session.view.distractor) check(*session.view.distractor);
    std::vector<engine::LayerHead> heads = session.view.pins;
    heads.push_back(session.selection.at);
    for (const SavedRun& run : session.runs) {
        for (const engine::HeadEdit& edit : run.edits.heads) {
            heads.push_back(edit.at);
            if (!edit.values.empty() && std::ssize(edit.values) != model.head_dim)
                refuse("the session patches a head with " + std::to_string(edit.values.size()) +
                           " values, and those of its model " + oneLine(model.name) + " have " +
                           std::to_string(model.head_dim),
                       where);
        }
        for (const engine::EdgeEdit& edit : run.edits.edges) heads.push_back(edit.at);
    }
    if (const auto& kept = session.view.heads) {
        for (const engine::Rows& range : kept->fold.layers)
            if (range.end > model.layers) lacks("layer", range.end - 1, model.layers);
        for (const int group : kept->fold.groups)
            if (group >= model.kv_heads) lacks("KV group", group, model.kv_heads);
    }
    for (const engine::LayerHead at : heads) {
        if (to_int(at.layer) >= model.layers) lacks("layer", to_int(at.layer), model.layers);
        if (to_int(at.head) >= model.query_heads) lacks("head", to_int(at.head), model.query_heads);
    }
    for (std::size_t i = 0; i < session.beside.size(); ++i)
        checkSession(besideOf(session, i), model, where);
}

}  // namespace app
