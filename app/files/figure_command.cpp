// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/figure_command.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "ui/painting/palette_choice.h"

namespace app {

namespace {

std::string shellWord(const std::string& text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return (c < 0x80 && std::isalnum(c)) || c == '.' || c == '/' || c == '-' || c == '_' ||
               c == ',';
    });
    if (plain) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string numberText(double value) {
    std::array<char, 40> text{};
    char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

class CommandLine {
  public:
    void word(const std::string& text) { m_text += (m_text.empty() ? "" : " ") + shellWord(text); }
    // A value that looks like an option is one unless it is joined to its name.
    void option(const char* name, const std::string& value) {
        word(name);
        if (value.starts_with("--"))
            m_text += "=" + shellWord(value);
        else
            word(value);
    }
    const std::string& text() const { return m_text; }

  private:
    std::string m_text;
};

bool isAsTyped(const RunView& run) {
    return run.steps.empty() && run.parent.empty() && run.rows == run.promptTokens &&
           run.prompt.find('\0') == std::string::npos && !run.prompt.empty();
}

void addPrompt(CommandLine& line, const RunView& run) {
    if (isAsTyped(run)) {
        line.option("--prompt", run.prompt);
        if (run.options.chat) line.word("--chat");
        if (run.options.parse_special) line.word("--parse-special");
        return;
    }
    std::string ids;
    for (std::int64_t i = 0; i < run.rows; ++i)
        ids += (i > 0 ? "," : "") +
               std::to_string(engine::to_int(run.tokens[static_cast<std::size_t>(i)].id));
    line.option("--token-ids", ids);
}

void addScale(CommandLine& line, const ui::HeadFigure& figure, const engine::TileRequest& request) {
    const ui::ScaleChoice& choice = figure.choice;
    const engine::Transfer transfer = choice.transfer;
    if (choice.rank)
        line.option("--scale", "rank");
    else if (transfer == engine::Transfer::Linear)
        line.option("--scale", "linear");
    else if (transfer == engine::Transfer::Log && !ui::isSigned(request.quantity))
        line.option("--scale", "log");
    switch (ui::sinkOf(choice, request.quantity)) {
        case ui::SinkMode::OutOfScale: break;
        case ui::SinkMode::InScale: line.option("--sink", "in"); break;
        case ui::SinkMode::Hidden: line.option("--sink", "hidden"); break;
        case ui::SinkMode::Renormalized: line.option("--sink", "renormalized"); break;
    }
    if (figure.ranked)
        line.option("--range", choice.range == ui::RangeMode::Layer ? "layer" : "model");
    else if (figure.largest && !choice.rank)
        line.option("--range", numberText(*figure.largest));
    else if (choice.range == ui::RangeMode::Fixed && !choice.rank &&
             request.quantity == engine::Quantity::Pattern)
        line.option("--range", "fixed");
    if (const double threshold = choice.threshold(request.quantity); threshold > 0)
        line.option("--threshold", numberText(threshold));
    if (!figure.units.areTokens())
        line.option("--by",
                    std::array{"tokens", "words", "sentences", "lines",
                               "turns"}[static_cast<std::size_t>(figure.units.granularity())]);
    else if (choice.pooling == engine::Pooling::Mean)
        line.option("--pooling", "mean");
    else if (choice.pooling == engine::Pooling::Sum)
        line.option("--pooling", "sum");
}

void addPage(CommandLine& line, const ui::FigureWish& wish) {
    const ui::FigurePage& page = wish.page;
    if (wish.size != QLatin1String("natural")) line.option("--size", wish.size.toStdString());
    if (page.columns > 0) line.option("--columns", std::to_string(page.columns));
    const ui::FigureLabels usual =
        wish.size == QLatin1String("natural") ? ui::FigureLabels::Every : ui::FigureLabels::Edge;
    if (page.labels != usual)
        line.option("--labels", page.labels == ui::FigureLabels::Every  ? "every"
                                : page.labels == ui::FigureLabels::Edge ? "edge"
                                                                        : "none");
    if (page.letters) line.word("--letters");
    if (wish.title) line.option("--title", wish.title->toStdString());
    if (!page.caption.isEmpty()) line.option("--caption", page.caption.toStdString());
    if (page.transparent) line.word("--transparent");
    if (wish.scheme == ui::Scheme::Dark) line.option("--theme", "dark");
    if (ui::palette() != ui::Palette::Navia)
        line.option("--palette", ui::paletteName(ui::palette()).toStdString());
}

}  // namespace

std::string promptText(const RunView& run) {
    if (isAsTyped(run)) return run.prompt;
    std::string text;
    for (std::int64_t i = 0; i < run.rows; ++i)
        text += run.tokens[static_cast<std::size_t>(i)].bytes;
    return text;
}

std::string whyNoCommand(const FigureCommand& command) {
    if (!command.run.edits.empty())
        return "the run is edited, and it would read the model as it is";
    if (!command.run.options.add_bos) return "the command line always adds the BOS";
    return {};
}

std::string commandOf(const FigureCommand& command) {
    CommandLine line;
    line.word("headscope");
    line.word("export");
    line.word(command.model.path);
    addPrompt(line, command.run);
    std::string view;
    for (const engine::LayerHead at : command.wish.heads)
        view += (view.empty() ? "" : ",") + engine::to_string(at);
    line.option("--view", view);
    switch (command.request.quantity) {
        case engine::Quantity::Pattern: break;
        case engine::Quantity::Scores: line.option("--quantity", "scores"); break;
        case engine::Quantity::Value: line.option("--quantity", "value"); break;
        case engine::Quantity::Attribution:
            line.option("--quantity", "attribution");
            line.option("--target", std::to_string(engine::to_int(command.request.target)));
            if (command.request.distractor)
                line.option("--distractor",
                            std::to_string(engine::to_int(*command.request.distractor)));
            break;
    }
    addScale(line, command.figure, command.request);
    if (command.figure.transposed) line.word("--transpose");
    addPage(line, command.wish);
    if (command.wish.dpi != 96) line.option("--zoom", numberText(command.wish.dpi / 96.0));
    line.option("--out", command.out);
    return line.text();
}

}  // namespace app
