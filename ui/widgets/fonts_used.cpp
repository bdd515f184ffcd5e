// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/fonts_used.h"

#include <qcustomplot.h>

#include <QGlyphRun>
#include <QPaintEngine>
#include <QRawFont>
#include <QSet>
#include <QTextLayout>
#include <algorithm>

namespace ui {

namespace {

// Takes every text that is drawn, and draws nothing.
class TextCollector : public QPaintEngine {
  public:
    TextCollector() : QPaintEngine(AllFeatures) {}
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override {}
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {
    }
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawTextItem(const QPointF&, const QTextItem& item) override {
        texts.append({item.text(), item.font()});
    }
    Type type() const override { return User; }

    QList<std::pair<QString, QFont>> texts;
};

class TextCollectingDevice : public QPaintDevice {
  public:
    explicit TextCollectingDevice(QSize size) : m_size(size) {}
    QPaintEngine* paintEngine() const override { return &m_engine; }
    const QList<std::pair<QString, QFont>>& texts() const { return m_engine.texts; }

  protected:
    int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth: return m_size.width();
            case PdmHeight: return m_size.height();
            case PdmWidthMM: return qRound(m_size.width() * 25.4 / 96);
            case PdmHeightMM: return qRound(m_size.height() * 25.4 / 96);
            case PdmDepth: return 32;
            case PdmDpiX:
            case PdmDpiY:
            case PdmPhysicalDpiX:
            case PdmPhysicalDpiY: return 96;
            default: return QPaintDevice::metric(metric);
        }
    }

  private:
    QSize m_size;
    mutable TextCollector m_engine;
};

bool isBundled(const QString& family) {
    return family == QLatin1String("Inter") || family == QLatin1String("DejaVu Sans Mono");
}

}  // namespace

FontsUsed fontsUsed(const QList<std::pair<QString, QFont>>& texts) {
    QSet<QString> families;
    QSet<char32_t> missing;
    FontsUsed used;
    for (const auto& [text, font] : texts) {
        // Most text has nothing to look for.
        if (std::all_of(text.begin(), text.end(), [](QChar c) { return c.unicode() < 0x250; }))
            continue;
        QTextLayout layout(text, font);
        layout.beginLayout();
        layout.createLine();
        layout.endLayout();
        for (const QGlyphRun& run : layout.glyphRuns()) {
            const QString family = run.rawFont().familyName();
            const QList<quint32> glyphs = run.glyphIndexes();
            if (!isBundled(family) && !family.isEmpty() &&
                std::any_of(glyphs.begin(), glyphs.end(), [](quint32 glyph) { return glyph != 0; }))
                families.insert(family);
        }
        for (const char32_t c : text.toUcs4()) {
            const QChar::Category category = QChar::category(c);
            if (c < 0x250 || category == QChar::Other_Format || category == QChar::Mark_NonSpacing)
                continue;
            if (missing.contains(c)) continue;
            QTextLayout alone(QString::fromUcs4(&c, 1), font);
            alone.beginLayout();
            alone.createLine();
            alone.endLayout();
            const QList<QGlyphRun> runs = alone.glyphRuns();
            const bool found =
                !runs.isEmpty() && std::all_of(runs.begin(), runs.end(), [](const QGlyphRun& run) {
                    return !run.glyphIndexes().contains(0);
                });
            if (found) continue;
            missing.insert(c);
            used.missing += QString::fromUcs4(&c, 1);
        }
    }
    used.families = QStringList(families.begin(), families.end());
    used.families.sort();
    return used;
}

FontsUsed fontsUsed(const Drawing& drawing) {
    TextCollectingDevice device(drawing.size.toSize());
    QCPPainter painter;
    if (!painter.begin(&device)) return {};
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    drawing.vector(painter);
    painter.end();
    return fontsUsed(device.texts());
}

QString characterNames(const QString& characters) {
    constexpr qsizetype most = 8;
    const QList<uint> codes = characters.toUcs4();
    QStringList names;
    for (const uint code : codes.mid(0, most))
        names << QStringLiteral("U+%1").arg(code, 4, 16, QLatin1Char('0')).toUpper();
    if (codes.size() > most) names << QStringLiteral("%1 more").arg(codes.size() - most);
    return names.join(QStringLiteral(", "));
}

}  // namespace ui
