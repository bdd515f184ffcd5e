// SPDX-License-Identifier: GPL-3.0-or-later
// Golden values: a safetensors file read by its own few lines, so that no loader under test is its
// own oracle.
#pragma once
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace golden {

struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;       // F32
    std::vector<std::int64_t> ints;  // I64
};

class File {
  public:
    explicit File(const std::string& path) : bytes_(slurp(path)) {
        std::uint64_t length = 0;
        std::memcpy(&length, bytes_.data(), 8);
        header_ = nlohmann::json::parse(bytes_.substr(8, length));
        base_ = 8 + length;
    }
    bool has(const std::string& name) const { return header_.contains(name); }
    Tensor at(const std::string& name) const {
        if (!has(name)) throw std::runtime_error("no golden tensor " + name);
        const nlohmann::json& entry = header_.at(name);
        Tensor tensor;
        tensor.shape = entry.at("shape").get<std::vector<std::int64_t>>();
        const auto begin = entry.at("data_offsets")[0].get<std::size_t>();
        const auto end = entry.at("data_offsets")[1].get<std::size_t>();
        const char* from = bytes_.data() + base_ + begin;
        if (begin == end) return tensor;  // memcpy wants a pointer even for nothing
        if (entry.at("dtype") == "F32") {
            tensor.values.resize((end - begin) / 4);
            std::memcpy(tensor.values.data(), from, end - begin);
        } else {
            tensor.ints.resize((end - begin) / 8);
            std::memcpy(tensor.ints.data(), from, end - begin);
        }
        return tensor;
    }
    // As the file has it; empty where it has none.
    std::map<std::string, std::string> metadata() const {
        return header_.value("__metadata__", std::map<std::string, std::string>{});
    }

  private:
    static std::string slurp(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        if (!file) throw std::runtime_error("cannot read " + path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string bytes_;
    nlohmann::json header_;
    std::size_t base_ = 0;
};

}  // namespace golden
