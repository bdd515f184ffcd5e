// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTemporaryDir>

#include "engine/families/family.h"
#include "tests/support/tiny_models.h"

namespace support {

inline engine::families::ModelPlan plan_folder(const QTemporaryDir& dir,
                                               const nlohmann::json& config,
                                               const SafetensorsWriter& weights) {
    if (!write_file(dir.filePath("config.json"), QByteArray::fromStdString(config.dump())) ||
        !write_file(dir.filePath("model.safetensors"), weights.bytes()))
        qFatal("cannot write");
    return engine::families::plan_model(engine::formats::open_checkpoint(dir.path().toStdString()));
}

inline engine::families::ModelPlan plan_gguf(const QTemporaryDir& dir, const GgufWriter& writer) {
    const QString path = dir.filePath("tiny.gguf");
    if (!write_file(path, writer.bytes())) qFatal("cannot write");
    return engine::families::plan_model(engine::formats::open_checkpoint(path.toStdString()));
}

}  // namespace support
