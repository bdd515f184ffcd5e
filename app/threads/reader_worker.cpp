// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/reader_worker.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "app/threads/compute_thread.h"
#include "app/threads/engine_worker.h"
#include "app/threads/latest_request.h"

namespace app {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience =
    std::chrono::milliseconds(100);  // then a low priority is served first once

constexpr std::size_t index(ReadKind kind) {
    return static_cast<std::size_t>(kind);
}

// The job of each kind, in the order of ReadKind.
using Jobs =
    std::tuple<CellJob, CellJob, TileJob, TileJob, TileJob, TileJob, TileJob, TileJob, TileJob,
               CompareJob, LogitsJob, ContributionJob, TokensBesideJob, ContributionJob, FigureJob,
               TileJob, RangeJob, TileJob, MetricsJob, ChangesJob, TileJob, ChecksJob>;
static_assert(std::tuple_size_v<Jobs> == kReadKinds);
template <std::size_t kind>
using JobOf = std::tuple_element_t<kind, Jobs>;

// The answers of one kind that the GUI thread has not fetched: parts of one request at most.
template <typename Value>
struct Answers {
    std::uint64_t id = 0;
    bool finished = false;
    std::vector<Value> parts;
    std::optional<engine::Failure> failure;

    Answers& of(std::uint64_t request) {
        if (id != request) *this = Answers{request, false, {}, {}};
        return *this;
    }
};

// One kind: its mailbox (under the lock) and the job in work (reader thread).
template <typename Job>
struct Lane {
    LatestRequest<typename Job::Request> box;
    std::optional<Job> job;
    std::uint64_t id = 0;
    std::stop_token stop;
    Clock::time_point served{};  // when its last slice ended, or its request was found
};

template <template <typename> class Each, typename Sequence>
struct Expand;
template <template <typename> class Each, typename... Job>
struct Expand<Each, std::tuple<Job...>> {
    using Type = std::tuple<Each<Job>...>;
};
template <typename Job>
using AnswersOf = Answers<typename Job::Answer>;

}  // namespace

struct ReaderWorker::News {
    Expand<AnswersOf, Jobs>::Type answers;
};

// What the two threads share, and the loop of the reader thread.
struct ReaderWorker::Reading {
    explicit Reading(std::function<void(const News&)> deliver) : outbox(std::move(deliver)) {}

    void run(const std::stop_token& quit);
    void takeRequests();
    std::size_t nextKind();  // kReadKinds: nothing to do
    template <std::size_t kind>
    void slice(const engine::TraceReader&);

    // action(lane, kind as a constant) for every kind, by priority.
    template <typename Action>
    void each(Action&& action) {
        [&]<std::size_t... kind>(std::index_sequence<kind...>) {
            (action(std::get<kind>(lanes), std::integral_constant<std::size_t, kind>()), ...);
        }
        (std::make_index_sequence<kReadKinds>());
    }

    std::mutex mutex;
    std::condition_variable_any changed;
    bool news = false;                                  // a mailbox or the reader changed
    std::shared_ptr<const engine::TraceReader> reader;  // under the lock, as the mailboxes
    Expand<Lane, Jobs>::Type lanes;
    Outbox<News> outbox;
    SliceBudget budget;
    std::jthread thread;  // last, so that it is joined before the rest goes
};

void ReaderWorker::Reading::run(const std::stop_token& quit) {
    becomeComputeThread();
    std::unique_lock lock(mutex);
    while (!quit.stop_requested()) {
        takeRequests();
        const std::size_t chosen = nextKind();
        if (chosen == kReadKinds) {
            changed.wait(lock, quit, [this] { return news; });
            continue;
        }
        const std::shared_ptr<const engine::TraceReader> current = reader;
        lock.unlock();
        each([&](auto& lane, auto kind) {
            if (kind != chosen) return;
            if (current)
                slice<kind>(*current);
            else
                lane.job.reset();
        });
        lock.lock();
    }
}

void ReaderWorker::Reading::takeRequests() {
    news = false;
    each([](auto& lane, auto) {
        if (lane.box.waiting()) {
            if (!lane.job) lane.served = Clock::now();
            auto [request, stop] = lane.box.take();
            lane.id = engine::to_int(request.id);
            lane.stop = std::move(stop);
            lane.job.emplace(std::move(request));
        } else if (lane.job && lane.stop.stop_requested()) {
            lane.job.reset();
        }
    });
}

