// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

#include "engine/formats/checkpoint.h"

namespace engine::formats {

// The weight files that a model computes from, for as long as it does.
class FilesInUse {
  public:
    explicit FilesInUse(const Checkpoint& checkpoint) : files_(checkpoint.files) {}

    // Throws Error(BadFile) naming the first of them that another program cut short or wrote to
    // since it was opened, so that what was computed from it is not to be believed. Any thread;
    // cheap.
    void check() const;

  private:
    std::vector<std::shared_ptr<const MappedFile>> files_;
};

}  // namespace engine::formats
