// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <optional>

#include "app/session/session.h"
#include "app/session/trace_views.h"
#include "ui/painting/map_scale.h"

namespace app {

// What the colours of the map on screen are measured by beyond the map itself, kept up to date: the
// largest values of its layer's or of all heads, and what a rank among them counts. Follows run,
// rows, head, quantity and target; asks only while the scale's range is wider than the head. GUI
// thread, never waits.
class RangeViews : public QObject {
    Q_OBJECT
  public:
    RangeViews(Session&, TraceViews&, QObject* parent = nullptr);

    void setChoice(const ui::ScaleChoice&);
    const ui::RangeExtents& extents() const { return m_extents; }

  public Q_SLOTS:
    // The head, the quantity or its renormalization is another: told, not heard of, so that the map
    // has the selection before its range.
    void follow();

  Q_SIGNALS:
    void extentsChanged();

  private:
    bool isWide() const;
    std::optional<RangeRequest> wanted() const;
    void takeMetrics(const engine::HeadTable&);
    void take(const HeadRange&);
    void show();

    Session& m_session;
    TraceViews& m_views;
    ui::ScaleChoice m_choice;
    std::optional<engine::HeadTable> m_metrics;  // of the run shown
    std::optional<RangeRequest> m_asked;         // the newest; what m_known is about
    std::optional<HeadRange> m_known;            // of the rows up to request.rows.end
    ui::RangeExtents m_extents;
};

}  // namespace app
