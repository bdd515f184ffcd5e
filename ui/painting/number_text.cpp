// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/number_text.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "ui/painting/theme.h"

namespace ui {

namespace {

constexpr QChar minus(u'\u2212');

bool roundsToZero(const QString& text) {
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c == u'0' || c == u'.'; });
}

// Of a value that is not negative; `exponent`: decimals of what only an exponent can show.
QString digitsOf(double value, int decimals, int exponent) {
    if (std::isinf(value)) return QStringLiteral("∞");
    QString text = QLocale::c().toString(value, 'f', decimals);
    if (value > 0 && roundsToZero(text)) {
        text = QLocale::c().toString(value, 'e', exponent);
        text.replace(QStringLiteral("e-0"), QStringLiteral("e-"));
    }
    return text;
}

}  // namespace

QString plainNumber(double value, int decimals) {
    if (std::isnan(value)) return QStringLiteral("–");
    return (value < 0 ? QString(minus) : QString()) + digitsOf(std::abs(value), decimals, 1);
}

QString signedNumber(double value, int decimals) {
    if (std::isnan(value) || value == 0) return plainNumber(value, decimals);
    return QString(value < 0 ? minus : QChar(u'+')) + digitsOf(std::abs(value), decimals, 1);
}

QString shareNumber(double value) {
    if (std::isnan(value)) return QStringLiteral("–");
    if (value == 0) return QStringLiteral("0");
    const QString text = digitsOf(std::abs(value), 2, 0);
    if (text == QStringLiteral("1.00")) return QStringLiteral("1");
    return (value < 0 ? QString(minus) : QString()) + (text.startsWith(u"0.") ? text.mid(1) : text);
}

QString errorNumber(float value) {
    if (value == 0) return QStringLiteral("0");
    QString text = QString::number(static_cast<double>(value), 'e', 0);
    text.replace(QStringLiteral("e-0"), QStringLiteral("e-"));
    return text.replace(QStringLiteral("e+0"), QStringLiteral("e+"));
}

}  // namespace ui
