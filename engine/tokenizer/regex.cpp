// SPDX-License-Identifier: GPL-3.0-or-later
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/tokenizer/regex.h"

#include <pcre2.h>

#include <array>

#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

constexpr std::size_t longest_pattern = 1 << 16;
constexpr std::uint32_t match_limit =
    10'000'000;  // steps of one match; ordinary patterns need a few
constexpr std::size_t jit_stack_start = 32 << 10, jit_stack_most = 8 << 20;

template <auto free_function>
struct Freed {
    template <typename T>
    void operator()(T* handle) const {
        free_function(handle);
    }
};
using MatchData = std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context_free>>;
using CompileContext = std::unique_ptr<pcre2_compile_context, Freed<pcre2_compile_context_free>>;
using JitStack = std::unique_ptr<pcre2_jit_stack, Freed<pcre2_jit_stack_free>>;

// What a match writes to: one a thread, since the pieces of a text are many and short.
struct Scratch {
    MatchData data{pcre2_match_data_create(1, nullptr)};
    MatchContext context{pcre2_match_context_create(nullptr)};
    JitStack stack{pcre2_jit_stack_create(jit_stack_start, jit_stack_most, nullptr)};
    Scratch() {
        if (!data || !context) throw std::bad_alloc();
        pcre2_set_match_limit(context.get(), match_limit);
        if (stack) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    }
};

Scratch& scratch() {
    thread_local Scratch mine;
    return mine;
}

std::string message_of(int code) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

const pcre2_code* code_of(const std::shared_ptr<const void>& code) {
    return static_cast<const pcre2_code*>(code.get());
}

}  // namespace

Regex::Regex(std::string_view pattern, const std::string& where) : pattern_(pattern) {
    if (pattern.size() > longest_pattern)
        throw Error(Failure::Kind::BadFile,
                    "a pre-tokenizer pattern of " + std::to_string(pattern.size()) +
                        " bytes, the limit is " + std::to_string(longest_pattern),
                    where);
    const std::string translated = to_pcre2(pattern, where);
    CompileContext context{pcre2_compile_context_create(nullptr)};
    if (!context) throw std::bad_alloc();
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(context.get(), 100);
    int error = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                      PCRE2_UTF | PCRE2_UCP, &error, &offset, context.get());
    if (!code)
        throw Error(Failure::Kind::BadFile,
                    "the pre-tokenizer's pattern cannot be compiled (" + message_of(error) +
                        "): " + pattern_,
                    where);
    code_ = std::shared_ptr<const void>(code, [](const void* p) {
        pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(p)));
    });
    // Without a JIT (a hardened kernel, a rare CPU) the interpreter gives the same matches, more
    // slowly.
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
}

void Regex::find_all(std::string_view text, std::vector<Match>& out) const {
    Scratch& s = scratch();
    const auto* const subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(s.data.get());
    std::size_t at = 0;
    std::uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY;
    while (at < text.size()) {
        const int found = pcre2_match(code_of(code_), subject, text.size(), at, options,
                                      s.data.get(), s.context.get());
        if (found == PCRE2_ERROR_NOMATCH) return;
        if (found < 0)
            throw Error(Failure::Kind::BadRequest,
                        "the model's pre-tokenizer pattern gives up on this text at byte " +
                            std::to_string(at) + " (" + message_of(found) + "): " + pattern_);
        // \K and lookbehind tricks could hand back a match that begins before the search did.
        if (ends[0] < at || ends[1] <= ends[0])
            throw Error(Failure::Kind::BadRequest,
                        "the model's pre-tokenizer pattern goes backwards: " + pattern_);
        out.push_back({ends[0], ends[1]});
        at = ends[1];
    }
}

}  // namespace engine::tokenizer
