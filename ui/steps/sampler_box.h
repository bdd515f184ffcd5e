// SPDX-License-Identifier: GPL-3.0-or-later
// Greedy, or sampled with temperature, top-k, top-p and a seed that a small popup holds.
#pragma once
#include <QComboBox>
#include <QFrame>

#include "engine/values/run.h"

class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace ui {

class SamplerBox : public QComboBox {
    Q_OBJECT
  public:
    explicit SamplerBox(QWidget* parent = nullptr);
    engine::Sampling sampling() const { return m_sampling; }
    void setSampling(const engine::Sampling&);  // no signal
    QString summary() const;                    // "greedy", "T 0.80 · k 40 · p 0.95"
    QFrame* openPopup();

  Q_SIGNALS:
    void samplingChanged();

  private:
    void choose(int index);
    void takePopup();
    void refresh();

    engine::Sampling m_sampling;
    engine::Sampling m_sampled{.temperature = 0.8, .top_k = 40, .top_p = 0.95, .seed = 0};
    QFrame* m_popup = nullptr;
    QDoubleSpinBox *m_temperature = nullptr, *m_topP = nullptr;
    QSpinBox* m_topK = nullptr;
    QLineEdit* m_seed = nullptr;
};

}  // namespace ui
