// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <array>
#include <optional>
#include <vector>

#include "app/session/session.h"
#include "app/session/trace_views.h"
#include "ui/models/change_table.h"

namespace app {

// Which two runs stand side by side, and what of them is on screen: both maps of the focused head,
// their difference, and how far every head moved. Asks only while the page is in front. GUI thread,
// never waits.
class CompareViews : public QObject {
    Q_OBJECT
  public:
    CompareViews(Session&, TraceViews&, QObject* parent = nullptr);

    struct Pair {
        engine::RunId a{}, b{};  // the difference is B less A
        bool operator==(const Pair&) const = default;
    };
    // None while there are fewer than two runs. A new fork is compared with its parent,
    // an edited run with the one that is not edited.
    const std::optional<Pair>& pair() const { return m_pair; }
    void choose(Pair);
    const RunView* run(engine::RunId) const;   // null: it is closed
    std::vector<const RunView*> runs() const;  // by name
    std::int64_t sharedTokens() const;         // at the head of both
    const std::optional<ui::ChangeTable>& changes() const { return m_changes; }

    void setShown(bool);
    void setView(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    void refreshMaps();  // the quantity or its target is another

  Q_SIGNALS:
    void pairChanged();  // or what the runs of it hold
    void mapReady(const engine::Tile&);
    void changesReady();  // changes()

  private:
    void followRuns();
    void askMaps();
    void askChanges();
    void grow();

    Session& m_session;
    TraceViews& m_views;
    std::optional<Pair> m_pair;
    std::optional<ui::ChangeTable> m_changes;
    engine::RunId m_newest{};  // the youngest run seen
    bool m_shown = false, m_again = false;
    std::optional<std::array<engine::Axis, 2>> m_axes;  // dest, src
    engine::Pooling m_pooling = engine::Pooling::Max;
    engine::LayerHead m_head;
    QTimer m_growing;  // single shot, a frame or two
};

}  // namespace app
