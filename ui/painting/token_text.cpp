// SPDX-License-Identifier: GPL-3.0-or-later
// Text that is data: tokens made visible on one line, and numbers as the window writes them.
#include <QLocale>
#include <cmath>

#include "ui/painting/readable_text.h"
#include "ui/painting/theme.h"

namespace ui {

namespace {

QString hexByte(unsigned char byte) {
    return QStringLiteral("\\x%1").arg(QString::number(byte, 16).toUpper(), 2, u'0');
}

// Characters that draw nothing, break the line or turn its direction: shown by their code.
bool isInvisible(char32_t c) {
    switch (QChar::category(c)) {
        case QChar::Other_Control:
        case QChar::Other_Format:
        case QChar::Other_NotAssigned:
        case QChar::Other_PrivateUse:
        case QChar::Other_Surrogate:
        case QChar::Separator_Line:
        case QChar::Separator_Paragraph: return true;
        case QChar::Separator_Space: return c != U' ';
        default: return false;
    }
}

void appendVisible(QString& out, char32_t c) {
    if (c == U' ') {
        out += u'·';
    } else if (c == U'\n') {
        out += u'⏎';
    } else if (c == U'\t') {
        out += u'⇥';
    } else if (c < 0x20 || c == 0x7F) {
        out += hexByte(static_cast<unsigned char>(c));
    } else if (isInvisible(c)) {
        out += QStringLiteral("U+%1").arg(QString::number(c, 16).toUpper(), 4, u'0');
    } else {
        const char32_t one[] = {c};
        out += QString::fromUcs4(one, 1);
    }
}

// Length of the well-formed UTF-8 sequence at `at`, 0 if there is none (overlong forms and
// surrogates are not).
std::size_t sequenceAt(const std::string& bytes, std::size_t at, char32_t& c) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char lead = byte(at);
    const std::size_t length = lead < 0x80                    ? 1
                               : lead >= 0xC2 && lead < 0xE0  ? 2
                               : lead >= 0xE0 && lead < 0xF0  ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    if (length == 0 || at + length > bytes.size()) return 0;
    c = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
        c = c << 6 | (byte(at + i) & 0x3FU);
    }
    const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
    if (overlong || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0;
    return length;
}

template <typename Append>
QString shown(const std::string& bytes, Append append) {
    QString out;
    for (std::size_t at = 0; at < bytes.size();) {
        char32_t c = 0;
        const std::size_t length = sequenceAt(bytes, at, c);
        if (length == 0) {
            out += hexByte(static_cast<unsigned char>(bytes[at]));
            ++at;
        } else {
            append(out, c);
            at += length;
        }
    }
    return out;
}

}  // namespace

QString visibleToken(const std::string& bytes) {
    return shown(bytes, appendVisible);
}

QString readableText(const std::string& bytes) {
    return shown(bytes, [](QString& out, char32_t c) {
        const bool joins = c == 0x200C || c == 0x200D;  // between the parts of an emoji, a word
        if (c == U' ' || c == U'\n' || c == U'\t' || joins) {
            const char32_t one[] = {c};
            out += QString::fromUcs4(one, 1);
        } else {
            appendVisible(out, c);
        }
    });
}

QString thousands(qint64 value) {
    QString text = QLocale(QLocale::English, QLocale::UnitedStates).toString(value);
    return text.replace(u'-', u'\u2212');
}

}  // namespace ui
