// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/picture_file.h"

#include <QBuffer>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>

#include "app/command_line/cli_text.h"
#include "app/files/output_file.h"
#include "engine/values/failure.h"
#include "ui/painting/figure_image.h"

namespace app {

namespace {

QString text(const std::string& bytes) {
    return QString::fromStdString(validUtf8(bytes));
}

QString modelText(const engine::ModelInfo& model) {
    return text(model.name) + QStringLiteral(", ") + text(model.hash);
}

// Empty where the bundled fonts have every character.
QString fontsText(const ui::FontsUsed& fonts) {
    QStringList parts;
    if (!fonts.families.isEmpty())
        parts << QStringLiteral("of this machine: ") + fonts.families.join(QStringLiteral(", "));
    if (!fonts.missing.isEmpty())
        parts << QStringLiteral("no font for ") + ui::characterNames(fonts.missing);
    return parts.join(QStringLiteral("; "));
}

// A writer ends with the first write that fails.
class CancellableBuffer : public QBuffer {
  public:
    CancellableBuffer(QByteArray* bytes, const std::stop_token& cancel)
        : QBuffer(bytes), m_cancel(cancel) {}

  protected:
    qint64 writeData(const char* data, qint64 length) override {
        return m_cancel.stop_requested() ? -1 : QBuffer::writeData(data, length);
    }

  private:
    const std::stop_token& m_cancel;
};

}  // namespace

std::string textAfter(const std::vector<engine::Token>& tokens, std::int64_t first) {
    std::string all;
    for (auto i = static_cast<std::size_t>(first); i < tokens.size(); ++i) all += tokens[i].bytes;
    return all;
}

QByteArray pngOf(QImage picture, const PictureSource& source, const std::stop_token& cancel) {
    picture.setText(QStringLiteral("Software"), QStringLiteral("Headscope " HEADSCOPE_VERSION));
    picture.setText(QStringLiteral("Source"), modelText(source.model));
    if (!source.subject.empty())
        picture.setText(QStringLiteral("Description"), text(source.subject));
    if (!source.prompt.empty()) picture.setText(QStringLiteral("Prompt"), text(source.prompt));
    if (!source.generated.empty())
        picture.setText(QStringLiteral("Generated"), text(source.generated));
    if (const QString fonts = fontsText(source.fonts); !fonts.isEmpty())
        picture.setText(QStringLiteral("Fonts"), fonts);
    QByteArray bytes;
    CancellableBuffer buffer(&bytes, cancel);
    const bool whole = !picture.isNull() &&
                       buffer.open(QIODevice::WriteOnly | QIODevice::Unbuffered) &&
                       picture.save(&buffer, "PNG");
    if (cancel.stop_requested()) throw engine::Cancelled();
    return whole ? bytes : QByteArray();
}

void writePng(const std::string& path, const QImage& picture, const PictureSource& source,
              const std::string& remedy, const std::stop_token& cancel) {
    const QByteArray bytes = pngOf(picture, source, cancel);
    if (bytes.isEmpty())
        throw engine::Error(engine::Failure::Kind::OutOfMemory,
                            "the picture cannot be drawn at this size", path, remedy);
    OutputFile file(path, bytes.size());
    file.writeAt(
        0, std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
    if (cancel.stop_requested()) throw engine::Cancelled();
    file.commit();
}

std::optional<FileFormat> formatOf(const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".png") return FileFormat::Png;
    if (ending == ".svg") return FileFormat::Svg;
    if (ending == ".pdf") return FileFormat::Pdf;
    if (ending == ".csv") return FileFormat::Csv;
    if (ending == ".npy") return FileFormat::Npy;
    return std::nullopt;
}

QByteArray pictureOf(const ui::Drawing& drawing, FileFormat format, double scale,
                     const PictureSource& source, const std::string& where,
                     const std::string& action, ui::SvgText svgText) {
    const QString title = text(source.subject.empty() ? source.model.name : source.subject);
    const QString fonts = fontsText(source.fonts);
    QString description = QStringLiteral("Headscope " HEADSCOPE_VERSION "\nmodel: ") +
                          modelText(source.model) + QStringLiteral("\nprompt: ") +
                          text(oneLine(source.prompt));
    if (!source.generated.empty())
        description += QStringLiteral("\ngenerated: ") + text(oneLine(source.generated));
    if (!fonts.isEmpty()) description += QStringLiteral("\nfonts: ") + fonts;
    QByteArray bytes;
    if (format == FileFormat::Svg)
        bytes = ui::svgOf(drawing, title, description, svgText);
    else if (format == FileFormat::Pdf)
        bytes = ui::pdfOf(drawing, title, description);
    else {
        ui::checkPixels(drawing.size, scale);
        bytes = pngOf(drawing.raster(scale), source);
    }
    if (bytes.isEmpty())
        throw engine::Error(engine::Failure::Kind::OutOfMemory,
                            "the picture cannot be drawn at this size", where, action);
    return bytes;
}

}  // namespace app
