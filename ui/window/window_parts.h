// SPDX-License-Identifier: GPL-3.0-or-later
// What the main window is made of; only its own .cpp files see this.
#pragma once
#include <QByteArray>
#include <QList>
#include <QRect>
#include <optional>
#include <vector>

#include "engine/values/model_info.h"
#include "ui/window/main_window.h"

class QCheckBox;
class QDockWidget;
class QFrame;
class QLabel;
class QSettings;
class QStackedWidget;
class QTabBar;
class QVBoxLayout;

namespace ui {

class DockTitle;
class PageBar;
class ThinBar;
class WindowActions;

struct MainWindow::Parts {
    QSettings* settings = nullptr;
    WindowActions* actions = nullptr;

    PromptPanel* prompt = nullptr;
    PageBar* pageBar = nullptr;
    QTabBar* tabs = nullptr;  // in it
    QFrame* page = nullptr;
    MessageBar* message = nullptr;
    QStackedWidget* stack = nullptr;
    EmptyPage* empty = nullptr;
    QWidget* run = nullptr;  // strip above the head page
    QVBoxLayout* runLayout = nullptr;
    TokenStrip* strip = nullptr;
    QWidget *headPage = nullptr, *finder = nullptr, *compare = nullptr, *edits = nullptr;
    ProgressPanel* progress = nullptr;
    QRect progressArea;  // in headPage's coordinates

    QDockWidget *headsDock = nullptr, *stepsDock = nullptr, *nextDock = nullptr,
                *barsDock = nullptr;
    DockTitle *headsTitle = nullptr, *stepsTitle = nullptr, *nextTitle = nullptr,
              *barsTitle = nullptr;
    StepBar* steps = nullptr;
    LogitsPanel* logits = nullptr;
    ContributionBars* bars = nullptr;
    QCheckBox* follow = nullptr;

    QLabel *state = nullptr, *hover = nullptr, *rate = nullptr, *pages = nullptr;
    ThinBar* busy = nullptr;
    ChecksBadge* checks = nullptr;

    RunState runState = RunState::NoModel;
    std::vector<engine::ModelInfo> models;
    std::optional<engine::ModelInfo> model;
    std::optional<Selection> selection;
    QList<Message> messages;
    bool solo = false;
    QByteArray beforeSolo;     // saveState
    bool shown = false;        // sizes are the window's own from here on
    bool restored = false;     // a saved layout was found
    bool rightTabbed = false;  // by adaptToSize, not by the user
    bool sidesTabbed = false;  // likewise, and with Heads
    struct Share {
        bool follows = true;  // the window's size; until its edge is dragged
        int own = 0;          // px, that it was dragged to: it comes back after a small window
    };
    Share left, right;
    bool nextFollows = true;  // Next token keeps its height until that is dragged
    struct Drag {
        int left = 0, right = 0, next = 0;  // the docks' widths and Next token's height before it
    };
    std::optional<Drag> drag;  // of an edge between docks, while the mouse is down
};

}  // namespace ui
