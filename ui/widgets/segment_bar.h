// SPDX-License-Identifier: GPL-3.0-or-later
// Buttons joined to a bar of which one is chosen. Tab reaches it, arrow keys choose.
#pragma once
#include <QAbstractButton>
#include <QWidget>
#include <vector>

namespace ui {

class SegmentBar : public QWidget {
    Q_OBJECT
  public:
    explicit SegmentBar(QWidget* parent = nullptr);
    // `key` stands small after the text; it is a hint, the shortcut is the window's.
    void addSegment(const QString& text, const QString& key, const QString& toolTip);
    void setCurrent(int index);  // without the signal
    int current() const;
    QAbstractButton* segment(int index) const {
        return m_segments[static_cast<std::size_t>(index)];
    }
    QSize sizeHint() const override;
    // With less than that the keys' hints go, and then words are cut.
    QSize minimumSizeHint() const override { return sizeHint(); }

  Q_SIGNALS:
    void chosen(int index);

  protected:
    bool event(QEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    std::vector<QAbstractButton*> m_segments;
};

}  // namespace ui
