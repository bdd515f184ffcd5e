// SPDX-License-Identifier: GPL-3.0-or-later
// Which colours stand for values of one sign, in every map, thumbnail and figure; like the theme,
// one for the whole program. Those of both signs keep theirs. GUI thread.
#pragma once
#include <QString>
#include <array>
#include <optional>
#include <string_view>

namespace ui {

enum class Palette { Navia, Viridis, Cividis, Blues, Oslo };
inline constexpr std::array paletteNames{"navia", "viridis", "cividis", "blues", "oslo"};
inline constexpr int palettes = static_cast<int>(paletteNames.size());

Palette palette();         // Navia unless chosen
void setPalette(Palette);  // with widgets there, each is sent QEvent::PaletteChange
QString paletteName(Palette);
std::optional<Palette> paletteNamed(std::string_view);  // as in paletteNames

}  // namespace ui
