// SPDX-License-Identifier: GPL-3.0-or-later
// What each head of the focused layer, and each layer's attention and MLP, writes at the selected
// position.
#pragma once
#include <QString>
#include <QWidget>

#include "ui/contributions/contribution_plot.h"

class QButtonGroup;
class QCustomPlot;
class QLabel;
class QScrollArea;
class QStackedLayout;

namespace ui {

class ContributionBars : public QWidget {
    Q_OBJECT
  public:
    explicit ContributionBars(QWidget* parent = nullptr);

    void clear(const QString& sentence);
    // targetText and distractorText are visible tokens ("·Mary"), the latter empty where there is
    // none.
    void setTable(const engine::ContributionTable&, int kvHeads, const QString& targetText,
                  const QString& distractorText);
    // The same of the run it is compared with, by the same target; until another table is set.
    // Names as "B", "A". One of another shape is none.
    void setBeside(const engine::ContributionTable&, const QString& ownName,
                   const QString& otherName);
    void clearBeside();
    bool isBeside() const { return m_beside.has_value(); }
    const std::optional<engine::ContributionTable>& beside() const { return m_beside; }
    void setFocusedHead(engine::LayerHead);
    void setMeasure(Measure);
    Measure measure() const { return m_view.measure; }
    bool hasTable() const { return m_hasTable; }
    const engine::ContributionTable& table() const { return m_table; }
    engine::LayerHead focusedHead() const { return m_view.focus; }
    QString targetText() const { return m_targetText; }
    QString distractorText() const { return m_distractorText; }
    QCustomPlot* headsPlot() const { return m_heads; }
    QCustomPlot* layersPlot() const { return m_layers; }
    QString toolTipOf(const QCustomPlot*, int row) const;

  Q_SIGNALS:
    void headActivated(engine::LayerHead);
    void layerActivated(engine::Layer);
    void measureChanged(ui::Measure);
    void tableChanged();  // or cleared

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void changeEvent(QEvent*) override;
    void resizeEvent(QResizeEvent*) override;

  private:
    QWidget* build();
    void refresh();
    void refreshTexts();
    int rowAt(const QCustomPlot*, double y) const;
    void hover(const QCustomPlot*, int row);
    void activate(const QCustomPlot*, int row);
    // Keys, while a plot has the focus: ↑ ↓ Home End move over its rows, Enter focuses the head or
    // layer (contribution_bars_keys.cpp).
    int rowsOf(const QCustomPlot*) const;
    int markedRow(const QCustomPlot*) const;  // hovered, else the keys'; −1: none
    bool keyOn(QCustomPlot*, QEvent*);
    void moveTo(QCustomPlot*, int row);
    void placeCursors();  // on the focused head and its layer
    void describePlots();
    QString sumNotes() const;
    QString besideNote(const QString& own, const QString& other) const;

    engine::ContributionTable m_table;
    std::optional<engine::ContributionTable> m_beside;
    QString m_ownName, m_otherName;
    ContributionView m_view;
    bool m_hasTable = false;
    QString m_targetText, m_distractorText;
    QStackedLayout* m_pages = nullptr;
    QLabel* m_sentence = nullptr;
    QButtonGroup* m_measures = nullptr;
    QLabel *m_subject = nullptr, *m_headsTitle = nullptr, *m_closes = nullptr;
    QLabel *m_headsSum = nullptr, *m_headsSumValue = nullptr;
    QLabel *m_layersSum = nullptr, *m_layersSumValue = nullptr, *m_totalsTitle = nullptr;
    QScrollArea *m_headsScroll = nullptr, *m_layersScroll = nullptr;
    QCustomPlot *m_heads = nullptr, *m_layers = nullptr;
    int m_hoveredHead = -1, m_hoveredLayer = -1;
    int m_cursorHead = 0, m_cursorLayer = 0;  // rows of the keys
};

}  // namespace ui
