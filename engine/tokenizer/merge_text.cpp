// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/merge_text.h"

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {

MergeReader::MergeReader(const ModelParts& model, std::string where) : where_(std::move(where)) {
    vocabulary_.reserve(model.vocabulary.size());
    for (const auto& entry : model.vocabulary) vocabulary_.insert(entry.first);
}

std::pair<std::string, std::string> MergeReader::parts_of(std::string_view merge) const {
    const auto refuse = [&](const char* why) {
        throw Error(Failure::Kind::BadFile, "the merge \"" + formats::shown(merge) + "\" " + why,
                    where_);
    };
    constexpr std::size_t longest_merge = 8192;  // bounds the search below
    if (merge.size() > longest_merge) refuse("is too long");
    std::pair<std::string, std::string> parts;
    int ways = 0;
    for (std::size_t space = merge.find(' '); space != std::string_view::npos;
         space = merge.find(' ', space + 1)) {
        const std::string left(merge.substr(0, space)), right(merge.substr(space + 1));
        if (!vocabulary_.contains(left) || !vocabulary_.contains(right) ||
            !vocabulary_.contains(left + right))
            continue;
        parts = {left, right};
        ++ways;
    }
    if (ways == 0) refuse("is not two tokens with a space between that make a third");
    if (ways > 1) refuse("can be read in more than one way");
    return parts;
}

}  // namespace engine::tokenizer
