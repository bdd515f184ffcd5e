// SPDX-License-Identifier: GPL-3.0-or-later
// Where a model's weights lie on the device: one allocation for matrices, one for small fp32
// vectors, one for rotary tables.
#pragma once
#include <functional>
#include <vector>

#include "engine/cuda/device_model.h"

namespace engine::cuda {

// Hands out places of one allocation that is made when all are known.
class Arena {
  public:
    std::int64_t place(std::int64_t bytes) {
        const std::int64_t at = bytes_;
        bytes_ += (bytes + 255) / 256 * 256;
        return at;
    }
    std::int64_t bytes() const { return bytes_; }

  private:
    std::int64_t bytes_ = 0;
};

// fp32 vectors of a model, collected here and uploaded at once.
class SmallVectors {
  public:
    // Null for an empty one; good once upload() has returned.
    std::size_t add(const float* values, std::int64_t count);
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    DeviceBuffer upload() const;
    static const float* at(const DeviceBuffer& uploaded, std::size_t place) {
        return place == none ? nullptr : uploaded.as<float>() + place;
    }

  private:
    std::vector<float> values_;
};

// The matrices of a model without data: shapes follow from the config.
void shape_matrices(DeviceModel&, bool tied_head);
// Calls visit for each matrix, a tied head once.
void for_each_matrix(DeviceModel&, const std::function<void(DeviceMatrix&)>& visit);
// Fills each layer's cosines and sines, a table for each distinct Rope.
void add_rotary_tables(DeviceModel&);

}  // namespace engine::cuda
