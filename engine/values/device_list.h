// SPDX-License-Identifier: GPL-3.0-or-later
// The GPUs that an engine can be opened on, beside the CPU that is always there.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace engine {

struct DeviceInfo {
    std::string id;           // "cuda:0", as OpenRequest takes it
    std::string name;         // "NVIDIA H200"
    std::int64_t memory = 0;  // bytes in all
};

struct DeviceList {
    std::vector<DeviceInfo> gpus;
    std::string why;  // there is none
};

}  // namespace engine
