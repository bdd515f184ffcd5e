// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/export_page.h"

#include "app/command_line/cli_text.h"
#include "ui/painting/map_units.h"

namespace app {
namespace {

constexpr std::int64_t kMostColumns = 24;
// Values are floats: what is smaller than the first has no digits left.
constexpr double kLeastRange = 1e-30, kLargestRange = 1e9;

QString literal(const std::string& typed) {
    return QString::fromStdString(oneLine(typed));
}

// "120", "120mm", "4.7in", "340pt", "12cm", "453px": millimetres.
double widthOf(const std::string& typed) {
    const std::size_t end = typed.find_first_not_of("0123456789.");
    const std::string unit = end == std::string::npos ? "mm" : typed.substr(end);
    const auto number = parseReal(std::string_view(typed).substr(0, end));
    constexpr double inch = 25.4;
    const double each = unit == "mm"   ? 1
                        : unit == "cm" ? 10
                        : unit == "in" ? inch
                        : unit == "pt" ? inch / 72
                        : unit == "px" ? inch / 96
                                       : 0;
    if (!number || each == 0)
        badArgument("--size", typed,
                    "is not natural, single, double, slide, or a width: 120mm (or 120), 12cm, "
                    "4.7in, 340pt, 453px of 96 an inch");
    const double mm = *number * each;
    if (mm < ui::leastPageMm || mm > ui::mostPageMm)
        badArgument("--size", typed,
                    "a page is 40 to 600 mm wide, and this is " +
                        QString::number(mm, 'g', 6).toStdString() + " mm");
    return mm;
}

ui::FigurePage pageOf(const Arguments& arguments) {
    ui::FigurePage page;
    if (const auto size = arguments.text("--size")) {
        const auto named = ui::pageSizeOf(*size);
        page.size = named ? *named : ui::pageOfWidth(widthOf(*size));
    }
    page.columns = static_cast<int>(arguments.integer("--columns", 1, kMostColumns).value_or(0));
    const auto labels = arguments.oneOf("--labels", {"every", "edge", "none"});
    const bool natural = page.size == ui::PageSize();
    page.labels = labels.value_or(natural ? "every" : "edge") == "every" ? ui::FigureLabels::Every
                  : labels == "none"                                     ? ui::FigureLabels::None
                                                                         : ui::FigureLabels::Edge;
    page.letters = arguments.has("--letters");
    page.transparent = arguments.has("--transparent");
    page.caption = literal(arguments.text("--caption").value_or(""));
    return page;
}

ui::ScaleChoice choiceOf(const Arguments& arguments, engine::Quantity quantity, bool spans) {
    ui::ScaleChoice choice;
    if (const auto scale = arguments.oneOf("--scale", {"linear", "sqrt", "log", "rank"})) {
        if (*scale == "log" && ui::isSigned(quantity))
            badArgument("--scale", *scale, "values of both signs have no logarithm");
        choice.rank = *scale == "rank";
        choice.transfer = *scale == "linear" ? engine::Transfer::Linear
                          : *scale == "log"  ? engine::Transfer::Log
                                             : engine::Transfer::Sqrt;
    }
    if (const auto wish = arguments.oneOf("--sink", {"out", "in", "hidden", "renormalized"})) {
        if (*wish == "renormalized" && quantity != engine::Quantity::Pattern)
            badArgument("--sink", *wish, "only a pattern can be renormalized");
        choice.sink = *wish == "in"       ? ui::SinkMode::InScale
                      : *wish == "hidden" ? ui::SinkMode::Hidden
                      : *wish == "out"    ? ui::SinkMode::OutOfScale
                                          : ui::SinkMode::Renormalized;
    }
    if (const auto pooling = arguments.oneOf("--pooling", {"max", "mean", "sum"})) {
        if (spans) badArgument("--pooling", *pooling, "spans are pooled by their own rule");
        choice.pooling = *pooling == "mean"  ? engine::Pooling::Mean
                         : *pooling == "sum" ? engine::Pooling::Sum
                                             : engine::Pooling::Max;
    }
    return choice;
}

}  // namespace

std::vector<Option> pageOptions() {
    return {
        {"--columns", "N", "heads: panels side by side (default: as the page has room)"},
        {"--size", "PAGE",
         "heads: natural, single or double (a journal's column: 89, 183 mm), slide (16:9), or a "
         "width: 120mm or 120, 12cm, 4.7in, 340pt, 453px (default natural)"},
        {"--labels", "WHICH",
         "heads: where tokens stand: every (at each map), edge (at the left and at the bottom) or "
         "none (default every; with --size edge)"},
        {"--letters", "", "heads: a, b, c … before the heads' names"},
        {"--title", "TEXT", "heads: above them (default: the model's name; '' for none)"},
        {"--caption", "TEXT", "heads: below the colour bar"},
        {"--transparent", "", "heads: no ground under the maps and the text"},
        {"--scale", "S", "heads: linear, sqrt, log or rank (default sqrt)"},
        {"--range", "R",
         "heads: what the last colour stands for, or a rank counts: heads (those drawn, the "
         "default), layer, model, fixed (0 to 1) or a value"},
        {"--sink", "S",
         "heads: source 0 out of the scale, in it, hidden or renormalized (default out; data: only "
         "the last)"},
        {"--pooling", "P", "heads: cells of one pixel: max, mean or sum (default max)"},
        {"--threshold", "X",
         "heads: what is nearer to 0 is drawn as 0, its value stays (default 0: none)"},
        {"--transpose", "",
         "heads: destinations along x, sources along y (data stay [dest, src])"}};
}

PageRequest parsePage(const Arguments& arguments, engine::Quantity quantity, bool spans,
                      const char* no, bool maps) {
    const auto isOfValues = [&](const std::string& name) {  // what a file of data has as well
        return maps && name == "--sink" && arguments.text(name) == "renormalized";
    };
    const auto why = [&](const std::string& name) {
        return maps && name == "--transpose" ? "data stay [dest, src]" : no;
    };
    if (no)
        for (const Option& option : pageOptions())
            if (arguments.has(option.name) && !isOfValues(option.name))
                throw engine::Error(engine::Failure::Kind::BadRequest,
                                    option.name + ": " + why(option.name), {},
                                    "leave it out, or draw heads or a layer");
    PageRequest request;
    request.page = pageOf(arguments);
    request.choice = choiceOf(arguments, quantity, spans);
    if (const auto threshold = arguments.real("--threshold", 0, ui::largestThreshold))
        request.choice.setThreshold(quantity, *threshold);
    request.transposed = arguments.has("--transpose");
    if (const auto title = arguments.text("--title")) request.title = literal(*title);
    if (const auto range = arguments.text("--range"); range == "fixed") {
        if (quantity != engine::Quantity::Pattern)
            badArgument("--range", *range, "only a pattern lies between 0 and 1");
        request.choice.range = ui::RangeMode::Fixed;
    } else if (range == "layer" || range == "model") {
        const engine::Pooling pooling = spans ? ui::spanPooling(quantity) : request.choice.pooling;
        if (pooling != engine::Pooling::Max)
            badArgument("--range", *range, "it is of single cells, and pixels are means or sums");
        request.choice.range = range == "layer" ? ui::RangeMode::Layer : ui::RangeMode::Model;
    } else if (range && *range != "heads") {
        request.largest = parseReal(*range);
        if (!request.largest || *request.largest < kLeastRange || *request.largest > kLargestRange)
            badArgument("--range", *range,
                        "is not heads, layer, model, fixed or a number from 1e-30 to 1e9");
    }
    if (request.choice.rank && (request.largest || request.choice.range == ui::RangeMode::Fixed))
        badArgument("--range", *arguments.text("--range"),
                    "a rank counts cells: those of heads, layer or model");
    return request;
}

}  // namespace app
