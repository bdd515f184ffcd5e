// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/prompt_preview.h"

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

std::vector<PromptMark> PromptPreview::marksIn(const QString& typed) const {
    std::vector<PromptMark> marks;
    for (const PromptMark& mark : controls)
        if (QStringView(typed).mid(mark.start, mark.length) ==
            QStringView(text).mid(mark.start, mark.length))
            marks.push_back(mark);
    return marks;
}

namespace {

QString tokenCount(std::int64_t tokens) {
    return tokens == 1 ? QStringLiteral("1 token")
                       : QStringLiteral("%1 tokens").arg(thousands(tokens));
}

}  // namespace

QStringList PromptPreview::captions() const {
    QStringList all;
    if (!problem.isEmpty()) {
        all << problem << shortProblem;
    } else {
        const QString counted = tokenCount(tokens);
        if (!need.isEmpty()) all << caption() + QStringLiteral(" · needs ") + need;
        if (needsMuch) all << counted + QStringLiteral(" · ") + need;
        all << caption() << counted;
    }
    all.removeAll(QString());
    all.removeDuplicates();
    return all;
}

QString PromptPreview::caption() const {
    if (!problem.isEmpty()) return problem;
    QString said = tokenCount(tokens);
    const auto count = static_cast<std::int64_t>(controls.size());
    if (count > 0 && options.parse_special)
        said += QStringLiteral(", %1 control").arg(thousands(count));
    else if (count > 0)
        said += count == 1 ? QStringLiteral(", 1 control string as text")
                           : QStringLiteral(", %1 control strings as text").arg(thousands(count));
    return said;
}

QString PromptPreview::note() const {
    constexpr int mostNamed = 8;
    QStringList names;
    for (const PromptMark& mark : controls) {
        const QString name = onOneLine(text.mid(mark.start, mark.length));
        if (!names.contains(name) && names.size() <= mostNamed) names << name;
    }
    QStringList said;
    if (!problem.isEmpty())
        said << remedy;
    else if (!need.isEmpty())
        said << QStringLiteral("Needs %1 of memory for the trace, tokens to generate included.")
                    .arg(need);
    if (names.size() > mostNamed) names.back() = QStringLiteral("…");
    if (!names.isEmpty())
        said << (options.parse_special
                     ? QStringLiteral("Read as control tokens: %1")
                     : QStringLiteral("Stay ordinary text, as control strings are not parsed: %1"))
                    .arg(names.join(QStringLiteral(", ")));
    said.removeAll(QString());
    return said.join(u'\n');
}

std::vector<PromptMark> textMarks(const std::string& utf8,
                                  const std::vector<std::pair<std::int64_t, std::int64_t>>& bytes) {
    std::vector<PromptMark> marks;
    std::int64_t seen = 0;
    qsizetype units = 0;
    const auto unitsTo = [&](std::int64_t end) {
        units += QString::fromUtf8(utf8.data() + seen, static_cast<qsizetype>(end - seen)).size();
        seen = end;
        return units;
    };
    for (const auto& [begin, end] : bytes) {
        if (begin < seen || end <= begin || end > std::ssize(utf8)) continue;
        const qsizetype start = unitsTo(begin);
        marks.push_back({start, unitsTo(end) - start});
    }
    return marks;
}

}  // namespace ui
