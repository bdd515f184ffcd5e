// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/strip/strip_layout.h"

#include <algorithm>

namespace ui {

void StripLayout::setCount(std::int64_t count) {
    m_count = std::max<std::int64_t>(count, 0);
    m_widths.resize(static_cast<std::size_t>(m_count), 0);
    settle();
}

void StripLayout::forgetWidths() {
    std::fill(m_widths.begin(), m_widths.end(), 0);
    settle();
}

void StripLayout::setViewWidth(int pixels) {
    m_view = std::max(pixels, 0);
    settle();
}

int StripLayout::width(std::int64_t index) {
    int& known = m_widths[static_cast<std::size_t>(index)];
    if (known == 0) known = std::max(1, m_measure(index));
    return known;
}

std::vector<PlacedToken> StripLayout::visible() {
    std::vector<PlacedToken> placed;
    int x = -m_offset;
    for (std::int64_t i = m_first; i < m_count && x < m_view; ++i) {
        placed.push_back({i, x, width(i)});
        x += width(i);
    }
    return placed;
}

void StripLayout::scrollBy(int pixels) {
    m_offset += pixels;
    settle();
}

void StripLayout::startAt(std::int64_t index) {
    m_first = std::clamp<std::int64_t>(index, 0, std::max<std::int64_t>(m_count - 1, 0));
    m_offset = 0;
    settle();
}

void StripLayout::scrollTo(std::int64_t index) {
    if (index < 0 || index >= m_count || m_view <= 0) return;
    const int margin = std::min(40, m_view / 8);
    if (index < m_first || (index == m_first && m_offset > 0)) {
        startAt(index);
        scrollBy(-margin);
        return;
    }
    int end = -m_offset;
    std::int64_t i = m_first;
    for (; i <= index && end <= m_view; ++i) end += width(i);
    const int spare = index + 1 < m_count ? margin : 0;
    if (i > index && end + spare <= m_view) return;  // whole in view
    // Right of the view, maybe far: walk back from the token instead of over what lies between.
    m_first = index;
    m_offset = std::min(0, width(index) + spare - m_view);
    settle();
}

bool StripLayout::fits() {
    if (m_first > 0 || m_offset > 0) return false;
    int x = 0;
    for (std::int64_t i = 0; i < m_count; ++i) {
        x += width(i);
        if (x > m_view) return false;
    }
    return true;
}

// Brings (first, offset) back to 0 <= offset < width(first), not past either end.
void StripLayout::settle() {
    if (m_count == 0) {
        m_first = 0;
        m_offset = 0;
        return;
    }
    m_first = std::clamp<std::int64_t>(m_first, 0, m_count - 1);
    while (m_offset < 0 && m_first > 0) m_offset += width(--m_first);
    m_offset = std::max(m_offset, 0);
    while (m_first + 1 < m_count && m_offset >= width(m_first)) m_offset -= width(m_first++);
    // No empty space at the right while there are tokens at the left.
    int shown = -m_offset;
    for (std::int64_t i = m_first; i < m_count && shown < m_view; ++i) shown += width(i);
    if (shown >= m_view) return;
    int spare = m_view - shown;
    if (spare <= m_offset) {
        m_offset -= spare;
        return;
    }
    spare -= m_offset;
    m_offset = 0;
    while (spare > 0 && m_first > 0) {
        const int one = width(--m_first);
        if (one > spare) m_offset = one - spare;
        spare -= one;
    }
}

}  // namespace ui
