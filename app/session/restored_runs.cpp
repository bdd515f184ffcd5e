// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/restored_runs.h"

#include <algorithm>
#include <utility>

#include "app/command_line/cli_text.h"

namespace app {

using engine::Position;
using engine::TokenId;

namespace {

constexpr int kAlternatives = 10;

// Closes what it opened unless it is told that all went well.
class OpenRuns {
  public:
    explicit OpenRuns(engine::Engine& engine) : m_engine(engine) {}
    ~OpenRuns() {
        for (const engine::RunId id : m_ids) m_engine.close_run(id);
    }
    OpenRuns(const OpenRuns&) = delete;
    OpenRuns& operator=(const OpenRuns&) = delete;
    engine::RunId open(const engine::RunRequest& request) {
        m_ids.reserve(m_ids.size() + 1);
        return m_ids.emplace_back(m_engine.open_run(request));
    }
    void take(engine::RunId id) { m_ids.push_back(id); }
    void keep() { m_ids.clear(); }

  private:
    engine::Engine& m_engine;
    std::vector<engine::RunId> m_ids;
};

// The whole characters at the front of `held`, which keeps the bytes of one that is not complete.
std::string takeWhole(std::string& held) {
    std::size_t end = held.size();
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, held.size()); ++back) {
        const auto byte = static_cast<unsigned char>(held[held.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        if (length > back) end = held.size() - back;
        break;
    }
    std::string whole = validUtf8(std::string_view(held).substr(0, end));
    held.erase(0, end);
    return whole;
}

double probabilityOf(const engine::TraceReader& reader, engine::RunId run, Position after,
                     TokenId token, const std::vector<engine::Candidate>& top, int vocab) {
    const auto find = [token](const std::vector<engine::Candidate>& candidates) {
        return std::find_if(candidates.begin(), candidates.end(),
                            [token](const auto& candidate) { return candidate.token == token; });
    };
    if (const auto at = find(top); at != top.end()) return at->probability;
    const engine::TopTokens all = reader.logits(run, after, vocab);
    const auto at = find(all.candidates);
    return at == all.candidates.end() ? 0 : at->probability;
}

struct Work {
    engine::Engine& engine;
    const SavedSession& session;
    const std::function<void(const engine::Progress&)>& onProgress;
    const std::stop_token& stop;
    std::int64_t done = 0, total = 0;  // tokens

    void read(engine::RunId id) {
        const std::int64_t before = done;
        std::int64_t first = -1;  // rows that were there, shared with the parent
        for (;;) {
            if (stop.stop_requested()) throw engine::Cancelled();
            const engine::Progress progress =
                engine.prefill_chunk(id, stop, [&](engine::Progress layer) {
                    if (first < 0) first = layer.done;
                    layer.done = before + layer.done - first;
                    layer.total = std::max(total, layer.done + 1);
                    onProgress(layer);
                });
            if (progress.finished()) break;
        }
    }
};

}  // namespace

void takeSteps(engine::Engine& engine, RestoredRun& run, std::int64_t promptTokens,
               std::size_t from, const std::stop_token& stop) {
    const auto reader = engine.reader();
    const auto prompt = static_cast<std::size_t>(promptTokens);
    std::string held;
    for (std::size_t i = 0; prompt + i < run.tokens.size(); ++i) {
        if (stop.stop_requested()) throw engine::Cancelled();
        const engine::Token& token = run.tokens[prompt + i];
        const auto position = static_cast<std::int64_t>(prompt + i);
        if (i >= from) {
            engine::Step step;
            step.token = token;
            step.position = Position(position);
            const Position before{position - 1};
            step.alternatives = reader->logits(run.id, before, kAlternatives).candidates;
            step.probability = probabilityOf(*reader, run.id, before, token.id, step.alternatives,
                                             engine.info().vocab);
            step.rows = position + 1;
            step.pages_total = engine.info().pages;
            run.steps.push_back(std::move(step));
        }
        engine::Step& step = run.steps[i];
        step.run = run.id;
        held += token.bytes;
        step.text = takeWhole(held);
        step.unfinished = held.empty() ? "" : "\xEF\xBF\xBD";
    }
}

RestoredRuns computeRuns(engine::Engine& engine, const SavedSession& session,
                         const std::function<void(const engine::Progress&)>& onProgress,
                         const std::stop_token& stop) {
    RestoredRuns restored;
    const auto described = [&](std::optional<TokenId> id) -> std::optional<engine::Candidate> {
        if (!id) return std::nullopt;
        return engine::Candidate{*id, engine.describe(std::span(&*id, 1)).tokens.at(0).bytes, 0, 0};
    };
    restored.target = described(session.view.target);
    restored.distractor = described(session.view.distractor);
    if (!session.prompt) return restored;

    const std::vector<TokenId>& saved = session.prompt->tokens;
    restored.promptTokens = static_cast<std::int64_t>(saved.size());
    engine::Encoding prompt = engine.tokenize(session.prompt->text, session.prompt->options);
    const bool differs =
        !std::equal(prompt.tokens.begin(), prompt.tokens.end(), saved.begin(), saved.end(),
                    [](const engine::Token& token, TokenId id) { return token.id == id; });
    if (differs) {
        prompt = engine.describe(saved);
        const std::optional<bool>& asWritten = session.prompt->isAsWritten;
        (!asWritten   ? restored.isEither
         : *asWritten ? restored.tokenizerDiffers
                      : restored.isEdited) = true;
    }
    restored.notes = prompt.notes;

    Work work{engine, session, onProgress, stop};
    for (std::size_t i = 0; i < session.runs.size(); ++i)
        work.total += static_cast<std::int64_t>(session.runs[i].tokens.size()) +
                      (i == 0 ? restored.promptTokens : 0);
    OpenRuns open(engine);
    for (std::size_t i = 0; i < session.runs.size(); ++i) {
        const SavedRun& from = session.runs[i];
        engine::RunRequest request;
        request.tokens = idsOf(session, i);
        request.sampling = session.bar.sampling;
        request.edits = from.edits;
        if (from.parent) request.parent = restored.runs[*from.parent].id;  // shares its rows
        RestoredRun run;
        run.id = open.open(request);
        work.read(run.id);
        work.done +=
            static_cast<std::int64_t>(from.tokens.size()) + (i == 0 ? restored.promptTokens : 0);
        run.tokens = prompt.tokens;
        const engine::Encoding generated =
            engine.describe(std::span(request.tokens).subspan(saved.size()));
        run.tokens.insert(run.tokens.end(), generated.tokens.begin(), generated.tokens.end());
        // What another model thinks of the parent's tokens is its own.
        const bool sharesSteps = from.parent && !from.edited;
        const auto shared = static_cast<std::size_t>(sharesSteps ? from.at : 0);
        if (sharesSteps) {
            const std::vector<engine::Step>& parent = restored.runs[*from.parent].steps;
            run.steps.assign(parent.begin(), parent.begin() + static_cast<std::ptrdiff_t>(shared));
        }
        takeSteps(engine, run, restored.promptTokens, shared, stop);
        restored.runs.push_back(std::move(run));
    }
    for (std::size_t i = 0; i < session.beside.size(); ++i) {
        const std::int64_t before = work.done;
        restored.beside.push_back(computeRuns(
            engine, besideOf(session, i),
            [&](engine::Progress progress) {
                progress.done += before;
                progress.total += before;
                onProgress(progress);
            },
            stop));
        for (const RestoredRun& run : restored.beside.back().runs) {
            open.take(run.id);
            work.done += static_cast<std::int64_t>(run.tokens.size());
        }
    }
    restored.candidates =
        engine.reader()
            ->logits(restored.runs[0].id, Position(restored.promptTokens - 1), kAlternatives)
            .candidates;
    open.keep();
    return restored;
}

}  // namespace app
