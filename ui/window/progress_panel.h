// SPDX-License-Identifier: GPL-3.0-or-later
// What takes longer than a second: amount, rate, time left and Cancel. Placed over the map's
// uncomputed area.
#pragma once
#include <QElapsedTimer>
#include <QFrame>
#include <QString>
#include <QTimer>

class QLabel;
class QPushButton;

namespace ui {

class ThinBar;

class ProgressPanel : public QFrame {
    Q_OBJECT
  public:
    enum class Unit { Tokens, Bytes, Rows };

    explicit ProgressPanel(QWidget* parent = nullptr);
    // Shows itself once the work has taken 400 ms and is expected to take more than a second in
    // all.
    void begin(const QString& title, Unit unit, const QString& note = {});
    // `inWork`: how much of what follows `done` the work in hand amounts to by now. It moves the
    // bar and the time left; the amount counts what is finished.
    void setProgress(qint64 done, qint64 total, const QString& detail = {}, double inWork = 0);
    void end();
    bool isRunning() const { return m_running; }
    double fraction() const;     // 0 to 1
    double rate() const;         // units a second since begin, 0 while unknown
    QString amountText() const;  // "4,096 of 8,192 tokens · 141 tok/s · layer 17 of 30"
    QString timeLeftText() const;

  Q_SIGNALS:
    void cancelRequested();
    void shown();  // became visible, or changed its size: the window places it

  protected:
    void paintEvent(QPaintEvent*) override;
    void showEvent(QShowEvent*) override;

  private:
    void refresh();

    Unit m_unit = Unit::Tokens;
    qint64 m_done = 0, m_total = 0;
    double m_reached = 0, m_first = -1;  // with what is in work; first: at the first report
    QString m_detail;
    bool m_running = false;
    QElapsedTimer m_since;
    QTimer m_patience;
    QLabel *m_title = nullptr, *m_left = nullptr, *m_amount = nullptr, *m_note = nullptr;
    ThinBar* m_bar = nullptr;
    QPushButton* m_cancel = nullptr;
};

}  // namespace ui
