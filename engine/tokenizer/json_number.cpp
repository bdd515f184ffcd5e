// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/json_number.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace engine::tokenizer {

double as_tokenizers_reads(double value) {
    if (!std::isfinite(value) || value == 0) return value;
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific);
    std::uint64_t digits = 0;  // at most 17 of them
    int exponent = 0;
    bool after_point = false;
    for (const char* at = text; at != end.ptr; ++at) {
        if (*at == 'e') {
            int stated = 0;
            std::from_chars(at + (at[1] == '+' ? 2 : 1), end.ptr, stated);
            exponent += stated;
            break;
        }
        if (*at == '.') {
            after_point = true;
            continue;
        }
        digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
        if (after_point) --exponent;
    }
    auto read = static_cast<double>(digits);
    constexpr int most = 308;  // powers of ten that a double holds
    for (; exponent < -most; exponent += most) read /= 1e308;
    const std::string power_text = "1e" + std::to_string(std::abs(exponent));
    double power = 1;
    std::from_chars(power_text.data(), power_text.data() + power_text.size(), power);
    read = exponent < 0 ? read / power : read * power;
    return std::copysign(read, value);
}

}  // namespace engine::tokenizer
