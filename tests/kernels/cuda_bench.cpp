// SPDX-License-Identifier: GPL-3.0-or-later
// Prints the kernels' medians on Qwen3-8B's shape beside what the card can do; not a test.
//   cuda_bench [all | decode | prompts | views [ROWS [fp16]] | tables]
#include "cuda_bench.h"

int main(int count, char** arguments) {
    using namespace bench;
    try {
        check(cudaStreamCreate(&stream), "stream");
        const std::string which = count > 1 ? arguments[1] : "all";
        if (which == "all" || which == "decode") decode();
        if (which == "all" || which == "prompts") prompts();
        if (which == "all" || which == "views") {
            if (count > 3 && std::string(arguments[3]) == "fp16") element = Element::F16;
            views(count > 2 ? std::stoll(arguments[2]) : 0);
        }
        if (which == "all" || which == "tables") tables();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
