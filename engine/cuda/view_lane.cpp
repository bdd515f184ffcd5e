// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/view_lane.h"

#include <algorithm>
#include <cstring>

namespace engine::cuda {
namespace {

constexpr int lane_count = 3, slot_count = 6;
constexpr std::int64_t slot_bytes = std::int64_t{16} << 20;
// Of a lane's staging: parameters on their way in, then two pieces of a result on its way out.
constexpr std::int64_t upload_bytes = std::int64_t{1} << 20,
                       result_piece_bytes = std::int64_t{8} << 20;
constexpr std::int64_t kept_scratch = std::int64_t{256} << 20, least_block = std::int64_t{4} << 20;

std::int64_t aligned(std::int64_t bytes) {
    return (bytes + 255) / 256 * 256;
}

}  // namespace

std::byte* Scratch::bytes(std::int64_t count) {
    count = aligned(std::max<std::int64_t>(count, 1));
    if (blocks_.empty() || used_ + count > blocks_.back().bytes()) {
        blocks_.emplace_back(std::max({count, least_block, blocks_.empty() ? wanted_ : 0}));
        used_ = 0;
    }
    std::byte* at = blocks_.back().data() + used_;
    used_ += count;
    return at;
}

void Scratch::reset() {
    std::int64_t total = 0;
    for (const DeviceBuffer& block : blocks_) total += block.bytes();
    wanted_ = std::min(std::max(wanted_, total), kept_scratch);
    if (blocks_.size() > 1 || total > kept_scratch) blocks_.clear();
    used_ = 0;
}

std::shared_ptr<std::byte> ResultRing::take(std::int64_t bytes) {
    if (bytes > slot_bytes) return nullptr;
    PinnedBuffer slot;
    {
        const std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            slot = std::move(free_.back());
            free_.pop_back();
        } else if (made_ == slot_count) {
            return nullptr;
        } else {
            ++made_;
        }
    }
    if (slot.data() == nullptr) slot = PinnedBuffer(slot_bytes);
    auto held = std::make_shared<PinnedBuffer>(std::move(slot));
    std::byte* data = held->data();
    return {data, [ring = shared_from_this(), held](std::byte*) {
                const std::lock_guard lock(ring->mutex_);
                ring->free_.push_back(std::move(*held));
            }};
}

TimedEvent::TimedEvent() {
    check(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync), "event");
}

TimedEvent::~TimedEvent() {
    (void)cudaEventDestroy(event_);
}

double TimedEvent::seconds_since(const TimedEvent& from) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, from.event_, event_), "event");
    return double{milliseconds} * 1e-3;
}

ViewLane::ViewLane(StepPace& pace, std::shared_ptr<ResultRing> ring)
    : pace_(pace), ring_(std::move(ring)), staging_(upload_bytes + 2 * result_piece_bytes) {}

void ViewLane::copy_in(void* to, const void* from, std::int64_t bytes) {
    const void* source = from;
    if (staged_ + bytes <= upload_bytes) {
        std::byte* at = staging_.data() + staged_;
        std::memcpy(at, from, static_cast<std::size_t>(bytes));
        staged_ += aligned(bytes);
        source = at;
    }  // else from pageable memory, which the call copies before it returns
    check(cudaMemcpyAsync(to, source, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                          stream_),
          "parameters of a view");
}

double ViewLane::await_oldest() {
    const int oldest = awaited_++ % 2;
    ended_[oldest].wait();
    const double seconds = ended_[oldest].seconds_since(begun_[oldest]);
    pace_.used(seconds);
    device_seconds_ += seconds;
    return seconds;
}

std::optional<double> ViewLane::slice(const std::stop_token& stop,
                                      const std::function<void()>& launch) {
    if (stop.stop_requested()) throw Cancelled{};
    std::optional<double> seconds;
    if (slices_ - awaited_ == 2) seconds = await_oldest();
    if (slices_ > 0) pace_.await_turn(stop);  // the first goes at once
    if (stop.stop_requested()) throw Cancelled{};
    const int next = slices_ % 2;
    begun_[next].record(stream_);
    launch();
    ended_[next].record(stream_);
    ++slices_;
    return seconds;
}

