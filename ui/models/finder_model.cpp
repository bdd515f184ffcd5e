// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/finder_model.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/painting/names.h"
#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

std::size_t indexOf(HeadMetric metric) {
    return static_cast<std::size_t>(metric);
}

HeadMetric metricOf(int column) {
    return static_cast<HeadMetric>(column - 1);
}

// A score of TransformerLens, with its defaults.
QString scoreOn(const char* where, const char* detected) {
    return QStringLiteral(
               "share of the pattern (Σ p there / Σ p, all rows) on %1. TransformerLens "
               "detect_head "
               "%2, error_measure mul, exclude_bos and exclude_current_token off")
        .arg(QLatin1StringView(where), QLatin1StringView(detected));
}

}  // namespace

const HeadMetricInfo& infoOf(HeadMetric metric) {
    static const std::array<HeadMetricInfo, headMetrics> infos{{
        {QStringLiteral("entropy"),
         QStringLiteral("mean over rows of −Σ p ln p, nat: 0 where each row looks at one source"),
         QStringLiteral("entropy"), 2, false},
        {QStringLiteral("sink"),
         QStringLiteral(
             "mean over rows of p on source 0, where many heads put what they do not use"),
         QStringLiteral("sink"), 3, false},
        {QStringLiteral("max p"),
         QStringLiteral("the largest p of the run on a source other than 0"), QStringLiteral("max"),
         3, false},
        {QStringLiteral("distance"),
         QStringLiteral("mean over rows of Σ p · (dest − src), in tokens: how far back it looks"),
         QStringLiteral("distance"), 1, false},
        {QStringLiteral("previous"),
         scoreOn("the token just before the row's", "previous_token_head"),
         QStringLiteral("previous"), 3, false},
        {QStringLiteral("duplicate"),
         scoreOn("earlier copies of the row's own token", "duplicate_token_head"),
         QStringLiteral("duplicate"), 3, false},
        {QStringLiteral("induction"),
         scoreOn("tokens that follow an earlier copy of the row's own", "induction_head"),
         QStringLiteral("induction"), 3, false},
        {QStringLiteral("span"),
         QStringLiteral("p on the span of tokens chosen in the strip, summed over its sources, "
                        "mean over the rows from its first token on"),
         QStringLiteral("span"), 3, false},
        {QStringLiteral("‖write‖"),
         QStringLiteral("length of what the head adds to the residual stream at the selected "
                        "position: z · W_O of this head"),
         QStringLiteral("write"), 1, false},
        {QStringLiteral("logit attr."),
         QStringLiteral(
             "what that adds to the target's logit (minus the distractor's), through the "
             "final norm frozen at the selected position"),
         QStringLiteral("attr"), 3, true},
    }};
    return infos[indexOf(metric)];
}

FinderModel::FinderModel(QObject* parent)
    : QAbstractTableModel(parent), m_values(headMetrics), m_largest(headMetrics, 0) {}

void FinderModel::setModel(const engine::ModelInfo& model) {
    beginResetModel();
    m_layers = std::max(0, model.layers);
    m_heads = std::max(0, model.query_heads);
    m_kvHeads = std::max(1, model.kv_heads);
    m_values.assign(headMetrics, {});
    m_largest.assign(headMetrics, 0);
    m_focused.reset();
    endResetModel();
}

void FinderModel::changed(HeadMetric first, HeadMetric last) {
    for (auto at = indexOf(first); at <= indexOf(last); ++at) {
        double most = 0;
        for (const float value : m_values[at])
            if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
        m_largest[at] = most;
    }
    if (heads() > 0)
        Q_EMIT dataChanged(index(0, columnOf(first)), index(heads() - 1, columnOf(last)));
}

// Of another number of heads: as good as none.
void FinderModel::take(HeadMetric metric, const std::vector<float>* values) {
    m_values[indexOf(metric)] =
        values && std::ssize(*values) == heads() ? *values : std::vector<float>();
}

