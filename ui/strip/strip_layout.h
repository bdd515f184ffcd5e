// SPDX-License-Identifier: GPL-3.0-or-later
// Where the tokens of a long row stand, measured only as far as they come into view.
#pragma once
#include <QString>
#include <cstdint>
#include <functional>
#include <vector>

namespace ui {

struct PlacedToken {
    std::int64_t index = 0;
    int x = 0, width = 0;
};

class StripLayout {
  public:
    // width(i): the box of token i in pixels, gap included; asked once each.
    explicit StripLayout(std::function<int(std::int64_t)> width) : m_measure(std::move(width)) {}

    void setCount(std::int64_t);  // keeps what is known of the tokens that stay
    void forgetWidths();          // fonts or texts changed
    void setViewWidth(int pixels);
    int viewWidth() const { return m_view; }
    std::int64_t count() const { return m_count; }

    std::vector<PlacedToken> visible();  // left to right, the first may be cut at the left
    void scrollBy(int pixels);           // right is positive; stops at both ends
    void scrollTo(std::int64_t index);   // the least that shows it whole, with a neighbour's margin
    void startAt(std::int64_t index);    // it becomes the first in view
    std::int64_t first() const { return m_first; }
    bool fits();  // all tokens are in view without scrolling

  private:
    int width(std::int64_t index);
    void settle();

    std::function<int(std::int64_t)> m_measure;
    std::vector<int> m_widths;  // 0: not measured yet
    std::int64_t m_count = 0, m_first = 0;
    int m_offset = 0;  // pixels of the first token that are scrolled out
    int m_view = 0;
};

}  // namespace ui
