// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/picture_file.h"

#include <QBuffer>

#include "app/cli_text.h"
#include "engine/values/failure.h"

namespace app {

QByteArray pngOf(QImage picture, const engine::ModelInfo& model, const std::string& where,
                 const std::string& action) {
    picture.setText(QStringLiteral("Software"), QStringLiteral("Headscope " HEADSCOPE_VERSION));
    picture.setText(QStringLiteral("Source"),
                    QString::fromStdString(validUtf8(model.name) + ", " + model.hash));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (picture.isNull() || !buffer.open(QIODevice::WriteOnly) || !picture.save(&buffer, "PNG"))
        throw engine::Error(engine::Failure::Kind::OutOfMemory,
                            "the picture cannot be drawn at this size", where, action);
    return bytes;
}

}  // namespace app