void FinderModel::setMetrics(const std::optional<engine::HeadTable>& table) {
    take(HeadMetric::Entropy, table ? &table->entropy : nullptr);
    take(HeadMetric::Sink, table ? &table->sink : nullptr);
    take(HeadMetric::MaxPattern, table ? &table->max_pattern : nullptr);
    take(HeadMetric::Distance, table ? &table->distance : nullptr);
    take(HeadMetric::Previous, table ? &table->previous_token : nullptr);
    take(HeadMetric::Duplicate, table ? &table->duplicate_token : nullptr);
    take(HeadMetric::Induction, table ? &table->induction : nullptr);
    changed(HeadMetric::Entropy, HeadMetric::Induction);
}

void FinderModel::setSpan(const std::vector<float>& mass) {
    take(HeadMetric::Span, &mass);
    changed(HeadMetric::Span, HeadMetric::Span);
}

void FinderModel::setContributions(const std::optional<engine::ContributionTable>& table) {
    take(HeadMetric::Write, table ? &table->head_norm : nullptr);
    take(HeadMetric::Attribution, table ? &table->head_attribution : nullptr);
    changed(HeadMetric::Write, HeadMetric::Attribution);
}

void FinderModel::setFocused(engine::LayerHead at) {
    if (m_focused == at) return;
    m_focused = at;
    if (heads() > 0) Q_EMIT dataChanged(index(0, 0), index(heads() - 1, 0), {Qt::FontRole});
}

void FinderModel::setPinned(std::vector<engine::LayerHead> heads) {
    m_pinned = std::move(heads);
    if (this->heads() > 0)
        Q_EMIT dataChanged(index(0, 0), index(this->heads() - 1, 0), {PinnedRole});
}

bool FinderModel::isPinned(engine::LayerHead at) const {
    return std::find(m_pinned.begin(), m_pinned.end(), at) != m_pinned.end();
}

engine::LayerHead FinderModel::headAt(int row) const {
    return {engine::Layer(row / std::max(1, m_heads)),
            engine::QueryHead(row % std::max(1, m_heads))};
}

int FinderModel::rowOf(engine::LayerHead at) const {
    const int layer = engine::to_int(at.layer), head = engine::to_int(at.head);
    return layer < 0 || layer >= m_layers || head < 0 || head >= m_heads ? -1
                                                                         : layer * m_heads + head;
}

int FinderModel::kvOf(int row) const {
    return row % std::max(1, m_heads) / std::max(1, m_heads / m_kvHeads);
}

bool FinderModel::isKnown(HeadMetric metric) const {
    return !m_values[indexOf(metric)].empty();
}

std::optional<double> FinderModel::value(int row, HeadMetric metric) const {
    const std::vector<float>& values = m_values[indexOf(metric)];
    const auto at = static_cast<std::size_t>(row);
    if (row < 0 || at >= values.size() || !std::isfinite(values[at])) return std::nullopt;
    return values[at];
}

double FinderModel::largest(HeadMetric metric) const {
    return m_largest[indexOf(metric)];
}

int FinderModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : heads();
}

int FinderModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant FinderModel::data(const QModelIndex& at, int role) const {
    if (!at.isValid() || at.row() >= heads()) return {};
    if (role == KvRole) return kvOf(at.row());
    if (at.column() == 0) {
        if (role == PinnedRole) return isPinned(headAt(at.row()));
        if (role == Qt::AccessibleTextRole)
            return headName(headAt(at.row())) +
                   (isPinned(headAt(at.row())) ? QStringLiteral(", pinned") : QString());
        if (role == Qt::DisplayRole) return headName(headAt(at.row()));
        if (role == SortRole) return at.row();
        if (role == Qt::FontRole) return wordFont(11, m_focused == headAt(at.row()));
        return {};
    }
    const HeadMetric metric = metricOf(at.column());
    const HeadMetricInfo& info = infoOf(metric);
    const auto number = value(at.row(), metric);
    switch (role) {
        case Qt::DisplayRole:
            if (!number) return QStringLiteral("–");
            return info.isSigned ? signedNumber(*number, info.decimals)
                                 : plainNumber(*number, info.decimals);
        case SortRole: return number ? std::abs(*number) : -1.0;
        case ShareRole: {
            const double most = largest(metric);
            return number && most > 0 ? *number / most : 0.0;
        }
        case Qt::FontRole: return monoFont(11);
        case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            return literalToolTip(info.name + QStringLiteral(": ") + info.definition);
        default: return {};
    }
}

