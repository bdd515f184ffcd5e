// SPDX-License-Identifier: GPL-3.0-or-later
// Where a request of the reader runs: a stream of the views' priority with memory of its own. There
// are a few lanes, so that a hover does not wait for a grid. Any thread takes one, and it is given
// back with nothing of the request left in work.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/cuda/device_memory.h"
#include "engine/cuda/step_pace.h"
#include "engine/values/payload.h"

namespace engine::cuda {

// Device memory of one request after another. Grows, and is one block again from the next request
// on.
class Scratch {
  public:
    template <typename T>
    T* take(std::int64_t count) {
        return reinterpret_cast<T*>(bytes(count * static_cast<std::int64_t>(sizeof(T))));
    }
    void reset();

  private:
    std::byte* bytes(std::int64_t count);
    std::vector<DeviceBuffer> blocks_;
    std::int64_t used_ = 0, wanted_ = 0;  // of the last block; bytes of the largest request so far
};

// Pinned buffers that results cross in without a copy, given back when the last view of one drops
// it.
class ResultRing : public std::enable_shared_from_this<ResultRing> {
  public:
    // Null when it is larger than a slot or all are held.
    std::shared_ptr<std::byte> take(std::int64_t bytes);

  private:
    std::mutex mutex_;
    std::vector<PinnedBuffer> free_;
    int made_ = 0;
};

class TimedEvent {
  public:
    TimedEvent();
    ~TimedEvent();
    TimedEvent(const TimedEvent&) = delete;
    TimedEvent& operator=(const TimedEvent&) = delete;
    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "event"); }
    void wait() const { check(cudaEventSynchronize(event_), "waiting for a view"); }
    double seconds_since(const TimedEvent& from) const;

  private:
    cudaEvent_t event_ = nullptr;
};

class ViewLane {
  public:
    ViewLane(StepPace& pace, std::shared_ptr<ResultRing> ring);

    cudaStream_t stream() const { return stream_; }
    Scratch& scratch() { return scratch_; }

    // Copies to the device, in scratch; the source may go at once.
    template <typename T>
    T* upload(std::span<const T> from) {
        T* to = scratch_.take<T>(static_cast<std::int64_t>(from.size()));
        copy_in(to, from.data(), static_cast<std::int64_t>(from.size_bytes()));
        return to;
    }
    template <typename T>
    T* upload(const std::vector<T>& from) {
        return upload(std::span<const T>(from));
    }
    void copy_in(void* to, const void* from, std::int64_t bytes);

    // Enqueues one launch of a long request: sees stop, waits for its turn beside decode steps and
    // for the launch before the last, so that little is in work when it is stopped. Returns seconds
    // of a launch that is over, if one was waited for.
    std::optional<double> slice(const std::stop_token& stop, const std::function<void()>& launch);
    void await_slices();                                // the rest of them
    double seconds() const { return device_seconds_; }  // of all awaited slices of the request

    // Waits for the stream's work up to here. A payload in a pinned slot where one is free.
    Payload result(const void* from, DType dtype, std::vector<std::int64_t> shape);
    // `lines` of line_bytes, dense on the device, `pitch` bytes apart on the host.
    void copy_out(void* to, std::int64_t pitch, const void* from, std::int64_t line_bytes,
                  std::int64_t lines);
    template <typename T>
    std::vector<T> download(const T* from, std::int64_t count) {
        std::vector<T> to(static_cast<std::size_t>(count));
        copy_out(to.data(), 0, from, count * static_cast<std::int64_t>(sizeof(T)), 1);
        return to;
    }

    void finish() noexcept;  // waits for all, forgets all
    void clear_scratch();    // between pieces of a request: waits, and takes what was taken back

  private:
    double await_oldest();

    StepPace& pace_;
    std::shared_ptr<ResultRing> ring_;
    Stream stream_{Stream::Priority::Views};
    Scratch scratch_;
    PinnedBuffer staging_;
    std::int64_t staged_ = 0;  // bytes of the upload half in use
    TimedEvent begun_[2], ended_[2], copied_[2];
    int slices_ = 0, awaited_ = 0;
    double device_seconds_ = 0;
};

class ViewLanes {
  public:
    ViewLanes(int device, std::shared_ptr<StepPace> pace);

    class Lease {
      public:
        Lease(ViewLanes& lanes, ViewLane& lane) : lanes_(lanes), lane_(lane) {}
        ~Lease() { lanes_.give_back(lane_); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        ViewLane& operator*() const { return lane_; }
        ViewLane* operator->() const { return &lane_; }

      private:
        ViewLanes& lanes_;
        ViewLane& lane_;
    };
    // Makes the device current in this thread.
    Lease take();

  private:
    void give_back(ViewLane&);

    int device_;
    std::shared_ptr<StepPace> pace_;
    std::mutex mutex_;
    std::condition_variable returned_;
    std::vector<std::unique_ptr<ViewLane>> lanes_;
    std::vector<ViewLane*> free_;
};

}  // namespace engine::cuda
