// SPDX-License-Identifier: GPL-3.0-or-later
// What stands where the map will be: which models there are and whether they fit, and prompts to
// start with. With a model open and no run of it, it is that model's page.
#pragma once
#include <QScrollArea>
#include <QString>
#include <optional>
#include <vector>

#include "engine/values/model_info.h"

class QLabel;
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
    void setOpenModel(const std::optional<engine::ModelInfo>&);  // its name and shape stand on top
    QString title() const;
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
    QLabel *m_title = nullptr, *m_about = nullptr, *m_modelsTitle = nullptr;
    QVBoxLayout* m_column = nullptr;
    QWidget* m_modelBox = nullptr;
    QString m_openPath;
    QPushButton *m_open = nullptr, *m_other = nullptr;
    QVBoxLayout* m_prompts = nullptr;
    QWidget* m_promptBox = nullptr;
    bool m_busy = false;
};

}  // namespace ui
