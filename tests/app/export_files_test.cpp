// SPDX-License-Identifier: GPL-3.0-or-later
// The files of `export`, read back by their own rules: SVG and PDF keep text as text and name their
// source, CSV and NPY hold the trace's numbers. On a fake engine whose every number is known.
#include <sys/resource.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>
#include <cstring>
#include <set>
#include <sstream>

#include "app/command_line/cli.h"
#include "tests/support/fake_engine.h"
#include "tests/support/qt_warnings.h"
#include "ui/painting/theme.h"

namespace {

using Words = std::vector<std::string>;

// Exit code of `export` with these words on four layers of four heads, a token a word.
int exported(Words words, const std::string& file, std::string* error = nullptr) {
    const auto world = std::make_shared<fake::World>();
    std::ostringstream out, err;
    app::Cli cli{
        out,
        err,
        {},
        [&](const engine::OpenRequest& request, const engine::OnProgress& progress,
            std::stop_token token) { return fake::open(world, request, progress, token); },
        [&](const std::string& path) { return fake::open(world, {path}, {}, {})->info(); }};
    Words all{"export", "m", "--prompt", "When \"Mary\" <b>went</b> to, there"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--out", file});
    const int code = app::runVerb(cli, all);
    if (error) *error = err.str();
    return code;
}

constexpr int rows = 5;  // of that prompt

}  // namespace

class ExportFilesTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::string path(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    QByteArray bytes(const char* name) const {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }

    // Sizes, ranges and parts that no picture has: an answer with the numbers, and no file.
    void refusesWhatNoFigureHas_data() {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* words, const char* says) {
            QTest::newRow(words) << QByteArray(words) << QByteArray(says);
        };
        row("--size 600 --zoom 16", "and the most is 100,000,000; draw it at");
        row("--zoom 1e-5", "less than a pixel's side; draw it at");
        row("--size 0mm", "--size '0mm'");
        row("--size 1in", "this is 25.4 mm");
        row("--size 2000pt", "this is 705.556 mm");
        row("--size 1yd", "4.7in");
        row("--size 1.2.3mm", "'1.2.3mm'");
        row("--size -89mm", "'-89mm'");
        row("--size mm", "'mm'");
        row("--range 1e-320", "a number from 1e-30");
        row("--range 0", "--range '0'");
        row("--range -1", "--range '-1'");
        row("--range nan", "--range 'nan'");
        row("--range inf", "--range 'inf'");
        row("--rows 0 --srcs 1", "from 1 on, come after the last of the rows, 0");
        row("--rows 0-1 --srcs 3-4", "no row sees a later token");
        row("--by words --rows 0 --srcs 4", "no row sees a later token");
    }
    void barsHaveAPixel() {
        std::string error;
        QCOMPARE(exported({"--view", "bars", "--zoom", "1e-5"}, path("none.png"), &error),
                 app::ExitBadArguments);
        QVERIFY2(error.find("pixels a unit or more") != std::string::npos, error.c_str());
    }
    void refusesWhatNoFigureHas() {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, says);
        Words typed{"--view", "L1"};
        for (const QByteArray& word : words.split(' ')) typed.push_back(word.toStdString());
        for (const char* file : {"none.png", "none.csv"}) {
            if (words.startsWith("--size") || words.startsWith("--range") ||
                words.startsWith("--zoom"))
                if (file != std::string("none.png")) continue;
            std::string error;
            QVERIFY2(exported(typed, path(file), &error) == app::ExitBadArguments, error.c_str());
            QVERIFY2(error.find(says.toStdString()) != std::string::npos, error.c_str());
            QVERIFY(!QFile::exists(QString::fromStdString(path(file))));
        }
    }

    // The unit that a width is typed in changes nothing.
    void widthsHaveUnits_data() {
        QTest::addColumn<QByteArray>("typed");
        for (const char* typed : {"127", "127mm", "12.7cm", "5in", "360pt", "480px"})
            QTest::newRow(typed) << QByteArray(typed);
    }
    void widthsHaveUnits() {
        QFETCH(QByteArray, typed);
        QCOMPARE(exported({"--view", "L1", "--size", typed.toStdString()}, path("w.png")), 0);
        const QImage picture(QString::fromStdString(path("w.png")));
        QCOMPARE(picture.width(), 480);
        QCOMPARE(picture.dotsPerMeterX(), 3780);
    }
    void initTestCase() { ui::loadFonts(); }

    void svgKeepsText_data() {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("says");
        QTest::addRow("head") << QStringLiteral("L1.H2") << QStringLiteral("<b>went</b>");
        QTest::addRow("layer") << QStringLiteral("L1") << QStringLiteral("L1.H3");
        QTest::addRow("grid") << QStringLiteral("grid") << QStringLiteral("L3");
        QTest::addRow("bars") << QStringLiteral("bars") << QStringLiteral("Heads of L2");
    }
    void svgKeepsText() {
        QFETCH(QString, view);
        QFETCH(QString, says);
        std::string error;
        QVERIFY2(exported({"--view", view.toStdString()}, path("a.svg"), &error) == 0,
                 error.c_str());
        const QByteArray svg = bytes("a.svg");
        QVERIFY(QSvgRenderer(svg).isValid());
        QStringList texts;
        QString title, description, families;
        QXmlStreamReader xml(svg);
        while (!xml.atEnd()) {
            xml.readNext();
            if (!xml.isStartElement()) continue;
            const QString name = xml.name().toString();
            families += xml.attributes().value(QStringLiteral("font-family")).toString() + u';';
            if (name == QStringLiteral("text")) texts << xml.readElementText().trimmed();
            if (name == QStringLiteral("title")) title = xml.readElementText();
            if (name == QStringLiteral("desc")) description = xml.readElementText();
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY2(texts.join(QString()).contains(says), qPrintable(texts.join(u'|')));
        const bool maps = view.startsWith(u'L');
        QCOMPARE(title,
                 maps ? view + QStringLiteral(", pattern, √, sink out of scale, colours to the "
                                              "largest shown, 5 rows")
                 : view == u"grid" ? QStringLiteral("all heads, pattern, 5 rows")
                                   : QStringLiteral("contributions at 4, logit attribution of "
                                                    "token 10, heads of L2, 5 rows"));
        QVERIFY2(description.contains(QStringLiteral("Fake-4x4, fake")), qPrintable(description));
        QVERIFY(description.contains(QStringLiteral("When \"Mary\" <b>went</b>")));
        // A reader without these fonts gets the next best.
        QVERIFY2(families.contains(QStringLiteral("Inter, Helvetica")), qPrintable(families));
    }

    void pdfKeepsText() {
        QCOMPARE(exported({"--view", "L1.H2"}, path("a.pdf")), 0);
        const QByteArray pdf = bytes("a.pdf");
        QVERIFY(pdf.startsWith("%PDF-"));
        QVERIFY(!pdf.contains("/CreationDate"));  // the same file tomorrow
        QVERIFY(pdf.contains("/FontFile"));       // carried, so the text is text everywhere
        QVERIFY(pdf.contains("<xmp:CreatorTool>Headscope"));
        QVERIFY(pdf.contains("Fake-4x4, fake"));
        QVERIFY(pdf.contains("When &quot;Mary&quot; &lt;b&gt;went&lt;/b&gt;"));
    }

    // Which of this machine's fonts stand in, and what no font has (U+0378 is no character).
    void fontsAreNamed_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"f.png", "f.svg", "f.pdf"})
            QTest::addRow("%s", file) << QString::fromLatin1(file);
    }
    void fontsAreNamed() {
        QFETCH(QString, file);
        const auto said = [&](const char* caption, std::string& error) {
            if (exported({"--view", "L1.H2", "--caption", caption}, path(file.toLatin1()), &error))
                return QStringLiteral("failed");
            if (file.endsWith(u".png"))
                return QImage(m_folder.filePath(file)).text(QStringLiteral("Fonts"));
            const QString all = QString::fromUtf8(bytes(file.toLatin1()));
            const qsizetype from = all.indexOf(QStringLiteral("fonts: "));
            return from < 0 ? QString() : all.mid(from, all.indexOf(u'<', from) - from);
        };
        std::string error;
        QCOMPARE(said("plain, \u221a and \u2016", error),
                 QString());  // the bundled ones have these
        QVERIFY2(error.empty(), error.c_str());
        const QString other = said("\u4e2d", error);
        QVERIFY2(other.contains(QStringLiteral("of this machine: ")) ||
                     other.contains(QStringLiteral("no font for U+4E2D")),
                 qPrintable(other));
        QCOMPARE(error.empty(), !other.contains(QStringLiteral("no font")));
        const QString missing = said("a\u0378b", error);
        QVERIFY2(missing.contains(QStringLiteral("no font for U+0378")), qPrintable(missing));
        QVERIFY2(error.find("no font of this machine has U+0378") != std::string::npos &&
                     error.ends_with("drawn as boxes\n"),
                 error.c_str());
    }

    // What was sampled stands beside the prompt, which is as typed.
    void generatedTextIsNamed() {
        const auto said = [&](const char* file, const char* count) {
            if (exported({"--view", "L1.H2", "--generate", count}, path(file)))
                return QStringLiteral("failed");
            if (file[2] == 'p' && file[3] == 'n')
                return QImage(QString::fromStdString(path(file))).text(QStringLiteral("Generated"));
            const QString all = QString::fromUtf8(bytes(file)),
                          name = QStringLiteral("generated: ");
            const qsizetype from = all.indexOf(name);
            if (from < 0) return QString();
            return all.mid(from + name.size(),
                           all.indexOf(QRegularExpression(QStringLiteral("[\n<]")), from) - from -
                               name.size());
        };
        const QString png = said("g.png", "3");
        QVERIFY2(!png.isEmpty() && png != u"failed" && !png.contains(u"When"), qPrintable(png));
        QCOMPARE(said("g.svg", "3"), png.toHtmlEscaped());
        QCOMPARE(said("g.pdf", "3"), png.toHtmlEscaped());
        for (const char* file : {"g.png", "g.svg", "g.pdf"}) QCOMPARE(said(file, "0"), QString());
    }

    void thePaletteIsNamed() {
        QCOMPARE(exported({"--view", "L1.H2", "--palette", "cividis"}, path("p.png")), 0);
        const QImage picture(m_folder.filePath(QStringLiteral("p.png")));
        QVERIFY(picture.text(QStringLiteral("Description")).contains(u", palette cividis, "));
        std::set<QRgb> seen;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) seen.insert(picture.pixel(x, y));
        QVERIFY(seen.count(qRgb(0x00, 0x22, 0x4E)));  // the most, on a light ground
        QCOMPARE(exported({"--view", "L1.H2"}, path("p.png")), 0);
        QVERIFY(!QImage(m_folder.filePath(QStringLiteral("p.png")))
                     .text(QStringLiteral("Description"))
                     .contains(u"palette"));
    }

    void npyIsTheTrace_data() {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("quantity");
        QTest::addColumn<int>("heads");
        QTest::addRow("pattern") << QStringLiteral("L1.H2") << QStringLiteral("pattern") << 1;
        QTest::addRow("scores of two")
            << QStringLiteral("L1.H2,L3.H0") << QStringLiteral("scores") << 2;
        QTest::addRow("a layer's values") << QStringLiteral("L2") << QStringLiteral("value") << 4;
    }
    void npyIsTheTrace() {
        QFETCH(QString, view);
        QFETCH(QString, quantity);
        QFETCH(int, heads);
        QCOMPARE(exported({"--view", view.toStdString(), "--quantity", quantity.toStdString()},
                          path("a.npy")),
                 0);
        const QByteArray npy = bytes("a.npy");
        QVERIFY(npy.startsWith(QByteArray("\x93NUMPY\x01\x00", 8)));
        const int length =
            static_cast<unsigned char>(npy[8]) + 256 * static_cast<unsigned char>(npy[9]);
        QCOMPARE((10 + length) % 64, 0);
        const QByteArray header = npy.mid(10, length);
        QVERIFY2(header.contains(QStringLiteral("'shape': (%1, 5, 5, )").arg(heads).toLatin1()),
                 header.constData());
        QVERIFY(header.contains("'descr': '<f4'") && header.endsWith('\n'));
        QCOMPARE(npy.size(), 10 + length + heads * rows * rows * 4);
        const engine::LayerHead first{engine::Layer(view.mid(1, 1).toInt()),
                                      engine::QueryHead(view.size() > 2 ? 2 : 0)};
        const auto which = quantity == QStringLiteral("scores")  ? engine::Quantity::Scores
                           : quantity == QStringLiteral("value") ? engine::Quantity::Value
                                                                 : engine::Quantity::Pattern;
        for (int d = 0; d < rows; ++d)
            for (int s = 0; s < rows; ++s) {
                float value = 0;
                std::memcpy(&value, npy.constData() + 10 + length + 4 * (d * rows + s), 4);
                const bool masked = s > d && which != engine::Quantity::Scores;
                QCOMPARE(value, masked ? 0.0F : fake::cell_value(which, first, d, s));
            }
    }

    void csvIsTheTrace() {
        QCOMPARE(exported({"--view", "L1.H2"}, path("a.csv")), 0);
        const QString csv = QString::fromUtf8(bytes("a.csv"));
        const QStringList lines = csv.split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.front(), QStringLiteral("layer,head,dest,src,dest_token,src_token,value"));
        QCOMPARE(lines.size(), 1 + rows * (rows + 1) / 2);  // visible cells only
        QVERIFY2(lines[2].startsWith(QStringLiteral("1,2,1,0,\" \"\"Mary\"\"\",\"When\",")),
                 qPrintable(lines[2]));
        const engine::LayerHead at{engine::Layer(1), engine::QueryHead(2)};
        QCOMPARE(lines[2].section(u',', -1).toFloat(), fake::pattern(at, 1, 0));
        QCOMPARE(lines.back().section(u',', -1).toFloat(), fake::pattern(at, 4, 4));
    }

    void barsAsData() {
        QCOMPARE(exported({"--view", "bars"}, path("b.csv")), 0);
        const QStringList lines =
            QString::fromUtf8(bytes("b.csv")).split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 1 + 1 + 4 * (4 + 2));
        QCOMPARE(lines[0], QStringLiteral("part,layer,head,norm,attribution"));
        QCOMPARE(lines[1], QStringLiteral("embedding,,,1,0.5"));
        QVERIFY(lines.contains(QStringLiteral("head,2,1,4.5,-3.5")));
        QCOMPARE(exported({"--view", "bars", "--quantity", "value"}, path("b.npy")), 0);
        const QByteArray npy = bytes("b.npy");
        QVERIFY(npy.contains("'shape': (4, 4, )"));
        float value = 0;
        std::memcpy(&value, npy.constData() + npy.size() - 4 * (16 - 9), 4);  // L2.H1
        QCOMPARE(value, 4.5F);
    }

    // A limit stands in for the disk: the same error paths, and no signal may end the process.
    void aFullDiskIsSaidAndLeavesNothing_data() {
        QTest::addColumn<QString>("ending");
        QTest::addColumn<int>("room");
        for (const char* ending : {"png", "svg", "pdf", "csv", "npy"}) {
            QTest::addRow("%s, no room", ending) << ending << 0;
            QTest::addRow("%s, room for its beginning", ending) << ending << 100;
        }
    }
    void aFullDiskIsSaidAndLeavesNothing() {
        QFETCH(QString, ending);
        QFETCH(int, room);
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.") + ending);
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit small{static_cast<rlim_t>(room), before.rlim_max};
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        std::string error;
        const int code = exported({"--view", "L1.H2"}, file.toStdString(), &error);
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY2(code == 1, error.c_str());
        QVERIFY2(error.find("a." + ending.toStdString()) != std::string::npos &&
                     error.find('\n') == error.size() - 1,
                 error.c_str());
        QVERIFY(
            QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
        // With room again the same file is written.
        QCOMPARE(exported({"--view", "L1.H2"}, file.toStdString()), 0);
        QVERIFY(QFileInfo(file).size() > 100);
    }

    void refusals_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* words, const char* file,
                            const char* says) {
            QTest::newRow(name) << QString::fromLatin1(words) << QString::fromLatin1(file)
                                << QString::fromLatin1(says);
        };
        row("another format", "--view L1", "a.gif", "png, svg, pdf, csv or npy");
        row("no format", "--view L1", "a", "png, svg, pdf, csv or npy");
        row("data of the grid", "--view grid", "a.npy", "grid");
        row("zoom of a PDF", "--view L1 --zoom 2", "a.pdf", "--zoom");
        row("colours of data", "--view L1 --theme dark", "a.csv", "--theme");
    }
    void refusals() {
        QFETCH(QString, words);
        QFETCH(QString, file);
        QFETCH(QString, named);
        Words list;
        for (const QString& word : words.split(u' ')) list.push_back(word.toStdString());
        std::string error;
        const QString target = m_folder.filePath(QStringLiteral("refused-") + file);
        QCOMPARE(exported(list, target.toStdString(), &error), 2);
        QVERIFY2(QString::fromStdString(error).contains(named), error.c_str());
        QVERIFY(!QFile::exists(target));
    }
};

QTEST_MAIN(ExportFilesTest)
#include "export_files_test.moc"
