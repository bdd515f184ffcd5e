// SPDX-License-Identifier: GPL-3.0-or-later
// The window's parts, made once and put in their places.
#include <QCheckBox>
#include <QDockWidget>
#include <QFrame>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/contributions/sign_button.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/plain_text.h"
#include "ui/widgets/small_widgets.h"
#include "ui/window/checks_badge.h"
#include "ui/window/dock_title.h"
#include "ui/window/empty_page.h"
#include "ui/window/main_window.h"
#include "ui/window/page_bar.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_parts.h"

namespace ui {

namespace {

QDockWidget* dock(MainWindow* window, const QString& name, const QString& title, QWidget* content,
                  DockTitle*& titleBar) {
    auto* made = new QDockWidget(title, window);
    made->setObjectName(name);
    made->setWidget(content);
    titleBar = new DockTitle(made);
    return made;
}

QFrame* statusRule() {
    auto* rule = new QFrame;
    rule->setFrameShape(QFrame::VLine);
    rule->setFrameShadow(QFrame::Plain);
    rule->setForegroundRole(QPalette::Mid);
    rule->setFixedHeight(14);
    return rule;
}

}  // namespace

void MainWindow::buildRunBar() {
    auto* bar = addToolBar(QStringLiteral("Run bar"));
    bar->setObjectName(QStringLiteral("runBar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->toggleViewAction()->setVisible(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->layout()->setContentsMargins(0, 0, 0, 0);
    m->prompt = new PromptPanel;
    m->prompt->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    bar->addWidget(m->prompt);
}

void MainWindow::buildPage() {
    auto* centre = new QWidget;
    centre->setObjectName(QStringLiteral("centre"));
    centre->setFocusPolicy(Qt::ClickFocus);  // where Esc puts the focus
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 3, 0, 0);
    column->setSpacing(0);
    m->pageBar = new PageBar;
    m->tabs = &m->pageBar->tabs();
    m->tabs->addTab(QStringLiteral("Head"));
    column->addWidget(m->pageBar);

    m->page = new QFrame;
    m->page->setFrameShape(QFrame::Box);
    m->page->setFrameShadow(QFrame::Plain);
    m->page->setForegroundRole(QPalette::Mid);
    m->page->setBackgroundRole(QPalette::Base);
    m->page->setAutoFillBackground(true);
    auto* inside = new QVBoxLayout(m->page);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(0);
    m->message = new MessageBar;
    m->stack = new QStackedWidget;
    m->empty = new EmptyPage;
    m->run = new QWidget;
    m->runLayout = new QVBoxLayout(m->run);
    m->runLayout->setContentsMargins(0, 0, 0, 0);
    m->runLayout->setSpacing(0);
    m->strip = new TokenStrip;
    m->runLayout->addWidget(m->strip);
    m->stack->addWidget(m->empty);
    m->stack->addWidget(m->run);
    inside->addWidget(m->message);
    inside->addWidget(m->stack, 1);
    column->addWidget(m->page, 1);
    setCentralWidget(centre);
    m->progress = new ProgressPanel(m->page);
}

void MainWindow::buildDocks() {
    setDockNestingEnabled(true);
    for (const Qt::Corner corner : {Qt::TopLeftCorner, Qt::BottomLeftCorner})
        setCorner(corner, Qt::LeftDockWidgetArea);
    for (const Qt::Corner corner : {Qt::TopRightCorner, Qt::BottomRightCorner})
        setCorner(corner, Qt::RightDockWidgetArea);
    QLabel* about = plainLabel(QStringLiteral(
        "Every head at once\n\nRows are layers, L0 on top. Columns are heads, framed by the KV "
        "head "
        "they share. Each picture is that head's real pattern for your prompt.\n\nArrow keys move, "
        "Enter shows the map alone."));
    about->setWordWrap(true);
    about->setMargin(16);
    about->setAlignment(Qt::AlignVCenter | Qt::AlignLeft);
    about->setForegroundRole(QPalette::PlaceholderText);
    about->setBackgroundRole(QPalette::Base);
    about->setAutoFillBackground(true);
    m->headsDock =
        dock(this, QStringLiteral("headsDock"), QStringLiteral("Heads"), about, m->headsTitle);
    m->headsDock->setMinimumWidth(180);
    m->steps = new StepBar;
    m->stepsDock =
        dock(this, QStringLiteral("stepsDock"), QStringLiteral("Steps"), m->steps, m->stepsTitle);
    m->logits = new LogitsPanel;
    m->nextDock = dock(this, QStringLiteral("nextDock"), QStringLiteral("Next token"), m->logits,
                       m->nextTitle);
    m->nextDock->setMinimumSize(240, 120);
    installEventFilter(this);  // for the edges between docks
    m->bars = new ContributionBars;
    m->barsDock = dock(this, QStringLiteral("contributionsDock"), QStringLiteral("Contributions"),
                       m->bars, m->barsTitle);
    m->barsDock->setMinimumSize(240, 160);

    m->follow = new QCheckBox(QStringLiteral("Follow newest row"));
    m->follow->setChecked(m->steps->followNewest());
    m->follow->setFocusPolicy(Qt::TabFocus);
    m->stepsTitle->addTool(m->follow);
    const auto tool = [this](Sign sign, const QString& name, auto does) {
        auto* button = new SignButton(sign, name, m->stepsTitle);
        connect(button, &QToolButton::clicked, this, does);
        m->stepsTitle->addTool(button);
    };
    tool(Sign::First, QStringLiteral("First row (Home)"), [this] { Q_EMIT firstRowRequested(); });
    tool(Sign::Previous, QStringLiteral("Step back ([)"), [this] { Q_EMIT rowMoveRequested(-1); });
    tool(Sign::Next, QStringLiteral("Step forward (])"), [this] { Q_EMIT rowMoveRequested(1); });
    tool(Sign::Last, QStringLiteral("Newest row (End)"), [this] { Q_EMIT newestRowRequested(); });

    for (QDockWidget* one : {m->headsDock, m->stepsDock, m->nextDock, m->barsDock})
        m->actions->menu(Menu::View)->addAction(one->toggleViewAction());
    arrangeDocks();
}

void MainWindow::buildStatusBar() {
    QStatusBar* bar = statusBar();
    bar->setSizeGripEnabled(false);
    m->state = new ElidedLabel(wordFont(11));
    m->busy = new ThinBar;
    m->busy->setFixedSize(150, 10);
    m->busy->hide();
    m->hover = new ElidedLabel(monoFont(11));
    m->hover->setSizePolicy(QSizePolicy::Ignored,
                            QSizePolicy::Preferred);  // never widens the window
    m->checks = new ChecksBadge;
    m->rate = new ElidedLabel(monoFont(11));
    m->pages = new ElidedLabel(wordFont(11));
    bar->addWidget(m->state);
    bar->addWidget(m->busy);
    bar->addWidget(statusRule());
    bar->addWidget(m->hover, 1);
    bar->addPermanentWidget(statusRule());
    bar->addPermanentWidget(m->checks);
    bar->addPermanentWidget(statusRule());
    bar->addPermanentWidget(m->rate);
    bar->addPermanentWidget(statusRule());
    bar->addPermanentWidget(m->pages);
    m->pages->setContentsMargins(0, 0, 8, 0);
    setPages(0, 0);
}

}  // namespace ui
