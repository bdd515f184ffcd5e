// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <string>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/model_info.h"

namespace app {

// The heads that stand beside the one in focus, in the order they were pinned. They outlive a run
// and belong to a model. GUI thread.
class Pins : public QObject {
    Q_OBJECT
  public:
    static constexpr std::size_t most = 24;  // as many maps as a figure holds readably

    // Another model than the last one forgets them.
    void setModel(const engine::ModelInfo&);
    bool add(const std::vector<engine::LayerHead>&);  // false: not all of them found room
    bool toggle(engine::LayerHead);                   // as add()
    void remove(engine::LayerHead);
    void clear();
    void set(const std::vector<engine::LayerHead>&);  // these and no others
    bool has(engine::LayerHead) const;
    const std::vector<engine::LayerHead>& heads() const { return m_heads; }

  Q_SIGNALS:
    void changed();

  private:
    std::string m_model;  // path and hash
    std::vector<engine::LayerHead> m_heads;
};

}  // namespace app
