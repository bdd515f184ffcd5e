// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/place.h"

#include <QRegularExpression>

#include "ui/painting/theme.h"

namespace ui {

namespace {

PlaceAnswer noPlace(const QString& sentence) {
    return {{}, sentence};
}

// More digits than any count has are no number that is there.
std::int64_t countIn(const QString& digits) {
    return digits.size() > 15 ? std::int64_t(1) << 50 : digits.toLongLong();
}

QString notThere(const QString& asked, const QString& first, const QString& last) {
    return QStringLiteral("%1 is not there: %2 to %3 are.").arg(asked, first, last);
}

}  // namespace

PlaceAnswer readPlace(const QString& typed, const PlaceLimits& limits) {
    static const QRegularExpression form(
        QStringLiteral("^(?:L([0-9]+))?\\.?(?:H([0-9]+))?\\s*(@?)\\s*(?:(T\\s*=)?\\s*([0-9]+))?$"));
    const QString text = typed.trimmed().toUpper();
    if (text.isEmpty())
        return noPlace(QStringLiteral("A head L12.H7, a row t=34, both L12.H7@t=34, or a step 3."));
    const auto found = form.match(text);
    const bool hasHead = !found.captured(1).isEmpty() || !found.captured(2).isEmpty();
    const bool hasRow = !found.captured(5).isEmpty();
    const bool joined = !found.captured(3).isEmpty();
    const bool dots = found.captured(1).isEmpty() || found.captured(2).isEmpty()
                          ? text.contains(u'.')
                          : false;  // a dot stands between layer and head
    if (!found.hasMatch() || (!hasHead && !hasRow) || joined != (hasHead && hasRow) || dots)
        return noPlace(QStringLiteral("“%1” is no place. A head is L12.H7, a row t=34, both "
                                      "L12.H7@t=34, a step 3.")
                           .arg(typed.trimmed().left(40)));
    if (limits.rows == 0) return noPlace(QStringLiteral("No row is computed yet."));
    Place place;
    if (const QString layer = found.captured(1); !layer.isEmpty()) {
        if (countIn(layer) >= limits.layers)
            return noPlace(notThere(u'L' + layer.left(12), QStringLiteral("L0"),
                                    QStringLiteral("L%1").arg(limits.layers - 1)));
        place.layer = layer.toInt();
    }
    if (const QString head = found.captured(2); !head.isEmpty()) {
        if (countIn(head) >= limits.heads)
            return noPlace(notThere(u'H' + head.left(12), QStringLiteral("H0"),
                                    QStringLiteral("H%1").arg(limits.heads - 1)));
        place.head = head.toInt();
    }
    if (!hasRow) return {place, {}};
    const QString digits = found.captured(5);
    const std::int64_t number = countIn(digits);
    if (!found.captured(4).isEmpty()) {
        if (number >= limits.rows)
            return noPlace(notThere(QStringLiteral("Row ") + digits.left(12), QStringLiteral("0"),
                                    thousands(limits.rows - 1)));
        place.row = number;
        return {place, {}};
    }
    if (limits.steps == 0)
        return noPlace(
            QStringLiteral("No step is generated yet. A row is t=%1.").arg(digits.left(12)));
    if (number >= limits.steps || limits.promptTokens + number >= limits.rows)
        return noPlace(notThere(QStringLiteral("Step ") + digits.left(12), QStringLiteral("0"),
                                thousands(limits.steps - 1)));
    place.step = number;
    place.row = limits.promptTokens + number;
    return {place, {}};
}

QString placeText(engine::LayerHead at, engine::Position dest) {
    return QStringLiteral("L%1.H%2@t=%3")
        .arg(engine::to_int(at.layer))
        .arg(engine::to_int(at.head))
        .arg(engine::to_int(dest));
}

}  // namespace ui
