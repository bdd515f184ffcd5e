// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures compared with committed ones, tests/data/reference/NAME.png.
//
// Fonts are bundled and their outlines are not hinted, so what can differ from system to system is
// Qt and the FreeType that fills the outlines. Qt 6.4 with FreeType 2.12 (Debian 12) and with 2.13
// (Ubuntu 24.04) drew the same pixels when this was written; later ones may shade the edges of
// letters and lines by some levels. So a pixel differs when a channel is off by more than 32 of
// 255, of which the coarser colours of the references take 8, and a picture is refused when more
// than 1 in 2,000 of its pixels differ: less than one word's. A mirrored axis, a missing colour bar
// or another palette change far more; a test says so.
//
// HEADSCOPE_RENEW_REFERENCES=1 in the environment writes the pictures instead; look at each.
#pragma once
#include <QDir>
#include <QImage>
#include <QTest>
#include <algorithm>
#include <cstdlib>

namespace reference {

inline constexpr int tolerated = 32;              // levels of a channel, of 255
inline constexpr double toleratedShare = 0.0005;  // of the pixels

inline bool differs(QRgb a, QRgb b) {
    return std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)),
                     std::abs(qBlue(a) - qBlue(b))}) > tolerated;
}

// Share of the pixels that differ; 1 for pictures of different sizes.
inline double shareOfDifferent(const QImage& a, const QImage& b) {
    if (a.size() != b.size() || a.isNull()) return 1;
    std::int64_t count = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) count += differs(a.pixel(x, y), b.pixel(x, y));
    return static_cast<double>(count) / (static_cast<double>(a.width()) * a.height());
}

// What is the same is pale, what differs is red.
inline QImage differenceOf(const QImage& actual, const QImage& wanted) {
    QImage picture = actual.convertToFormat(QImage::Format_RGB32);
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const bool same =
                wanted.valid(x, y) && !differs(actual.pixel(x, y), wanted.pixel(x, y));
            const int pale = 192 + qGray(actual.pixel(x, y)) / 4;
            picture.setPixel(x, y, same ? qRgb(pale, pale, pale) : qRgb(220, 0, 0));
        }
    return picture;
}

inline QString pathOf(const QString& name) {
    return QStringLiteral(TEST_DATA "/reference/%1.png").arg(name);
}

inline bool isRenewing() {
    return qEnvironmentVariableIntValue("HEADSCOPE_RENEW_REFERENCES") == 1;
}

// 16 levels a channel: a third of the bytes, and at most 8 levels of 255 off.
inline QImage coarse(QImage picture) {
    const auto level = [](int value) { return (value + 8) / 17 * 17; };
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const QRgb pixel = picture.pixel(x, y);
            picture.setPixel(x, y,
                             qRgb(level(qRed(pixel)), level(qGreen(pixel)), level(qBlue(pixel))));
        }
    return picture;
}

// Empty when the picture is the reference's or has become it; else what is wrong, and where the
// picture and its difference now lie: in a folder beside the test program.
inline QString compare(const QImage& actual, const QString& name) {
    if (isRenewing()) {
        // 0: as small as it gets.
        return QDir().mkpath(QStringLiteral(TEST_DATA "/reference")) &&
                       coarse(actual).save(pathOf(name), "PNG", 0)
                   ? QString()
                   : QStringLiteral("%1 cannot be written").arg(pathOf(name));
    }
    const QImage wanted(pathOf(name));
    const double share = shareOfDifferent(actual, wanted);
    if (share <= toleratedShare) return {};
    const QString folder = QCoreApplication::applicationDirPath() + QStringLiteral("/reference");
    const QString beside = folder + QLatin1Char('/') + name;
    const bool kept = QDir().mkpath(folder) &&
                      actual.save(beside + QStringLiteral("-actual.png")) &&
                      differenceOf(actual, wanted).save(beside + QStringLiteral("-difference.png"));
    const QString sizes = actual.size() == wanted.size()
                              ? QString()
                              : QStringLiteral(", %1 × %2 pixels for %3 × %4")
                                    .arg(actual.width())
                                    .arg(actual.height())
                                    .arg(wanted.width())
                                    .arg(wanted.height());
    return QStringLiteral("%1: %2% of the pixels differ%3; %4")
        .arg(name)
        .arg(100 * share, 0, 'g', 3)
        .arg(sizes, kept ? QStringLiteral("see %1-actual.png and %1-difference.png").arg(beside)
                         : QStringLiteral("%1 cannot be written").arg(folder));
}

}  // namespace reference
