// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/edit_texts.h"

#include <algorithm>
#include <tuple>

#include "ui/painting/names.h"
#include "ui/painting/theme.h"

namespace app {

namespace {

bool holdsRows(engine::Rows outer, engine::Rows inner) {
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

QString placesText(engine::Rows rows) {
    if (rows.end >= engine::every_row.end)
        return rows.begin == 0 ? QStringLiteral("every row")
                               : ui::thousands(rows.begin) + QStringLiteral(" and later");
    if (rows.count() == 1) return ui::thousands(rows.begin);
    return ui::thousands(rows.begin) + u'–' + ui::thousands(rows.end - 1);
}

bool isOff(const engine::HeadEdit& edit) {
    return edit.scale == 0 && edit.values.empty() && edit.rows == engine::every_row;
}

}  // namespace

QString editText(const engine::HeadEdit& edit) {
    QString what = edit.values.empty()
                       ? edit.scale == 0
                             ? QStringLiteral("off")
                             : QStringLiteral("× %1").arg(static_cast<double>(edit.scale))
                       : QStringLiteral("patched");
    if (edit.rows != engine::every_row) what += QStringLiteral(" at ") + placesText(edit.rows);
    return ui::headName(edit.at) + u' ' + what;
}

QString editText(const engine::EdgeEdit& edit) {
    return QStringLiteral("%1: %2 ← %3 forbidden")
        .arg(ui::headName(edit.at), placesText(edit.dest), placesText(edit.src));
}

QStringList editTexts(const engine::Edits& edits) {
    QStringList texts;
    for (const engine::HeadEdit& edit : edits.heads) texts << editText(edit);
    for (const engine::EdgeEdit& edit : edits.edges) texts << editText(edit);
    return texts;
}

QString shortEditText(const engine::Edits& edits) {
    constexpr qsizetype shown = 2;
    const QStringList texts = editTexts(edits);
    QString text = texts.mid(0, shown).join(QStringLiteral(", "));
    if (texts.size() > shown) text += QStringLiteral(" and %1 more").arg(texts.size() - shown);
    return text;
}

QString originOf(const RunView& run, const QString& first) {
    QStringList origin;
    if (!run.parent.empty() && !run.edited)
        origin << QStringLiteral("fork of %1 at %2")
                      .arg(QString::fromStdString(run.parent))
                      .arg(run.forkedAt);
    if (!run.edits.empty()) origin << shortEditText(run.edits);
    if (run.edited && run.edits.empty())
        origin << QStringLiteral("%1 without edits").arg(QString::fromStdString(run.parent));
    return origin.isEmpty() ? first : origin.join(QStringLiteral(" · "));
}

bool isAblated(const engine::Edits& edits, engine::LayerHead at) {
    return std::any_of(edits.heads.begin(), edits.heads.end(),
                       [at](const engine::HeadEdit& edit) { return edit.at == at && isOff(edit); });
}

void toggleAblation(engine::Edits& edits, engine::LayerHead at) {
    const auto removed = std::erase_if(
        edits.heads, [at](const engine::HeadEdit& edit) { return edit.at == at && isOff(edit); });
    if (removed > 0) return;
    edits.heads.push_back({at, engine::every_row, 0, {}});
    // Which was first makes no difference, and so no other run.
    std::stable_sort(edits.heads.begin(), edits.heads.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
}

const engine::EdgeEdit* forbids(const engine::Edits& edits, const engine::EdgeEdit& cells) {
    const auto found =
        std::find_if(edits.edges.begin(), edits.edges.end(), [&](const engine::EdgeEdit& edit) {
            return edit.at == cells.at && holdsRows(edit.dest, cells.dest) &&
                   holdsRows(edit.src, cells.src);
        });
    return found == edits.edges.end() ? nullptr : &*found;
}

void toggleEdge(engine::Edits& edits, const engine::EdgeEdit& cells) {
    if (const engine::EdgeEdit* known = forbids(edits, cells))
        edits.edges.erase(edits.edges.begin() + (known - edits.edges.data()));
    else
        edits.edges.push_back(cells);
    std::sort(edits.edges.begin(), edits.edges.end(), [](const auto& a, const auto& b) {
        return std::tie(a.at, a.dest, a.src) < std::tie(b.at, b.dest, b.src);
    });
}

void removeEdit(engine::Edits& edits, int index) {
    const auto heads = static_cast<int>(edits.heads.size());
    if (index < 0 || index >= heads + static_cast<int>(edits.edges.size())) return;
    if (index < heads)
        edits.heads.erase(edits.heads.begin() + index);
    else
        edits.edges.erase(edits.edges.begin() + (index - heads));
}

}  // namespace app
