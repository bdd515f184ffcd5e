// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/families/facts.h"
#include "engine/formats/messages.h"

namespace engine::families {

// A model's own keys of GGUF metadata, without the architecture's name before them. Throws
// Error(BadFile) as Metadata does, and where a value lies outside its limits.
class GgufReader {
  public:
    GgufReader(const formats::Checkpoint& checkpoint, const Architecture& architecture)
        : checkpoint_(checkpoint),
          prefix_(std::string(architecture.gguf_name) + "."),
          where_(formats::shown(checkpoint.path, 400)) {}

    std::string key(const char* name) const { return prefix_ + name; }
    const std::string& where() const { return where_; }
    const formats::Metadata& metadata() const { return checkpoint_.metadata; }

    // A list with one number a layer is taken when they are all the same.
    std::int64_t integer(const char* name, Limits limits) const;
    std::int64_t integer_or(const char* name, std::int64_t otherwise, Limits limits) const {
        return metadata().has(key(name)) ? integer(name, limits) : otherwise;
    }
    double number_or(const char* name, double otherwise) const {
        return positive(metadata().number_or(key(name), otherwise), key(name), where_);
    }

  private:
    const formats::Checkpoint& checkpoint_;
    std::string prefix_, where_;
};

}  // namespace engine::families
