// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_actions.h"

#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>
#include <utility>

#include "ui/widgets/plain_text.h"
#include "ui/window/remembered_menus.h"

namespace ui {

namespace {

// Held down these go on. What switches something, or begins a run, does so once a press.
bool goesOn(const QKeySequence& key) {
    switch (key[0].key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_BracketLeft:
        case Qt::Key_BracketRight:
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
        case Qt::Key_F6: return true;
        default: return false;
    }
}

}  // namespace

WindowActions::WindowActions(MainWindow& window) : QObject(&window), m_window(window) {
    const char* titles[] = {"&File", "&Edit",  "&View",   "&Model",
                            "&Run",  "&Heads", "E&xport", "Hel&p"};
    for (std::size_t i = 0; i < m_menus.size(); ++i)
        m_menus[i] = window.menuBar()->addMenu(QLatin1StringView(titles[i]));
    buildFileAndModel();
    buildEdit();
    buildRun();
    buildHeads();
    buildExportAndHelp();
    buildView();
    buildSettings();
    m_remembered = new RememberedMenus(window, m_recent, m_earlier, m_keptRuns);
    setHasLast(false);
    setKeptRuns({});
    setHasModel(false);
    setHasRun(false);
    setCan(false, false, false, false);
}

QMenu* WindowActions::menu(Menu which) const {
    return m_menus[static_cast<std::size_t>(which)];
}

QAction* WindowActions::add(Menu where, const QString& text, const QList<QKeySequence>& keys,
                            std::function<void()> does) {
    QAction* action = menu(where)->addAction(text);
    action->setShortcuts(keys);
    action->setAutoRepeat(!keys.isEmpty() && goesOn(keys.front()));
    // The menu alone would not do: its shortcuts rest while a menu bar is hidden.
    m_window.addAction(action);
    if (does) connect(action, &QAction::triggered, this, std::move(does));
    m_all << action;
    return action;
}

QAction* WindowActions::addForRun(Menu where, const QString& text, const QList<QKeySequence>& keys,
                                  std::function<void()> does) {
    QAction* action = add(where, text, keys, std::move(does));
    m_forRun << action;
    return action;
}

void WindowActions::buildFileAndModel() {
    m_open = add(Menu::File, QStringLiteral("&Open folder or GGUF file…"), {QKeySequence::Open},
                 [this] { Q_EMIT m_window.openModelRequested(); });
    add(Menu::File, QStringLiteral("Open s&ession…"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
        [this] { Q_EMIT m_window.openSessionRequested(); });
    m_recent = menu(Menu::File)->addMenu(QStringLiteral("Open &recent"));
    m_reopen = add(Menu::File, QStringLiteral("Reopen &last session"),
                   {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)},
                   [this] { Q_EMIT m_window.reopenLastRequested(); });
    menu(Menu::File)->addSeparator();
    m_forModel << add(Menu::File, QStringLiteral("&Save session"), {QKeySequence::Save},
                      [this] { Q_EMIT m_window.saveSessionRequested(); });
    m_forModel << add(Menu::File, QStringLiteral("Save session &as…"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
                      [this] { Q_EMIT m_window.saveSessionAsRequested(); });
    menu(Menu::File)->addSeparator();
    add(Menu::File, QStringLiteral("&Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)},
        [this] { Q_EMIT m_window.quitRequested(); });
    m_models = new QActionGroup(this);
    setModels({}, {});
}

void WindowActions::buildEdit() {
    add(Menu::Edit, QStringLiteral("Edit &prompt"), {QKeySequence(Qt::CTRL | Qt::Key_L)},
        [this] { Q_EMIT editPromptRequested(); });
    add(Menu::Edit, QStringLiteral("&Older prompt"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
        [this] { Q_EMIT earlierPromptRequested(1); });
    add(Menu::Edit, QStringLiteral("&Newer prompt"), {QKeySequence(Qt::ALT | Qt::Key_Down)},
        [this] { Q_EMIT earlierPromptRequested(-1); });
    m_earlier = menu(Menu::Edit)->addMenu(QStringLiteral("&Earlier prompts"));
    add(Menu::Edit, QStringLiteral("Parse control &strings, or not"), {},
        [this] { Q_EMIT controlStringsToggled(); });
    menu(Menu::Edit)->addSeparator();
    addForRun(Menu::Edit, QStringLiteral("&Copy location"), {QKeySequence(Qt::Key_C)},
              [this] { Q_EMIT m_window.copyLocationRequested(); });
    addForRun(Menu::Edit, QStringLiteral("Copy &heatmap"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
              [this] { Q_EMIT m_window.copyHeatmapRequested(); });
    addForRun(Menu::Edit, QStringLiteral("Copy as &TransformerLens code"), {},
              [this] { Q_EMIT m_window.copyCodeRequested(false); });
    addForRun(Menu::Edit, QStringLiteral("Copy as nns&ight code"), {},
              [this] { Q_EMIT m_window.copyCodeRequested(true); });
}

void WindowActions::buildSettings() {
    menu(Menu::Edit)->addSeparator();
    add(Menu::Edit, QStringLiteral("Settin&gs…"), {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
        [this] { Q_EMIT m_window.settingsRequested(); });
}

void WindowActions::buildRun() {
    m_run = add(Menu::Run, QStringLiteral("&Run"),
                {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)},
                [this] { Q_EMIT m_window.runRequested(); });
    m_toggleRun =
        add(Menu::Run, QStringLiteral("Run or &pause"), {QKeySequence(Qt::Key_Space)}, [this] {
            if (m_canPause) {
                Q_EMIT m_window.pauseRequested();
            } else if (m_canRun) {
                Q_EMIT m_window.runRequested();
            }
        });
    m_step =
        add(Menu::Run, QStringLiteral("&Step"), {}, [this] { Q_EMIT m_window.stepRequested(); });
    m_pause =
        add(Menu::Run, QStringLiteral("P&ause"), {}, [this] { Q_EMIT m_window.pauseRequested(); });
    m_stop =
        add(Menu::Run, QStringLiteral("S&top, cancel"), {QKeySequence(Qt::CTRL | Qt::Key_Period)},
            [this] { Q_EMIT m_window.stopRequested(); });
    menu(Menu::Run)->addSeparator();
    addForRun(Menu::Run, QStringLiteral("Step &back"), {QKeySequence(Qt::Key_BracketLeft)},
              [this] { Q_EMIT m_window.rowMoveRequested(-1); });
    addForRun(Menu::Run, QStringLiteral("Step &forward"), {QKeySequence(Qt::Key_BracketRight)},
              [this] { Q_EMIT m_window.rowMoveRequested(1); });
    addForRun(Menu::Run, QStringLiteral("F&irst row"), {QKeySequence(Qt::Key_Home)},
              [this] { Q_EMIT m_window.firstRowRequested(); });
    addForRun(Menu::Run, QStringLiteral("&Newest row"), {QKeySequence(Qt::Key_End)},
              [this] { Q_EMIT m_window.newestRowRequested(); });
    menu(Menu::Run)->addSeparator();
    m_back =
        add(Menu::Run, QStringLiteral("Bac&k to the runs of the prompt before"),
            {QKeySequence(Qt::ALT | Qt::Key_Left)}, [this] { Q_EMIT m_window.keptRunChosen(0); });
    m_keptRuns = menu(Menu::Run)->addMenu(QStringLiteral("Runs of &earlier prompts"));
}

void WindowActions::buildHeads() {
    const auto move = [this](const QString& text, Qt::Key key, int layers, int heads) {
        addForRun(Menu::Heads, text, {QKeySequence(key)},
                  [this, layers, heads] { Q_EMIT m_window.headMoveRequested(layers, heads); });
    };
    move(QStringLiteral("&Previous head"), Qt::Key_Left, 0, -1);
    move(QStringLiteral("&Next head"), Qt::Key_Right, 0, 1);
    move(QStringLiteral("Layer &above"), Qt::Key_Up, -1, 0);
    move(QStringLiteral("Layer &below"), Qt::Key_Down, 1, 0);
    menu(Menu::Heads)->addSeparator();
    QMenu* cell = menu(Menu::Heads)->addMenu(QStringLiteral("Move the locked &cell"));
    const auto shift = [&](Qt::Key key, int down, int right) {
        for (const int by : {1, 10}) {
            QAction* action = addForRun(
                Menu::Heads, {}, {QKeySequence((by == 1 ? Qt::SHIFT : Qt::SHIFT | Qt::CTRL) | key)},
                [this, down, right, by] {
                    Q_EMIT m_window.cellMoveRequested(down * by, right * by);
                });
            menu(Menu::Heads)->removeAction(action);
            cell->addAction(action);
            m_cellMoves << action;
        }
    };
    shift(Qt::Key_Left, 0, -1);
    shift(Qt::Key_Right, 0, 1);
    shift(Qt::Key_Up, -1, 0);
    shift(Qt::Key_Down, 1, 0);
    setTransposed(false);
    menu(Menu::Heads)->addSeparator();
    const auto quantity = [this](const QString& text, Qt::Key key, engine::Quantity which) {
        addForRun(Menu::Heads, text, {QKeySequence(key)},
                  [this, which] { Q_EMIT m_window.quantityRequested(which); });
    };
    quantity(QStringLiteral("&Scores"), Qt::Key_1, engine::Quantity::Scores);
    quantity(QStringLiteral("Pa&ttern"), Qt::Key_2, engine::Quantity::Pattern);
    quantity(QStringLiteral("‖p·&v·W_O‖"), Qt::Key_3, engine::Quantity::Value);
    quantity(QStringLiteral("&Logit attribution"), Qt::Key_4, engine::Quantity::Attribution);
    menu(Menu::Heads)->addSeparator();
    addForRun(Menu::Heads, QStringLiteral("P&in or unpin the head"), {QKeySequence(Qt::Key_P)},
              [this] { Q_EMIT m_window.pinRequested(); });
    addForRun(Menu::Heads, QStringLiteral("&Unpin all heads"), {},
              [this] { Q_EMIT m_window.unpinAllRequested(); });
    menu(Menu::Heads)->addSeparator();
    addForRun(Menu::Heads, QStringLiteral("Di&rection of the strip"), {QKeySequence(Qt::Key_D)},
              [this] { Q_EMIT directionToggled(); });
    addForRun(Menu::Heads, QStringLiteral("Span &from the selected token"), {},
              [this] { Q_EMIT spanBegun(); });
}

void WindowActions::buildExportAndHelp() {
    addForRun(Menu::Export, QStringLiteral("&Heatmap…"), {QKeySequence(Qt::CTRL | Qt::Key_E)},
              [this] { Q_EMIT m_window.exportHeatmapRequested(); });
    addForRun(Menu::Export, QStringLiteral("&Pinned heads…"), {},
              [this] { Q_EMIT m_window.exportPinsRequested(); });
    addForRun(Menu::Export, QStringLiteral("&Compose a figure…"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
              [this] { Q_EMIT m_window.composeRequested(); });
    addForRun(Menu::Export, QStringLiteral("&Difference of two runs…"), {},
              [this] { Q_EMIT m_window.exportDifferenceRequested(); });
    addForRun(Menu::Export, QStringLiteral("&Bars…"), {},
              [this] { Q_EMIT m_window.exportBarsRequested(); });
    add(Menu::Help, QStringLiteral("&Keys"), {QKeySequence(Qt::Key_Question)},
        [this] { Q_EMIT keysRequested(); });
    add(Menu::Help, QStringLiteral("&Messages"), {}, [this] { Q_EMIT messagesRequested(); });
    menu(Menu::Help)->addSeparator();
    add(Menu::Help, QStringLiteral("&About Headscope"), {}, [this] { Q_EMIT aboutRequested(); });
}

void WindowActions::buildView() {
    const auto simple = [this](const QString& text, const QList<QKeySequence>& keys,
                               void (MainWindow::*signal)()) {
        connect(addForRun(Menu::View, text, keys, {}), &QAction::triggered, &m_window, signal);
    };
    simple(QStringLiteral("Next &scale"), {QKeySequence(Qt::Key_S)}, &MainWindow::scaleRequested);
    simple(QStringLiteral("Next &range"), {QKeySequence(Qt::Key_R)}, &MainWindow::rangeRequested);
    simple(QStringLiteral("Next way with the sin&k"), {QKeySequence(Qt::Key_B)},
           &MainWindow::sinkRequested);
    simple(QStringLiteral("Next &pooling"), {QKeySequence(Qt::Key_M)},
           &MainWindow::poolingRequested);
    buildSpans();
    simple(QStringLiteral("Next span si&ze"), {QKeySequence(Qt::Key_G)},
           &MainWindow::nextGranularityRequested);
    menu(Menu::View)->addSeparator();
    addForRun(Menu::View, QStringLiteral("&Head page"), {QKeySequence(Qt::CTRL | Qt::Key_1)},
              [this] { m_window.showHeadPage(); });
    addForRun(Menu::View, QStringLiteral("&Finder page"), {QKeySequence(Qt::CTRL | Qt::Key_2)},
              [this] { m_window.showFinderPage(); });
    addForRun(Menu::View, QStringLiteral("&Compare page"), {QKeySequence(Qt::CTRL | Qt::Key_3)},
              [this] { m_window.showComparePage(); });
    menu(Menu::View)->addSeparator();
    addForRun(Menu::View, QStringLiteral("Zoom &in"),
              {QKeySequence(Qt::Key_Plus), QKeySequence(Qt::Key_Equal)},
              [this] { Q_EMIT m_window.zoomRequested(1); });
    addForRun(Menu::View, QStringLiteral("Zoom &out"), {QKeySequence(Qt::Key_Minus)},
              [this] { Q_EMIT m_window.zoomRequested(-1); });
    addForRun(Menu::View, QStringLiteral("&Whole map"), {QKeySequence(Qt::Key_0)},
              [this] { Q_EMIT m_window.zoomRequested(0); });
    addForRun(Menu::View, QStringLiteral("Map &alone, or with docks"),
              {QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)},
              [this] { Q_EMIT soloToggled(); });
    add(Menu::View, QStringLiteral("Step out: lock, span, map alone"),
        {QKeySequence(Qt::Key_Escape)}, [this] { Q_EMIT escapePressed(); });
    menu(Menu::View)->addSeparator();
    m_schemes = new QActionGroup(this);
    const auto scheme = [this](const QString& text, SchemeChoice choice) {
        QAction* action =
            add(Menu::View, text, {}, [this, choice] { Q_EMIT schemeChosen(choice); });
        action->setCheckable(true);
        m_schemes->addAction(action);
    };
    scheme(QStringLiteral("&Light"), SchemeChoice::Light);
    scheme(QStringLiteral("&Dark"), SchemeChoice::Dark);
    scheme(QStringLiteral("S&ystem"), SchemeChoice::System);
    buildPalettes();
    menu(Menu::View)->addSeparator();
    add(Menu::View, QStringLiteral("&Next region"), {QKeySequence(Qt::Key_F6)},
        [this] { Q_EMIT regionRequested(1); });
    add(Menu::View, QStringLiteral("Pre&vious region"), {QKeySequence(Qt::SHIFT | Qt::Key_F6)},
        [this] { Q_EMIT regionRequested(-1); });
    add(Menu::View, QStringLiteral("Rese&t layout"), {}, [this] { Q_EMIT layoutResetRequested(); });
    menu(Menu::View)->addSeparator();  // the docks' own actions follow
}

void WindowActions::buildSpans() {
    QMenu* spans = menu(Menu::View)->addMenu(QStringLiteral("&Map by"));
    m_spans = new QActionGroup(this);
    for (int i = 0; i < granularities; ++i) {
        const auto granularity = static_cast<Granularity>(i);
        QAction* action = addForRun(Menu::View, unitsName(granularity), {}, [this, granularity] {
            Q_EMIT m_window.granularityRequested(granularity);
        });
        menu(Menu::View)->removeAction(action);
        spans->addAction(action);
        action->setCheckable(true);
        m_spans->addAction(action);
    }
    setGranularity(Granularity::Tokens);
}

void WindowActions::buildPalettes() {
    QMenu* list = menu(Menu::View)->addMenu(QStringLiteral("Pal&ette"));
    list->setToolTipsVisible(true);
    m_palettes = new QActionGroup(this);
    for (int i = 0; i < palettes; ++i) {
        const auto each = static_cast<Palette>(i);
        QAction* action =
            add(Menu::View, paletteName(each), {}, [this, each] { Q_EMIT paletteChosen(each); });
        menu(Menu::View)->removeAction(action);
        list->addAction(action);
        action->setCheckable(true);
        action->setToolTip(
            QStringLiteral("The colours of maps, thumbnails and figures; those of both signs, "
                           "scores and attribution, keep theirs"));
        m_palettes->addAction(action);
    }
    setPaletteChoice(palette());
}

void WindowActions::setPaletteChoice(Palette palette) {
    m_palettes->actions().at(static_cast<int>(palette))->setChecked(true);
}

void WindowActions::setGranularity(Granularity granularity) {
    m_spans->actions().at(static_cast<int>(granularity))->setChecked(true);
}

void WindowActions::setTransposed(bool transposed) {
    const QString ends[] = {QStringLiteral("Source"), QStringLiteral("Destination")};
    const QString ways[] = {QStringLiteral(" left"), QStringLiteral(" right"),
                            QStringLiteral(" up"), QStringLiteral(" down")};
    for (int i = 0; i < m_cellMoves.size(); ++i) {
        const int way = i / 2;
        const bool isUpright = way >= 2;
        m_cellMoves[i]->setText(ends[isUpright != transposed] + ways[way] +
                                (i % 2 ? QStringLiteral(" by 10") : QString()));
    }
}

void WindowActions::setTurnsOffered(bool offered) {
    m_hasTurns = offered;
    m_spans->actions().at(static_cast<int>(Granularity::Turns))->setEnabled(m_hasRun && m_hasTurns);
}

void WindowActions::setModels(const std::vector<engine::ModelInfo>& models,
                              const QString& current) {
    QMenu* list = menu(Menu::Model);
    for (QAction* old : m_models->actions()) {
        m_models->removeAction(old);
        old->deleteLater();
    }
    list->clear();
    for (const engine::ModelInfo& info : models) {
        const QString path = QString::fromStdString(info.path);
        QAction* action =
            list->addAction(withoutMnemonics(onOneLine(QString::fromStdString(info.name))));
        action->setCheckable(true);
        action->setChecked(path == current);
        action->setEnabled(info.supported);
        m_models->addAction(action);
        connect(action, &QAction::triggered, this, [this, action, path, current] {
            action->setChecked(path == current);  // until it is open
            if (path != current) Q_EMIT m_window.modelChosen(path);
        });
    }
    if (!models.empty()) list->addSeparator();
    list->addAction(m_open);
}

void WindowActions::setSchemeChoice(SchemeChoice choice) {
    m_schemes->actions().at(static_cast<int>(choice))->setChecked(true);
}

void WindowActions::setHasModel(bool has) {
    for (QAction* action : m_forModel) action->setEnabled(has);
}

void WindowActions::setHasLast(bool has) {
    m_reopen->setEnabled(has);
}

void WindowActions::setKeptRuns(const QStringList& runs) {
    m_remembered->setRuns(runs);
    m_back->setEnabled(!runs.isEmpty());
}

void WindowActions::setHasRun(bool has) {
    m_hasRun = has;
    for (QAction* action : m_forRun) action->setEnabled(has);
    setTurnsOffered(m_hasTurns);
}

void WindowActions::setCan(bool run, bool step, bool pause, bool stop) {
    m_canRun = run;
    m_canPause = pause;
    m_run->setEnabled(run);
    m_step->setEnabled(step);
    m_pause->setEnabled(pause);
    m_stop->setEnabled(stop);
    m_toggleRun->setEnabled(run || pause);
}

}  // namespace ui