QVariant FinderModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (section == 0)
        return role == Qt::DisplayRole ? QVariant(QStringLiteral("head")) : QVariant();
    // A click on a metric first shows the heads that have most of it.
    if (role == Qt::InitialSortOrderRole) return Qt::DescendingOrder;
    const HeadMetricInfo& info = infoOf(metricOf(section));
    if (role == Qt::DisplayRole) return info.name;
    if (role == Qt::ToolTipRole) return literalToolTip(info.definition);
    return {};
}

FinderProxy::FinderProxy(FinderModel& model, QObject* parent)
    : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(&model);
    setSortRole(FinderModel::SortRole);
    setDynamicSortFilter(true);
}

QString FinderProxy::setFilter(const QString& text) {
    static const QRegularExpression place(QStringLiteral("^(?:L(\\d{1,4}))?\\.?(?:H(\\d{1,4}))?$"),
                                          QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression rule(QStringLiteral(
        "([A-Za-z]+)\\s*([<>])=?\\s*([-+−]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?)"));
    std::vector<Term> terms;
    QString rest = text;
    auto found = rule.globalMatch(text);
    QStringList unknown;
    while (found.hasNext()) {
        const QRegularExpressionMatch match = found.next();
        rest.replace(match.captured(0), QStringLiteral(" "));
        Term term;
        const QString word = match.captured(1).toLower();
        int named = 0;
        for (; named < headMetrics; ++named) {
            const QString& known = infoOf(HeadMetric(named)).word;
            if (known.startsWith(word) || word.startsWith(known)) break;
        }
        if (named == headMetrics) {
            unknown << match.captured(0).trimmed();
            continue;
        }
        term.metric = HeadMetric(named);
        term.sign = match.captured(2).front();
        term.number = match.captured(3).replace(u'−', u'-').toDouble();
        terms.push_back(term);
    }
    static const QRegularExpression gap(QStringLiteral("[\\s,;]+"));
    for (const QString& word : rest.split(gap, Qt::SkipEmptyParts)) {
        if (word.compare(QStringLiteral("and"), Qt::CaseInsensitive) == 0) continue;
        const QRegularExpressionMatch match = place.match(word);
        if (!match.hasMatch()) {
            unknown << word;
            continue;
        }
        Term term;
        if (!match.captured(1).isEmpty()) term.layer = match.captured(1).toInt();
        if (!match.captured(2).isEmpty()) term.head = match.captured(2).toInt();
        terms.push_back(term);
    }
    m_terms = std::move(terms);
    invalidateFilter();
    return unknown.join(QStringLiteral(", "));
}

bool FinderProxy::filtersBy(HeadMetric metric) const {
    return std::any_of(m_terms.begin(), m_terms.end(), [metric](const Term& term) {
        return !term.sign.isNull() && term.metric == metric;
    });
}

void FinderProxy::setOnly(std::optional<std::vector<engine::LayerHead>> heads) {
    m_only = std::move(heads);
    invalidateFilter();
}

QVariant FinderProxy::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    return QSortFilterProxyModel::headerData(section, orientation, role);
}

bool FinderProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    if (left.column() > 0) {
        const HeadMetric metric = metricOf(left.column());
        const bool hasLeft = m_model.value(left.row(), metric).has_value(),
                   hasRight = m_model.value(right.row(), metric).has_value();
        if (hasLeft != hasRight) return hasLeft == (sortOrder() == Qt::AscendingOrder);
    }
    return QSortFilterProxyModel::lessThan(left, right);
}

bool FinderProxy::filterAcceptsRow(int row, const QModelIndex&) const {
    const engine::LayerHead at = m_model.headAt(row);
    if (m_only && std::find(m_only->begin(), m_only->end(), at) == m_only->end()) return false;
    return std::all_of(m_terms.begin(), m_terms.end(), [&](const Term& term) {
        if (term.sign.isNull())
            return (!term.layer || *term.layer == engine::to_int(at.layer)) &&
                   (!term.head || *term.head == engine::to_int(at.head));
        const auto value = m_model.value(row, term.metric);
        if (!value) return false;
        const double size = infoOf(term.metric).isSigned ? std::abs(*value) : *value;
        return term.sign == u'<' ? size <= term.number : size >= term.number;
    });
}

}  // namespace ui
