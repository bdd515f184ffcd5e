// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dropped_file.h"

#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>

namespace ui {

namespace {

constexpr qint64 largestPrompt = 4 * 1024 * 1024;  // bytes; more than any context here holds

DroppedFile refused(const QString& what, const QString& why) {
    DroppedFile file;
    file.problem = Message{Message::Severity::Warn, what, why, {}, {}};
    return file;
}

}  // namespace

DroppedFile readDropped(const QString& path) {
    const QFileInfo info(path);
    DroppedFile dropped;
    const QString suffix = info.suffix().toLower();
    if (info.isDir() || suffix == QStringLiteral("gguf") ||
        suffix == QStringLiteral("safetensors")) {
        dropped.modelPath = path;
        return dropped;
    }
    if (suffix == QStringLiteral("headscope")) {
        dropped.sessionPath = path;
        return dropped;
    }
    if (info.size() > largestPrompt)
        return refused(QStringLiteral("%1 has %2 bytes; a prompt file may have %3.")
                           .arg(info.fileName())
                           .arg(info.size())
                           .arg(largestPrompt),
                       QStringLiteral("The prompt is unchanged."));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return refused(
            QStringLiteral("%1 cannot be read: %2.").arg(info.fileName(), file.errorString()),
            QStringLiteral("The prompt is unchanged."));
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder(file.read(largestPrompt));
    if (decoder.hasError() || text.contains(QChar(0)))
        return refused(QStringLiteral("%1 is not UTF-8 text.").arg(info.fileName()),
                       QStringLiteral("The prompt is unchanged. A model is a folder, a .gguf or a "
                                      ".safetensors file."));
    dropped.prompt = text;
    return dropped;
}

}  // namespace ui
