// SPDX-License-Identifier: GPL-3.0-or-later
// The page that a figure's panels stand on, as a journal or a talk asks for it.
#pragma once
#include <QString>
#include <optional>
#include <string_view>

namespace ui {

// Logical pixels, 96 to the inch.
struct PageSize {
    double width = 0;   // 0: as wide as the maps need
    double height = 0;  // 0: as high as the panels need
    double text = 1;    // size of all words and numbers, of the window's
    bool operator==(const PageSize&) const = default;
};

// "natural"; "single" and "double", a journal's columns of 89 and 183 mm, with text of 5.6 to
// 7.3 pt; "slide", 16 : 9.
std::optional<PageSize> pageSizeOf(std::string_view name);
inline constexpr double leastPageMm = 40, mostPageMm = 600;
PageSize pageOfWidth(double mm);  // with a journal's text

// Which panels have tokens at their axes: each, those at the left and at the bottom, or none.
enum class FigureLabels { Every, Edge, None };

struct FigurePage {
    PageSize size;
    int columns = 0;  // 0: by the number of panels
    FigureLabels labels = FigureLabels::Every;
    bool letters = false;      // "a", "b" … before the heads' names
    bool transparent = false;  // no ground
    QString caption;           // below the colour bar, plain text; may be empty
    bool operator==(const FigurePage&) const = default;
};

QString panelLetter(int panel);  // "a" … "z", "aa" …

}  // namespace ui