std::size_t ReaderWorker::Reading::nextKind() {
    std::size_t first = kReadKinds, starved = kReadKinds;
    const Clock::time_point now = Clock::now();
    each([&](auto& lane, auto kind) {
        if (!lane.job) return;
        if (first == kReadKinds) first = kind;
        if (starved == kReadKinds && now - lane.served > kPatience) starved = kind;
    });
    return starved != kReadKinds ? starved : first;
}

template <std::size_t kind>
void ReaderWorker::Reading::slice(const engine::TraceReader& from) {
    auto& lane = std::get<kind>(lanes);
    const auto post = [&](auto&& change) {
        outbox.post([&](News& waiting) { change(std::get<kind>(waiting.answers).of(lane.id)); });
    };
    bool finished = true;
    try {
        finished = lane.job->slice(from, lane.stop, budget, [&](auto&& part) {
            post([&](auto& answers) {
                answers.parts.push_back(std::forward<decltype(part)>(part));
            });
        });
        if (finished) post([](auto& answers) { answers.finished = true; });
    } catch (const engine::Cancelled&) {
        // Overtaken by a newer request, or dropped: nobody waits for an answer.
    } catch (...) {
        engine::Failure failure = currentFailure("view");
        post([&](auto& answers) {
            answers.failure = std::move(failure);
            answers.finished = true;
        });
    }
    if (finished) lane.job.reset();
    lane.served = Clock::now();
}

ReaderWorker::ReaderWorker(QObject* parent)
    : QObject(parent),
      m_reading(std::make_unique<Reading>([this](const News& news) { deliver(news); })) {
    m_reading->thread =
        std::jthread([reading = m_reading.get()](std::stop_token quit) { reading->run(quit); });
}

ReaderWorker::~ReaderWorker() {
    dropAll();  // stops the slice in work
}

void ReaderWorker::setReader(std::shared_ptr<const engine::TraceReader> reader) {
    dropAll();
    const std::lock_guard lock(m_reading->mutex);
    m_reading->reader.swap(reader);
}

template <ReadKind kind, typename Request>
void ReaderWorker::put(Request&& request) {
    request.id = engine::RequestId(++m_newest[index(kind)]);
    m_pending[index(kind)] = true;
    {
        const std::lock_guard lock(m_reading->mutex);
        std::get<index(kind)>(m_reading->lanes).box.put(std::forward<Request>(request));
        m_reading->news = true;
    }
    m_reading->changed.notify_one();
}

void ReaderWorker::requestHoverCell(CellRequest request) {
    put<ReadKind::HoverCell>(std::move(request));
}
void ReaderWorker::requestLockedCell(CellRequest request) {
    put<ReadKind::LockedCell>(std::move(request));
}
void ReaderWorker::requestRow(engine::TileRequest request) {
    put<ReadKind::Row>(std::move(request));
}
void ReaderWorker::requestColumn(engine::TileRequest request) {
    put<ReadKind::Column>(std::move(request));
}
void ReaderWorker::requestMap(engine::TileRequest request) {
    put<ReadKind::Map>(std::move(request));
}
void ReaderWorker::requestPreview(engine::TileRequest request) {
    put<ReadKind::Preview>(std::move(request));
}

void ReaderWorker::requestOverview(engine::TileRequest request) {
    put<ReadKind::Overview>(std::move(request));
}

