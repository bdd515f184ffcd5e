// SPDX-License-Identifier: GPL-3.0-or-later
// The built program, run as a user's shell runs it, on the real engine.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFloat16>  // QCOMPARE asks whether JSON turns into one
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/compare.h"
#include "tests/support/default_model.h"
#include "tests/support/golden_file.h"

namespace {

const QString tinyModel = QStringLiteral(TEST_DATA "/tiny_qwen3");

struct Outcome {
    int code = -1;  // −1: ended by a signal
    QByteArray out, err;
};

QProcessEnvironment noDisplay() {
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QString::fromLatin1(name));
    return environment;
}

Outcome run(const QStringList& words, const QProcessEnvironment& environment = noDisplay(),
            const QString& toFile = {}) {
    QProcess process;
    process.setProcessEnvironment(environment);
    if (!toFile.isEmpty()) process.setStandardOutputFile(toFile);
    process.start(QStringLiteral(HEADSCOPE_PROGRAM), words);
    if (!process.waitForFinished(120'000)) return {-1, {}, "did not end"};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardOutput(), process.readAllStandardError()};
}

bool isOneLine(const QByteArray& text) {
    return text.endsWith('\n') && text.count('\n') == 1;
}

}  // namespace

class CliProgramTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QStringList files() const {
        return QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden);
    }
    void write(const char* name, const QByteArray& bytes) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    }

    // What must hold of any dump with every tensor, in plain loops.
    void checkInvariants(const golden::File& file, int layers, int tokens, int generated) {
        const std::int64_t rows = tokens + std::max(generated, 1) - 1;
        QCOMPARE(file.at("token_ids").shape, std::vector<std::int64_t>{tokens + generated});
        std::vector<float> residual = file.at("embedding").values;
        QCOMPARE(file.at("logits").shape[0], rows);
        for (int layer = 0; layer < layers; ++layer) {
            const std::string name = "layers." + std::to_string(layer) + ".";
            const auto scores = file.at(name + "scores"), pattern = file.at(name + "pattern"),
                       lse = file.at(name + "lse"), z = file.at(name + "z"),
                       v = file.at(name + "v"), contribution = file.at(name + "contribution"),
                       attention = file.at(name + "attention_out");
            const std::int64_t heads = pattern.shape[0], group = heads / v.shape[1],
                               dim = z.shape[2];
            QCOMPARE(pattern.shape, (std::vector<std::int64_t>{heads, rows, rows}));
            QCOMPARE(z.shape, (std::vector<std::int64_t>{rows, heads, dim}));
            const auto at = [&](const golden::Tensor& map, std::int64_t h, std::int64_t t,
                                std::int64_t s) {
                return map.values[static_cast<std::size_t>((h * rows + t) * rows + s)];
            };
            std::vector<float> rebuilt(z.values.size()), summed(attention.values.size());
            for (std::int64_t h = 0; h < heads; ++h)
                for (std::int64_t t = 0; t < rows; ++t) {
                    double sum = 0, largest = 0;
                    for (std::int64_t s = 0; s < rows; ++s) {
                        if (s > t) {
                            QCOMPARE(at(pattern, h, t, s), 0.0f);
                            QCOMPARE(at(scores, h, t, s), -INFINITY);
                            continue;
                        }
                        sum += at(pattern, h, t, s);
                        largest =
                            std::max(largest, std::fabs(static_cast<double>(at(scores, h, t, s))));
                        const double expected =
                            std::exp(static_cast<double>(at(scores, h, t, s)) -
                                     lse.values[static_cast<std::size_t>(h * rows + t)]);
                        QVERIFY(std::fabs(at(pattern, h, t, s) - expected) < 1e-5);
                    }
                    QVERIFY2(std::fabs(sum - 1) <= 1e-5 + 2.4e-7 * largest,
                             qPrintable(QString::number(sum - 1)));
                    for (std::int64_t d = 0; d < dim; ++d) {
                        double value = 0;
                        for (std::int64_t s = 0; s <= t; ++s)
                            value += static_cast<double>(at(pattern, h, t, s)) *
                                     v.values[static_cast<std::size_t>(
                                         (s * v.shape[1] + h / group) * dim + d)];
                        rebuilt[static_cast<std::size_t>((t * heads + h) * dim + d)] =
                            static_cast<float>(value);
                    }
                }
            QVERIFY(relative_difference(rebuilt, z.values) < 1e-5);
            const std::int64_t width = attention.shape[1];
            const auto norm = file.at(name + "contribution_norm");
            for (std::int64_t t = 0; t < rows; ++t)
                for (std::int64_t h = 0; h < heads; ++h) {
                    double square = 0;
                    for (std::int64_t i = 0; i < width; ++i) {
                        const float part =
                            contribution
                                .values[static_cast<std::size_t>((t * heads + h) * width + i)];
                        summed[static_cast<std::size_t>(t * width + i)] += part;
                        square += static_cast<double>(part) * part;
                    }
                    const double length = norm.values[static_cast<std::size_t>(t * heads + h)];
                    QVERIFY(std::fabs(std::sqrt(square) - length) <= 1e-4 * length + 1e-7);
                }
            QVERIFY(relative_difference(summed, attention.values) < 1e-5);
            const auto mlp = file.at(name + "mlp_out").values;
            for (std::size_t i = 0; i < residual.size(); ++i)
                residual[i] += attention.values[i] + mlp[i];
            QVERIFY(relative_difference(file.at(name + "residual").values, residual) < 1e-5);
            QCOMPARE(file.at(name + "qkv").shape,
                     (std::vector<std::int64_t>{rows, (heads + 2 * v.shape[1]) * dim}));
            QCOMPARE(file.at(name + "logit_attribution").shape,
                     (std::vector<std::int64_t>{rows, heads}));
        }
    }

  private Q_SLOTS:
    void init() {
        for (const QString& name : files()) QFile::remove(m_folder.filePath(name));
    }

    // The runtime tells what it goes by, before main.
    void computeThreadsDoNotSpinForLong_data() {
        QTest::addColumn<QString>("own");
        QTest::addColumn<QByteArray>("count");
        QTest::newRow("nothing set") << QString() << QByteArray("'1000'");
        QTest::newRow("the user's own") << QStringLiteral("5") << QByteArray("'5'");
    }
    void computeThreadsDoNotSpinForLong() {
        QFETCH(QString, own);
        QFETCH(QByteArray, count);
        auto environment = noDisplay();
        environment.insert(QStringLiteral("OMP_DISPLAY_ENV"), QStringLiteral("VERBOSE"));
        environment.remove(QStringLiteral("GOMP_SPINCOUNT"));
        if (!own.isEmpty()) environment.insert(QStringLiteral("GOMP_SPINCOUNT"), own);
        const Outcome outcome = run({QStringLiteral("--version")}, environment);
        QCOMPARE(outcome.code, 0);
        const auto last = outcome.err.lastIndexOf("GOMP_SPINCOUNT");
        QVERIFY2(last >= 0 && outcome.err.mid(last, 32).contains(count), outcome.err.constData());
    }

    // In a list of processes too, though it starts itself again.
    void hasItsOwnName() {
        QCOMPARE(::mkfifo(path("prompt").toLocal8Bit().constData(), 0600), 0);
        auto environment = noDisplay();
        environment.remove(QStringLiteral("GOMP_SPINCOUNT"));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(HEADSCOPE_PROGRAM),
                      {QStringLiteral("dump"), tinyModel, QStringLiteral("--prompt-file"),
                       path("prompt"), QStringLiteral("--out"), path("out")});
        QVERIFY(process.waitForStarted());
        // The prompt comes through a pipe, which is opened once it is read: then all starts are
        // over.
        const int prompt = ::open(path("prompt").toLocal8Bit().constData(), O_WRONLY);
        QFile name(QStringLiteral("/proc/%1/comm").arg(process.processId()));
        QVERIFY(name.open(QIODevice::ReadOnly));
        QCOMPARE(name.readAll(), QByteArray("headscope\n"));
        ::close(prompt);
        QVERIFY(process.waitForFinished(120'000));
        QCOMPARE(process.exitCode(), 2);  // an empty prompt
    }

    void refusesATypeThatTheDeviceLacks_data() {
        QTest::addColumn<QString>("type");
        for (const char* type : {"bfloat16", "float16"}) QTest::newRow(type) << type;
    }
    void refusesATypeThatTheDeviceLacks() {
        QFETCH(QString, type);
        const Outcome outcome =
            run({QStringLiteral("dump"), tinyModel, QStringLiteral("--token-ids"),
                 QStringLiteral("1"), QStringLiteral("--device"), QStringLiteral("cpu"),
                 QStringLiteral("--dtype"), type, QStringLiteral("--out"), path("out")});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(isOneLine(outcome.err) && outcome.err.contains(type.toLatin1()),
                 outcome.err.constData());
        QVERIFY(files().isEmpty());
    }

    void answersWithoutADisplay_data() {
        QTest::addColumn<QStringList>("words");
        QTest::newRow("help") << QStringList{QStringLiteral("--help")};
        QTest::newRow("version") << QStringList{QStringLiteral("--version")};
        QTest::newRow("help of a verb")
            << QStringList{QStringLiteral("export"), QStringLiteral("--help")};
        QTest::newRow("version after a model")
            << QStringList{QStringLiteral("m"), QStringLiteral("--version")};
    }
    void answersWithoutADisplay() {
        QFETCH(QStringList, words);
        const Outcome outcome = run(words);
        QCOMPARE(outcome.code, 0);
        QVERIFY(!outcome.out.isEmpty() && outcome.err.isEmpty());
    }

    void saysThatThereIsNoWindow_data() {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no display") << QString() << QString() << QByteArray("no display");
        QTest::newRow("a display that does not answer")
            << QStringLiteral("DISPLAY") << QStringLiteral(":7391")
            << QByteArray("cannot be reached (DISPLAY ':7391')");
        QTest::newRow("no such platform")
            << QStringLiteral("QT_QPA_PLATFORM") << QStringLiteral("teletype")
            << QByteArray("QT_QPA_PLATFORM 'teletype'");
    }
    void saysThatThereIsNoWindow() {
        QFETCH(QString, variable);
        QFETCH(QString, value);
        QFETCH(QByteArray, says);
        auto environment = noDisplay();
        if (!variable.isEmpty()) environment.insert(variable, value);
        const Outcome outcome = run({}, environment);
        QVERIFY2(outcome.code == 1, outcome.err.constData());
        QVERIFY2(isOneLine(outcome.err), outcome.err.constData());
        QVERIFY2(outcome.err.contains(says), outcome.err.constData());
        QVERIFY2(!outcome.err.contains("einstall"), outcome.err.constData());
        if (!variable.isEmpty())  // Qt's own words are for who asks
            QVERIFY(run({QStringLiteral("--verbose")}, environment).err.count('\n') > 1);
        for (const char* verb : {"info", "tokenize", "dump", "export", "bench"})
            QVERIFY2(outcome.err.contains(verb), outcome.err.constData());
    }

    void refuses_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const QByteArray& words, int code) {
            QStringList list;
            for (const QByteArray& word : words.split(' ')) list << QString::fromUtf8(word);
            list.replaceInStrings(QStringLiteral("TINY"), tinyModel);
            QTest::newRow(name) << list << code;
        };
        row("unknown option of the window", "--frob", 2);
        row("a verb mistyped, with a model", "dmup m", 2);
        row("a dump that is called a picture", "dump TINY --token-ids 1 --out a.png", 2);
        row("no such model", "info /no/such/model.gguf", 1);
        row("a folder without a model", "info /proc/self/fd", 1);
        row("a foreign file", "info /bin/sh", 1);
        row("a shape that is not known", "bench --shape qwen9", 2);
        row("a foreign file to dump", "dump /bin/sh --prompt a --out x", 1);
        row("a token it lacks", "dump TINY --token-ids 1,99999999 --out x", 2);
        row("a head it lacks", "export TINY --token-ids 1,2 --view L0.H99 --out x.png", 2);
    }
    void refuses() {
        QFETCH(QStringList, words);
        QFETCH(int, code);
        QDir::setCurrent(m_folder.path());
        const Outcome outcome = run(words);
        QVERIFY2(outcome.code == code, outcome.err.constData());
        QVERIFY2(isOneLine(outcome.err), outcome.err.constData());
        QVERIFY(files().isEmpty());
    }

    // With no display too, and whatever follows it.
    void suggestsTheVerbThatWasMeant_data() {
        QTest::addColumn<QStringList>("words");
        QTest::newRow("alone") << QStringList{QStringLiteral("dmup")};
        QTest::newRow("with a model") << QStringList{QStringLiteral("dmup"), tinyModel};
        QTest::newRow("with what the verb takes")
            << QStringList{QStringLiteral("dmup"), tinyModel, QStringLiteral("--out"),
                           QStringLiteral("a.safetensors")};
    }
    void suggestsTheVerbThatWasMeant() {
        QFETCH(QStringList, words);
        QDir::setCurrent(m_folder.path());
        const Outcome outcome = run(words);
        QVERIFY2(outcome.code == 2 && isOneLine(outcome.err), outcome.err.constData());
        QVERIFY2(outcome.err.contains("'dmup'") && outcome.err.contains("did you mean dump?"),
                 outcome.err.constData());
        write("dmup", "a model may have any name");
        const Outcome there = run(words);
        QVERIFY2(!there.err.contains("did you mean"), there.err.constData());
    }

    void refusesATruncatedModel() {
        NEEDS_DEFAULT_MODEL();
        QFile model(QString::fromStdString(default_model_path()));
        QVERIFY(model.open(QIODevice::ReadOnly));
        write("cut.gguf", model.read(1 << 20));
        const Outcome outcome =
            run({QStringLiteral("dump"), path("cut.gguf"), QStringLiteral("--prompt"),
                 QStringLiteral("a"), QStringLiteral("--out"), path("x")});
        QVERIFY2(outcome.code == 1 && isOneLine(outcome.err), outcome.err.constData());
        QCOMPARE(files(), QStringList{QStringLiteral("cut.gguf")});
    }

    void noticesAFullStdout() {
        const Outcome outcome = run({QStringLiteral("info"), tinyModel, QStringLiteral("--json")},
                                    noDisplay(), QStringLiteral("/dev/full"));
        QVERIFY2(outcome.code == 1 && isOneLine(outcome.err), outcome.err.constData());
    }

    // Kernels keep their blocks on the stack: where the system does not let it be raised, it says
    // so.
    void hasRoomOnItsStacks_data() {
        QTest::addColumn<QString>("limit");
        for (const char* limit : {"-S -s 64", "-S -s 256", "-s 64", "-s 256", "-s 1024"})
            QTest::newRow(limit) << QString::fromLatin1(limit);
    }
    void hasRoomOnItsStacks() {
        QFETCH(QString, limit);
        QProcess shell;
        shell.setProcessEnvironment(noDisplay());
        shell.start(QStringLiteral("bash"),
                    {QStringLiteral("-c"),
                     QStringLiteral("ulimit %1; exec \"$0\" dump \"$1\" --token-ids "
                                    "3,7,11,19,23 --threads 2 --out \"$2\"")
                         .arg(limit),
                     QStringLiteral(HEADSCOPE_PROGRAM), tinyModel, path("s.safetensors")});
        QVERIFY(shell.waitForFinished(60'000));
        const QByteArray said = shell.readAllStandardError();
        QVERIFY2(shell.exitStatus() == QProcess::NormalExit, said.constData());
        if (shell.exitCode() == 0) return;
        QVERIFY(limit.startsWith(QStringLiteral("-s")) && !limit.endsWith(QStringLiteral("1024")));
        QCOMPARE(shell.exitCode(), 1);
        QVERIFY2(isOneLine(said) && said.contains("KB, and 1,024 are needed"), said.constData());
    }

    void describesTheDefaultModel() {
        NEEDS_DEFAULT_MODEL();
        const Outcome outcome =
            run({QStringLiteral("info"), QString::fromStdString(default_model_path()),
                 QStringLiteral("--json")});
        QVERIFY2(outcome.code == 0 && outcome.err.isEmpty(), outcome.err.constData());
        const auto json = nlohmann::json::parse(outcome.out.toStdString());
        QCOMPARE(json["family"], "llama");
        QCOMPARE(json["layers"], 30);
        QCOMPARE(json["query_heads"], 9);
        QCOMPARE(json["kv_heads"], 3);
        QCOMPARE(json["head_dim"], 64);
        QCOMPARE(json["d_model"], 576);
        QCOMPARE(json["vocab"], 49152);
        QCOMPARE(json["attention"].size(), std::size_t{30});
        // k and v of 3 heads, q and z of 9, lse: fp32, 30 layers.
        QCOMPARE(json["bytes_per_token"], 30 * 4 * (2 * 3 * 64 + 2 * 9 * 64 + 9));
        QCOMPARE(json["supported"], true);
    }

    void listsTokensOfTheDefaultModel() {
        NEEDS_DEFAULT_MODEL();
        const QString model = QString::fromStdString(default_model_path());
        const QString text = QStringLiteral("hi <|im_end|> é");
        const auto tokens = [&](const QStringList& more) {
            const Outcome outcome =
                run(QStringList{QStringLiteral("tokenize"), model, QStringLiteral("--prompt"), text,
                                QStringLiteral("--json")} +
                    more);
            return nlohmann::json::parse(outcome.out.toStdString());
        };
        const auto plain = tokens({}), parsed = tokens({QStringLiteral("--parse-special")}),
                   chat = tokens({QStringLiteral("--chat")});
        std::string joined;
        for (const auto& token : plain) {
            QVERIFY(!token["special"].get<bool>());
            for (const int byte : token["bytes"]) joined += static_cast<char>(byte);
        }
        QCOMPARE(joined, text.toStdString());
        const auto specials = [](const nlohmann::json& all) {
            return std::count_if(all.begin(), all.end(), [](const auto& token) {
                return token["special"].template get<bool>();
            });
        };
        QCOMPARE(specials(parsed), 1);
        QVERIFY(parsed.size() < plain.size());
        QVERIFY(specials(chat) >= 3);
    }

    void dumpsAreConsistent_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("layers");
        QTest::addColumn<QString>("ids");
        QTest::addColumn<int>("generate");
        QTest::newRow("tiny") << tinyModel << 0 << QStringLiteral("1,5,9,2,7") << 0;
        QTest::newRow("tiny, generated") << tinyModel << 0 << QStringLiteral("1,5,9,2,7") << 4;
        QTest::newRow("tiny, one token") << tinyModel << 0 << QStringLiteral("3") << 1;
        QTest::newRow("default") << QString::fromStdString(default_model_path()) << 30
                                 << QStringLiteral("28120,905,28") << 3;
    }
    void dumpsAreConsistent() {
        QFETCH(QString, model);
        QFETCH(int, layers);
        QFETCH(QString, ids);
        QFETCH(int, generate);
        if (layers == 30) NEEDS_DEFAULT_MODEL();
        if (layers == 0)
            layers =
                nlohmann::json::parse(run({QStringLiteral("info"), model, QStringLiteral("--json")})
                                          .out.toStdString())["layers"];
        const Outcome outcome = run(
            {QStringLiteral("dump"), model, QStringLiteral("--token-ids"), ids,
             QStringLiteral("--generate"), QString::number(generate), QStringLiteral("--tensors"),
             QStringLiteral("token_ids,logits,embedding,q,k,v,qkv,scores,pattern,lse,z,"
                            "contribution,contribution_norm,logit_attribution,"
                            "attention_out,mlp_out,residual"),
             QStringLiteral("--out"), path("all")});
        QVERIFY2(outcome.code == 0 && outcome.err.isEmpty() && outcome.out.isEmpty(),
                 outcome.err.constData());
        QCOMPARE(files(), QStringList{QStringLiteral("all")});
        checkInvariants(golden::File(path("all").toStdString()), layers,
                        static_cast<int>(ids.count(QLatin1Char(','))) + 1, generate);
    }

    void samplesTheSameFromASeed() {
        const auto sampled = [&](const char* seed) {
            run({QStringLiteral("dump"), tinyModel, QStringLiteral("--token-ids"),
                 QStringLiteral("1,2,3"), QStringLiteral("--generate"), QStringLiteral("12"),
                 QStringLiteral("--temperature"), QStringLiteral("1.5"), QStringLiteral("--seed"),
                 QString::fromLatin1(seed), QStringLiteral("--tensors"),
                 QStringLiteral("token_ids"), QStringLiteral("--out"), path("ids")});
            return golden::File(path("ids").toStdString()).at("token_ids").ints;
        };
        const auto first = sampled("7");
        QCOMPARE(first.size(), std::size_t{15});
        QCOMPARE(sampled("7"), first);
        QVERIFY(sampled("8") != first);
    }

    void drawsEveryView_data() {
        QTest::addColumn<QStringList>("words");
        for (const char* view : {"L0.H0", "L1.H3,L0.H1", "L1", "grid", "bars", "bars:L1"})
            QTest::newRow(view) << QStringList{QStringLiteral("--view"), QString::fromLatin1(view)};
        for (const char* quantity : {"scores", "pattern", "value", "attribution"})
            QTest::newRow(quantity)
                << QStringList{QStringLiteral("--view"), QStringLiteral("L1.H1"),
                               QStringLiteral("--quantity"), QString::fromLatin1(quantity)};
        QTest::newRow("bars of writes") << QStringList{
            QStringLiteral("--view"), QStringLiteral("bars"),       QStringLiteral("--quantity"),
            QStringLiteral("value"),  QStringLiteral("--position"), QStringLiteral("1")};
        QTest::newRow("dark") << QStringList{QStringLiteral("--view"), QStringLiteral("L1.H1"),
                                             QStringLiteral("--theme"), QStringLiteral("dark")};
    }
    void drawsEveryView() {
        QFETCH(QStringList, words);
        const auto size = [&](const char* zoom, const char* screen) {
            auto environment = noDisplay();
            environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QString::fromLatin1(screen));
            const Outcome outcome =
                run(QStringList{QStringLiteral("export"), tinyModel, QStringLiteral("--token-ids"),
                                QStringLiteral("1,5,9,2"), QStringLiteral("--generate"),
                                QStringLiteral("3"), QStringLiteral("--zoom"),
                                QString::fromLatin1(zoom), QStringLiteral("--out"), path("a.png")} +
                        words,
                    environment);
            if (outcome.code != 0 || !outcome.err.isEmpty())
                qWarning("%s", outcome.err.constData());
            return outcome.code == 0 ? QImage(path("a.png")).size() : QSize();
        };
        const QSize one = size("1", "1");
        QVERIFY(one.width() > 50 && one.height() > 50);
        QCOMPARE(files(), QStringList{QStringLiteral("a.png")});
        // Each start takes a second: zoom and the screen's ratio are tried once a painter.
        const QString view = words.at(1);
        if (words.size() == 2 && (view == QLatin1String("L0.H0") || view == QLatin1String("grid") ||
                                  view == QLatin1String("bars"))) {
            QCOMPARE(size("2", "1"), one * 2);
            for (const char* screen : {"1.5", "2"}) QCOMPARE(size("1", screen), one);
        }
    }
};

QTEST_GUILESS_MAIN(CliProgramTest)
#include "cli_program_test.moc"
