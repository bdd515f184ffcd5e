// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window.h"

#include <QApplication>
#include <QEvent>
#include <QScreen>
#include <QSettings>
#include <QTimer>
#include <utility>

#include "app/engine_module.h"
#include "app/session/model_list.h"
#include "app/view/main_view.h"
#include "ui/painting/theme.h"

namespace app {

namespace {

// Calls once when a widget has painted for the first time: what takes time starts behind a window
// that is there, and after Qt has loaded its plugins, as the loader has one lock.
class AfterFirstPaint : public QObject {
  public:
    AfterFirstPaint(QWidget* widget, std::function<void()> then)
        : QObject(widget), m_then(std::move(then)) {
        widget->installEventFilter(this);
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint && m_then) {
            watched->removeEventFilter(this);
            QTimer::singleShot(0, this, [then = std::exchange(m_then, nullptr)] { then(); });
        }
        return false;
    }

  private:
    std::function<void()> m_then;
};

}  // namespace

int runWindow(int argc, char** argv, const WindowArguments& arguments) {
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("headscope"));
    QApplication::setOrganizationName(QStringLiteral("headscope"));
    QApplication::setApplicationVersion(QStringLiteral(HEADSCOPE_VERSION));
    ui::loadFonts();
    QSettings settings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("headscope"),
                       QStringLiteral("headscope"));
    const auto find = [](const std::string& folder, int levels) {
        return findModels(folder, levels);
    };
    MainView view({openEngine, inspectModel, listDevices, find}, settings,
                  {arguments.model, arguments.prompt, modelFolder(), arguments.verbose,
                   arguments.device, arguments.dtype, arguments.threads});
    new AfterFirstPaint(&view.window(), [&view] { view.begin(); });
    // The first start has no saved size, and the usual one is larger than a small screen; on the
    // smallest the window's own least size is.
    const QSize screen = view.window().screen()->availableSize();
    view.window().setMinimumSize(view.window().minimumSize().boundedTo(screen));
    view.window().resize(view.window().size().boundedTo(screen));
    view.window().show();
    return QApplication::exec();
}

}  // namespace app
