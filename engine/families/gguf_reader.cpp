// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/gguf_reader.h"

#include "engine/values/failure.h"

namespace engine::families {

std::int64_t GgufReader::integer(const char* name, Limits limits) const {
    const std::string full = key(name);
    const auto* value = metadata().find(full);
    const auto* list = value ? std::get_if<std::vector<std::int64_t>>(value) : nullptr;
    if (list && !list->empty()) {
        for (const std::int64_t number : *list)
            if (number != list->front())
                throw Error(Failure::Kind::Unsupported,
                            full + " differs between layers (" + std::to_string(list->front()) +
                                ", " + std::to_string(number) + "), which is not implemented",
                            where_);
        return within(list->front(), limits, full, where_);
    }
    return within(metadata().integer(full), limits, full, where_);
}

}  // namespace engine::families
