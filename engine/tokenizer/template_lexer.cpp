// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/template_lexer.h"

#include <algorithm>

#include "engine/tokenizer/template_value.h"

namespace engine::tokenizer::jinja {
namespace {

constexpr std::string_view white_space = " \t\n\r\v\f";

// Lines end with \n, and one at the very end is dropped.
std::string normalize_lines(std::string_view source) {
    std::string out;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\r') {
            out += '\n';
            if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
        } else {
            out += source[i];
        }
    }
    if (out.ends_with('\n')) out.pop_back();
    return out;
}

class Lexer {
  public:
    explicit Lexer(std::string source) : source_(std::move(source)) {}

    std::vector<Segment> run() {
        while (at_ < source_.size()) {
            const std::size_t tag = find_tag();
            std::string text = source_.substr(at_, tag - at_);
            if (tag == source_.size()) {
                add_text(std::move(text));
                break;
            }
            const char kind = source_[tag + 1];
            strip_before(text, kind, tag + 2 < source_.size() ? source_[tag + 2] : ' ');
            add_text(std::move(text));
            read_tag(tag, kind);
        }
        return std::move(segments_);
    }

  private:
    std::size_t find_tag() const {
        for (std::size_t i = at_; i + 1 < source_.size(); ++i)
            if (source_[i] == '{' &&
                std::string_view("{%#").find(source_[i + 1]) != std::string_view::npos)
                return i;
        return source_.size();
    }

    void strip_before(std::string& text, char kind, char sign) const {
        if (sign == '-') {
            text.erase(text.find_last_not_of(white_space) + 1);
        } else if (kind != '{' && sign != '+') {
            const std::size_t line = text.rfind('\n') + 1;  // 0 where there is none
            if ((line > 0 || line_starts_) &&
                text.find_first_not_of(white_space, line) == std::string::npos)
                text.erase(line);
        }
    }

    void read_tag(std::size_t tag, char kind) {
        const std::string_view closing = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
        std::size_t begin = tag + 2;
        if (begin < source_.size() && (source_[begin] == '-' || source_[begin] == '+')) ++begin;
        const std::size_t close = find_close(begin, closing, kind == '#');
        std::size_t end = close;
        const char sign = end > begin ? source_[end - 1] : ' ';
        if (sign == '-' || (sign == '+' && kind != '{')) --end;
        if (kind != '#') add_tag(kind, source_.substr(begin, end - begin));
        at_ = close + 2;
        if (sign == '-')
            at_ = std::min(source_.find_first_not_of(white_space, at_), source_.size());
        else if (kind != '{' && sign != '+' && at_ < source_.size() && source_[at_] == '\n')
            ++at_;
        line_starts_ = source_[at_ - 1] == '\n';
    }

    // Past the strings in a tag, which may hold its closing delimiter.
    std::size_t find_close(std::size_t from, std::string_view closing, bool comment) const {
        char quote = 0;
        for (std::size_t i = from; i + 1 < source_.size(); ++i) {
            const char c = source_[i];
            if (quote != 0) {
                if (c == '\\') ++i;
                if (c == quote) quote = 0;
            } else if (!comment && (c == '\'' || c == '"')) {
                quote = c;
            } else if (source_.compare(i, 2, closing) == 0) {
                return i;
            }
        }
        throw NotKnown{};
    }

    void add_text(std::string text) {
        if (!text.empty()) segments_.push_back({Segment::Kind::Text, std::move(text), {}});
    }

    void add_tag(char kind, std::string text) {
        Segment segment{
            kind == '{' ? Segment::Kind::Output : Segment::Kind::Statement, std::move(text), {}};
        if (kind == '%') {
            const std::size_t from =
                std::min(segment.text.find_first_not_of(white_space), segment.text.size());
            std::size_t to = from;
            while (to < segment.text.size() && segment.text[to] >= 'a' && segment.text[to] <= 'z')
                ++to;
            segment.keyword = segment.text.substr(from, to - from);
            segment.text.erase(0, to);
            if (segment.keyword == "raw") throw NotKnown{};
        }
        segments_.push_back(std::move(segment));
    }

    std::string source_;
    std::vector<Segment> segments_;
    std::size_t at_ = 0;
    bool line_starts_ = true;  // what stands at at_ begins a line
};

}  // namespace

std::vector<Segment> split_template(std::string_view source) {
    return Lexer(normalize_lines(source)).run();
}

}  // namespace engine::tokenizer::jinja
