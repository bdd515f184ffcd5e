// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_module.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "app/command_line/cli_text.h"
#include "engine/module.h"

namespace app {
namespace {

struct Module {
    decltype(&headscope_open_engine) open;
    decltype(&headscope_inspect_model) inspect;
    decltype(&headscope_list_devices) devices;
    decltype(&headscope_find_models) find;
    decltype(&headscope_extra_tensors) extraTensors;
};

constexpr const char* self = "/proc/self/exe";

[[noreturn]] void fail(const std::string& what, const std::string& where) {
    throw engine::Error(engine::Failure::Kind::BadFile, oneLine(what), where,
                        "build it beside the program or set it up again");
}

template <typename Function>
Function symbol(void* library, const char* name, const std::string& where) {
    void* address = ::dlsym(library, name);
    if (!address) fail(std::string("not an engine of this program: it lacks ") + name, where);
    return reinterpret_cast<Function>(address);
}

Module load() {
    constexpr const char* name = "libheadscope_engine.so";
    // Beside the program in a build, in lib/headscope beside bin/ where it is installed.
    std::error_code none;
    const std::filesystem::path folder = std::filesystem::read_symlink(self, none).parent_path();
    const std::array candidates = {folder / name, folder / "../lib/headscope" / name};
    for (const auto& path : candidates) {
        std::error_code error;
        if (!std::filesystem::exists(path, error)) continue;
        // RTLD_LOCAL: libtorch's own symbols stay out of Qt's way. Types thrown across are matched
        // by name.
        void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            const char* why = ::dlerror();
            fail(why ? why : "no reason given",
                 "cannot load the engine");  // the reason names the file
        }
        return {
            symbol<decltype(Module::open)>(library, "headscope_open_engine", path.string()),
            symbol<decltype(Module::inspect)>(library, "headscope_inspect_model", path.string()),
            symbol<decltype(Module::devices)>(library, "headscope_list_devices", path.string()),
            symbol<decltype(Module::find)>(library, "headscope_find_models", path.string()),
            symbol<decltype(Module::extraTensors)>(library, "headscope_extra_tensors",
                                                   path.string())};
    }
    fail("the engine module is missing", candidates[0].string());
}

const Module& module() {
    static const Module loaded =
        load();  // a failed load throws and is tried again at the next call
    return loaded;
}

}  // namespace

std::string programPath() {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::read_symlink(self, error);
    // Of a program that was replaced while it runs the link still opens what runs.
    return !error && std::filesystem::equivalent(path, self, error) ? path.string() : self;
}

void boundComputeSpinning(char** argv) {
    for (const char* setting : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"})
        if (std::getenv(setting) != nullptr) return;
    if (::setenv("GOMP_SPINCOUNT", "1000", 0) == 0) ::execv(programPath().c_str(), argv);
}

std::unique_ptr<engine::Engine> openEngine(const engine::OpenRequest& request,
                                           const engine::OnProgress& onProgress,
                                           std::stop_token stop) {
    return std::unique_ptr<engine::Engine>(module().open(&request, &onProgress, &stop));
}

engine::ModelInfo inspectModel(const std::string& path) {
    engine::ModelInfo info;
    module().inspect(path.c_str(), "auto", &info);
    return info;
}

engine::DeviceList listDevices() {
    engine::DeviceList list;
    module().devices(&list);
    return list;
}

std::vector<engine::FoundModel> findModels(const std::string& folder, int levels,
                                           std::string* leftOut) {
    std::vector<engine::FoundModel> found;
    module().find(folder.c_str(), levels, &found, leftOut);
    return found;
}

std::vector<std::string> extraTensors(const std::string& path) {
    std::vector<std::string> names;
    module().extraTensors(path.c_str(), &names);
    return names;
}

}  // namespace app
