// SPDX-License-Identifier: GPL-3.0-or-later
// Where the tokens of a prompt stand when it is written out: lines as they are written, wrapped
// between words. Tokens are only added at the end, so that a step costs one token.
#pragma once
#include <QString>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/values/run.h"

namespace ui {

// A token, or what of it stands on one line: a token with line feeds goes on behind each.
struct FlowPiece {
    std::int64_t token = 0;
    QString text;  // visible, as a token's
    int x = 0, width = 0;
};

class TextFlow {
  public:
    // width(text): pixels of a piece.
    explicit TextFlow(std::function<int(const QString&)> width) : m_measure(std::move(width)) {}

    void setWidth(int pixels);  // of a line; a piece that is wider has a line of its own
    void setTokens(const std::vector<engine::Token>&);
    void append(const engine::Token&);
    void forgetWidths();  // the font changed

    std::int64_t lines() const { return std::ssize(m_lines); }
    // Pieces of a line: [begin, end) in pieces().
    std::size_t begin(std::int64_t line) const { return m_lines[static_cast<std::size_t>(line)]; }
    std::size_t end(std::int64_t line) const {
        return line + 1 < lines() ? begin(line + 1) : m_pieces.size();
    }
    const std::vector<FlowPiece>& pieces() const { return m_pieces; }
    std::int64_t lineOf(std::int64_t token) const;  // of its first piece; −1: no such token
    std::int64_t tokenAt(std::int64_t line, int x) const;  // −1: none there

  private:
    void place(std::size_t at);
    void layOut();

    std::function<int(const QString&)> m_measure;
    std::vector<FlowPiece> m_pieces;
    std::vector<std::uint8_t> m_breaks;      // [pieces]: a line may begin before it (1), must (2)
    std::vector<std::size_t> m_lines;        // first piece of each
    std::vector<std::size_t> m_first;        // [tokens]: its first piece
    std::size_t m_word = 0;                  // the last piece that a line may begin with
    int m_width = 0, m_x = 0;                // where the next piece goes
    bool m_control = false, m_feed = false;  // what the last token was, and that it ended a line
};

}  // namespace ui
