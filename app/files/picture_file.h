// SPDX-License-Identifier: GPL-3.0-or-later
// A drawing as the bytes of a file that says in itself what drew it, from which model and prompt,
// for the window and the command line alike.
#pragma once
#include <QByteArray>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/values/model_info.h"
#include "engine/values/run.h"
#include "ui/widgets/drawing.h"
#include "ui/widgets/fonts_used.h"

namespace app {

enum class FileFormat { Png, Svg, Pdf, Csv, Npy };

// By the name's ending, in either case; none: another one, or no ending.
std::optional<FileFormat> formatOf(const std::string& path);
constexpr bool isPicture(FileFormat format) {
    return format == FileFormat::Png || format == FileFormat::Svg || format == FileFormat::Pdf;
}
inline constexpr const char* kFileFormats = "png, svg, pdf, csv or npy";

// What is written into the file beside the picture.
struct PictureSource {
    engine::ModelInfo model;
    std::string prompt;          // as typed
    std::string subject;         // "L12.H7, pattern, 14 rows"
    ui::FontsUsed fonts;         // beside the bundled ones, which are the same everywhere
    std::string generated = {};  // what the run chose after the prompt, if anything
};

// Of the tokens from `first` on, bytes as they are.
std::string textAfter(const std::vector<engine::Token>&, std::int64_t first);

// PNG of what is drawn already; any thread. Empty when it cannot be encoded. Throws Cancelled
// within some 50 ms of `cancel`, which is seen with every few KB.
QByteArray pngOf(QImage picture, const PictureSource&, const std::stop_token& cancel = {});

// The same into a file, whole or not at all. Throws engine::Error (OutOfMemory naming `remedy`, Io)
// and Cancelled; then no file is left.
void writePng(const std::string& path, const QImage&, const PictureSource&,
              const std::string& remedy, const std::stop_token& cancel);

// `scale`: pixels a logical pixel, PNG only; `text`: SVG only. Throws engine::Error (OutOfMemory)
// naming `where` and `action` when the picture cannot be held, and what the drawing throws. GUI
// thread.
QByteArray pictureOf(const ui::Drawing&, FileFormat, double scale, const PictureSource&,
                     const std::string& where, const std::string& action,
                     ui::SvgText text = ui::SvgText::Named);

}  // namespace app
