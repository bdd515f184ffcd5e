// SPDX-License-Identifier: GPL-3.0-or-later
// The per-user cache folder, ($XDG_CACHE_HOME or ~/.cache)/headscope: what is in it, and emptying
// it. Only what the set-up itself puts there is ever removed, and of that nothing that this program
// has open.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace app {

struct CacheEntry {
    enum class State {
        Removable,
        InUse,    // by this program: the open model, or a library that it runs
        Foreign,  // somebody else put it there
    };
    std::string name;  // relative to the folder
    std::int64_t bytes = 0;
    State state = State::Foreign;
};

std::string cacheFolder();

// By name; files and folders of the cache and of models/ below it. `models` are paths of open
// models. Reads every folder: not on the window's thread. A folder that is not there has no
// entries.
std::vector<CacheEntry> cacheEntries(const std::string& folder,
                                     const std::vector<std::string>& models);

// Removes what is removable; returns its bytes. Throws engine::Error: Io with the system's reason
// where something stays, or where the set-up is at work there.
std::int64_t emptyCache(const std::string& folder, const std::vector<std::string>& models);

}  // namespace app
