// SPDX-License-Identifier: GPL-3.0-or-later
// The open runs. The engine thread adds and removes; any thread looks up and then holds its run as
// long as it needs.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/cache/run_trace.h"
#include "engine/values/failure.h"

namespace engine {

template <typename Run>
class Runs {
  public:
    void add(std::shared_ptr<Run> run) {
        const std::lock_guard lock(mutex_);
        runs_.emplace(run->id(), std::move(run));
    }
    void remove(RunId id) {
        const std::lock_guard lock(mutex_);
        runs_.erase(id);
    }
    // Throws Error(BadRequest) for a run that is not open.
    std::shared_ptr<const Run> at(RunId id) const {
        const std::lock_guard lock(mutex_);
        const auto found = runs_.find(id);
        if (found == runs_.end())
            throw Error(Failure::Kind::BadRequest,
                        "run " + std::to_string(to_int(id)) + " is not open");
        return found->second;
    }

  private:
    mutable std::mutex mutex_;
    std::map<RunId, std::shared_ptr<Run>> runs_;
};
using RunTable = Runs<RunTrace>;

}  // namespace engine
