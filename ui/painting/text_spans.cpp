// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/text_spans.h"

#include <QTextBoundaryFinder>
#include <algorithm>

#include "ui/painting/theme.h"

namespace ui {

namespace {

// Tokens' bytes as text, and where each begins in it. A token may begin inside a character: it then
// begins where that does.
struct Text {
    QString text;
    std::vector<qsizetype> begins;  // [tokens + 1]
};

// Bytes of the well-formed character at `at`, 1 for a byte that is none.
std::size_t characterAt(const std::string& bytes, std::size_t at, QString& character) {
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    character.clear();
    if (length <= bytes.size() - at)
        character = QString::fromUtf8(bytes.data() + at, static_cast<qsizetype>(length));
    if (length > 1 && (character.isEmpty() || character.contains(QChar::ReplacementCharacter))) {
        character = QChar(QChar::ReplacementCharacter);
        return 1;
    }
    return length;
}

Text textOf(const std::vector<engine::Token>& tokens, std::size_t first, std::size_t last) {
    std::string bytes;
    for (std::size_t i = first; i < last; ++i) bytes += tokens[i].bytes;
    Text text;
    std::size_t token = first, tokenAt = 0;  // the next one to begin, and its first byte
    QString character;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = characterAt(bytes, at, character);
        for (; token < last && tokenAt < at + length; ++token) {
            text.begins.push_back(text.text.size());
            tokenAt += tokens[token].bytes.size();
        }
        text.text += character;
        at += length;
    }
    for (; token <= last; ++token) text.begins.push_back(text.text.size());
    return text;
}

std::vector<qsizetype> segmentsOf(const QString& text, Granularity granularity) {
    std::vector<qsizetype> begins{0};
    if (granularity == Granularity::Lines) {
        for (qsizetype at = text.indexOf(u'\n'); at >= 0; at = text.indexOf(u'\n', at + 1))
            begins.push_back(at + 1);
        return begins;
    }
    QTextBoundaryFinder finder(granularity == Granularity::Words ? QTextBoundaryFinder::Word
                                                                 : QTextBoundaryFinder::Sentence,
                               text);
    for (qsizetype at = finder.toNextBoundary(); at > 0; at = finder.toNextBoundary())
        begins.push_back(at);
    return begins;
}

// Spans of the tokens [first, last), whose text is one piece.
void appendSpans(const std::vector<engine::Token>& tokens, std::size_t first, std::size_t last,
                 Granularity granularity, std::vector<std::int64_t>& edges) {
    if (first >= last) return;
    const Text text = textOf(tokens, first, last);
    const std::vector<qsizetype> segments = segmentsOf(text.text, granularity);
    qsizetype before = -1;
    for (std::size_t i = first; i < last; ++i) {
        const qsizetype begin = text.begins[i - first], end = text.begins[i - first + 1];
        qsizetype at = begin;
        while (at < end && text.text[at].isSpace()) ++at;
        if (at == end) at = begin;
        const qsizetype segment =
            std::upper_bound(segments.begin(), segments.end(), at) - segments.begin();
        if (tokens[i].bytes.empty() && before >= 0) continue;  // goes on with what is before it
        if (segment != before) edges.push_back(static_cast<std::int64_t>(i));
        before = segment;
    }
}

bool isBlank(const engine::Token& token) {
    return std::all_of(token.bytes.begin(), token.bytes.end(),
                       [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
}

std::vector<std::int64_t> turnEdges(const std::vector<engine::Token>& tokens) {
    std::vector<std::int64_t> edges;
    bool hasText = false, afterControl = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const engine::Token& token = tokens[i];
        if (i == 0 || (token.control && afterControl && hasText)) {
            edges.push_back(static_cast<std::int64_t>(i));
            hasText = false;
        }
        if (token.control) {
            afterControl = true;
        } else if (!isBlank(token)) {
            hasText = true;
            afterControl = false;
        }
    }
    return edges;
}

}  // namespace

std::vector<std::int64_t> spanEdges(const std::vector<engine::Token>& tokens,
                                    Granularity granularity) {
    std::vector<std::int64_t> edges;
    if (tokens.empty()) return edges;
    if (granularity == Granularity::Turns) {
        edges = turnEdges(tokens);
    } else if (granularity == Granularity::Lines) {
        appendSpans(tokens, 0, tokens.size(), granularity, edges);
    } else if (granularity == Granularity::Tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            edges.push_back(static_cast<std::int64_t>(i));
    } else {
        std::size_t first = 0;
        for (std::size_t i = 0; i <= tokens.size(); ++i) {
            if (i < tokens.size() && !tokens[i].control) continue;
            appendSpans(tokens, first, i, granularity, edges);
            if (i < tokens.size()) edges.push_back(static_cast<std::int64_t>(i));
            first = i + 1;
        }
    }
    edges.push_back(std::ssize(tokens));
    return edges;
}

MapUnits unitsOf(const std::vector<engine::Token>& tokens, Granularity granularity) {
    if (granularity == Granularity::Tokens) return {};
    return {granularity, spanEdges(tokens, granularity)};
}

QString spanText(const std::vector<engine::Token>& tokens, engine::Rows span, int characters) {
    std::string bytes;
    const std::int64_t end = std::min<std::int64_t>(span.end, std::ssize(tokens));
    const auto enough = static_cast<std::size_t>(characters) * 4 + 4;  // UTF-8's longest
    const auto isControl = [&](std::int64_t i) {
        return tokens[static_cast<std::size_t>(i)].control;
    };
    std::int64_t first = std::max<std::int64_t>(span.begin, 0);
    while (first + 1 < end && isControl(first)) ++first;
    for (std::int64_t i = first; i < end && bytes.size() < enough; ++i)
        bytes += tokens[static_cast<std::size_t>(i)].bytes;
    QString text = visibleToken(bytes);
    if (text.size() <= characters) return text;
    qsizetype kept = characters - 1;
    if (kept > 0 && text[kept - 1].isHighSurrogate()) --kept;  // no half of a character
    return text.left(kept) + u'…';
}

}  // namespace ui
