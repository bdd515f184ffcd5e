// SPDX-License-Identifier: GPL-3.0-or-later
// A token chosen from a list or named by hand: what is typed is looked up, and tokens that begin
// so are offered below.
#pragma once
#include <QComboBox>
#include <optional>
#include <vector>

#include "engine/values/run.h"

class QCompleter;
class QModelIndex;
class QStandardItemModel;

namespace ui {

// What is known of a typed text.
struct TypedAnswer {
    QString typed;
    std::optional<engine::Candidate> token;
    QString why;  // where it is none
    std::vector<engine::Candidate> completions;
};

class TokenPicker : public QComboBox {
    Q_OBJECT
  public:
    explicit TokenPicker(const QString& name, QWidget* parent = nullptr);

    // `none` is the first entry, no choice; then the candidates; then a choice that is not among
    // them. What is being typed stays.
    void setEntries(const QString& none, const std::vector<engine::Candidate>&,
                    const std::optional<engine::Candidate>& chosen);
    void setAnswer(const TypedAnswer&);  // of another text than stands there: ignored
    bool isTyping() const;               // something that was not entered yet
    QCompleter* completions() const { return m_completer; }

  Q_SIGNALS:
    void chosen(const std::optional<engine::Candidate>&);
    void lookUpWanted(const QString& typed);
    void refused(const QString& why);  // empty: no longer

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void focusInEvent(QFocusEvent*) override;
    void focusOutEvent(QFocusEvent*) override;

  private:
    bool lineKey(int key);
    void enter();
    void take();
    void choose(std::optional<engine::Candidate>);  // a copy: it may be of what is forgotten then
    void offer(const std::vector<engine::Candidate>&);
    void showChoice();

    QCompleter* m_completer = nullptr;
    QStandardItemModel* m_offered = nullptr;
    std::optional<TypedAnswer> m_answer;  // of what stands there
    bool m_entered = false;               // before its answer was there
    bool m_selectAll = false;             // a click gave it the focus: typing replaces all
};

}  // namespace ui
