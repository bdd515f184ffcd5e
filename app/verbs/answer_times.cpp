// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/answer_times.h"

#include "app/view/main_view.h"

namespace app {

namespace {

constexpr int idleMs = 20;           // between an answer and the next question
constexpr qint64 patienceMs = 5000;  // a model of one head has no other to go to

}  // namespace

AnswerTimes::AnswerTimes(MainView& view, std::function<void()> done)
    : m_view(view), m_done(std::move(done)), m_user(view) {
    m_idle.setInterval(idleMs);
    connect(&m_idle, &QTimer::timeout, this, [this] {
        if (m_waits ? m_waited.hasExpired(patienceMs) : isQuiet()) ask();
    });
    const auto answered = [this](int kind) {
        if (m_waits && m_asked % 2 == kind) m_answered = true;
    };
    connect(&view.views(), &TraceViews::mapReady, this, [answered] { answered(1); });
    connect(&view.views(), &TraceViews::hoverCellReady, this, [answered] { answered(0); });
}

bool AnswerTimes::isQuiet() const {
    for (std::size_t kind = 0; kind < kReadKinds; ++kind)
        if (m_view.views().isPending(static_cast<ReadKind>(kind))) return false;
    return true;
}

void AnswerTimes::ask() {
    if (m_asked == questions) {
        m_idle.stop();
        return m_done();
    }
    m_waits = true;
    m_answered = false;
    const int question = m_asked++;
    m_waited.start();
    if (question % 2 == 0)
        m_view.session().moveHead(
            0, engine::to_int(m_view.session().selection().at.head) > 0 ? -1 : 1);
    else
        m_user.hoverSeen(question);
}

void AnswerTimes::painted() {
    if (!m_answered) return;
    m_waits = m_answered = false;
    m_times[(m_asked + 1) % 2].push_back(static_cast<double>(m_waited.nsecsElapsed()) / 1e6);
}

}  // namespace app