void ReaderWorker::requestPins(engine::TileRequest request) {
    put<ReadKind::Pins>(std::move(request));
}
void ReaderWorker::requestPeek(engine::TileRequest request) {
    put<ReadKind::Peek>(std::move(request));
}
void ReaderWorker::requestCompare(CompareRequest request) {
    put<ReadKind::Compare>(std::move(request));
}
void ReaderWorker::requestFigure(FigureRequest request) {
    put<ReadKind::Figure>(std::move(request));
}
void ReaderWorker::requestComposed(engine::TileRequest request) {
    put<ReadKind::Composed>(std::move(request));
}
void ReaderWorker::requestRange(RangeRequest request) {
    put<ReadKind::Range>(std::move(request));
}
void ReaderWorker::requestSpan(engine::TileRequest request) {
    put<ReadKind::Span>(std::move(request));
}
void ReaderWorker::requestContributions(engine::ContributionRequest request) {
    put<ReadKind::Contributions>(std::move(request));
}
void ReaderWorker::requestLogits(LogitsRequest request) {
    put<ReadKind::Logits>(std::move(request));
}
void ReaderWorker::requestTokensBeside(TokensBesideRequest request) {
    put<ReadKind::TokensBeside>(request);
}
void ReaderWorker::requestContributionsBeside(engine::ContributionRequest request) {
    put<ReadKind::ContributionsBeside>(std::move(request));
}
void ReaderWorker::requestMetrics(engine::MetricsRequest request) {
    put<ReadKind::Metrics>(std::move(request));
}
void ReaderWorker::requestChanges(ChangesRequest request) {
    put<ReadKind::Changes>(std::move(request));
}
void ReaderWorker::requestThumbnails(engine::TileRequest request) {
    put<ReadKind::Thumbnails>(std::move(request));
}
void ReaderWorker::requestChecks(ChecksRequest request) {
    put<ReadKind::Checks>(std::move(request));
}

void ReaderWorker::drop(ReadKind dropped) {
    const std::lock_guard lock(m_reading->mutex);
    ++m_newest[index(dropped)];  // an answer on its way is out of date
    m_pending[index(dropped)] = false;
    m_reading->each([&](auto& lane, auto kind) {
        if (kind == index(dropped)) lane.box.clear();
    });
}

void ReaderWorker::dropAll() {
    for (std::size_t kind = 0; kind < kReadKinds; ++kind) drop(static_cast<ReadKind>(kind));
}

bool ReaderWorker::isPending(ReadKind kind) const {
    return m_pending[index(kind)];
}

template <ReadKind kind, typename Signal>
void ReaderWorker::deliver(const News& news, Signal signal) {
    const auto& answers = std::get<index(kind)>(news.answers);
    // Asked again each time: what a signal sets off may overtake the rest.
    const auto current = [&] {
        return answers.id == m_newest[index(kind)] && m_pending[index(kind)];
    };
    for (const auto& part : answers.parts)
        if (current()) Q_EMIT(this->*signal)(part);
    if (!answers.finished || !current()) return;
    m_pending[index(kind)] = false;
    if (answers.failure) Q_EMIT failed(kind, *answers.failure);
    Q_EMIT answered(kind);
}

void ReaderWorker::deliver(const News& news) {
    deliver<ReadKind::HoverCell>(news, &ReaderWorker::hoverCellReady);
    deliver<ReadKind::LockedCell>(news, &ReaderWorker::lockedCellReady);
    deliver<ReadKind::Row>(news, &ReaderWorker::rowReady);
    deliver<ReadKind::Column>(news, &ReaderWorker::columnReady);
    deliver<ReadKind::Map>(news, &ReaderWorker::mapReady);
    deliver<ReadKind::Preview>(news, &ReaderWorker::previewReady);
    deliver<ReadKind::Overview>(news, &ReaderWorker::overviewReady);
    deliver<ReadKind::Pins>(news, &ReaderWorker::pinsReady);
    deliver<ReadKind::Peek>(news, &ReaderWorker::peekReady);
    deliver<ReadKind::Compare>(news, &ReaderWorker::compareReady);
    deliver<ReadKind::Logits>(news, &ReaderWorker::logitsReady);
    deliver<ReadKind::Contributions>(news, &ReaderWorker::contributionsReady);
    deliver<ReadKind::TokensBeside>(news, &ReaderWorker::tokensBesideReady);
    deliver<ReadKind::ContributionsBeside>(news, &ReaderWorker::contributionsBesideReady);
    deliver<ReadKind::Figure>(news, &ReaderWorker::figureReady);
    deliver<ReadKind::Composed>(news, &ReaderWorker::composedReady);
    deliver<ReadKind::Range>(news, &ReaderWorker::rangeReady);
    deliver<ReadKind::Span>(news, &ReaderWorker::spanReady);
    deliver<ReadKind::Metrics>(news, &ReaderWorker::metricsReady);
    deliver<ReadKind::Changes>(news, &ReaderWorker::changesReady);
    deliver<ReadKind::Thumbnails>(news, &ReaderWorker::thumbnailsReady);
    deliver<ReadKind::Checks>(news, &ReaderWorker::checksReady);
}

}  // namespace app
