// SPDX-License-Identifier: GPL-3.0-or-later
// Latest wins: what a slow consumer has not fetched yet is replaced, never queued behind.
#pragma once
#include <QCoreApplication>
#include <QEvent>
#include <QObject>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace app {

// A mailbox for one kind of request. Not synchronised: it lives under its owner's lock.
template <typename Request>
class LatestRequest {
  public:
    // Replaces the request that waits and tells the one in work to stop.
    void put(Request request) {
        m_waiting = std::move(request);
        m_running.request_stop();
    }

    // Empties the box; the request in work is told to stop and its answer is no longer wanted.
    void clear() {
        m_waiting.reset();
        m_running.request_stop();
    }

    bool waiting() const { return m_waiting.has_value(); }

    // The request to work on now, with the token that says when it is out of date. Only when
    // waiting().
    std::pair<Request, std::stop_token> take() {
        m_running = std::stop_source();
        std::pair<Request, std::stop_token> out{std::move(*m_waiting), m_running.get_token()};
        m_waiting.reset();
        return out;
    }

  private:
    std::optional<Request> m_waiting;
    std::stop_source m_running;
};

// What a worker thread has to say to the thread that made the outbox. However much is posted, one
// wake-up is queued at most: news not fetched yet is merged by the poster, so a blocked GUI costs
// one frame of memory a view and then sees the newest. Values cross under a lock of ours and Qt
// carries an empty event only, so that a thread sanitizer, to which Qt's own locks are invisible,
// sees every hand-over. The owner joins the worker before it lets the outbox go.
template <typename News>
class Outbox : private QObject {
  public:
    // `deliver` runs on the maker's thread with all news since its last call.
    explicit Outbox(std::function<void(const News&)> deliver) : m_deliver(std::move(deliver)) {}

    // Any thread. merge(News&) adds to what waits.
    template <typename Merge>
    void post(Merge&& merge) {
        const std::lock_guard lock(m_mutex);
        merge(m_news);
        if (std::exchange(m_wakePending, true)) return;
        QCoreApplication::postEvent(this, new QEvent(QEvent::User));
    }

  private:
    void customEvent(QEvent*) override { m_deliver(take()); }
    News take() {
        const std::lock_guard lock(m_mutex);
        m_wakePending = false;
        return std::exchange(m_news, News{});
    }

    std::mutex m_mutex;
    News m_news;
    bool m_wakePending = false;
    std::function<void(const News&)> m_deliver;
};

}  // namespace app
