// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/json_text.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {

nlohmann::json parse_json(std::string_view text, const std::string& where, std::size_t limit) {
    using nlohmann::json;
    constexpr int max_depth = 64;
    const auto refuse = [&](const std::string& what) {
        throw Error(Failure::Kind::BadFile, what, shown(where, 400));
    };
    if (text.size() > limit)
        refuse("the file has " + std::to_string(text.size()) + " bytes, at most " +
               std::to_string(limit) + " are read as JSON");
    if (text.find('\0') != std::string_view::npos)  // to the parser it would be the end of the text
        refuse("this is not valid JSON: it holds a NUL byte");
    std::vector<std::set<std::string>> keys;  // of the objects that are open
    const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth > max_depth)
            refuse("the JSON is nested deeper than " + std::to_string(max_depth) + " levels");
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key) {
            const auto& key = parsed.get_ref<const std::string&>();
            if (!keys.back().insert(key).second)
                refuse("the key \"" + shown(key) + "\" is given twice");
        }
        return true;
    };
    try {
        return json::parse(text.begin(), text.end(), watch);
    } catch (const json::exception& error) {
        refuse("this is not valid JSON: " + shown(error.what(), 240));
    }
    return {};
}

}  // namespace engine::formats
