// SPDX-License-Identifier: GPL-3.0-or-later
// Every head with its numbers: of the whole run, and of what it writes at the selected position.
#pragma once
#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <optional>
#include <vector>

#include "engine/values/contribution.h"
#include "engine/values/metrics.h"
#include "engine/values/model_info.h"

namespace ui {

// In the order of their columns.
enum class HeadMetric {
    Entropy,
    Sink,
    MaxPattern,
    Distance,
    Previous,
    Duplicate,
    Induction,
    Span,
    Write,
    Attribution,
};
inline constexpr int headMetrics = 10;
inline constexpr HeadMetric bestMetric = HeadMetric::Attribution;  // what heads are sorted by first

struct HeadMetricInfo {
    QString name, definition;
    QString word;  // in a filter: "sink > 0.5"
    int decimals = 2;
    bool isSigned = false;  // sorted and compared by magnitude
};
const HeadMetricInfo& infoOf(HeadMetric);
constexpr int columnOf(HeadMetric metric) {
    return 1 + static_cast<int>(metric);
}

class FinderModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Role {
        SortRole = Qt::UserRole,
        ShareRole,
        KvRole,
        PinnedRole
    };                                               // ShareRole: of the largest, 0 to 1
    static constexpr int columns = 1 + headMetrics;  // the head's name, then the metrics

    explicit FinderModel(QObject* parent = nullptr);
    void setModel(const engine::ModelInfo&);
    void setMetrics(const std::optional<engine::HeadTable>&);
    // [L, H], of the chosen span of tokens; empty: none is chosen, or not known yet.
    void setSpan(const std::vector<float>&);
    void setContributions(const std::optional<engine::ContributionTable>&);
    void setFocused(engine::LayerHead);
    void setPinned(std::vector<engine::LayerHead>);
    bool isPinned(engine::LayerHead) const;

    int heads() const { return m_layers * m_heads; }
    int kvHeads() const { return m_kvHeads; }
    engine::LayerHead headAt(int row) const;
    int rowOf(engine::LayerHead) const;  // −1: none
    int kvOf(int row) const;
    std::optional<engine::LayerHead> focused() const { return m_focused; }
    bool isKnown(HeadMetric) const;                          // of some head
    std::optional<double> value(int row, HeadMetric) const;  // none: not known yet
    double largest(HeadMetric) const;                        // magnitude, 0 where nothing is known

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex&, int role) const override;
    QVariant headerData(int section, Qt::Orientation, int role) const override;

  private:
    void take(HeadMetric, const std::vector<float>* values);
    void changed(HeadMetric first, HeadMetric last);

    int m_layers = 0, m_heads = 0, m_kvHeads = 0;
    std::vector<std::vector<float>> m_values;  // [metric][head], empty: not known
    std::vector<double> m_largest;
    std::optional<engine::LayerHead> m_focused;
    std::vector<engine::LayerHead> m_pinned;
};

// Terms that all hold: "attr > 0.5", "sink<.9", "L12", "H3", "L12.H3"; of a signed metric the
// magnitude counts.
class FinderProxy : public QSortFilterProxyModel {
    Q_OBJECT
  public:
    explicit FinderProxy(FinderModel& model, QObject* parent = nullptr);
    // What of it is no term; empty: all of it was understood. The rest filters all the same.
    QString setFilter(const QString& text);
    void setOnly(std::optional<std::vector<engine::LayerHead>>);  // besides; none: all
    bool filtersBy(HeadMetric) const;
    bool isFiltered() const { return !m_terms.empty() || m_only.has_value(); }

    // The rank in this order, not the place in the model.
    QVariant headerData(int section, Qt::Orientation, int role) const override;

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    // Heads without a number come last in either order.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

  private:
    struct Term {
        std::optional<int> layer, head;
        HeadMetric metric{};
        QChar sign;  // null: a place
        double number = 0;
    };
    FinderModel& m_model;
    std::vector<Term> m_terms;
    std::optional<std::vector<engine::LayerHead>> m_only;
};

}  // namespace ui
