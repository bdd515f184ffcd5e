// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <ctime>

#include "engine/tokenizer/template_operators.h"

namespace engine::tokenizer::jinja {

Value date_of_today(const Value& format) {
    const std::optional<std::string> wanted = known_text(format);
    if (!wanted || wanted->size() > 64) return Unknown{};
    constexpr std::array months{"January",   "February", "March",    "April",
                                "May",       "June",     "July",     "August",
                                "September", "October",  "November", "December"};
    const std::time_t now = std::time(nullptr);
    std::tm today{};
    if (!::localtime_r(&now, &today)) return Unknown{};
    const auto two = [](int n) { return std::string(n < 10 ? "0" : "") + std::to_string(n); };
    std::string out;
    for (std::size_t i = 0; i < wanted->size(); ++i) {
        if ((*wanted)[i] != '%') {
            out += (*wanted)[i];
            continue;
        }
        const std::string month = months[static_cast<std::size_t>(today.tm_mon)];
        switch (++i < wanted->size() ? (*wanted)[i] : '\0') {
            case 'd': out += two(today.tm_mday); break;
            case 'm': out += two(today.tm_mon + 1); break;
            case 'b': out += month.substr(0, 3); break;
            case 'B': out += month; break;
            case 'Y': out += std::to_string(today.tm_year + 1900); break;
            case 'y': out += two(today.tm_year % 100); break;
            default: return Unknown{};
        }
    }
    return literal(std::move(out));
}

}  // namespace engine::tokenizer::jinja
