// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "app/command_line/cli_text.h"
#include "app/files/json_reader.h"
#include "app/session/pins.h"
#include "app/session/session_edits.h"
#include "app/session/session_heads.h"
#include "engine/values/failure.h"

namespace app {

namespace fs = std::filesystem;
using engine::to_int;
using nlohmann::json;

namespace {

[[noreturn]] void refuseFile(const std::string& what, const std::string& where,
                             const std::string& hint = "nothing was changed") {
    throw engine::Error(engine::Failure::Kind::BadFile, what, where, hint);
}

constexpr const char* kMagic = "headscope_session";
constexpr int kDepth = 10;
constexpr std::int64_t kMostPositions = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMostRuns = 1000, kMostBeside = 2;

// In the order of their enums.
constexpr std::array kQuantities{"scores", "pattern", "value", "attribution"};
constexpr std::array kTransfers{"linear", "sqrt", "log"};
constexpr std::array kRanges{"head", "layer", "model", "fixed"};
constexpr std::array kSinks{"out", "in", "hidden", "renormalized"};
constexpr std::array kPoolings{"none", "max", "mean", "sum"};
constexpr std::array kGranularities{"tokens", "words", "sentences", "lines", "turns"};
constexpr std::array kPages{"head", "finder", "compare"};
constexpr std::array kMeasures{"write", "attribution"};

template <typename Enum, std::size_t N>
const char* nameOf(Enum value, const std::array<const char*, N>& names) {
    return names.at(static_cast<std::size_t>(value));
}

template <typename Enum, std::size_t N>
Enum enumOf(const JsonReader& value, const std::array<const char*, N>& names) {
    return static_cast<Enum>(value.oneOf(names));
}

json idsAsJson(const std::vector<engine::TokenId>& ids) {
    json list = json::array();
    for (const engine::TokenId id : ids) list.push_back(to_int(id));
    return list;
}

engine::TokenId tokenOf(const JsonReader& value) {
    return engine::TokenId(
        static_cast<std::int32_t>(value.integer(0, std::numeric_limits<std::int32_t>::max())));
}

std::vector<engine::TokenId> idsOf(const JsonReader& list) {
    std::vector<engine::TokenId> ids(list.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = tokenOf(list.item(i));
    return ids;
}

// FNV-1a of a prompt's text and tokens: whoever edits one of them in the file makes no session of
// another tokenizer.
std::string checkOf(const SavedPrompt& prompt) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&hash](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3U; };
    for (const char c : validUtf8(prompt.text)) add(static_cast<unsigned char>(c));
    for (const engine::TokenId id : prompt.tokens)
        for (int shift = 0; shift < 32; shift += 8)
            add((static_cast<std::uint32_t>(to_int(id)) >> shift) & 0xFF);
    add(prompt.options.chat ? 1 : 0);
    add(prompt.options.parse_special ? 1 : 0);
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
    return digits.data();
}

// ---- writing

json asJson(const SavedModel& model) {
    return {{"path", model.path}, {"name", model.name}, {"hash", model.hash}};
}

json asJson(const SavedBar& bar) {
    return {{"text", bar.text},
            {"chat", bar.options.chat},
            {"parse_special", bar.options.parse_special},
            {"generate", bar.generate},
            {"temperature", bar.sampling.temperature},
            {"top_k", bar.sampling.top_k},
            {"top_p", bar.sampling.top_p},
            {"seed", bar.sampling.seed}};
}

json asJson(const SavedPrompt& prompt) {
    json out{{"text", prompt.text},
             {"chat", prompt.options.chat},
             {"parse_special", prompt.options.parse_special},
             {"tokens", idsAsJson(prompt.tokens)}};
    if (prompt.isAsWritten) out["check"] = *prompt.isAsWritten ? checkOf(prompt) : "edited";
    return out;
}

json asJson(const SavedRun& run) {
    json out{{"tokens", idsAsJson(run.tokens)}};
    if (run.parent) {
        out["parent"] = *run.parent;
        out["at"] = run.at;
    }
    if (!run.edits.empty()) out["edits"] = editsAsJson(run.edits);
    if (run.edited) out["edited"] = true;
    return out;
}

json asJson(engine::LayerHead at) {
    return {{"layer", to_int(at.layer)}, {"head", to_int(at.head)}};
}

json asJson(const SavedSelection& selection) {
    json out = asJson(selection.at);
    out.update({{"dest", to_int(selection.dest)},
                {"src", to_int(selection.src)},
                {"src_by_hand", selection.srcByHand},
                {"locked", selection.locked},
                {"follow_newest", selection.follow}});
    return out;
}

json asJson(const SavedView& view) {
    json out{{"page", nameOf(view.page, kPages)},
             {"quantity", nameOf(view.quantity, kQuantities)},
             {"scale", nameOf(view.scale.transfer, kTransfers)},
             {"rank", view.scale.rank},
             {"range", nameOf(view.scale.range, kRanges)},
             {"sink", nameOf(view.scale.sink, kSinks)},
             {"pooling", nameOf(view.scale.pooling, kPoolings)}};
    if (view.by != ui::Granularity::Tokens) out["by"] = nameOf(view.by, kGranularities);
    if (view.zoom)
        out["zoom"] = {
            {"dest", view.zoom->dest}, {"src", view.zoom->src}, {"count", view.zoom->count}};
    if (view.span) out["span"] = {{"begin", view.span->begin}, {"end", view.span->end}};
    if (view.target) out["target"] = to_int(*view.target);
    if (view.distractor) out["distractor"] = to_int(*view.distractor);
    json pins = json::array();
    for (const engine::LayerHead at : view.pins) pins.push_back(asJson(at));
    if (!pins.empty()) out["pins"] = pins;
    if (view.compared) out["compared"] = {{"a", view.compared->a}, {"b", view.compared->b}};
    if (view.heads) out["heads"] = headsAsJson(*view.heads);
    if (view.asText) out["as_text"] = *view.asText;
    json thresholds = json::object();
    for (std::size_t i = 0; i < kQuantities.size(); ++i)
        if (view.scale.thresholds[i] > 0) thresholds[kQuantities[i]] = view.scale.thresholds[i];
    if (!thresholds.empty()) out["thresholds"] = thresholds;
    if (view.transposed) out["transposed"] = *view.transposed;
    if (view.palette) out["palette"] = nameOf(*view.palette, ui::paletteNames);
    if (view.measure) out["bars"] = nameOf(*view.measure, kMeasures);
    return out;
}

// ---- reading

engine::TokenizeOptions optionsOf(const JsonReader& from) {
    engine::TokenizeOptions options;
    options.chat = from["chat"].flag();
    options.parse_special = from["parse_special"].flag();
    return options;
}

SavedBar barOf(const JsonReader& from) {
    SavedBar bar;
    bar.text = from["text"].text();
    bar.options = optionsOf(from);
    bar.generate = from["generate"].integer(1, 1'000'000);
    bar.sampling.temperature = from["temperature"].real(0, 10);
    bar.sampling.top_k = static_cast<int>(from["top_k"].integer(0, 1'000'000));
    bar.sampling.top_p = from["top_p"].real(0, 1);
    if (bar.sampling.top_p == 0) from["top_p"].fail("is 0, which leaves no token");
    bar.sampling.seed = from["seed"].unsignedInteger();
    return bar;
}

SavedPrompt savedPromptOf(const JsonReader& from) {
    SavedPrompt prompt{from["text"].text(), optionsOf(from), idsOf(from["tokens"]), {}};
    if (const auto check = from.find("check"))
        prompt.isAsWritten = check->text() == checkOf(prompt);
    if (prompt.tokens.empty()) from["tokens"].fail("is empty: a prompt has a token at least");
    return prompt;
}

// The runs before it are there.
SavedRun runOf(const JsonReader& from, const SavedSession& session) {
    SavedRun run;
    run.tokens = idsOf(from["tokens"]);
    const std::size_t before = session.runs.size();
    if (before == 0) {
        for (const char* key : {"parent", "edits", "edited"})
            if (from.find(key)) from[key].fail("stands at the prompt's own run");
        return run;
    }
    run.parent =
        static_cast<std::size_t>(from["parent"].integer(0, static_cast<std::int64_t>(before) - 1));
    const auto prompt = static_cast<std::int64_t>(session.prompt->tokens.size());
    run.at = from["at"].integer(0, tokensOf(session, *run.parent) - prompt);
    if (const auto edits = from.find("edits")) run.edits = editsOf(*edits);
    if (const auto edited = from.find("edited")) run.edited = edited->flag();
    if (run.tokens.empty() && !run.edited)
        from["tokens"].fail("is empty: a fork has a token of its own");
    return run;
}

// Of session.prompt.
void readRuns(const JsonReader& runs, SavedSession& session) {
    if (runs.size() > kMostRuns)
        runs.fail("has " + std::to_string(runs.size()) + " entries, and " +
                  std::to_string(kMostRuns) + " are read at most");
    if (session.prompt.has_value() != (runs.size() > 0))
        runs.fail(session.prompt ? "is empty, and there is a prompt"
                                 : "has entries, and there is no prompt");
    for (std::size_t i = 0; i < runs.size(); ++i)
        session.runs.push_back(runOf(runs.item(i), session));
}

engine::LayerHead headOf(const JsonReader& from) {
    constexpr std::int64_t most = 100'000;  // what the model has is checked against the model
    return {engine::Layer(static_cast<int>(from["layer"].integer(0, most))),
            engine::QueryHead(static_cast<int>(from["head"].integer(0, most)))};
}

SavedSelection selectionOf(const JsonReader& from, std::int64_t positions) {
    const std::int64_t last = std::max<std::int64_t>(positions - 1, 0);
    SavedSelection selection;
    selection.at = headOf(from);
    const std::int64_t dest = from["dest"].integer(0, last);
    selection.dest = engine::Position(dest);
    selection.src = engine::Position(from["src"].integer(0, dest));
    selection.srcByHand = from["src_by_hand"].flag();
    selection.locked = from["locked"].flag();
    selection.follow = from["follow_newest"].flag();
    return selection;
}

SavedView viewOf(const JsonReader& from, std::size_t runs) {
    SavedView view;
    view.page = enumOf<SavedPage>(from["page"], kPages);
    view.quantity = enumOf<engine::Quantity>(from["quantity"], kQuantities);
    view.scale.transfer = enumOf<engine::Transfer>(from["scale"], kTransfers);
    view.scale.rank = from["rank"].flag();
    view.scale.range = enumOf<ui::RangeMode>(from["range"], kRanges);
    view.scale.sink = enumOf<ui::SinkMode>(from["sink"], kSinks);
    view.scale.pooling = enumOf<engine::Pooling>(from["pooling"], kPoolings);
    if (view.scale.pooling == engine::Pooling::None)
        from["pooling"].fail("is none, which is not to choose");
    if (const auto by = from.find("by")) view.by = enumOf<ui::Granularity>(*by, kGranularities);
    if (const auto zoom = from.find("zoom"))
        view.zoom = ui::MapView{(*zoom)["dest"].integer(0, kMostPositions),
                                (*zoom)["src"].integer(0, kMostPositions),
                                (*zoom)["count"].integer(1, kMostPositions)};
    if (const auto span = from.find("span")) {
        const std::int64_t begin = (*span)["begin"].integer(0, kMostPositions - 1);
        view.span = engine::Rows{begin, (*span)["end"].integer(begin + 1, kMostPositions)};
    }
    if (const auto target = from.find("target")) view.target = tokenOf(*target);
    if (const auto distractor = from.find("distractor")) view.distractor = tokenOf(*distractor);
    if (const auto pins = from.find("pins")) {
        if (pins->size() > Pins::most)
            pins->fail("has " + std::to_string(pins->size()) + " entries, and " +
                       std::to_string(Pins::most) + " heads are pinned at most");
        for (std::size_t i = 0; i < pins->size(); ++i) view.pins.push_back(headOf(pins->item(i)));
    }
    if (const auto pair = from.find("compared")) {
        if (runs < 2) pair->fail("stands there, and there are no two runs");
        const auto last = static_cast<std::int64_t>(runs) - 1;
        view.compared = {static_cast<std::size_t>((*pair)["a"].integer(0, last)),
                         static_cast<std::size_t>((*pair)["b"].integer(0, last))};
    }
    if (const auto heads = from.find("heads")) view.heads = headsOf(*heads);
    if (const auto asText = from.find("as_text")) view.asText = asText->flag();
    if (const auto thresholds = from.find("thresholds"))
        for (std::size_t i = 0; i < kQuantities.size(); ++i)
            if (const auto magnitude = thresholds->find(kQuantities[i]))
                view.scale.thresholds[i] = magnitude->real(0, ui::largestThreshold);
    if (const auto transposed = from.find("transposed")) view.transposed = transposed->flag();
    if (const auto palette = from.find("palette"))
        view.palette = enumOf<ui::Palette>(*palette, ui::paletteNames);
    if (const auto bars = from.find("bars")) view.measure = enumOf<ui::Measure>(*bars, kMeasures);
    return view;
}

std::string contents(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error))  // a pipe would hold the window
        refuseFile(fs::exists(path, error) ? "not a file" : "there is no such file", path);
    const auto bytes = fs::file_size(path, error);
    if (!error && bytes > static_cast<std::uintmax_t>(kLargestSession))
        refuseFile("the file has " + thousands(static_cast<std::int64_t>(bytes)) +
                       " bytes; a session may have " + thousands(kLargestSession),
                   path);
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(error ? 0 : bytes), '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file) refuseFile("the file cannot be read", path);
    return text;
}

}  // namespace

