// SPDX-License-Identifier: GPL-3.0-or-later
// Where set-up puts the default model. Tests that need it skip visibly without it.
#pragma once
#include <QFileInfo>
#include <cstdlib>
#include <string>

inline std::string default_model_path() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    const std::string root = cache != nullptr && *cache != '\0'
                                 ? cache
                                 : std::string(home != nullptr ? home : "") + "/.cache";
    return root + "/headscope/models/SmolLM2-135M-Instruct.Q4_1.gguf";
}

inline bool has_default_model() {
    return QFileInfo::exists(QString::fromStdString(default_model_path()));
}

#define NEEDS_DEFAULT_MODEL() \
    if (!has_default_model()) \
    QSKIP("the default model is not in the cache folder: run app/run.sh once")
