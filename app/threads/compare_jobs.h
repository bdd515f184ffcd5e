// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs side by side, as work in slices. Reader thread.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "app/threads/aligned_maps.h"
#include "app/threads/reader_jobs.h"
#include "ui/models/change_table.h"

namespace app {

// Tiles of several runs or differences, one after the other.
struct CompareRequest {
    engine::RequestId id{};
    std::vector<engine::TileRequest> tiles;
    // Then these are both runs' and the difference, their axes in its places. Null: in positions.
    std::shared_ptr<const ui::RunAlignment> alignment = {};
    int window = 0;  // of the layer, for those
};

class CompareJob {
  public:
    using Request = CompareRequest;
    using Answer = engine::Tile;
    explicit CompareJob(Request request) : m_request(std::move(request)) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&, const Send<Answer>&);

  private:
    Request m_request;
    std::size_t m_at = 0;
    std::optional<TileJob> m_tile;
    std::optional<AlignedMaps> m_aligned;
};

// Heads' maps as a figure has them; of an alignment the difference of one head, on its places.
struct FigureRequest {
    engine::RequestId id{};
    engine::TileRequest tile;
    std::shared_ptr<const ui::RunAlignment> alignment = {};  // null: by position
    int window = 0;                                          // of the layer, for that
};

class FigureJob {
  public:
    using Request = FigureRequest;
    using Answer = engine::Tile;
    explicit FigureJob(Request);
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&, const Send<Answer>&);

  private:
    std::optional<TileJob> m_tile;
    std::optional<AlignedMaps> m_aligned;
};

struct ChangesRequest {
    engine::RequestId id{};
    engine::RunId a{}, b{};
    int layers = 0, query_heads = 0;
    std::shared_ptr<const ui::RunAlignment> alignment = {};  // null: by position
};

// Every head's pattern in both runs, some rows of a layer at a time: what is kept is a number a
// head and row. Rows before the first whose normalizers differ anywhere were computed from the same
// tokens and are left out.
class ChangesJob {
  public:
    using Request = ChangesRequest;
    using Answer = ui::ChangeTable;
    explicit ChangesJob(Request request) : m_request(std::move(request)) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&, const Send<Answer>&);

  private:
    void begin(const engine::TraceReader&);
    void narrow(const engine::TraceReader&);  // the rows to compare, by one layer's normalizers
    std::int64_t endOfPart(const SliceBudget&) const;
    double costUpTo(std::int64_t end) const;
    void compare(const engine::TraceReader&, std::stop_token, std::int64_t end);
    void add(const engine::Tile&);
    void add(const PlacedCells& a, const PlacedCells& b, std::int64_t end);
    float& movedAt(std::size_t head, std::int64_t row);

    Request m_request;
    Answer m_table;
    bool m_begun = false;
    int m_narrowed = 0;  // layers
    int m_layer = 0;
    std::int64_t m_row = 0;  // of that layer: first not done
};

}  // namespace app
