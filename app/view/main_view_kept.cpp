// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing is lost unasked: the runs of earlier prompts, the session that was on screen before
// another model or session or when the program last ended, and pins that were all taken off.
#include <QAction>
#include <QFile>
#include <QSettings>
#include <algorithm>
#include <filesystem>

#include "app/session/session_file.h"
#include "app/view/main_view.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/widgets/plain_text.h"

namespace app {

namespace {

constexpr int kKeepThisMs = 2000;
constexpr int kLongestPromptNamed = 60;  // characters

QString namedPrompt(const std::string& prompt) {
    const QString text = ui::onOneLine(QString::fromStdString(prompt.substr(0, 1000)));
    return text.size() <= kLongestPromptNamed ? text : text.left(kLongestPromptNamed - 1) + u'…';
}

}  // namespace

void MainView::wireKept() {
    connect(&m_session, &Session::keptChanged, this, &MainView::showKept);
    connect(&m_session, &Session::keptClosed, this, [this](const std::string& prompt) {
        m_window->setStateText(
            QStringLiteral("Closed to make room: the runs of “%1”").arg(namedPrompt(prompt)));
    });
    connect(m_window.get(), &ui::MainWindow::keptRunChosen, this, [this](int index) {
        const auto runs = m_session.keptRuns();
        const auto at = static_cast<std::size_t>(index);
        if (at >= runs.size()) return;
        const RunView* next = runs[runs.size() - 1 - at];
        ui::PromptPanel& bar = m_window->promptPanel();
        // What was typed and not run stays in the bar.
        const bool typed = bar.prompt().toStdString() != m_session.run().prompt;
        m_session.showKept(next->id);
        if (typed) return;
        bar.setPrompt(QString::fromStdString(m_session.run().prompt));
        bar.setTokenOptions(m_session.run().options);
        m_save.start();
    });
    // Nobody else writes the file of this session from here on.
    const std::filesystem::path before(QFile::encodeName(m_thisSession.path()).toStdString());
    std::error_code none;
    if (std::filesystem::exists(before, none))
        std::filesystem::rename(before, QFile::encodeName(m_lastSession.path()).toStdString(),
                                none);
    m_window->setHasLastSession(QFile::exists(m_lastSession.path()));
    connect(m_window.get(), &ui::MainWindow::reopenLastRequested, this, &MainView::reopenLast);
    m_keepThis.setSingleShot(true);
    m_keepThis.setInterval(kKeepThisMs);
    const auto keepThis = [this] {
        m_keepThis.stop();
        if (!isWorthKeeping()) return;
        m_thisSession.write([session = sessionNow()] { return sessionText(session); });
    };
    connect(&m_keepThis, &QTimer::timeout, this, keepThis);
    connect(m_window.get(), &ui::MainWindow::closed, this, keepThis);
    connect(&m_pins, &Pins::changed, this, [this] { m_keepThis.start(); });
    connect(&m_session, &Session::modelOpened, this, &MainView::keepLast);
    connect(&m_session, &Session::restored, this, &MainView::keepLast);
    connect(&m_session, &Session::ended, this, [this] {
        m_leaving.reset();  // it could not be opened
        m_keepThis.start();
    });
}

void MainView::showKept() {
    QStringList texts;
    for (const RunView* run : m_session.keptRuns())
        texts.prepend(QStringLiteral("%1 · %2 tokens, %3 generated")
                          .arg(namedPrompt(run->prompt))
                          .arg(run->promptTokens)
                          .arg(run->steps.size()));
    m_window->setKeptRuns(texts);
}

// A prompt that was only read is in the menu of earlier prompts.
bool MainView::isWorthKeeping() const {
    return m_session.hasRun() && (!m_session.run().steps.empty() ||
                                  !m_session.otherRuns().empty() || !m_pins.heads().empty());
}

void MainView::leaveSession() {
    m_leaving.reset();
    if (isWorthKeeping()) m_leaving = sessionNow();
}

void MainView::keepLast() {
    if (!m_leaving) return;
    m_lastSession.write(
        [session = *std::exchange(m_leaving, std::nullopt)] { return sessionText(session); });
    m_window->setHasLastSession(true);
}

void MainView::reopenLast() {
    m_lastSession.wait();
    openSession(QFile::encodeName(m_lastSession.path()).toStdString());
}

}  // namespace app
