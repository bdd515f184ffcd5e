// SPDX-License-Identifier: GPL-3.0-or-later
// What stands where the map will be: which models there are and whether they fit, and prompts to
// start with.
#pragma once
#include <QScrollArea>
#include <QString>
#include <vector>

#include "engine/values/model_info.h"

class QPushButton;
class QTableView;
class QVBoxLayout;

namespace ui {

class ModelTable;

struct ExamplePrompt {
    QString name, text, note;
};

class EmptyPage : public QScrollArea {
    Q_OBJECT
  public:
    explicit EmptyPage(QWidget* parent = nullptr);
    void setModels(
        const std::vector<engine::ModelInfo>&);  // the first that is supported is preselected
    void setPrompts(const std::vector<ExamplePrompt>&);
    void setBusy(bool);  // a model is being opened: the buttons wait

  Q_SIGNALS:
    void modelChosen(const QString& path);
    void openModelRequested();  // another folder or file
    void promptChosen(const QString& text);

  private:
    void refreshOpenButton();

    ModelTable* m_models = nullptr;
    QTableView* m_view = nullptr;
    QPushButton *m_open = nullptr, *m_other = nullptr;
    QVBoxLayout* m_prompts = nullptr;
    QWidget* m_promptBox = nullptr;
    bool m_busy = false;
};

}  // namespace ui
