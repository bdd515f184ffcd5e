// SPDX-License-Identifier: GPL-3.0-or-later
// What a dropped path is: a model or a session to open, or a text to use as the prompt.
#pragma once
#include <QString>
#include <optional>

#include "ui/window/message_bar.h"

namespace ui {

struct DroppedFile {
    QString modelPath;               // a folder, .gguf or .safetensors
    QString sessionPath;             // .headscope
    std::optional<QString> prompt;   // anything else, read as UTF-8
    std::optional<Message> problem;  // neither could be had
};

DroppedFile readDropped(const QString& path);

}  // namespace ui
