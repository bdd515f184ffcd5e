// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>
#include <span>

#include "app/command_line/cli_text.h"
#include "app/files/data_file.h"
#include "app/files/head_data.h"
#include "app/files/output_file.h"
#include "app/files/picture_file.h"
#include "app/verbs/drawing_application.h"
#include "app/verbs/edit_options.h"
#include "app/verbs/export_figure.h"
#include "app/verbs/out_path.h"
#include "app/verbs/verbs.h"
#include "ui/painting/palette_choice.h"

namespace app {
namespace {

using Kind = ExportView::Kind;

std::optional<engine::Quantity> parseQuantity(const Arguments& arguments, Kind view) {
    const auto name = arguments.oneOf("--quantity", {"scores", "pattern", "value", "attribution"});
    if (!name) return std::nullopt;
    if (view == Kind::Grid && *name != "pattern")
        badArgument("--quantity", *name, "the grid shows patterns");
    if (view == Kind::Numbers)
        badArgument("--quantity", *name, "all heads have all their measures");
    if (view == Kind::Bars && *name != "value" && *name != "attribution")
        badArgument("--quantity", *name,
                    "bars show attribution, or value: the length of what is written");
    if (*name == "scores") return engine::Quantity::Scores;
    if (*name == "pattern") return engine::Quantity::Pattern;
    if (*name == "value") return engine::Quantity::Value;
    return engine::Quantity::Attribution;
}

ui::Granularity parseBy(const Arguments& arguments, Kind view) {
    const auto name = arguments.oneOf("--by", {"tokens", "words", "sentences", "lines", "turns"});
    if (!name) return ui::Granularity::Tokens;
    if (view != Kind::Heads && view != Kind::Layer)
        badArgument("--by", *name, "the maps of heads and layers have spans");
    if (*name == "words") return ui::Granularity::Words;
    if (*name == "sentences") return ui::Granularity::Sentences;
    if (*name == "lines") return ui::Granularity::Lines;
    if (*name == "turns") return ui::Granularity::Turns;
    return ui::Granularity::Tokens;
}

// "3-9", both ends counted, or "3".
std::optional<engine::Rows> parseRange(const Arguments& arguments, const char* option, Kind view) {
    const auto typed = arguments.text(option);
    if (!typed) return std::nullopt;
    if (view != Kind::Heads && view != Kind::Layer)
        badArgument(option, *typed, "only the maps of heads and layers have parts");
    const std::size_t dash = typed->find('-');
    const auto first = parseUnsigned(typed->substr(0, dash));
    const auto last = dash == typed->npos ? first : parseUnsigned(typed->substr(dash + 1));
    constexpr auto most = std::uint64_t{std::numeric_limits<std::int32_t>::max()};
    if (!first || !last || *first > *last || *last > most)
        badArgument(option, *typed, "is not 3-9, the first and the last token, or 3");
    return engine::Rows{static_cast<std::int64_t>(*first), static_cast<std::int64_t>(*last) + 1};
}

void checkRange(const Arguments& arguments, const char* option,
                const std::optional<engine::Rows>& range, std::int64_t rows) {
    if (range && range->end > rows)
        badArgument(option, *arguments.text(option),
                    "the run has rows 0 to " + std::to_string(rows - 1));
}

FileFormat parseFormat(const std::string& out, Kind view) {
    const auto format = formatOf(out);
    if (!format)
        badArgument("--out", out,
                    std::string("the name's ending tells the format: ") + kFileFormats);
    if (!isPicture(*format) && view == Kind::Grid)
        badArgument("--out", out, "the grid is a picture; data are of heads, a layer or bars");
    if (isPicture(*format) && view == Kind::Numbers)
        badArgument("--out", out, "the numbers of all heads are data: csv or npy");
    return *format;
}

// What only pictures have.
void checkPictureOptions(const Arguments& arguments, FileFormat format) {
    if (!isPicture(format) && arguments.text("--theme"))
        badArgument("--theme", *arguments.text("--theme"), "data have no colours");
    if (!isPicture(format) && arguments.text("--palette"))
        badArgument("--palette", *arguments.text("--palette"), "data have no colours");
    if (format != FileFormat::Png && arguments.text("--zoom"))
        badArgument("--zoom", *arguments.text("--zoom"), "only a PNG has pixels");
    if (format != FileFormat::Svg && arguments.has("--outline-text"))
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            "--outline-text: only an SVG names its fonts", {},
                            "leave it out; a PDF carries them");
}

void writeData(Cli& cli, const engine::Engine& engine, const FinishedRun& run,
               const ExportRequest& request, FileFormat format, OutputFile& file) {
    const auto reader = engine.reader();
    const engine::Position position = request.position.value_or(engine::Position(run.rows - 1));
    if (request.view.kind == Kind::Bars)
        return writeBars(
            file, format,
            reader->contributions({{}, run.id, position, request.target, request.distractor}),
            request.quantity != engine::Quantity::Value);
    if (request.view.kind == Kind::Numbers)
        return writeHeads(
            file, format,
            {reader->metrics({{}, run.id, {0, run.rows}}, cli.stop),
             reader->contributions({{}, run.id, position, request.target, request.distractor}),
             {}});
    MapData data;
    data.run = run.id;
    data.heads = headsOf(request.view, engine.info());
    data.rows = run.rows;
    data.quantity = request.quantity.value_or(engine::Quantity::Pattern);
    if (data.quantity == engine::Quantity::Attribution) {
        data.target = targetOf(*reader, run, request, engine::Position(run.rows - 1));
        data.distractor = request.distractor;
    }
    data.tokens = run.tokens;
    data.units = unitsOf(run, request);
    checkPartIsSeen(request, data.units);
    data.dests = heldBy(data.units, request.rows);
    data.srcs = heldBy(data.units, request.srcs);
    data.renormalized = request.page.choice.sink == ui::SinkMode::Renormalized;
    data.attention = engine.info().attention;
    writeMaps(file, format, *reader, data, cli.stop);
}

QByteArray drawPicture(Cli& cli, const engine::Engine& engine, const FinishedRun& run,
                       const ExportRequest& request, FileFormat format, PictureSource source,
                       const std::string& out, ui::SvgText text) {
    const DrawingApplication<> application;
    ui::loadFonts();
    const DrawnFigure figure = drawFigure(cli, engine, run, request, source.subject);
    cli.throwIfStopped();
    source.subject = figure.subject;
    source.fonts = ui::fontsUsed(figure.drawing);
    if (const QString& missing = source.fonts.missing; !missing.isEmpty())
        cli.err << "headscope export: no font of this machine has "
                << ui::characterNames(missing).toStdString() << ": drawn as boxes\n";
    return pictureOf(figure.drawing, format, request.zoom, source, out, "use a smaller --zoom",
                     text);
}

// As typed, or of the ids.
std::string sourceText(const PromptOptions& options, const engine::Encoding& prompt) {
    if (options.text) return *options.text;
    return textAfter(prompt.tokens, 0);
}

void runExport(Cli& cli, const Arguments& arguments) {
    const std::string model = arguments.positionals()[0];
    const std::string out = parseOut(arguments, model);
    const std::string typedView = arguments.required("--view", "what to draw");
    ExportRequest request;
    request.view = parseView(typedView);
    const FileFormat format = parseFormat(out, request.view.kind);
    checkPictureOptions(arguments, format);
    request.quantity = parseQuantity(arguments, request.view.kind);
    request.by = parseBy(arguments, request.view.kind);
    request.rows = parseRange(arguments, "--rows", request.view.kind);
    request.srcs = parseRange(arguments, "--srcs", request.view.kind);
    if (isPicture(format) && request.rows.has_value() != request.srcs.has_value())
        badArgument(request.rows ? "--rows" : "--srcs",
                    *arguments.text(request.rows ? "--rows" : "--srcs"),
                    "a picture's part has --rows and --srcs");
    const bool numbers = request.view.kind == Kind::Numbers;
    const bool bars = request.view.kind == Kind::Bars || numbers;
    const auto position =
        arguments.integer("--position", 0, std::numeric_limits<std::int64_t>::max());
    if (position && !bars)
        badArgument("--position", *arguments.text("--position"),
                    "only bars and heads' numbers are of one position");
    for (const char* option : {"--target", "--distractor"})
        if (arguments.has(option) && !(bars ? request.quantity != engine::Quantity::Value
                                            : request.quantity == engine::Quantity::Attribution))
            badArgument(option, *arguments.text(option),
                        std::string("only attribution has a ") + (option + 2));
    request.scheme = arguments.oneOf("--theme", {"light", "dark"}).value_or("light") == "dark"
                         ? ui::Scheme::Dark
                         : ui::Scheme::Light;
    const auto palette =
        arguments.oneOf("--palette", {"navia", "viridis", "cividis", "blues", "oslo"});
    if (palette && bars) badArgument("--palette", *palette, "bars have one colour");
    ui::setPalette(ui::paletteNamed(palette.value_or("navia")).value_or(ui::Palette::Navia));
    request.zoom = arguments.real("--zoom", 0, 16)
                       .value_or(format == FileFormat::Png ? 1 : ui::vectorMapScale);
    if (request.zoom == 0) badArgument("--zoom", *arguments.text("--zoom"), "must be above 0");
    request.isRaster = format == FileFormat::Png;
    const bool maps = request.view.kind == Kind::Heads || request.view.kind == Kind::Layer;
    request.page = parsePage(arguments, request.quantity.value_or(engine::Quantity::Pattern),
                             request.by != ui::Granularity::Tokens,
                             numbers              ? "numbers have no page and no colours"
                             : !maps              ? "the grid and the bars have their own layout"
                             : !isPicture(format) ? "data have no page and no colours"
                                                  : nullptr,
                             maps && !isPicture(format));
    PromptOptions promptOptions = parsePromptOptions(arguments);
    promptOptions.edits = parseEdits(arguments);
    request.edits = describe(promptOptions.edits);
    const ComputeOptions compute = parseComputeOptions(arguments);

    const auto engine = openModel(cli, model, compute);
    checkView(request.view, typedView, engine->info());
    if (const auto target = arguments.text("--target"))
        request.target = parseToken("--target", *target, *engine);
    if (const auto distractor = arguments.text("--distractor"))
        request.distractor = parseToken("--distractor", *distractor, *engine);
    if (request.distractor && request.distractor == request.target)
        badArgument("--distractor", *arguments.text("--distractor"), "is the target itself");
    const engine::Encoding prompt = encodePrompt(cli, *engine, promptOptions);
    const std::int64_t rows =
        rowsOf(static_cast<std::int64_t>(prompt.tokens.size()), promptOptions.generate);
    checkRows(promptOptions.edits, rows, engine->info());
    checkRange(arguments, "--rows", request.rows, rows);
    checkRange(arguments, "--srcs", request.srcs, rows);
    if (request.by == ui::Granularity::Tokens) checkPartIsSeen(request, {});
    if (position) {
        if (*position >= rows)
            badArgument("--position", *arguments.text("--position"),
                        "the run has positions 0 to " + std::to_string(rows - 1));
        request.position = static_cast<engine::Position>(*position);
    }
    OutputFile file(out, 0);  // before the work: a place that cannot be written to is known at once
    const FinishedRun finished = runPrompt(cli, *engine, prompt, promptOptions);

    const Stopwatch watch;
    if (isPicture(format)) {
        const PictureSource source{engine->info(),
                                   sourceText(promptOptions, prompt),
                                   typedView,
                                   {},
                                   textAfter(finished.tokens, finished.prompt)};
        const QByteArray bytes = drawPicture(
            cli, *engine, finished, request, format, source, out,
            arguments.has("--outline-text") ? ui::SvgText::Outlined : ui::SvgText::Named);
        file.writeAt(
            0, std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
    } else {
        writeData(cli, *engine, finished, request, format, file);
    }
    file.commit();
    cli.log("wrote " + typedView + " in " + seconds(watch.seconds()));
}

}  // namespace

Verb exportVerb() {
    return {
        "export",
        "Runs a prompt and writes heads, the grid or contributions as a picture or as data",
        "MODEL --prompt TEXT --view VIEW [options] --out F.png|svg|pdf|csv|npy",
        std::vector<Option>{
            {"--view", "VIEW",
             "L12.H7 (several with commas), L12, grid, bars, bars:L12, or heads: all their "
             "numbers"},
            {"--position", "P", "bars, all heads: of this position (default: the last row)"},
            {"--quantity", "Q",
             "scores, pattern, value or attribution (default pattern; bars: attribution)"},
            {"--target", "TOKEN",
             "what attribution is for: a token's id or text (default: the top token there)"},
            {"--distractor", "TOKEN",
             "attribution: a token whose logit is taken from the target's"},
            {"--by", "UNIT",
             "heads: tokens, words, sentences, lines or turns of a chat (default tokens)"}} +
            std::vector<Option>{
                {"--rows", "A-B", "heads: these destinations alone, both ends counted"},
                {"--srcs", "A-B",
                 "heads: these sources alone (a picture: as many as rows; with --by the spans that "
                 "hold them)"}} +
            pageOptions() +
            std::vector<Option>{
                {"--theme", "light|dark", "colours (default light)"},
                {"--palette", "P",
                 "grid, heads: of values of one sign: navia, viridis, cividis, blues or oslo "
                 "(default navia)"},
                {"--zoom", "S",
                 "PNG: pixels a unit of the layout, above 0 and up to 16 (default 1)"},
                {"--outline-text", "", "SVG: text as shapes, for readers without its fonts"}} +
            promptOptions() + editOptions() + computeOptions() +
            std::vector<Option>{{"--out", "F.png", "the file to write; its ending is the format"}},
        "SVG and PDF keep text and lines as such, with the maps embedded. CSV is a line a visible "
        "cell (bars:\na line a part; heads: a line a head), NPY float32 [heads, dest, src] (bars: "
        "[layers, heads];\nheads: [measures, layers, heads], in the order of the CSV's columns). "
        "With --by\na value is the mass from one span to another: the mean over dest of what its "
        "rows have on src\ntogether (scores: the value of largest magnitude).\n"
        "A TOKEN is an id, or a text that is one token: a space is typed as itself or as ·, and "
        "left out\nwhere only the token with it exists; in double quotes it is taken to the "
        "letter, digits too.\n",
        runExport};
}

}  // namespace app
