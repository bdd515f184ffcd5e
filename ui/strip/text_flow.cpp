// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/strip/text_flow.h"

#include <algorithm>

#include "ui/painting/theme.h"

namespace ui {

namespace {

constexpr std::uint8_t mayBreak = 1, mustBreak = 2;

// Before white space, and between signs that are words by themselves.
bool beginsWord(const QString& text) {
    if (text.isEmpty()) return false;
    const QChar first = text.front();
    return first == u'·' || first == u'⇥' ||
           (first.category() == QChar::Letter_Other && !first.isSurrogate());
}

}  // namespace

void TextFlow::setWidth(int pixels) {
    if (pixels == m_width) return;
    m_width = pixels;
    layOut();
}

void TextFlow::setTokens(const std::vector<engine::Token>& tokens) {
    m_pieces.clear();
    m_breaks.clear();
    m_lines.clear();
    m_first.clear();
    m_word = 0;
    m_x = 0;
    m_control = m_feed = false;
    for (const engine::Token& token : tokens) append(token);
}

void TextFlow::append(const engine::Token& token) {
    const std::int64_t index = std::ssize(m_first);
    m_first.push_back(m_pieces.size());
    std::size_t from = 0;
    do {
        const std::size_t feed = token.bytes.find('\n', from);
        const std::size_t to = feed == std::string::npos ? token.bytes.size() : feed + 1;
        FlowPiece piece{index, visibleToken(token.bytes.substr(from, to - from)), 0, 0};
        piece.width = std::max(m_measure(piece.text), 1);
        const bool may = beginsWord(piece.text) || token.control || m_control;
        m_breaks.push_back(m_feed ? mustBreak : may ? mayBreak : std::uint8_t{0});
        m_pieces.push_back(std::move(piece));
        place(m_pieces.size() - 1);
        m_feed = feed != std::string::npos;
        from = to;
    } while (from < token.bytes.size());
    m_control = token.control;
}

void TextFlow::forgetWidths() {
    for (FlowPiece& piece : m_pieces) piece.width = std::max(m_measure(piece.text), 1);
    layOut();
}

void TextFlow::layOut() {
    m_lines.clear();
    m_word = 0;
    m_x = 0;
    for (std::size_t i = 0; i < m_pieces.size(); ++i) place(i);
}

void TextFlow::place(std::size_t at) {
    FlowPiece& piece = m_pieces[at];
    const auto newLine = [this](std::size_t first) {
        m_lines.push_back(first);
        m_x = 0;
    };
    if (m_lines.empty() || m_breaks[at] == mustBreak) {
        newLine(at);
        m_word = at;
    } else if (m_breaks[at] == mayBreak) {
        m_word = at;
    }
    // The mark of a line feed may hang over: it never stands alone for want of room.
    if (m_x > 0 && m_x + piece.width > m_width && piece.text != u"⏎") {
        // The word goes on to the next line whole, if it does not fill one by itself.
        const std::size_t first = m_word > m_lines.back() ? m_word : at;
        newLine(first);
        for (std::size_t i = first; i < at; ++i) {
            m_pieces[i].x = m_x;
            m_x += m_pieces[i].width;
        }
        m_word = first;
        if (m_x > 0 && m_x + piece.width > m_width) {
            newLine(at);
            m_word = at;
        }
    }
    piece.x = m_x;
    m_x += piece.width;
}

std::int64_t TextFlow::lineOf(std::int64_t token) const {
    if (token < 0 || token >= std::ssize(m_first)) return -1;
    const auto after =
        std::upper_bound(m_lines.begin(), m_lines.end(), m_first[static_cast<std::size_t>(token)]);
    return after - m_lines.begin() - 1;
}

std::int64_t TextFlow::tokenAt(std::int64_t line, int x) const {
    if (line < 0 || line >= lines() || x < 0) return -1;
    for (std::size_t i = begin(line); i < end(line); ++i)
        if (x < m_pieces[i].x + m_pieces[i].width) return m_pieces[i].token;
    return -1;
}

}  // namespace ui
