// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <set>
#include <string>

namespace engine::formats {

// Shard file name, inside the folder, to the tensors that the index places there.
using ShardIndex = std::map<std::string, std::set<std::string>>;

// Throws Error: BadFile for what is not an index or a path that leaves the folder, Unsupported for
// a pickle shard.
ShardIndex read_shard_index(const std::string& path);

}  // namespace engine::formats
