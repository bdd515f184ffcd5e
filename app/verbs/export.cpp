// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <limits>
#include <span>

#include "app/cli_text.h"
#include "app/output_file.h"
#include "app/picture_file.h"
#include "app/verbs/drawing_application.h"
#include "app/verbs/export_figure.h"
#include "app/verbs/verbs.h"

namespace app {
namespace {

using Kind = ExportView::Kind;

std::optional<engine::Quantity> parseQuantity(const Arguments& arguments, Kind view) {
    const auto name = arguments.oneOf("--quantity", {"scores", "pattern", "value", "attribution"});
    if (!name) return std::nullopt;
    if (view == Kind::Grid && *name != "pattern")
        badArgument("--quantity", *name, "the grid shows patterns");
    if (view == Kind::Bars && *name != "value" && *name != "attribution")
        badArgument("--quantity", *name,
                    "bars show attribution, or value: the length of what is written");
    if (*name == "scores") return engine::Quantity::Scores;
    if (*name == "pattern") return engine::Quantity::Pattern;
    if (*name == "value") return engine::Quantity::Value;
    return engine::Quantity::Attribution;
}

void checkFormat(const std::string& out) {
    std::string format = std::filesystem::path(out).extension().string();
    if (!format.empty()) format.erase(0, 1);
    if (format == "png" || format == "PNG") return;
    badArgument("--out", out,
                format.empty() ? "a name that ends in .png tells the format"
                               : "unknown format " + quote(format) + "; png is written");
}

void run(Cli& cli, const Arguments& arguments) {
    const std::string model = arguments.positionals()[0];
    const std::string out = arguments.required("--out", "the file to write");
    checkFormat(out);
    const std::string typedView = arguments.required("--view", "what to draw");
    ExportRequest request;
    request.view = parseView(typedView);
    request.quantity = parseQuantity(arguments, request.view.kind);
    const bool bars = request.view.kind == Kind::Bars;
    const auto position =
        arguments.integer("--position", 0, std::numeric_limits<std::int64_t>::max());
    if (position && !bars)
        badArgument("--position", *arguments.text("--position"), "only bars are of one position");
    const auto target = arguments.integer("--target", 0, std::numeric_limits<std::int32_t>::max());
    if (target && !(bars ? request.quantity != engine::Quantity::Value
                         : request.quantity == engine::Quantity::Attribution))
        badArgument("--target", *arguments.text("--target"), "only attribution has a target");
    request.scheme = arguments.oneOf("--theme", {"light", "dark"}).value_or("light") == "dark"
                         ? ui::Scheme::Dark
                         : ui::Scheme::Light;
    request.zoom = arguments.real("--zoom", 0, 16).value_or(1);
    if (request.zoom == 0) badArgument("--zoom", *arguments.text("--zoom"), "must be above 0");
    const PromptOptions promptOptions = parsePromptOptions(arguments);
    const ComputeOptions compute = parseComputeOptions(arguments);

    const auto engine = openModel(cli, model, compute);
    checkView(request.view, typedView, engine->info());
    if (target) {
        checkTokenId("--target", *target, engine->info());
        request.target = static_cast<engine::TokenId>(*target);
    }
    const engine::Encoding prompt = encodePrompt(cli, *engine, promptOptions);
    const std::int64_t rows =
        rowsOf(static_cast<std::int64_t>(prompt.tokens.size()), promptOptions.generate);
    if (position) {
        if (*position >= rows)
            badArgument("--position", *arguments.text("--position"),
                        "the run has positions 0 to " + std::to_string(rows - 1));
        request.position = static_cast<engine::Position>(*position);
    }
    OutputFile file(out, 0);  // before the work: a place that cannot be written to is known at once
    const FinishedRun finished = runPrompt(cli, *engine, prompt, promptOptions);

    const Stopwatch watch;
    const DrawingApplication<> application;
    ui::loadFonts();
    const QImage image = drawFigure(cli, *engine, finished, request);
    cli.throwIfStopped();
    const QByteArray png = pngOf(image, engine->info(), out, "use a smaller --zoom");
    file.writeAt(0,
                 std::as_bytes(std::span(png.constData(), static_cast<std::size_t>(png.size()))));
    file.commit();
    cli.log("drew " + typedView + ", " + std::to_string(image.width()) + " × " +
            std::to_string(image.height()) + " pixels, in " + seconds(watch.seconds()));
}

}  // namespace

Verb exportVerb() {
    return {"export",
            "Runs a prompt and draws heads, the grid or contributions as a picture",
            "MODEL --prompt TEXT --view VIEW [options] --out F.png",
            std::vector<Option>{
                {"--view", "VIEW", "L12.H7 (several with commas), L12, grid, bars or bars:L12"},
                {"--position", "P", "bars: of this position (default: the last row)"},
                {"--quantity", "Q",
                 "scores, pattern, value or attribution (default pattern; bars: attribution)"},
                {"--target", "ID", "token that attribution is for (default: the top token there)"},
                {"--theme", "light|dark", "colours (default light)"},
                {"--zoom", "S", "pixels a unit of the layout, above 0 and up to 16 (default 1)"}} +
                promptOptions() + computeOptions() +
                std::vector<Option>{{"--out", "F.png", "the file to write"}},
            "",
            run};
}

}  // namespace app