void ViewLane::await_slices() {
    while (awaited_ < slices_) (void)await_oldest();
}

Payload ViewLane::result(const void* from, DType dtype, std::vector<std::int64_t> shape) {
    Payload payload;
    payload.dtype = dtype;
    payload.shape = std::move(shape);
    const auto bytes = static_cast<std::int64_t>(payload.bytes());
    if (std::shared_ptr<std::byte> slot = ring_->take(bytes)) {
        check(cudaMemcpyAsync(slot.get(), from, payload.bytes(), cudaMemcpyDeviceToHost, stream_),
              "a view's pixels");
        copied_[0].record(stream_);
        copied_[0].wait();
        payload.data = slot.get();
        payload.owner = std::move(slot);
        return payload;
    }
    auto owner = std::make_shared_for_overwrite<std::byte[]>(payload.bytes());
    copy_out(owner.get(), 0, from, bytes, 1);
    payload.data = owner.get();
    payload.owner = std::move(owner);
    return payload;
}

void ViewLane::copy_out(void* to, std::int64_t pitch, const void* from, std::int64_t line_bytes,
                        std::int64_t lines) {
    const std::int64_t total = line_bytes * lines;
    const auto* source = static_cast<const std::byte*>(from);
    auto* target = static_cast<std::byte*>(to);
    const auto piece = [&](int half) {
        return staging_.data() + upload_bytes + half * result_piece_bytes;
    };
    const auto start = [&](std::int64_t at, int half) {
        const auto count = static_cast<std::size_t>(std::min(result_piece_bytes, total - at));
        check(cudaMemcpyAsync(piece(half), source + at, count, cudaMemcpyDeviceToHost, stream_),
              "a view's numbers");
        copied_[half].record(stream_);
    };
    if (total > 0) start(0, 0);
    int half = 0;
    for (std::int64_t at = 0; at < total; at += result_piece_bytes, half ^= 1) {
        if (at + result_piece_bytes < total) start(at + result_piece_bytes, half ^ 1);
        copied_[half].wait();
        const std::int64_t end = std::min(at + result_piece_bytes, total);
        for (std::int64_t byte = at; byte < end;) {
            const std::int64_t line = byte / line_bytes, within = byte % line_bytes,
                               count = std::min(line_bytes - within, end - byte);
            std::memcpy(target + line * pitch + within, piece(half) + (byte - at),
                        static_cast<std::size_t>(count));
            byte += count;
        }
    }
}

void ViewLane::finish() noexcept {
    (void)cudaStreamSynchronize(stream_);
    (void)cudaGetLastError();
    slices_ = awaited_ = 0;
    device_seconds_ = 0;
    staged_ = 0;
    scratch_.reset();
}

void ViewLane::clear_scratch() {
    check(cudaStreamSynchronize(stream_), "waiting for a view");
    staged_ = 0;
    scratch_.reset();
}

ViewLanes::ViewLanes(int device, std::shared_ptr<StepPace> pace)
    : device_(device), pace_(std::move(pace)) {
    const auto ring = std::make_shared<ResultRing>();
    for (int i = 0; i < lane_count; ++i) {
        lanes_.push_back(std::make_unique<ViewLane>(*pace_, ring));
        free_.push_back(lanes_.back().get());
    }
}

ViewLanes::Lease ViewLanes::take() {
    check(cudaSetDevice(device_), "choosing the device");
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [this] { return !free_.empty(); });
    ViewLane* lane = free_.back();
    free_.pop_back();
    return {*this, *lane};
}

void ViewLanes::give_back(ViewLane& lane) {
    lane.finish();
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(&lane);
    }
    returned_.notify_one();
}

}  // namespace engine::cuda
