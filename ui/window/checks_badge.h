// SPDX-License-Identifier: GPL-3.0-or-later
// The invariants of the run in the status bar: colour, shape and numbers; a click opens them layer
// by layer.
#pragma once
#include <QAbstractButton>
#include <QString>
#include <vector>

#include "engine/values/checks.h"

namespace ui {

class ChecksBadge : public QAbstractButton {
    Q_OBJECT
  public:
    enum class Verdict { None, Ok, Warn, Error };

    explicit ChecksBadge(QWidget* parent = nullptr);
    void setReports(const std::vector<engine::CheckReport>&);  // one a layer, any order
    void setPending(const QString& sentence);  // "checks: none yet"; drops the reports
    Verdict verdict() const { return m_verdict; }
    const std::vector<engine::CheckReport>& reports() const { return m_reports; }
    void openTable();  // what a click does: a tool window with a row a layer

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void checksRequested();  // clicked while there are no reports

  protected:
    void paintEvent(QPaintEvent*) override;

  private:
    std::vector<engine::CheckReport> m_reports;
    Verdict m_verdict = Verdict::None;
};

}  // namespace ui
