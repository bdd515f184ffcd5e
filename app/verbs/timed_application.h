// SPDX-License-Identifier: GPL-3.0-or-later
// How long the GUI thread is away: for a frame, and for any event.
#pragma once
#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <algorithm>
#include <functional>
#include <vector>

namespace app {

// Times every event that reaches an object from the loop; those that repaint are frames.
class TimedApplication : public QApplication {
  public:
    using QApplication::QApplication;
    std::vector<double> frames;  // milliseconds
    double longest = 0;          // of all events, milliseconds
    bool recording = false;
    std::function<void()> painted;  // after each frame

    void forget() {
        frames.clear();
        longest = 0;
    }

    bool notify(QObject* receiver, QEvent* event) override {
        if (m_depth > 0 || !(recording || painted)) return deliver(receiver, event);
        const bool repaints = event->type() == QEvent::UpdateRequest;
        QElapsedTimer watch;
        watch.start();
        const bool handled = deliver(receiver, event);
        const double milliseconds = static_cast<double>(watch.nsecsElapsed()) / 1e6;
        if (repaints && painted) painted();
        if (!recording) return handled;
        longest = std::max(longest, milliseconds);
        if (repaints) frames.push_back(milliseconds);
        return handled;
    }

  private:
    bool deliver(QObject* receiver, QEvent* event) {
        ++m_depth;
        const bool handled = QApplication::notify(receiver, event);
        --m_depth;
        return handled;
    }
    int m_depth = 0;
};

}  // namespace app
