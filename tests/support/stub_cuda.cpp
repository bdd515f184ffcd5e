// SPDX-License-Identifier: GPL-3.0-or-later
// libcuda.so.1 of a machine that is not here: what it answers stands in the environment.
#include <cstdlib>
#include <cstring>

namespace {

int given(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value ? std::atoi(value) : otherwise;
}

}  // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
    *version = given("STUB_CUDA_VERSION", 13000);
    return *version < 0 ? 999 : 0;
}

// As the driver's own: without a device where the variable names none.
int cuInit(unsigned) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (visible && *visible == '\0') return 100;
    return given("STUB_CUDA_INIT", 0);
}

int cuGetErrorString(int code, const char** text) {
    if (code != 999) return 1;
    *text = "unknown error";
    return 0;
}

int cuDeviceGetCount(int* count) {
    *count = given("STUB_CUDA_DEVICES", 1);
    return 0;
}

int cuDeviceGetAttribute(int* value, int, int) {
    *value = given("STUB_CUDA_MAJOR", 9);
    return 0;
}
}
