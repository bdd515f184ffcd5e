// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/chat_template.h"

#include <algorithm>

#include "engine/tokenizer/template_expression.h"
#include "engine/tokenizer/template_lexer.h"
#include "engine/tokenizer/template_operators.h"
#include "engine/tokenizer/template_value.h"

namespace engine::tokenizer {
namespace jinja {
namespace {

constexpr int deepest = 40;  // blocks in blocks

class Renderer {
  public:
    Renderer(std::vector<Segment> segments, const SpecialNames& names)
        : segments_(std::move(segments)), scopes_(names) {}

    ChatParts run() {
        run(0, segments_.size());
        return std::move(out_.parts);
    }

  private:
    using Index = std::size_t;
    // A branch of an if, or the body of a for: the segments [begin, end) that `condition` (a
    // segment) leads to.
    struct Branch {
        Index head = 0, begin = 0, end = 0;
    };

    void run(Index at, Index end) {
        if (++depth_ > deepest) throw NotKnown{};
        while (at < end) {
            const Segment& segment = segments_[at];
            if (segment.kind == Segment::Kind::Text) {
                append(out_, Text{{{false, segment.text}}});
                ++at;
            } else if (segment.kind == Segment::Kind::Output) {
                put(evaluate(segment.text, scopes_));
                ++at;
            } else if (segment.keyword == "set") {
                assign(segment.text, std::nullopt);
                ++at;
            } else if (segment.keyword == "if") {
                const std::vector<Branch> branches = branches_of(at, "if", "endif");
                choose(branches);
                at = branches.back().end + 1;
            } else if (segment.keyword == "for") {
                const std::vector<Branch> branches = branches_of(at, "for", "endfor");
                loop(branches);
                at = branches.back().end + 1;
            } else {
                throw NotKnown{};
            }
        }
        --depth_;
    }

    void put(const Value& value) {
        if (std::holds_alternative<Undefined>(value)) return;  // prints as nothing
        const Text* const text = std::get_if<Text>(&value);
        if (!text) throw NotKnown{};
        append(out_, *text);
    }

    // From the opening tag at `at` to its closing one; other blocks inside are stepped over unread.
    std::vector<Branch> branches_of(Index at, std::string_view opening,
                                    std::string_view closing) const {
        std::vector<Branch> branches{{at, at + 1, 0}};
        int inside = 0;
        for (Index i = at + 1; i < segments_.size(); ++i) {
            if (segments_[i].kind != Segment::Kind::Statement) continue;
            const std::string& keyword = segments_[i].keyword;
            if (keyword == "if" || keyword == "for") ++inside;
            if (inside == 0 && keyword == closing) {
                branches.back().end = i;
                return branches;
            }
            if (keyword == "endif" || keyword == "endfor") --inside;
            if (inside < 0) break;
            if (inside == 0 && (keyword == "else" || (keyword == "elif" && opening == "if"))) {
                branches.back().end = i;
                branches.push_back({i, i + 1, 0});
            }
        }
        throw NotKnown{};
    }

    void choose(const std::vector<Branch>& branches) {
        for (auto branch = branches.begin(); branch != branches.end(); ++branch) {
            const Segment& head = segments_[branch->head];
            const std::optional<bool> taken =
                head.keyword == "else" ? std::optional(true) : truth(evaluate(head.text, scopes_));
            if (!taken) return forget({branch, branches.end()});
            if (*taken) return run(branch->begin, branch->end);
        }
    }

    // Any of these branches may be taken, or none: what they set is unknown from here on, and they
    // may do nothing else.
    void forget(const std::vector<Branch>& branches) {
        for (const Branch& branch : branches)
            for (Index i = branch.begin; i < branch.end; ++i) {
                if (segments_[i].kind != Segment::Kind::Statement) throw NotKnown{};
                const std::string& keyword = segments_[i].keyword;
                if (keyword == "set")
                    assign(segments_[i].text, Unknown{});
                else if (keyword != "if" && keyword != "elif" && keyword != "else" &&
                         keyword != "endif")
                    throw NotKnown{};
            }
    }

    void loop(const std::vector<Branch>& branches) {
        if (branches.size() > 2) throw NotKnown{};
        std::string_view head = segments_[branches.front().head].text;
        const std::string name = take_name(head);
        if (take_name(head) != "in") throw NotKnown{};
        const Value over = evaluate(head, scopes_);
        const Messages* const list = std::get_if<Messages>(&over);
        if (!list) throw NotKnown{};
        if (list->empty) {
            if (branches.size() == 2) run(branches[1].begin, branches[1].end);
            return;
        }
        scopes_.open();
        scopes_.set(name, Message{});
        scopes_.set("loop", Loop{});
        run(branches.front().begin, branches.front().end);
        scopes_.close();
    }

    // "name = expression" or "space.field = expression"; `instead` takes the place of the
    // expression.
    void assign(std::string_view text, std::optional<Value> instead) {
        const std::string name = take_name(text);
        std::string field;
        if (text.starts_with('.')) {
            text.remove_prefix(1);
            field = take_name(text);
        }
        const std::size_t sign = text.find_first_not_of(" \t\n");
        if (sign == std::string_view::npos || text[sign] != '=') throw NotKnown{};
        Value value = instead ? *std::move(instead) : evaluate(text.substr(sign + 1), scopes_);
        if (field.empty()) return scopes_.set(name, std::move(value));
        const Value space = scopes_.find(name);
        const auto* const fields = std::get_if<std::shared_ptr<Namespace>>(&space);
        if (!fields) throw NotKnown{};
        // A namespace in a namespace could hold itself, and then nobody would ever free it.
        if (std::holds_alternative<std::shared_ptr<Namespace>>(value)) throw NotKnown{};
        (*fields)->fields.insert_or_assign(field, std::move(value));
    }

    std::vector<Segment> segments_;
    Scopes scopes_;
    Text out_;
    int depth_ = 0;
};

}  // namespace
}  // namespace jinja

std::optional<ChatParts> render_chat_template(std::string_view source, const SpecialNames& names) {
    constexpr std::size_t longest = 256 << 10;
    if (source.empty() || source.size() > longest) return std::nullopt;
    ChatParts rendered;
    try {
        rendered = jinja::Renderer(jinja::split_template(source), names).run();
    } catch (const jinja::NotKnown&) {
        return std::nullopt;
    }
    const auto is_user = [](const ChatPart& part) { return part.user; };
    if (std::count_if(rendered.begin(), rendered.end(), is_user) != 1) return std::nullopt;
    return rendered;
}

}  // namespace engine::tokenizer
