// SPDX-License-Identifier: GPL-3.0-or-later
// Life and reactions of the window: how it starts, what its keys do to itself, what it forwards.
#include "ui/window/main_window.h"

#include <QApplication>
#include <QCheckBox>
#include <QCloseEvent>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QSettings>
#include <QTabBar>
#include <QUrl>

#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/heatmap/head_page.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/widgets/key_yield.h"
#include "ui/window/checks_badge.h"
#include "ui/window/dropped_file.h"
#include "ui/window/empty_page.h"
#include "ui/window/help_dialogs.h"
#include "ui/window/page_bar.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_parts.h"

namespace ui {

namespace {

constexpr QSize smallest{640, 480}, usual{1440, 900};

QString paletteKey() {
    return QStringLiteral("window/palette");
}

QString schemeKey() {
    return QStringLiteral("window/scheme");
}

}  // namespace

MainWindow::MainWindow(QSettings& settings, QWidget* parent)
    : QMainWindow(parent), m(std::make_unique<Parts>()) {
    m->settings = &settings;
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Headscope"));
    setMinimumSize(smallest);
    resize(usual);
    setAcceptDrops(true);
    m->actions = new WindowActions(*this);
    new KeyYield(this);
    buildRunBar();
    buildPage();
    buildDocks();
    buildStatusBar();
    connectParts();
    connectActions();
    orderFocus();
    const int scheme = settings.value(schemeKey(), static_cast<int>(SchemeChoice::System)).toInt();
    applyScheme(scheme);
    const QByteArray kept = settings.value(paletteKey()).toString().toLatin1();
    ui::setPalette(paletteNamed(kept.toStdString()).value_or(Palette::Navia));
    m->actions->setPaletteChoice(ui::palette());
    restoreLayout();
    setRunState(RunState::NoModel);
    clearSelection();
}

MainWindow::~MainWindow() = default;

void MainWindow::connectActions() {
    WindowActions* a = m->actions;
    connect(a, &WindowActions::schemeChosen, this, [this](SchemeChoice choice) {
        m->settings->setValue(schemeKey(), static_cast<int>(choice));
        applyScheme(static_cast<int>(choice));
    });
    connect(a, &WindowActions::paletteChosen, this, &MainWindow::choosePalette);
    connect(a, &WindowActions::editPromptRequested, m->prompt, &PromptPanel::editPrompt);
    connect(a, &WindowActions::earlierPromptRequested, m->prompt,
            &PromptPanel::earlierPromptRequested);
    connect(a, &WindowActions::controlStringsToggled, m->prompt,
            &PromptPanel::toggleControlStrings);
    connect(a, &WindowActions::directionToggled, m->strip,
            [this] { m->strip->setClicksSource(!m->strip->clicksSource()); });
    connect(a, &WindowActions::spanBegun, this, [this] {
        if (!m->strip->isVisible()) showHeadPage();
        m->strip->beginSpan();
    });
    connect(a, &WindowActions::soloToggled, this, [this] { setSolo(!isSolo()); });
    connect(a, &WindowActions::escapePressed, this, &MainWindow::stepOut);
    connect(a, &WindowActions::regionRequested, this, &MainWindow::focusRegion);
    connect(a, &WindowActions::layoutResetRequested, this, &MainWindow::resetLayout);
    connect(a, &WindowActions::keysRequested, this,
            [this] { keysDialog(m->actions->all(), this)->show(); });
    connect(a, &WindowActions::messagesRequested, this,
            [this] { messagesDialog(m->messages, this)->show(); });
    connect(a, &WindowActions::aboutRequested, this, [this] { aboutDialog(this)->show(); });
}

void MainWindow::connectParts() {
    connect(m->logits, &LogitsPanel::positionChanged, this, &MainWindow::refreshTitles);
    connect(m->bars, &ContributionBars::tableChanged, this, &MainWindow::refreshTitles);
    connect(m->prompt, &PromptPanel::modelChosen, this, &MainWindow::modelChosen);
    connect(m->prompt, &PromptPanel::openModelRequested, this, &MainWindow::openModelRequested);
    connect(m->prompt, &PromptPanel::runRequested, this, &MainWindow::runRequested);
    connect(m->prompt, &PromptPanel::promptLeft, this, &MainWindow::focusPage);
    connect(this, &MainWindow::runRequested, m->prompt, &PromptPanel::leavePrompt);
    connect(m->prompt, &PromptPanel::stepRequested, this, &MainWindow::stepRequested);
    connect(m->prompt, &PromptPanel::pauseRequested, this, &MainWindow::pauseRequested);
    connect(m->prompt, &PromptPanel::stopRequested, this, &MainWindow::stopRequested);
    connect(m->prompt, &PromptPanel::availabilityChanged, this, &MainWindow::refreshActions);
    connect(m->empty, &EmptyPage::modelChosen, this, &MainWindow::modelChosen);
    connect(m->empty, &EmptyPage::openModelRequested, this, &MainWindow::openModelRequested);
    connect(m->empty, &EmptyPage::promptChosen, this, [this](const QString& text) {
        m->prompt->setPrompt(text);
        Q_EMIT promptChosen(text);
    });
    connect(m->tabs, &QTabBar::currentChanged, this, &MainWindow::showPage);
    connect(m->pageBar, &PageBar::granularityChosen, this, &MainWindow::granularityRequested);
    connect(m->progress, &ProgressPanel::cancelRequested, this, &MainWindow::progressCancelled);
    connect(m->progress, &ProgressPanel::shown, this, &MainWindow::placeProgress);
    connect(m->message, &MessageBar::remedyChosen, this, &MainWindow::remedyChosen);
    connect(m->steps, &StepBar::followNewestChanged, m->follow, &QCheckBox::setChecked);
    connect(m->follow, &QCheckBox::clicked, this, [this](bool on) {
        m->steps->setFollowNewest(on);
        if (on) Q_EMIT newestRowRequested();
    });
    connect(this, &MainWindow::newestRowRequested, this,
            [this] { m->steps->setFollowNewest(true); });
    connect(this, &MainWindow::firstRowRequested, this,
            [this] { m->steps->setFollowNewest(false); });
    connect(this, &MainWindow::rowMoveRequested, this, [this](int rows) {
        if (rows < 0) m->steps->setFollowNewest(false);
    });
    connect(m->steps, &StepBar::heightWanted, this, [this](int height) {
        if (!m->stepsDock->isFloating() && m->steps->maximumHeight() > 0)
            resizeDocks({m->stepsDock},
                        {height + m->stepsDock->titleBarWidget()->sizeHint().height()},
                        Qt::Vertical);
    });
}

void MainWindow::stepOut() {
    if (m->prompt->isEditorOpen()) {
        m->prompt->closeEditor();  // it lies over the page
    } else if (m->selection && m->selection->locked) {
        Q_EMIT unlockRequested();
    } else if (m->strip->span()) {
        m->strip->setSpan({});
    } else if (m->solo) {
        setSolo(false);
    } else {
        focusPage();
    }
}

void MainWindow::focusPage() {
    if (centralWidget()) centralWidget()->setFocus();
}

// Text fields keep Esc from the window's shortcuts; one that has no use for it passes it on.
void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) return focusPage();
    QMainWindow::keyPressEvent(event);
}

