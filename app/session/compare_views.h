// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/session.h"
#include "app/session/trace_views.h"
#include "ui/models/change_table.h"
#include "ui/models/run_alignment.h"

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
    // an edited run with the one that is not edited, a new prompt with the one before it.
    const std::optional<Pair>& pair() const { return m_pair; }
    void choose(Pair);
    const RunView* run(engine::RunId) const;  // null: it is closed
    // Of the prompt on screen by name, then those of earlier prompts, the latest prompt first.
    std::vector<const RunView*> runs() const;
    // "B"; of an earlier prompt with its number by age before it, "1B": each has an A.
    std::string nameOf(const RunView&) const;
    bool isOfShownPrompt(const RunView&) const;
    // By token where the prompts differ. Null: place i is position i of both.
    std::shared_ptr<const ui::RunAlignment> alignment() const;
    // In the run on screen, of a place of the pair; none: it has no such position.
    std::optional<std::int64_t> positionInShown(std::int64_t place) const;
    std::int64_t sharedTokens() const;  // at the head of both
    // What the run on screen is compared with while the page is in front, where the selected row
    // has a row there.
    struct Beside {
        engine::RunId run{};
        engine::Position position{};
        bool operator==(const Beside&) const = default;
    };
    std::optional<Beside> beside() const;
    const std::optional<ui::ChangeTable>& changes() const { return m_changes; }

    void setShown(bool);
    void setView(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    void refreshMaps();  // the quantity or its target is another

  Q_SIGNALS:
    void pairChanged();  // or what the runs of it hold
    void mapReady(const engine::Tile&);
    void changesReady();  // changes()
    // Of beside(), by the target of the run on screen.
    void tokensBesideReady(const ui::TokensBeside&);
    void contributionsBesideReady(const engine::ContributionTable&);
    void besideChanged();  // what was shown of it is of another

  private:
    void followRuns();
    void askMaps();
    void askChanges();
    void askBeside();
    void grow();
    Pair firstPair(const std::vector<const RunView*>&) const;

    Session& m_session;
    TraceViews& m_views;
    std::optional<Pair> m_pair;
    std::optional<ui::ChangeTable> m_changes;
    struct Aligned {
        Pair pair;
        std::size_t a = 0, b = 0;  // tokens
        std::shared_ptr<const ui::RunAlignment> by;
    };
    mutable std::optional<Aligned> m_aligned;  // as last asked for
    std::shared_ptr<const ui::RunAlignment> m_changesBy;
    engine::RunId m_newest{};         // the youngest run seen
    std::optional<Beside> m_besides;  // as last asked for
    bool m_shown = false, m_again = false;
    std::optional<std::array<engine::Axis, 2>> m_axes;  // dest, src
    engine::Pooling m_pooling = engine::Pooling::Max;
    engine::LayerHead m_head;
    QTimer m_growing;  // single shot, a frame or two
};

}  // namespace app
