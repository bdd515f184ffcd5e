// SPDX-License-Identifier: GPL-3.0-or-later
// How long a user waits for what they asked: from a key or a mouse move to the painted answer.
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <vector>

#include "app/verbs/restless_user.h"

namespace app {

class MainView;

// Asks one thing at a time, when all that was asked before is there: another head, whose map is
// waited for, and a cell under the mouse, whose numbers are. painted() is to be called after each
// repaint. GUI thread.
class AnswerTimes : public QObject {
  public:
    AnswerTimes(MainView& view, std::function<void()> done);
    void begin() { m_idle.start(); }
    void painted();
    const std::vector<double>& ofHeads() const { return m_times[0]; }  // milliseconds each
    const std::vector<double>& ofCells() const { return m_times[1]; }

  private:
    void ask();
    bool isQuiet() const;

    static constexpr int questions = 60;  // of both kinds together
    MainView& m_view;
    std::function<void()> m_done;
    RestlessUser m_user;
    QTimer m_idle;
    QElapsedTimer m_waited;
    int m_asked = 0;
    bool m_waits = false, m_answered = false;
    std::vector<double> m_times[2];
};

}  // namespace app
