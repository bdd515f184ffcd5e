// SPDX-License-Identifier: GPL-3.0-or-later
// What the run on screen changes in its own forward pass: a chip an edit, each with a cross that
// takes it away. Hidden while there is none. GUI thread only.
#pragma once
#include <QFrame>
#include <QStringList>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;

namespace ui {

class EditChips : public QFrame {
    Q_OBJECT
  public:
    explicit EditChips(QWidget* parent = nullptr);

    // Of run `name`; `base`: the run without them, empty: none is open. As plain text.
    void setEdits(const QString& name, const QStringList& edits, const QString& base);
    QStringList edits() const { return m_edits; }

  Q_SIGNALS:
    void removeRequested(int index);  // of the edits
    void baseRequested();

  protected:
    void changeEvent(QEvent*) override;
    void paintEvent(QPaintEvent*) override;

  private:
    void applyTheme();

    QStringList m_edits;
    QLabel* m_name = nullptr;
    QScrollArea* m_area = nullptr;
    QHBoxLayout* m_chips = nullptr;
    QPushButton* m_base = nullptr;
};

}  // namespace ui
