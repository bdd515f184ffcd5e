// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps the tree readable: sizes, licence lines, the top level, and nothing in it that belongs
// to one machine only.
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include "tests/house/source_tree.h"

namespace {

constexpr qsizetype longest_file = 500;     // lines; aim at 80 to 150
constexpr qsizetype longest_line = 100;     // characters
constexpr qint64 largest_file = 3'000'000;  // bytes: the repository is cloned, not downloaded

// Joined, so that the rule does not find itself.
QRegularExpression foreign_text() {
    const QStringList folders{QStringLiteral("wo") + QStringLiteral("rk"),
                              QStringLiteral("ro") + QStringLiteral("ot"),
                              QStringLiteral("ho") + QStringLiteral("me/\\w+")};
    const QStringList hosts{QStringLiteral("pypi") + QStringLiteral("\\.org"),
                            QStringLiteral("python") + QStringLiteral("hosted"),
                            QStringLiteral("deb\\.") + QStringLiteral("debian"),
                            QStringLiteral("archive\\.") + QStringLiteral("ubuntu")};
    return QRegularExpression(
        QStringLiteral("(?<![\\w.}\\])*-])/(%1)/|%2").arg(folders.join(u'|'), hosts.join(u'|')));
}

}  // namespace

class HouseRulesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        m_files = house::tracked_files();
        QVERIFY2(m_files.size() > 100, "the tree was not found at " SOURCE_ROOT);
    }

    void top_level() {
        const QSet<QString> allowed{"app", "ui", "engine", "kernels", "resources",
                                    "tests",                        // what the program is made of
                                    "CMakeLists.txt", "README.md",  //
                                    // and what tools and readers look for there
                                    "CMakePresets.json", "LICENSE", "NOTICE.md", ".clang-format",
                                    ".clang-tidy", ".gitignore", ".ci"};
        QSet<QString> there;
        for (const QString& file : m_files) there.insert(file.section(u'/', 0, 0));
        QCOMPARE((there - allowed).values(), QList<QString>());
        QCOMPARE((allowed - there).values(), QList<QString>());
    }

    void file_length() {
        QStringList wrong;
        for (const QString& file : m_files) {
            if (!house::is_source(file)) continue;
            const qsizetype lines = house::contents(file).count('\n');
            if (lines > longest_file) wrong << QStringLiteral("%1: %2 lines").arg(file).arg(lines);
        }
        QVERIFY2(wrong.isEmpty(), house::listed(wrong).constData());
    }

    void line_length() {
        QStringList wrong;
        for (const QString& file : m_files) {
            if (!house::is_source(file)) continue;
            const QStringList lines = QString::fromUtf8(house::contents(file)).split(u'\n');
            for (qsizetype i = 0; i < lines.size(); ++i) {
                const qsizetype length = lines[i].toUcs4().size();
                if (length > longest_line) {
                    wrong << QStringLiteral("%1:%2: %3").arg(file).arg(i + 1).arg(length);
                }
            }
        }
        QVERIFY2(wrong.isEmpty(), house::listed(wrong).constData());
    }

    void licence_line() {
        QStringList wrong;
        for (const QString& file : m_files) {
            if (!house::is_source(file)) continue;
            QList<QByteArray> lines = house::contents(file).split('\n');
            if (lines.first().startsWith("#!")) lines.removeFirst();
            const QByteArray expected =
                (house::is_cpp(file) ? QByteArray("// ") : QByteArray("# ")) +
                "SPDX-License-Identifier: GPL-3.0-or-later";
            if (lines.isEmpty() || lines.first() != expected) wrong << file;
        }
        QVERIFY2(wrong.isEmpty(), house::listed(wrong).constData());
    }

    void nothing_of_one_machine() {
        const QRegularExpression foreign = foreign_text();
        QStringList wrong;
        for (const QString& file : m_files) {
            const QByteArray bytes = house::contents(file);
            if (bytes.contains('\0')) continue;  // no text
            const QString text = QString::fromUtf8(bytes);
            const auto match = foreign.match(text);
            if (match.hasMatch()) {
                const auto line = text.left(match.capturedStart()).count(u'\n') + 1;
                wrong << QStringLiteral("%1:%2: %3").arg(file).arg(line).arg(match.captured());
            }
        }
        QVERIFY2(wrong.isEmpty(), house::listed(wrong).constData());
    }

    void file_size() {
        QStringList wrong;
        for (const QString& file : m_files) {
            const qint64 bytes = QFileInfo(house::root().filePath(file)).size();
            if (bytes > largest_file) wrong << QStringLiteral("%1: %2 bytes").arg(file).arg(bytes);
        }
        QVERIFY2(wrong.isEmpty(), house::listed(wrong).constData());
    }

  private:
    QStringList m_files;
};

QTEST_APPLESS_MAIN(HouseRulesTest)
#include "tst_house_rules.moc"
