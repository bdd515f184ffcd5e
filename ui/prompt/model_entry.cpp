// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/model_entry.h"

#include <QStringList>

#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

QString sizeText(std::int64_t bytes) {
    const auto size = static_cast<double>(bytes);
    if (size >= 1e9) return QStringLiteral("%1 GB").arg(size / 1e9, 0, 'f', 1);
    if (size >= 1e6) return QStringLiteral("%1 MB").arg(size / 1e6, 0, 'f', 0);
    return QStringLiteral("%1 KB").arg((bytes + 999) / 1000);
}

}  // namespace

QString modelName(const engine::ModelInfo& info) {
    QString format = QString::fromStdString(info.format);
    if (format.startsWith(QStringLiteral("GGUF "))) format = format.mid(5);
    QString name = onOneLine(QString::fromStdString(info.name));
    if (!format.isEmpty()) name += QStringLiteral("  ") + onOneLine(format);
    return name;
}

QString modelEntry(const engine::ModelInfo& info) {
    QStringList parts{modelName(info)};
    if (info.weight_bytes > 0) parts << sizeText(info.weight_bytes);
    // "and 12 more" is of no model.
    if (parts.size() > 1 || !info.format.empty())
        parts << (info.supported ? QStringLiteral("supported") : QStringLiteral("not supported"));
    return parts.join(QStringLiteral("  "));
}

QString modelEntryTip(const engine::ModelInfo& info) {
    QString tip = QString::fromStdString(info.path);
    if (!info.supported) tip += QStringLiteral("\n") + QString::fromStdString(info.reason);
    return tip;
}

}  // namespace ui
