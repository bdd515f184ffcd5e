// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the real engine: opened as a user opens it, and waited for.
#pragma once
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "tests/support/default_model.h"
#include "tests/support/settle.h"
#include "ui/window/main_window.h"

namespace real {

constexpr int patience = 120'000;  // ms; a loaded machine is no failure

inline app::EngineSource engineSource() {
    return {engine::open_engine,
            [](const std::string& path) { return engine::inspect_model(path); }};
}

// What a window keeps of its user, in a folder that goes with it.
struct Home {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
};

// On the default model, shown, not begun; without a prompt with the example's.
inline std::unique_ptr<app::MainView> window(Home& home,
                                             const std::optional<std::string>& prompt = {}) {
    auto view = std::make_unique<app::MainView>(
        engineSource(), home.settings,
        app::MainView::Start{default_model_path(), prompt, home.folder.path().toStdString(),
                             false});
    view->window().resize(1440, 900);
    view->window().show();
    return view;
}

// Begun, the prompt read and everything shown.
inline bool begin(app::MainView& view) {
    if (!QTest::qWaitForWindowExposed(&view.window())) return false;
    view.begin();
    return fake::eventually([&] { return view.session().run().promptRead; }, patience) &&
           settle(view, patience);
}

// Accepts the export dialog, once it is shown, with a file of this name in the home's folder. The
// file's path when it is there; empty if the dialog or the file does not come.
inline QString answerExport(app::MainView& view, const Home& home, const QString& name) {
    const QString path = home.folder.filePath(name);
    QFile::remove(path);
    QFileDialog* dialog = nullptr;
    const bool shown = fake::eventually([&] {
        for (auto* each : view.window().findChildren<QFileDialog*>(QStringLiteral("exportDialog")))
            if (each->isVisible()) dialog = each;
        return dialog != nullptr;
    });
    if (!shown) return {};
    Q_EMIT dialog->fileSelected(path);
    dialog->close();
    const auto written = [&] { return QFileInfo(path).size() > 0; };
    return fake::eventually(written, patience) ? path : QString();
}

// Types a path into the file dialog of this name, once it is shown, and accepts it.
inline bool answer(app::MainView& view, const char* dialogName, const QString& path) {
    QFileDialog* dialog = nullptr;
    if (!fake::eventually([&] {
            dialog = view.window().findChild<QFileDialog*>(QLatin1String(dialogName));
            return dialog && dialog->isVisible();
        }))
        return false;
    auto* line = dialog->findChild<QLineEdit*>();
    line->setText(path);
    QTest::keyClick(line, Qt::Key_Return);
    return true;
}

}  // namespace real
