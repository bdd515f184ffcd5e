// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/text_outlines.h"

#include <QFont>
#include <QPainterPath>
#include <QRegularExpression>
#include <QString>
#include <cmath>

namespace ui {

namespace {

QString attribute(const QString& tag, const char* name) {
    const QString start = QLatin1Char(' ') + QLatin1String(name) + QStringLiteral("=\"");
    const qsizetype at = tag.indexOf(start);
    if (at < 0) return {};
    const qsizetype from = at + start.size();
    return tag.mid(from, tag.indexOf(u'"', from) - from);
}

// Of what toHtmlEscaped wrote.
QString unescaped(QString text) {
    return text.replace(QStringLiteral("&lt;"), QStringLiteral("<"))
        .replace(QStringLiteral("&gt;"), QStringLiteral(">"))
        .replace(QStringLiteral("&quot;"), QStringLiteral("\""))
        .replace(QStringLiteral("&amp;"), QStringLiteral("&"));
}

QString number(qreal value) {
    QString text = QString::number(value, 'f', 2);
    while (text.endsWith(u'0')) text.chop(1);
    if (text.endsWith(u'.')) text.chop(1);
    return text == QStringLiteral("-0") ? QStringLiteral("0") : text;
}

QString pathData(const QPainterPath& path) {
    QString data;
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element& element = path.elementAt(i);
        const QString point = number(element.x) + u' ' + number(element.y);
        switch (element.type) {
            case QPainterPath::MoveToElement:
                data += (i > 0 ? QStringLiteral("ZM") : QStringLiteral("M")) + point;
                break;
            case QPainterPath::LineToElement: data += u'L' + point; break;
            case QPainterPath::CurveToElement: data += u'C' + point; break;
            case QPainterPath::CurveToDataElement: data += u' ' + point; break;
        }
    }
    return data + u'Z';
}

// Empty where the fonts have no outlines for it.
QPainterPath outlineOf(const QString& tag, const QString& text) {
    const double size = attribute(tag, "font-size").toDouble();
    if (!(size > 0)) return {};
    // A font has whole pixels; another size is drawn large and scaled.
    const bool whole = size == std::round(size);
    const int pixels = whole ? static_cast<int>(size) : 100;
    QFont font(attribute(tag, "font-family"));
    font.setPixelSize(pixels);
    font.setWeight(static_cast<QFont::Weight>(attribute(tag, "font-weight").toInt()));
    font.setItalic(attribute(tag, "font-style") == QLatin1String("italic"));
    QPainterPath path;
    path.addText(0, 0, font, text);
    QTransform place;
    place.translate(attribute(tag, "x").toDouble(), attribute(tag, "y").toDouble());
    place.scale(size / pixels, size / pixels);
    return place.map(path);
}

}  // namespace

QByteArray withOutlinedText(const QByteArray& svg) {
    static const QRegularExpression element(QStringLiteral("<text( [^>]*)>(.*?)</text>"),
                                            QRegularExpression::DotMatchesEverythingOption);
    const QString all = QString::fromUtf8(svg);
    QString out;
    out.reserve(all.size() * 2);
    qsizetype done = 0;
    for (auto it = element.globalMatch(all); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const QString tag = match.captured(1), escaped = match.captured(2);
        const QPainterPath path = outlineOf(tag, unescaped(escaped));
        out += QStringView(all).mid(done, match.capturedStart() - done);
        done = match.capturedEnd();
        if (path.isEmpty()) {
            out += match.capturedView();
            continue;
        }
        out += QStringLiteral("<path role=\"img\" aria-label=\"") + escaped +
               QStringLiteral("\" fill=\"") + attribute(tag, "fill") +
               QStringLiteral("\" fill-opacity=\"") + attribute(tag, "fill-opacity") +
               QStringLiteral("\" fill-rule=\"nonzero\" stroke=\"none\" d=\"") + pathData(path) +
               QStringLiteral("\"/>");
    }
    out += QStringView(all).mid(done);
    return out.toUtf8();
}

}  // namespace ui
