// SPDX-License-Identifier: GPL-3.0-or-later
// What the model would say next after the selected position, and which token's logit is attributed.
#pragma once
#include <QWidget>
#include <optional>

#include "engine/values/run.h"

class QBoxLayout;
class QLabel;
class QSpacerItem;
class QStackedLayout;
class QTableView;

namespace ui {

class LogitsModel;
class TokenPicker;
struct TokensBeside;
struct TypedAnswer;

class LogitsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit LogitsPanel(QWidget* parent = nullptr);

    void clear(const QString& sentence);  // says why there is nothing
    void setTopTokens(const engine::TopTokens&);
    // And those of the run it is compared with, until other tokens are set: names "B", "A".
    void setBeside(const TokensBeside&, const QString& ownName, const QString& otherName);
    void clearBeside();
    // Of target and distractor there, and what the second run of the pair has more: "A +1.094 · B −
    // A +0.113"; empty: not compared.
    void setBesideText(const QString&);
    QString besideText() const;
    void setTarget(const std::optional<engine::Candidate>&);  // none: the position's own top token
    void setDistractor(const std::optional<engine::Candidate>&);  // none: the target's logit alone
    // Of the target, minus the distractor's; shown right of the pickers. None: computed where both
    // are in the list.
    void setLogit(std::optional<double>);
    // To lookUpWanted.
    void setAnswer(bool distractor, const TypedAnswer&);
    // The row whose next tokens are shown; while tokens stream it is behind the selection.
    std::optional<engine::Position> position() const { return m_position; }
    LogitsModel* model() const { return m_model; }
    QTableView* view() const { return m_view; }

  Q_SIGNALS:
    void targetChanged(
        std::optional<engine::Candidate>);  // none: back to the position's own top token
    void distractorChanged(std::optional<engine::Candidate>);
    void positionChanged();
    // A target, or a distractor, is being named by hand: which token is it?
    void lookUpWanted(const QString& typed, bool distractor);

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void resizeEvent(QResizeEvent*) override;

  private:
    void refreshPickers();
    void refreshLogit();
    void showColumns();
    void sizeTokens();
    void fitRows();
    void placePickers();
    void clickMark(int row, bool distractor);
    void pick(bool distractor, const std::optional<engine::Candidate>&);
    void refuse(const QString& why);

    std::optional<engine::Position> m_position;
    std::vector<engine::Candidate> m_top;  // of that row
    LogitsModel* m_model = nullptr;
    QStackedLayout* m_pages = nullptr;
    QLabel* m_sentence = nullptr;
    QTableView* m_view = nullptr;
    TokenPicker *m_target = nullptr, *m_distractor = nullptr;
    QLabel *m_logitLabel = nullptr, *m_besideLabel = nullptr, *m_refusal = nullptr;
    QLabel* m_minusName = nullptr;
    QSpacerItem* m_underRows = nullptr;  // what is too low for a row
    QBoxLayout* m_foot = nullptr;        // the pickers, one below the other in a narrow panel
    int m_besideTarget = 0;              // pixels, of the word before it
    std::optional<double> m_logit;
};

}  // namespace ui
