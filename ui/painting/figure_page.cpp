// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/figure_page.h"

namespace ui {

PageSize pageOfWidth(double mm) {
    constexpr double journalText = 0.75;
    return {mm / 25.4 * 96, 0, journalText};
}

std::optional<PageSize> pageSizeOf(std::string_view name) {
    if (name == "natural") return PageSize();
    if (name == "single") return pageOfWidth(89);
    if (name == "double") return pageOfWidth(183);
    if (name == "slide") return PageSize{1280, 720, 1.25};
    return std::nullopt;
}

QString panelLetter(int panel) {
    QString letters;
    for (int rest = panel; rest >= 0; rest = rest / 26 - 1)
        letters.prepend(QChar(static_cast<char16_t>(u'a' + rest % 26)));
    return letters;
}

}  // namespace ui