bool isSessionPath(const std::string& path) {
    std::string ending = fs::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending == kSessionSuffix;
}

// A line a part, so that two sessions can be compared with diff.
std::string sessionText(const SavedSession& session) {
    const auto refuseToKeep = [](const std::string& what, const std::string& hint) {
        throw engine::Error(engine::Failure::Kind::BadRequest, what, "session", hint);
    };
    if (validUtf8(session.model.path) != session.model.path)
        refuseToKeep("the model's path is not UTF-8 text, which a session file is", "rename it");
    const bool hasEdits =
        std::any_of(session.runs.begin(), session.runs.end(),
                    [](const SavedRun& run) { return run.edited || !run.edits.empty(); });
    std::string text = "{\n  \"" + std::string(kMagic) + "\": " +
                       std::to_string(!session.beside.empty() ? 3
                                      : hasEdits              ? 2
                                                              : 1) +
                       ",\n";
    const auto part = [&](const char* name, const json& value, bool last = false) {
        text += "  \"" + std::string(name) +
                "\": " + value.dump(-1, ' ', false, json::error_handler_t::replace) +
                (last ? "\n" : ",\n");
    };
    part("written_by", "Headscope " HEADSCOPE_VERSION);
    part("model", asJson(session.model));
    part("bar", asJson(session.bar));
    if (session.prompt) part("prompt", asJson(*session.prompt));
    json runs = json::array();
    for (const SavedRun& run : session.runs) runs.push_back(asJson(run));
    part("runs", runs);
    part("shown", session.shown);
    part("selection", asJson(session.selection));
    if (!session.beside.empty()) {
        json list = json::array();
        for (const SavedBeside& beside : session.beside) {
            json of = json::array();
            for (const SavedRun& run : beside.runs) of.push_back(asJson(run));
            list.push_back(
                {{"prompt", asJson(beside.prompt)}, {"runs", of}, {"shown", beside.shown}});
        }
        part("beside", list);
    }
    part("view", asJson(session.view), true);
    text += "}\n";
    if (static_cast<std::int64_t>(text.size()) > kLargestSession)
        refuseToKeep("the session would have " + thousands(static_cast<std::int64_t>(text.size())) +
                         " bytes; a session file may have " + thousands(kLargestSession),
                     "shorten the prompt");
    return text;
}

