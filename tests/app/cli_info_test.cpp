// SPDX-License-Identifier: GPL-3.0-or-later
// What `info` says of models that are not as they should be, and of folders that hold models; and
// what the verbs that read a prompt say of a model whose tokens are doubtful.
#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/fake_engine.h"
#include "tests/support/family_fixtures.h"
#include "tests/support/golden_file.h"
#include "tests/support/real_cli.h"

using namespace app;
using Rules = std::vector<std::string>;

class CliInfoTest : public QObject {
    Q_OBJECT
  private slots:
    // How every layer attends, of every checkpoint of the test data and of its GGUF twin.
    void namesEveryLayersRule_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<Rules>("rules");
        std::map<std::string, Rules> known{{"tiny_llama", {"full", "full"}},
                                           {"tiny_llama3", {"full", "full"}},
                                           {"tiny_qwen3", {"full", "full", "full"}},
                                           {"qwen3_8b_heads", {"full", "full"}}};
        for (const FamilyFixture& fixture : family_fixtures())
            known[fixture.name] = fixture.attention;
        const QDir data(QStringLiteral(TEST_DATA));
        for (const QString& name : data.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const QDir folder(data.filePath(name));
            if (!folder.exists(QStringLiteral("config.json"))) continue;
            const Rules rules = known[name.toStdString()];  // none: the row fails
            QTest::addRow("%s", qPrintable(name)) << folder.path() << rules;
            for (const QString& file : folder.entryList({QStringLiteral("*.gguf")}))
                QTest::addRow("%s", qPrintable(file)) << folder.filePath(file) << rules;
            known.erase(name.toStdString());
        }
        QVERIFY(known.empty());
    }
    void namesEveryLayersRule() {
        QFETCH(QString, path);
        QFETCH(Rules, rules);
        const CliOutcome json = run_verb({"info", path.toStdString(), "--json"});
        QVERIFY2(json.code == ExitOk, json.err.c_str());
        const auto info = nlohmann::json::parse(json.out);
        QVERIFY2(info.at("supported") == true, json.out.c_str());
        QCOMPARE(info.at("attention").get<Rules>(), rules);

        // In text, neighbours of one rule share a line.
        const CliOutcome text = run_verb({"info", path.toStdString()});
        QCOMPARE(text.code, int{ExitOk});
        static const QRegularExpression line(
            QStringLiteral("^(?:attention)? +L(\\d+)(?: to L(\\d+))?: (.+)$"));
        Rules named;
        for (const QString& one : QString::fromStdString(text.out).split(QLatin1Char('\n'))) {
            const auto match = line.match(one);
            if (!match.hasMatch()) continue;
            QCOMPARE(match.captured(1).toULongLong(), qulonglong{named.size()});
            const auto last = match.captured(match.captured(2).isEmpty() ? 1 : 2).toULongLong();
            while (named.size() <= last) named.push_back(match.captured(3).toStdString());
        }
        QCOMPARE(named, rules);
    }

    // Of a model that is refused, what is known and why; no zeros for what is not.
    void describesAModelThatIsNotSupported() {
        std::ostringstream out, err;
        Cli cli{out, err, {}, {}, [](const std::string& path) {
                    engine::ModelInfo info;
                    info.name = path;
                    info.weight_bytes = 345'000;
                    info.supported = false;
                    info.reason = "a gate";
                    return info;
                }};
        QCOMPARE(runVerb(cli, {"info", "m"}), int{ExitOk});
        QVERIFY2(out.str().find("supported       no: a gate\n") != std::string::npos,
                 out.str().c_str());
        QVERIFY2(out.str().find(" 0 ") == std::string::npos, out.str().c_str());
    }

    void namesTheTemplateAndTheWarnings_data() {
        QTest::addColumn<bool>("known");
        QTest::addColumn<bool>("unknown");
        QTest::addColumn<QString>("named");
        QTest::newRow("none") << false << false << "none";
        QTest::newRow("understood") << true << false << "understood";
        QTest::newRow("not understood") << false << true << "not understood";
    }
    void namesTheTemplateAndTheWarnings() {
        QFETCH(bool, known);
        QFETCH(bool, unknown);
        QFETCH(QString, named);
        std::ostringstream out, err;
        Cli cli{out, err, {}, {}, [&](const std::string& path) {
                    engine::ModelInfo info;
                    info.name = path;
                    info.has_chat_template = known;
                    info.has_unknown_template = unknown;
                    info.warnings = {"cut as\nfor GPT-2"};
                    return info;
                }};
        QCOMPARE(runVerb(cli, {"info", "m"}), int{ExitOk});
        for (const std::string& line :
             {"chat template   " + named.toStdString(), std::string("warning         cut as\\n")})
            QVERIFY2(out.str().find("\n" + line) != std::string::npos, out.str().c_str());
        out.str("");
        QCOMPARE(runVerb(cli, {"info", "m", "--json"}), int{ExitOk});
        const auto json = nlohmann::json::parse(out.str());
        QCOMPARE(json.at("chat_template").get<std::string>(), named.toStdString());
        QVERIFY(json.at("warnings") == nlohmann::json{"cut as\nfor GPT-2"});
    }

    // One line on stderr without --verbose, wherever a text is cut into tokens; ids that are given
    // are what they are.
    void warnsOfDoubtfulTokens_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("lines");
        QTest::newRow("tokenize") << "tokenize m --prompt a" << 1;
        QTest::newRow("tokenize --json") << "tokenize m --prompt a --json" << 1;
        QTest::newRow("dump") << "dump m --prompt a --out OUT" << 1;
        QTest::newRow("dump of ids") << "dump m --token-ids 1,2 --out OUT" << 0;
        QTest::newRow("export") << "export m --prompt a --view L0.H0 --out OUT.csv" << 1;
    }
    void warnsOfDoubtfulTokens() {
        QFETCH(QString, words);
        QFETCH(int, lines);
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a"));
        std::vector<std::string> arguments;
        for (const QString& word : words.split(u' '))
            arguments.push_back(QString(word).replace(QStringLiteral("OUT"), file).toStdString());
        const auto world = std::make_shared<fake::World>();
        world->warnings = {"the pre-tokenizer is\nnot known"};
        std::ostringstream out, err;
        Cli cli{out,
                err,
                {},
                [&](const engine::OpenRequest& request, const engine::OnProgress& progress,
                    std::stop_token stop) { return fake::open(world, request, progress, stop); },
                {}};
        QCOMPARE(runVerb(cli, arguments), int{ExitOk});
        const std::string line = "headscope: warning: the pre-tokenizer is\\nnot known\n";
        QCOMPARE(err.str(), lines > 0 ? line : std::string());
        if (arguments.front() != "dump") return;
        const auto metadata = golden::File(file.toStdString()).metadata();
        QCOMPARE(metadata.contains("warnings"), lines > 0);
        if (lines > 0) QCOMPARE(metadata.at("warnings"), R"(["the pre-tokenizer is\nnot known"])");
    }

    void saysThatATemplateIsNotUnderstood_data() {
        QTest::addColumn<bool>("unknown");
        QTest::addColumn<QString>("said");
        QTest::newRow("none") << false << "the model has no chat template";
        QTest::newRow("not understood") << true << "the model's chat template is not understood";
    }
    void saysThatATemplateIsNotUnderstood() {
        QFETCH(bool, unknown);
        QFETCH(QString, said);
        const auto world = std::make_shared<fake::World>();
        world->unknown_template = unknown;
        std::ostringstream out, err;
        Cli cli{out,
                err,
                {},
                [&](const engine::OpenRequest& request, const engine::OnProgress& progress,
                    std::stop_token stop) { return fake::open(world, request, progress, stop); },
                {}};
        QCOMPARE(runVerb(cli, {"tokenize", "m", "--prompt", "a", "--chat"}), int{ExitBadArguments});
        for (const std::string& part :
             {"--chat: " + said.toStdString(), std::string("the prompt is read as it is")})
            QVERIFY2(err.str().find(part) != std::string::npos, err.str().c_str());
        QCOMPARE(runVerb(cli, {"tokenize", "m", "--prompt", "a"}), int{ExitOk});
    }

    // Extra tensors are counted and named, as many as a line takes.
    void namesWhatIsNotUsed() {
        std::ostringstream out, err;
        Cli cli{out, err, {}, {}, [](const std::string& path) {
                    engine::ModelInfo info;
                    info.name = path;
                    return info;
                }};
        cli.extraTensors = [](const std::string&) {
            std::vector<std::string> names;
            for (int i = 0; i < 1200; ++i) names.push_back("t" + std::to_string(i));
            return names;
        };
        QCOMPARE(runVerb(cli, {"info", "m"}), int{ExitOk});
        QVERIFY2(out.str().find("not used        1,200: t0, t1, t2, t3, t4, t5, t6, t7, …\n") !=
                     std::string::npos,
                 out.str().c_str());
        out.str("");
        QCOMPARE(runVerb(cli, {"info", "m", "--json"}), int{ExitOk});
        QCOMPARE(nlohmann::json::parse(out.str()).at("extra_tensors").size(), std::size_t{1200});
    }

    // What has no step to stop between ends with the code of a stop all the same, and says nothing
    // that a script would take for the answer.
    void endsAsAskedWhileItReads_data() {
        QTest::addColumn<bool>("folder");
        QTest::newRow("the headers") << false;
        QTest::newRow("the last of a folder") << true;
    }
    void endsAsAskedWhileItReads() {
        QFETCH(bool, folder);
        const QTemporaryDir empty;
        std::stop_source asked;
        std::ostringstream out, err;
        Cli cli{out, err, asked.get_token(), {}, [&](const std::string&) {
                    asked.request_stop();
                    return engine::ModelInfo{};
                }};
        cli.findModels = [](const std::string&, int, std::string*) {
            return std::vector<engine::FoundModel>{{"a", "/a", "GGUF", 5, {}}};
        };
        QCOMPARE(runVerb(cli, {"info", folder ? empty.path().toStdString() : "m"}),
                 int{ExitInterrupted});
        QCOMPARE(out.str(), std::string());
        QCOMPARE(err.str(), std::string("headscope info: interrupted\n"));
    }

    // Of a folder that is no model: the models in it.
    void listsTheModelsOfAFolder() {
        QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        std::ostringstream out, err;
        Cli cli{out, err, {}, {}, [](const std::string& model) {
                    if (model == "/b") throw engine::Error(engine::Failure::Kind::BadFile, "cut");
                    engine::ModelInfo info;
                    info.family = "llama";
                    info.supported = model != "/c";
                    info.reason = info.supported ? "" : "a gate";
                    return info;
                }};
        std::vector<engine::FoundModel> found{{"org/a", "/a", "safetensors", 2'000'000, {}},
                                              {"b\n", "/b", "GGUF", 5, {}},
                                              {"c", "/c", "GGUF", 6, {}},
                                              {"d", "/d", "pickle", 7, "a pickle"}};
        std::string skipped;
        cli.findModels = [&](const std::string& where, int, std::string* leftOut) {
            *leftOut = skipped;
            return where == path ? found : std::vector<engine::FoundModel>{};
        };
        QCOMPARE(runVerb(cli, {"info", path}), int{ExitOk});
        QCOMPARE(QString::fromStdString(out.str()),
                 QStringLiteral("org/a  2.00 MB  safetensors  llama, supported\n"
                                "b\\n    5 B      GGUF         no: cut\n"
                                "c      6 B      GGUF         no: a gate\n"
                                "d      7 B      pickle       no: a pickle\n"));
        out.str("");
        QCOMPARE(runVerb(cli, {"info", path, "--json"}), int{ExitOk});
        const auto json = nlohmann::json::parse(out.str());
        QVERIFY(json.at("path") == path);
        QCOMPARE(json.at("models").size(), std::size_t{4});
        QVERIFY(json.at("models")[0] == nlohmann::json({{"name", "org/a"},
                                                        {"path", "/a"},
                                                        {"family", "llama"},
                                                        {"format", "safetensors"},
                                                        {"weight_bytes", 2'000'000},
                                                        {"supported", true},
                                                        {"reason", ""}}));
        QVERIFY(json.at("models")[3].at("reason") == "a pickle");
        QCOMPARE(err.str(), std::string());
        skipped = "/x and 2 more\n";
        QCOMPARE(runVerb(cli, {"info", path}), int{ExitOk});
        QCOMPARE(err.str(), std::string("headscope info: not looked at: /x and 2 more\\n\n"));
        found.clear();
        err.str("");
        QCOMPARE(runVerb(cli, {"info", path}), int{ExitFailed});
        QVERIFY2(err.str().find("(not looked at: /x") != std::string::npos, err.str().c_str());
        QVERIFY2(err.str().find("no model in the folder") != std::string::npos, err.str().c_str());
        // A folder with a configuration is a model, or refused as one.
        QFile config(folder.filePath(QStringLiteral("config.json")));
        QVERIFY(config.open(QIODevice::WriteOnly));
        out.str("");
        QCOMPARE(runVerb(cli, {"info", path}), int{ExitOk});
        QVERIFY(out.str().find("family          llama") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(CliInfoTest)
#include "cli_info_test.moc"
