// SPDX-License-Identifier: GPL-3.0-or-later
// The GPUs by name, for a user to choose from.
#include <dlfcn.h>

#include <array>

#include "engine/device.h"
#include "engine/module.h"

namespace engine {
namespace {

// What the driver calls a device; its place where the driver does not say.
void describe(DeviceInfo& info, int device) {
    info.name = "GPU " + std::to_string(device);
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto name_of =
        reinterpret_cast<int (*)(char*, int, int)>(::dlsym(library, "cuDeviceGetName"));
    const auto memory_of =
        reinterpret_cast<int (*)(std::size_t*, int)>(::dlsym(library, "cuDeviceTotalMem_v2"));
    std::array<char, 256> name{};
    if (name_of != nullptr && name_of(name.data(), static_cast<int>(name.size()) - 1, device) == 0)
        info.name = name.data();
    std::size_t bytes = 0;
    if (memory_of != nullptr && memory_of(&bytes, device) == 0)
        info.memory = static_cast<std::int64_t>(bytes);
}

DeviceList list_devices() {
    DeviceList list;
    for (int device = 0;; ++device) {
        DeviceInfo info;
        info.id = "cuda:" + std::to_string(device);
        try {
            const DeviceChoice choice = choose_device(info.id);
            if (!choice.cuda) {
                list.why = choice.why;
                return list;
            }
        } catch (const Error&) {  // past the last one
            return list;
        }
        describe(info, device);
        list.gpus.push_back(std::move(info));
    }
}

}  // namespace
}  // namespace engine

void headscope_list_devices(engine::DeviceList* out) {
    *out = engine::list_devices();
}
