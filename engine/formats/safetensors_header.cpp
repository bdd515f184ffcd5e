// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/safetensors_header.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

using nlohmann::json;

class HeaderReader : public nlohmann::json_sax<json> {
  public:
    std::vector<HeaderEntry> entries;
    std::string problem;

    bool null() override { return stray("null"); }
    bool boolean(bool) override { return stray("a truth value"); }
    bool number_integer(number_integer_t value) override {
        return stray("the number " + std::to_string(value));
    }
    bool number_float(number_float_t, const string_t& text) override {
        return stray("the number " + shown(text));
    }
    bool binary(binary_t&) override { return stray("binary data"); }

    bool number_unsigned(number_unsigned_t value) override {
        if (at_ == At::Offsets) {
            if (offsets_ == 2) return refuse(about() + "data_offsets has more than two numbers");
            (offsets_++ == 0 ? entry_.begin : entry_.end) = value;
            return true;
        }
        if (at_ != At::Shape) return stray("the number " + std::to_string(value));
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return refuse(about() + "a side of the shape is " + std::to_string(value));
        if (entry_.shape.size() == max_rank)
            return refuse(about() + "the shape has more than " + std::to_string(max_rank) +
                          " sides");
        entry_.shape.push_back(static_cast<std::int64_t>(value));
        return true;
    }

    bool string(string_t& value) override {
        if (at_ == At::Metadata) return true;  // free text of the writer; it is in the hash
        if (at_ != At::Entry || field_ != Dtype) return stray("the text \"" + shown(value) + "\"");
        entry_.dtype = std::move(value);
        return true;
    }

    bool key(string_t& value) override {
        if (at_ == At::Entry) {
            field_ = value == "dtype" ? Dtype : value == "shape" ? Shape : Offsets;
            if (field_ == Offsets && value != "data_offsets")
                return refuse(about() + "unknown field \"" + shown(value) + "\"");
            if (seen_ & field_) return refuse(about() + shown(value) + " is given twice");
            seen_ |= field_;
            return true;
        }
        std::set<std::string>& names = at_ == At::Metadata ? metadata_names_ : names_;
        if (!names.insert(value).second)
            return refuse("the name \"" + shown(value) + "\" is given twice");
        if (at_ == At::Names) entry_ = {.name = std::move(value)};
        return true;
    }

    bool start_object(std::size_t) override {
        if (at_ == At::Start) {
            at_ = At::Names;
        } else if (at_ == At::Names) {
            at_ = entry_.name == "__metadata__" ? At::Metadata : At::Entry;
            seen_ = offsets_ = 0;
        } else {
            return stray("an object");
        }
        return true;
    }

    bool end_object() override {
        if (at_ == At::Entry) {
            if (seen_ != (Dtype | Shape | Offsets) || offsets_ != 2)
                return refuse(about() + "dtype, shape and two data_offsets are needed");
            entries.push_back(std::move(entry_));
        }
        at_ = at_ == At::Names ? At::End : At::Names;
        return true;
    }

    bool start_array(std::size_t) override {
        if (at_ != At::Entry || field_ == Dtype) return stray("a list");
        at_ = field_ == Shape ? At::Shape : At::Offsets;
        return true;
    }

    bool end_array() override {
        at_ = At::Entry;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const json::exception& error) override {
        return refuse("the header is not valid JSON at byte " + std::to_string(position) + ": " +
                      shown(error.what(), 240));
    }

  private:
    static constexpr std::size_t max_rank = 16;
    enum class At { Start, Names, Metadata, Entry, Shape, Offsets, End };
    enum Field : unsigned { Dtype = 1, Shape = 2, Offsets = 4 };

    std::string about() const { return "tensor " + shown(entry_.name) + ": "; }
    bool refuse(std::string what) {
        problem = std::move(what);
        return false;
    }
    bool stray(const std::string& what) {
        return refuse((at_ == At::Start ? "the header" : about() + "the header") + " has " + what +
                      " where it does not belong");
    }

    At at_ = At::Start;
    Field field_ = Dtype;
    unsigned seen_ = 0, offsets_ = 0;
    HeaderEntry entry_;
    std::set<std::string> names_, metadata_names_;
};

}  // namespace

std::vector<HeaderEntry> parse_safetensors_header(std::string_view text, const std::string& where) {
    HeaderReader reader;
    if (text.find('\0') != std::string_view::npos)  // to the parser it would be the end of the text
        throw Error(Failure::Kind::BadFile, "the header is not valid JSON: it holds a NUL byte",
                    shown(where, 400), "download the file again");
    if (!json::sax_parse(text.begin(), text.end(), &reader))
        throw Error(Failure::Kind::BadFile, reader.problem, shown(where, 400),
                    "download the file again");
    return std::move(reader.entries);
}

}  // namespace engine::formats