SavedSession parseSession(std::string_view text, const std::string& where) {
    const json document = parseJson(text, kDepth, where);
    const JsonReader from(document, where);
    if (!document.is_object() || !document.contains(kMagic))
        refuseFile(std::string("not a session of Headscope: it has no \"") + kMagic + "\"", where);
    const std::int64_t version = from[kMagic].integer(1, std::numeric_limits<int>::max());
    if (version > kSessionVersion)
        refuseFile("a session of version " + std::to_string(version) +
                       ", and this program reads up to " + std::to_string(kSessionVersion),
                   where, "open it with a newer Headscope");
    SavedSession session;
    session.model = {from["model"]["path"].text(), from["model"]["name"].text(),
                     from["model"]["hash"].text()};
    if (!fs::path(session.model.path).is_absolute())
        from["model"]["path"].fail("is no absolute path: " + quote(session.model.path));
    if (session.model.path.find('\0') != std::string::npos)
        from["model"]["path"].fail("has a NUL byte");
    session.bar = barOf(from["bar"]);
    if (const auto prompt = from.find("prompt")) session.prompt = savedPromptOf(*prompt);
    readRuns(from["runs"], session);
    std::size_t allRuns = session.runs.size();
    if (const auto beside = from.find("beside")) {
        if (!session.prompt) beside->fail("stands there, and there is no prompt");
        if (beside->size() > kMostBeside)
            beside->fail("has " + std::to_string(beside->size()) + " entries, and " +
                         std::to_string(kMostBeside) + " are compared at most");
        for (std::size_t i = 0; i < beside->size(); ++i) {
            const JsonReader of = beside->item(i);
            SavedSession part;
            part.prompt = savedPromptOf(of["prompt"]);
            readRuns(of["runs"], part);
            const auto last = static_cast<std::int64_t>(part.runs.size()) - 1;
            const auto shown = static_cast<std::size_t>(of["shown"].integer(0, last));
            allRuns += part.runs.size();
            session.beside.push_back({*part.prompt, std::move(part.runs), shown});
        }
    }
    const auto lastRun =
        static_cast<std::int64_t>(std::max<std::size_t>(session.runs.size(), 1)) - 1;
    session.shown = static_cast<std::size_t>(from["shown"].integer(0, lastRun));
    session.selection =
        selectionOf(from["selection"],
                    session.runs.empty() ? kMostPositions : tokensOf(session, session.shown));
    session.view = viewOf(from["view"], allRuns);
    return session;
}

SavedSession readSession(const std::string& path) {
    SavedSession session = parseSession(contents(path), path);
    std::error_code error;
    if (fs::exists(session.model.path, error)) return session;
    const fs::path model(session.model.path);
    const fs::path beside = fs::absolute(path, error).parent_path() /
                            (model.has_filename() ? model : model.parent_path()).filename();
    if (!fs::exists(beside, error))
        refuseFile("its model is not there: " + oneLine(session.model.path), path,
                   "put it back there or beside the session file; nothing was changed");
    session.model.path = beside.lexically_normal().string();
    return session;
}

}  // namespace app
