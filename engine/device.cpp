// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device.h"

#include <dlfcn.h>

#include <filesystem>
#include <mutex>
#include <optional>

#include "engine/cuda/module.h"

namespace engine {
namespace {

constexpr int least_driver = 13000;  // CUDA 13.0, as libtorch is built for
constexpr int least_capability = 8;  // Ampere: what the kernels are compiled for at least

std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// What cuInit's number means for a user; `text` is the driver's own word for it, where it has one.
std::string why_no_start(int code, const char* text) {
    // 35 is cudaErrorInsufficientDriver, 34 CUDA_ERROR_STUB_LIBRARY: images built with the toolkit
    // have its stub where the driver belongs.
    constexpr int no_device = 100, older_than_runtime = 35, stub = 34, mismatch = 803;
    const std::string error =
        " (error " + std::to_string(code) + (text != nullptr ? ": " + std::string(text) : "") + ")";
    switch (code) {
        case no_device: return "there is no NVIDIA GPU here";
        case older_than_runtime:
            return "the NVIDIA driver is too old: CUDA " + version(least_driver) + " is needed" +
                   error;
        case stub: return "libcuda.so.1 is the CUDA toolkit's stub, no driver" + error;
        case mismatch:
            return "the NVIDIA driver's parts are of different versions; restart the machine" +
                   error;
        default: return "the NVIDIA driver does not start" + error;
    }
}

// The driver's own library, asked without linking it: most machines have none.
struct Driver {
    int devices = 0;
    std::string why;  // none of them can be used

    Driver() {
        void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            why = "there is no NVIDIA driver here (libcuda.so.1)";
            return;
        }
        const auto call = [library](const char* name, auto... arguments) {
            auto* function =
                reinterpret_cast<int (*)(decltype(arguments)...)>(::dlsym(library, name));
            return function == nullptr ? -1 : function(arguments...);
        };
        int driver = 0;
        if (call("cuDriverGetVersion", &driver) != 0) {
            why = "the NVIDIA driver does not answer";
        } else if (driver < least_driver) {
            why = "the NVIDIA driver is too old: it knows CUDA " + version(driver) + ", and " +
                  version(least_driver) + " is needed";
        } else if (const int code = call("cuInit", 0u); code != 0) {
            const char* text = nullptr;
            if (call("cuGetErrorString", code, &text) != 0) text = nullptr;
            why = why_no_start(code, text);
        } else if (call("cuDeviceGetCount", &devices) != 0 || devices == 0) {
            devices = 0;
            why = "there is no NVIDIA GPU here";
        }
        constexpr int capability_major = 75;
        for (int device = 0; device < devices; ++device) {
            int major = 0;
            if (call("cuDeviceGetAttribute", &major, capability_major, device) != 0 ||
                major < least_capability) {
                devices = device;  // those before it can be used
                if (device == 0)
                    why = "the GPU's compute capability is " + std::to_string(major) +
                          ".x, and 8.0 is needed";
            }
        }
    }
};

const Driver& driver() {
    static const Driver asked;
    return asked;
}

struct Module {
    decltype(&headscope_open_cuda_engine) open = nullptr;
    decltype(&headscope_inspect_on_cuda) inspect = nullptr;
    std::string why;  // it cannot be used

    Module() {
        // Beside the library that this code lies in.
        Dl_info self{};
        if (::dladdr(reinterpret_cast<const void*>(&choose_device), &self) == 0) return;
        const auto path =
            std::filesystem::path(self.dli_fname).parent_path() / "libheadscope_cuda_engine.so";
        std::error_code error;
        if (!std::filesystem::exists(path, error)) {
            why = "this build has no CUDA engine: there was no nvcc when it was built";
            return;
        }
        void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            const char* reason = ::dlerror();
            why = std::string("the CUDA engine cannot be loaded: ") +
                  (reason != nullptr ? reason : "no reason given");
            return;
        }
        open = reinterpret_cast<decltype(open)>(::dlsym(library, "headscope_open_cuda_engine"));
        inspect =
            reinterpret_cast<decltype(inspect)>(::dlsym(library, "headscope_inspect_on_cuda"));
        if (open == nullptr || inspect == nullptr) why = path.string() + " is of another version";
    }
};

const Module& module() {
    static const Module loaded;
    return loaded;
}

std::optional<int> index_of(const std::string& device) {
    if (device == "cuda" || device == "auto") return 0;
    const std::string prefix = "cuda:";
    const std::string digits = device.rfind(prefix, 0) == 0 ? device.substr(prefix.size()) : "";
    if (digits.empty() || digits.size() > 4 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    return std::stoi(digits);
}

}  // namespace

DeviceChoice choose_device(const std::string& device) {
    DeviceChoice choice;
    if (device == "cpu") return choice;
    const std::optional<int> index = index_of(device);
    if (!index)
        throw Error(Failure::Kind::BadRequest,
                    "device \"" + device + "\" is none of cpu, cuda, cuda:N, auto");
    choice.index = *index;
    choice.asked = device != "auto";
    if (!driver().why.empty()) {
        choice.why = driver().why;
    } else if (choice.index >= driver().devices) {
        throw Error(Failure::Kind::BadRequest,
                    device + " is not there: this machine has " + std::to_string(driver().devices) +
                        " usable GPU" + (driver().devices == 1 ? "" : "s") + ", counted from 0");
    } else if (!module().why.empty()) {
        choice.why = module().why;
    } else {
        choice.cuda = true;
    }
    return choice;
}

std::unique_ptr<Engine> open_on_cuda(DeviceChoice& choice, const OpenRequest& request,
                                     const OnProgress& on_progress, std::stop_token stop) {
    std::string lacks;
    std::unique_ptr<Engine> engine(
        module().open(&request, choice.index, &on_progress, &stop, &lacks));
    if (engine == nullptr) choice.why = "the CUDA engine lacks " + lacks;
    return engine;
}

bool inspect_on_cuda(DeviceChoice& choice, const formats::Checkpoint& checkpoint,
                     const families::ModelPlan& plan, ModelInfo& info) {
    std::string lacks;
    if (module().inspect(choice.index, &checkpoint, &plan, &info, &lacks)) return true;
    choice.why = "the CUDA engine lacks " + lacks;
    return false;
}

}  // namespace engine
