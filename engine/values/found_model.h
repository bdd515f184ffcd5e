// SPDX-License-Identifier: GPL-3.0-or-later
// A model that lies in a folder, as far as names and sizes of files tell: nothing was opened.
#pragma once
#include <cstdint>
#include <string>

namespace engine {

struct FoundModel {
    std::string name;    // "Qwen/Qwen3-0.6B" of a Hugging Face cache, else the folder's or file's
    std::string path;    // what to open
    std::string format;  // "safetensors", "GGUF", "pickle"
    std::int64_t bytes = 0;  // of its weight files
    std::string reason;      // why it cannot be opened; empty where nothing speaks against it
};

}  // namespace engine
