// SPDX-License-Identifier: GPL-3.0-or-later
// A plugin that Qt opens in the built program: it works the window as a user would and closes it at
// the moment that CLOSE_AT names, so that the program's own exit is what is tested. It says on
// stdout what the window said when it was closed.
#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QGenericPlugin>
#include <QHash>
#include <QLabel>
#include <QMainWindow>
#include <QTimer>
#include <cstdio>

namespace {

QMainWindow* mainWindow() {
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* window = qobject_cast<QMainWindow*>(widget))
            if (window->isVisible()) return window;
    return nullptr;
}

// The label that begins so, shown or not yet: a progress of some milliseconds is never seen.
QString textFrom(const QMainWindow& window, const QString& start) {
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->text().startsWith(start)) return label->text();
    return {};
}

bool trigger(const QMainWindow& window, const QKeySequence& key) {
    for (QAction* action : window.findChildren<QAction*>())
        if (action->shortcut() == key && action->isEnabled()) {
            action->trigger();
            return true;
        }
    return false;
}

}  // namespace

class Closer : public QObject {
    Q_OBJECT
  public:
    Closer() {
        m_look.setInterval(1);
        connect(&m_look, &QTimer::timeout, this, &Closer::look);
        m_look.start();
    }

  private:
    void look() {
        QMainWindow* window = mainWindow();
        if (!window) return;
        const QString moment = qEnvironmentVariable("CLOSE_AT");
        if (moment == QLatin1String("generating") && !m_asked &&
            !textFrom(*window, QStringLiteral("Ready")).isEmpty())
            m_asked = trigger(*window, QKeySequence(Qt::CTRL | Qt::Key_Return));
        if (moment == QLatin1String("exporting")) answerExport(*window);
        static const QHash<QString, QString> starts{
            {QStringLiteral("starting"), QStringLiteral("Ready")},
            {QStringLiteral("loading"), QStringLiteral("Opening the model")},
            {QStringLiteral("prefilling"), QStringLiteral("Reading the prompt")},
            {QStringLiteral("generating"), QStringLiteral("Generating")},
            {QStringLiteral("exporting"), QStringLiteral("Writing ")},
            {QStringLiteral("idle"), QStringLiteral("prefill ")}};
        const QString start = starts.value(moment);
        const QString said = textFrom(*window, start);
        if (said.isEmpty()) return;
        m_look.stop();
        const int later = qEnvironmentVariableIntValue("CLOSE_AFTER_MS");
        QTimer::singleShot(later, this, [said] {
            std::printf("closed at: %s\n", qPrintable(said));
            std::fflush(stdout);
            mainWindow()->close();
        });
    }

    void answerExport(const QMainWindow& window) {
        if (!m_asked && !textFrom(window, QStringLiteral("Ready")).isEmpty())
            m_asked = trigger(window, QKeySequence(Qt::CTRL | Qt::Key_E));
        auto* dialog = window.findChild<QFileDialog*>(QStringLiteral("exportDialog"));
        if (!dialog || !dialog->isVisible()) return;
        Q_EMIT dialog->fileSelected(qEnvironmentVariable("EXPORT_TO"));
        dialog->close();
    }

    QTimer m_look;
    bool m_asked = false;
};

class CloserPlugin : public QGenericPlugin {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID QGenericPluginFactoryInterface_iid FILE "closer.json")
  public:
    QObject* create(const QString&, const QString&) override { return new Closer; }
};

#include "closer.moc"
