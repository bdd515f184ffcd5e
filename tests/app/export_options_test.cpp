// SPDX-License-Identifier: GPL-3.0-or-later
// Every option that `export --help` names does what its name says: with it the file is another one
// (or, where only the way to it is chosen, the same), and a value that it cannot have is refused by
// its name. On the real engine.
#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <set>

#include "engine/engine.h"
#include "tests/support/default_model.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_cli.h"
#include "ui/painting/theme.h"

namespace {

enum class Effect { OtherFile, SameFile, Says };

struct OptionCase {
    const char* option;
    Effect effect;
    const char* ending;
    const char* without;  // words; ~ is a space, FOLDER the test's
    const char* with;
    const char* bad;  // refused; empty: it takes anything
};

constexpr const char* text = "--prompt When~Mary~and~John~met";
constexpr const char* two = "--view L21.H1,L23.H3";
constexpr const char* head = "--view L21.H1";
constexpr const char* hot = "--view L21.H1 --generate 4 --temperature 5";

const std::vector<OptionCase>& cases() {
    using enum Effect;
    static const std::vector<OptionCase> all = {
        {"--view", OtherFile, "png", head, "--view L21.H2", "--view L21.H9"},
        {"--position", OtherFile, "csv", "--view bars", "--view bars --position 2",
         "--view bars --position 900"},
        {"--quantity", OtherFile, "npy", head, "--view L21.H1 --quantity scores",
         "--view L21.H1 --quantity p"},
        {"--target", OtherFile, "npy", "--view L21.H1 --quantity attribution",
         "--view L21.H1 --quantity attribution --target 500", "--view L21.H1 --target 500"},
        {"--distractor", OtherFile, "npy", "--view L21.H1 --quantity attribution --target ·Mary",
         "--view L21.H1 --quantity attribution --target ·Mary --distractor ·John",
         "--view L21.H1 --quantity attribution --target ·Mary --distractor ~Mary"},
        {"--by", OtherFile, "svg", head, "--view L21.H1 --by words", "--view L21.H1 --by pages"},
        {"--columns", OtherFile, "png", two, "--view L21.H1,L23.H3 --columns 1",
         "--view L21.H1,L23.H3 --columns 0"},
        {"--size", OtherFile, "png", two, "--view L21.H1,L23.H3 --size single",
         "--view L21.H1,L23.H3 --size A4"},
        {"--labels", OtherFile, "png", two, "--view L21.H1,L23.H3 --labels none",
         "--view L21.H1,L23.H3 --labels some"},
        {"--letters", OtherFile, "png", two, "--view L21.H1,L23.H3 --letters",
         "--view grid --letters"},
        {"--title", OtherFile, "png", two, "--view L21.H1,L23.H3 --title Own",
         "--view bars --title Own"},
        {"--caption", OtherFile, "png", two, "--view L21.H1,L23.H3 --caption Below",
         "--view bars --caption Below"},
        {"--transparent", OtherFile, "png", two, "--view L21.H1,L23.H3 --transparent",
         "--view grid --transparent"},
        {"--scale", OtherFile, "png", two, "--view L21.H1,L23.H3 --scale linear",
         "--view L21.H1 --quantity scores --scale log"},
        {"--range", OtherFile, "png", two, "--view L21.H1,L23.H3 --range 0.5",
         "--view L21.H1 --quantity scores --range fixed"},
        {"--sink", OtherFile, "png", two, "--view L21.H1,L23.H3 --sink in",
         "--view L21.H1 --quantity value --sink renormalized"},
        {"--pooling", OtherFile, "png", "--view L21.H1 --zoom 0.01",
         "--view L21.H1 --zoom 0.01 --pooling mean", "--view L21.H1 --by words --pooling mean"},
        {"--threshold", OtherFile, "png", head, "--view L21.H1 --threshold 0.2",
         "--view L21.H1 --threshold -1"},
        {"--transpose", OtherFile, "png", head, "--view L21.H1 --transpose",
         "--view grid --transpose"},
        {"--rows", OtherFile, "csv", head, "--view L21.H1 --rows 2-3", "--view L21.H1 --rows 3-2"},
        {"--srcs", OtherFile, "png", head, "--view L21.H1 --rows 2-4 --srcs 0-2",
         "--view L21.H1 --srcs 0-2"},
        {"--ablate", OtherFile, "npy", head, "--view L21.H1 --ablate L0.H3@2-3",
         "--view L21.H1 --ablate L0"},
        {"--forbid", OtherFile, "svg", head, "--view L21.H1 --forbid L21.H1@:0",
         "--view L21.H1 --forbid L21.H1@900:0"},
        {"--theme", OtherFile, "png", head, "--view L21.H1 --theme dark",
         "--view L21.H1 --theme blue"},
        {"--palette", OtherFile, "png", head, "--view L21.H1 --palette viridis",
         "--view bars --palette viridis"},
        {"--zoom", OtherFile, "png", head, "--view L21.H1 --zoom 2", "--view L21.H1 --zoom 17"},
        {"--outline-text", OtherFile, "svg", head, "--view L21.H1 --outline-text",
         "--view L21.H1 --outline-text=x"},
        {"--prompt", OtherFile, "npy", head, "--view L21.H1 --prompt Another~one",
         "--view L21.H1 --prompt="},
        {"--prompt-file", OtherFile, "npy", head, "--view L21.H1 --prompt-file FOLDER/prompt.txt",
         "--view L21.H1 --prompt-file FOLDER/empty.txt"},
        {"--token-ids", OtherFile, "npy", head, "--view L21.H1 --token-ids 1,500,900",
         "--view L21.H1 --token-ids 1,x"},
        {"--chat", OtherFile, "npy", head, "--view L21.H1 --chat", "--view L21.H1 --chat=x"},
        {"--parse-special", OtherFile, "npy", "--view L21.H1 --prompt a<|im_start|>b",
         "--view L21.H1 --prompt a<|im_start|>b --parse-special",
         "--view L21.H1 --parse-special=x"},
        {"--generate", OtherFile, "npy", head, "--view L21.H1 --generate 3",
         "--view L21.H1 --generate many"},
        {"--temperature", OtherFile, "npy", "--view L21.H1 --generate 4", hot,
         "--view L21.H1 --temperature hot"},
        {"--top-k", OtherFile, "npy", hot, "--view L21.H1 --generate 4 --temperature 5 --top-k 1",
         "--view L21.H1 --top-k 1"},
        {"--top-p", OtherFile, "npy", hot,
         "--view L21.H1 --generate 4 --temperature 5 --top-p 0.01", "--view L21.H1 --top-p 0.5"},
        {"--seed", OtherFile, "npy", hot, "--view L21.H1 --generate 4 --temperature 5 --seed 7",
         "--view L21.H1 --seed 7"},
        {"--device", SameFile, "png", head, "--view L21.H1 --device cpu",
         "--view L21.H1 --device tpu"},
        {"--dtype", SameFile, "png", head, "--view L21.H1 --dtype float32",
         "--view L21.H1 --dtype int4"},
        {"--threads", SameFile, "png", head, "--view L21.H1 --threads 1",
         "--view L21.H1 --threads 0"},
        {"--out", SameFile, "png", head, head, "--view L21.H1 --out FOLDER/a.gif"},
        {"--verbose", Says, "png", head, "--view L21.H1 --verbose", "--view L21.H1 --verbose=x"},
        {"--help", Says, "png", head, "--help", "--help=x"}};
    return all;
}

}  // namespace

class ExportOptionsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    std::map<std::string, QByteArray> m_files;  // by words and ending: without many options

    std::vector<std::string> wordsOf(const QByteArray& line, const std::string& out) const {
        std::vector<std::string> words{"export", default_model_path()};
        QByteArray all = line;
        const bool hasPrompt = line.contains("--prompt") || line.contains("--token-ids");
        if (!hasPrompt) all += QByteArray(" ") + text;
        if (!line.contains("--out ")) all += " --out " + QByteArray::fromStdString(out);
        if (!line.contains("--threads")) all += " --threads 1";  // threads that wait cost more
        all.replace("FOLDER", m_folder.path().toUtf8());
        for (QByteArray& word : all.split(' '))
            if (!word.isEmpty()) words.push_back(word.replace('~', ' ').toStdString());
        return words;
    }
    CliOutcome exported(const char* line, const char* ending, QByteArray* bytes) {
        const QString path = m_folder.filePath(QStringLiteral("a.") + QLatin1String(ending));
        for (const QString& old : QDir(m_folder.path()).entryList({QStringLiteral("a.*")}))
            QFile::remove(m_folder.filePath(old));
        CliOutcome outcome = run_verb(wordsOf(line, path.toStdString()));
        QFile file(path);
        if (bytes && file.open(QIODevice::ReadOnly)) *bytes = file.readAll();
        return outcome;
    }
    QByteArray without(const OptionCase& row) {
        QByteArray& known = m_files[std::string(row.without) + row.ending];
        if (known.isEmpty()) exported(row.without, row.ending, &known);
        return known;
    }

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() {
        NEEDS_DEFAULT_MODEL();
        ui::loadFonts();
        QFile prompt(m_folder.filePath(QStringLiteral("prompt.txt")));
        QVERIFY(prompt.open(QIODevice::WriteOnly) && prompt.write("From a file") > 0);
        QFile empty(m_folder.filePath(QStringLiteral("empty.txt")));
        QVERIFY(empty.open(QIODevice::WriteOnly));
    }

    void helpNamesWhatIsTested() {
        std::multiset<std::string> named, tested;
        const CliOutcome outcome = run_verb({"export", "--help"});
        QCOMPARE(outcome.code, 0);
        for (const QString& line : QString::fromStdString(outcome.out).split(u'\n'))
            if (line.startsWith(QStringLiteral("  --")))
                named.insert(line.trimmed().section(u' ', 0, 0).toStdString());
        for (const OptionCase& row : cases()) tested.insert(row.option);
        for (const std::string& name : named) QVERIFY2(tested.count(name) == 1, name.c_str());
        for (const std::string& name : tested) QVERIFY2(named.count(name) == 1, name.c_str());
    }

    void optionsDoWhatTheySay_data() {
        QTest::addColumn<int>("at");
        for (std::size_t i = 0; i < cases().size(); ++i) QTest::newRow(cases()[i].option) << int(i);
    }
    void optionsDoWhatTheySay() {
        QFETCH(int, at);
        const OptionCase& row = cases()[static_cast<std::size_t>(at)];
        QByteArray with;
        const CliOutcome outcome = exported(row.with, row.ending, &with);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        if (row.effect == Effect::Says) {
            QVERIFY(!outcome.err.empty() || outcome.out.find("export") != std::string::npos);
            return;
        }
        QVERIFY2(outcome.err.empty(), outcome.err.c_str());
        const QByteArray before = without(row);
        QVERIFY(!with.isEmpty() && !before.isEmpty());
        QCOMPARE(with == before, row.effect == Effect::SameFile);
    }

    void badValuesAreNamed_data() { optionsDoWhatTheySay_data(); }
    void badValuesAreNamed() {
        QFETCH(int, at);
        const OptionCase& row = cases()[static_cast<std::size_t>(at)];
        const CliOutcome outcome = exported(row.bad, row.ending, nullptr);
        QVERIFY2(outcome.code == 2, outcome.err.c_str());
        QVERIFY2(outcome.err.find(row.option) != std::string::npos, outcome.err.c_str());
        QCOMPARE(outcome.err.find('\n'), outcome.err.size() - 1);
        QVERIFY(QDir(m_folder.path()).entryList({QStringLiteral("a.*")}).isEmpty());
    }
};

QTEST_MAIN(ExportOptionsTest)
#include "export_options_test.moc"
