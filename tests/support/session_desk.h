// SPDX-License-Identifier: GPL-3.0-or-later
// A session and its views on a fake engine, with everything that they hand to the widgets.
#pragma once
#include <map>
#include <optional>

#include "app/session/session.h"
#include "app/session/trace_views.h"
#include "tests/support/app_fixture.h"

namespace fake {

using app::kReadKinds;
using app::ReadKind;
using app::RunSettings;
using app::Session;
using app::TraceViews;
using engine::Failure;
using engine::LayerHead;
using engine::Position;
using ui::RunState;

inline LayerHead head(int layer, int index) {
    return {engine::Layer(layer), engine::QueryHead(index)};
}

inline RunSettings prompt(const std::string& text, std::int64_t generate = 0) {
    return {text, {}, {}, generate};
}

inline const std::string kFourteen = "When Mary and John went to the store , John gave a drink to";

struct Desk {
    std::shared_ptr<World> world = std::make_shared<World>();
    std::unique_ptr<Session> session = std::make_unique<Session>(source(world));
    std::unique_ptr<TraceViews> views = std::make_unique<TraceViews>(*session);
    std::vector<RunState> states;
    std::vector<Failure> failures;
    std::optional<engine::Tile> map;
    std::optional<engine::Cell> locked, hovered;
    std::optional<engine::HeadTable> metrics;
    std::vector<float> row, column, span;
    std::map<LayerHead, engine::Tile> thumbnails;
    std::vector<engine::CheckReport> checks;

    Desk() {
        QObject::connect(session.get(), &Session::stateChanged,
                         [this](RunState s) { states.push_back(s); });
        QObject::connect(session.get(), &Session::failed,
                         [this](const Failure& f) { failures.push_back(f); });
        QObject::connect(views.get(), &TraceViews::failed,
                         [this](const Failure& f) { failures.push_back(f); });
        QObject::connect(views.get(), &TraceViews::mapReady,
                         [this](const engine::Tile& t) { map = t; });
        QObject::connect(views.get(), &TraceViews::lockedCellReady,
                         [this](const engine::Cell& c) { locked = c; });
        QObject::connect(views.get(), &TraceViews::hoverCellReady,
                         [this](const engine::Cell& c) { hovered = c; });
        QObject::connect(views.get(), &TraceViews::metricsReady,
                         [this](const engine::HeadTable& t) { metrics = t; });
        QObject::connect(views.get(), &TraceViews::spanReady,
                         [this](engine::Rows, const std::vector<float>& mass) { span = mass; });
        QObject::connect(views.get(), &TraceViews::rowReady,
                         [this](Position, const std::vector<float>& p) { row = p; });
        QObject::connect(views.get(), &TraceViews::columnReady,
                         [this](Position, const std::vector<float>& p) { column = p; });
        QObject::connect(views.get(), &TraceViews::checksReady,
                         [this](const std::vector<engine::CheckReport>& c) { checks = c; });
        QObject::connect(views.get(), &TraceViews::thumbnailsReady,
                         [this](const engine::Tile& tile) {
                             for (const LayerHead at : tile.request.heads) thumbnails[at] = tile;
                         });
    }
    bool await(RunState state) {
        return eventually([&] { return session->state() == state; });
    }
    bool settle() {
        return eventually([&] {
            if (ui::isBusy(session->state())) return false;
            for (std::size_t kind = 0; kind < kReadKinds; ++kind)
                if (views->isPending(static_cast<ReadKind>(kind))) return false;
            return true;
        });
    }
    void open() {
        session->openModel("fake.gguf");
        QVERIFY(await(RunState::Idle));
    }
    // As the window would: the map and the grid ask for their own size.
    void showViews(std::int64_t positions) {
        views->setMapView({0, positions, 1, {}}, {0, positions, 1, {}}, engine::Pooling::None);
        std::vector<LayerHead> all;
        for (int l = 0; l < 4; ++l)
            for (int h = 0; h < 4; ++h) all.push_back(head(l, h));
        views->setThumbnailView(all, 8);
    }
    void read(const std::string& text = kFourteen) {
        showViews(14);
        session->read(prompt(text));
        QVERIFY(settle());
    }
};

}  // namespace fake
