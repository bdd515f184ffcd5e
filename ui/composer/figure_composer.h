// SPDX-License-Identifier: GPL-3.0-or-later
// Several heads in one figure: which, on what page, and how it will look. Draws nothing itself:
// what is wished for goes out, the picture comes in. GUI thread, not modal.
#pragma once
#include <QDialog>
#include <QString>
#include <optional>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/model_info.h"
#include "ui/painting/figure_page.h"
#include "ui/painting/theme.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace ui {

class FigurePreview;

struct FigureWish {
    std::vector<engine::LayerHead> heads;
    FigurePage page;
    QString size = QStringLiteral("double");  // the page's, as pageSizeOf knows it, or mm
    Scheme scheme = Scheme::Light;
    std::optional<QString> title;  // none: the default
    int dpi = 300;                 // of a PNG
};

class FigureComposer : public QDialog {
    Q_OBJECT
  public:
    FigureComposer(const engine::ModelInfo&, const FigureWish&, QWidget* parent);

    void setModel(const engine::ModelInfo&);
    void setPinned(const std::vector<engine::LayerHead>&);  // what "Pinned" takes
    void setFocused(engine::LayerHead);                     // what "Add" adds
    // The title of who types none: what the file says without being told. Typed over it stays.
    void setDefaultTitle(const QString&);
    void setShows(const QString&);  // "p (pattern), √, sink out of scale": as the map
    void setPicture(const QImage&, QSizeF logical);
    void setProblem(const QString&);  // why there is no figure; nothing can be exported
    // How an export or a copy goes or went, until something else is wished for.
    void setStatus(const QString&);
    FigureWish wish() const;  // without heads where what is typed names none
    FigurePreview& preview() const { return *m_preview; }

  Q_SIGNALS:
    void changed();  // the wish, or the preview's room
    void exportRequested();
    void commandRequested();

  private:
    QWidget* buildChoices();
    void fill(const FigureWish&);
    void readHeads();
    void take(const std::vector<engine::LayerHead>&);
    void refreshButtons();
    void sizeChosen();
    void wishChanged();

    engine::ModelInfo m_model;
    QString m_defaultTitle;
    std::vector<engine::LayerHead> m_heads, m_pinned;
    engine::LayerHead m_focused;
    bool m_filling = false, m_hasPicture = false;
    FigurePreview* m_preview = nullptr;
    QLineEdit *m_headsEdit = nullptr, *m_title = nullptr, *m_caption = nullptr;
    QPushButton *m_takePinned = nullptr, *m_addFocused = nullptr, *m_export = nullptr,
                *m_command = nullptr;
    QComboBox *m_size = nullptr, *m_labels = nullptr, *m_scheme = nullptr, *m_dpi = nullptr;
    QFormLayout* m_form = nullptr;
    QDoubleSpinBox* m_width = nullptr;
    QSpinBox* m_columns = nullptr;
    QCheckBox *m_letters = nullptr, *m_transparent = nullptr;
    QLabel *m_shows = nullptr, *m_measures = nullptr, *m_status = nullptr;
};

// "L21.H1, L23.H3", cut at commas and spaces. Throws engine::Error BadRequest that names what is
// no head of the model, or is there twice.
std::vector<engine::LayerHead> headsTyped(const QString&, const engine::ModelInfo&);

}  // namespace ui
