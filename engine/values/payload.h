// SPDX-License-Identifier: GPL-3.0-or-later
// Shared immutable bytes with dtype, shape and an owner, so that a big result crosses threads
// without a copy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/values/dtype.h"

namespace engine {

struct Payload {
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;    // outermost first, dense, row-major
    std::shared_ptr<const void> owner;  // keeps `data` alive
    const std::byte* data = nullptr;

    std::int64_t elements() const {
        std::int64_t n = 1;
        for (std::int64_t extent : shape) n *= extent;
        return n;
    }
    std::size_t bytes() const { return static_cast<std::size_t>(elements()) * bytes_of(dtype); }
    template <typename T>
    std::span<const T> as() const {
        return {reinterpret_cast<const T*>(data), bytes() / sizeof(T)};
    }
};

// Takes the vector over; T must be the element type that dtype names.
template <typename T>
Payload make_payload(DType dtype, std::vector<std::int64_t> shape, std::vector<T> values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    return {dtype, std::move(shape), owner, reinterpret_cast<const std::byte*>(owner->data())};
}

struct NamedTensor {
    std::string name;
    Payload data;
};

}  // namespace engine
