// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/pins.h"

#include <algorithm>

namespace app {

void Pins::setModel(const engine::ModelInfo& info) {
    const std::string model = info.path + '\n' + info.hash;
    if (model == m_model) return;
    m_model = model;
    clear();
}

bool Pins::has(engine::LayerHead at) const {
    return std::find(m_heads.begin(), m_heads.end(), at) != m_heads.end();
}

bool Pins::add(const std::vector<engine::LayerHead>& heads) {
    const std::size_t before = m_heads.size();
    bool all = true;
    for (const engine::LayerHead at : heads) {
        if (has(at)) continue;
        if (m_heads.size() < most)
            m_heads.push_back(at);
        else
            all = false;
    }
    if (m_heads.size() != before) Q_EMIT changed();
    return all;
}

bool Pins::toggle(engine::LayerHead at) {
    if (!has(at)) return add({at});
    remove(at);
    return true;
}

void Pins::remove(engine::LayerHead at) {
    if (!has(at)) return;
    m_heads.erase(std::find(m_heads.begin(), m_heads.end(), at));
    Q_EMIT changed();
}

void Pins::set(const std::vector<engine::LayerHead>& heads) {
    if (heads.empty()) return clear();
    if (heads == m_heads) return;
    m_heads.clear();
    add(heads);
}

void Pins::clear() {
    if (m_heads.empty()) return;
    m_heads.clear();
    Q_EMIT changed();
}

}  // namespace app