void MainWindow::applyScheme(int choice) {
    const auto scheme = choice == static_cast<int>(SchemeChoice::Light)  ? Scheme::Light
                        : choice == static_cast<int>(SchemeChoice::Dark) ? Scheme::Dark
                                                                         : desktopScheme();
    const int known = choice < 0 || choice > 2 ? static_cast<int>(SchemeChoice::System) : choice;
    m->actions->setSchemeChoice(static_cast<SchemeChoice>(known));
    setTheme(scheme);
    Q_EMIT schemeChanged();
}

void MainWindow::choosePalette(Palette palette) {
    m->settings->setValue(paletteKey(), paletteName(palette));
    m->actions->setPaletteChoice(palette);
    ui::setPalette(palette);
    Q_EMIT schemeChanged();
}

// In the order of the eye.
QList<QWidget*> MainWindow::regions() const {
    return {m->prompt,    m->headsDock, m->pageBar,  m->edits, m->strip,  m->headPage,
            m->stepsDock, m->nextDock,  m->barsDock, m->empty, m->finder, m->compare};
}

namespace {

// What takes the focus in a region, the tools in a dock's title last.
QList<QWidget*> focusableIn(QWidget* region) {
    QList<QWidget*> inside{region};
    if (auto* dock = qobject_cast<QDockWidget*>(region)) {
        inside << dock->widget() << dock->widget()->findChildren<QWidget*>();
        inside << dock->titleBarWidget()->findChildren<QWidget*>();
    } else {
        inside << region->findChildren<QWidget*>();
    }
    if (auto* first = region->property(firstFocus).value<QWidget*>()) {
        inside.removeAll(first);
        inside.prepend(first);
    }
    QList<QWidget*> takes;
    for (QWidget* widget : inside)
        if (widget && (widget->focusPolicy() & Qt::TabFocus) && !widget->isWindow() &&
            !widget->focusProxy())
            takes << widget;
    return takes;
}

}  // namespace

// Tab goes through a region before it goes on to the next.
void MainWindow::orderFocus() {
    QWidget* last = nullptr;
    for (QWidget* region : regions()) {
        if (!region) continue;
        for (QWidget* widget : focusableIn(region)) {
            if (widget->window() != this) continue;  // of a floating dock
            if (last) setTabOrder(last, widget);
            last = widget;
        }
    }
}

// The focus goes to the first thing in the next region that takes it.
void MainWindow::focusRegion(int step) {
    const QList<QWidget*> regions = this->regions();
    const QWidget* focus = QApplication::focusWidget();
    const int count = static_cast<int>(regions.size());
    int at = step > 0 ? -1 : count;
    for (int i = 0; i < count; ++i)
        if (regions[i] && focus && (regions[i] == focus || regions[i]->isAncestorOf(focus))) at = i;
    for (int tried = 0; tried < count; ++tried) {
        at = (at + step + 2 * count) % count;
        QWidget* region = regions[at];
        if (!region || !region->isVisible()) continue;
        for (QWidget* widget : focusableIn(region)) {
            if (!widget->isVisible() || !widget->isEnabled()) continue;
            // As the Tab key does: without it the style shows no focus.
            setAttribute(Qt::WA_KeyboardFocusChange);
            widget->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

void MainWindow::openDropped(const QString& path) {
    const DroppedFile dropped = readDropped(path);
    if (dropped.problem) {
        showMessage(*dropped.problem);
    } else if (dropped.prompt) {
        m->prompt->setPrompt(*dropped.prompt);
        Q_EMIT promptChosen(*dropped.prompt);
    } else if (!dropped.sessionPath.isEmpty()) {
        Q_EMIT sessionChosen(dropped.sessionPath);
    } else {
        Q_EMIT modelChosen(dropped.modelPath);
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile()) return;
    event->acceptProposedAction();
    openDropped(urls.front().toLocalFile());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveLayout();
    QMainWindow::closeEvent(event);
    if (event->isAccepted()) Q_EMIT closed();
}

}  // namespace ui
