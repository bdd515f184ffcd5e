// SPDX-License-Identifier: GPL-3.0-or-later
// Session files: what is written comes back the same, and what is wrong is refused by one error
// that says where and why.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/command_line/cli.h"
#include "app/session/pins.h"
#include "app/session/session_file.h"
#include "app/window.h"
#include "engine/values/failure.h"

using app::SavedSession;
using engine::TokenId;
using nlohmann::json;

namespace {

SavedSession example(const std::string& model) {
    SavedSession session;
    session.model = {model, "Example", "1234abcd"};
    session.bar.text = "typed \"since\"\n\tשלום \U0001F469";
    session.bar.generate = 7;
    session.bar.sampling = {0.75, 40, 0.9, 18'000'000'000'000'000'000ULL};
    session.prompt.emplace();
    session.prompt->text = "one two three";
    session.prompt->options.chat = true;
    session.prompt->tokens = {TokenId{1}, TokenId{22}, TokenId{0}};
    session.runs = {{{}, 0, {TokenId{5}, TokenId{6}, TokenId{7}}},
                    {0, 2, {TokenId{9}}},
                    {1, 3, {TokenId{2}, TokenId{3}}}};
    session.shown = 2;
    session.selection = {{engine::Layer(3), engine::QueryHead(1)},
                         engine::Position(7),
                         engine::Position(4),
                         true,
                         true,
                         false};
    session.view.quantity = engine::Quantity::Attribution;
    session.view.scale = {engine::Transfer::Log, true, ui::RangeMode::Model,
                          ui::SinkMode::Renormalized, engine::Pooling::Sum};
    session.view.zoom = ui::MapView{2, 1, 4};
    session.view.by = ui::Granularity::Sentences;
    session.view.span = engine::Rows{2, 5};
    session.view.page = app::SavedPage::Compare;
    session.view.target = TokenId{11};
    session.view.distractor = TokenId{12};
    session.view.pins = {{engine::Layer(3), engine::QueryHead(0)},
                         {engine::Layer(0), engine::QueryHead(1)}};
    session.view.compared = {2, 0};
    session.view.heads.emplace();
    session.view.heads->fold = {{{0, 2}, {2, 4}}, {0, 1}, ui::FoldPooling::Mean};
    session.view.heads->rank = ui::HeadMetric::Induction;
    session.view.heads->reversed = true;
    session.view.heads->filter = "sink > 0.5 \"é\"";
    session.view.heads->x = ui::HeadMetric::Write;
    session.view.asText = true;
    session.view.transposed = true;
    session.view.scale.setThreshold(engine::Quantity::Pattern, 0.05);
    session.view.measure = ui::Measure::Write;
    session.view.palette = ui::Palette::Cividis;
    return session;
}

engine::ModelInfo exampleModel() {
    engine::ModelInfo info;
    info.name = "Example";
    info.layers = 4;
    info.query_heads = info.kv_heads = 2;
    info.vocab = 23;
    info.context = 8;
    return info;
}

std::string refusalOf(const std::function<void()>& work) {
    try {
        work();
    } catch (const engine::Error& error) {
        return error.what();
    } catch (const std::exception& error) {
        return std::string("another exception: ") + error.what();
    }
    return "accepted";
}

}  // namespace

class SessionFileTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    std::string m_model;

  private slots:
    void initTestCase() {
        QFile model(m_folder.filePath(QStringLiteral("model.gguf")));
        QVERIFY(model.open(QIODevice::WriteOnly));
        m_model = model.fileName().toStdString();
    }

    void whatIsWrittenComesBack() {
        const SavedSession before = example(m_model);
        const std::string text = app::sessionText(before);
        const SavedSession after = app::parseSession(text, "file");
        QCOMPARE(app::sessionText(after), text);
        QCOMPARE(after.model.path, before.model.path);
        QCOMPARE(after.model.hash, before.model.hash);
        QCOMPARE(after.bar.text, before.bar.text);
        QCOMPARE(after.bar.generate, 7);
        QCOMPARE(after.bar.sampling.temperature, 0.75);
        QCOMPARE(after.bar.sampling.seed, before.bar.sampling.seed);
        QVERIFY(after.prompt->options.chat && !after.prompt->options.parse_special);
        QCOMPARE(after.prompt->tokens, before.prompt->tokens);
        QCOMPARE(after.runs.size(), 3u);
        QCOMPARE(after.runs[2].parent, std::optional<std::size_t>(1));
        QCOMPARE(after.runs[2].at, 3);
        QCOMPARE(after.shown, 2u);
        QCOMPARE(after.selection.at, before.selection.at);
        QCOMPARE(after.selection.dest, engine::Position(7));
        QVERIFY(after.selection.locked && after.selection.srcByHand && !after.selection.follow);
        QCOMPARE(after.view.quantity, engine::Quantity::Attribution);
        QVERIFY(after.view.scale == before.view.scale);
        QVERIFY(after.view.zoom == before.view.zoom);
        QCOMPARE(after.view.by, before.view.by);
        QCOMPARE(after.view.span.value(), (engine::Rows{2, 5}));
        QCOMPARE(after.view.page, app::SavedPage::Compare);
        QCOMPARE(after.view.pins, before.view.pins);
        QVERIFY(after.view.compared == before.view.compared);
        QVERIFY(after.view.heads == before.view.heads);
        QVERIFY(after.view.asText == true && after.view.measure == ui::Measure::Write);
        QVERIFY(after.view.palette == ui::Palette::Cividis);
        QVERIFY(after.view.transposed == true);
        QCOMPARE(after.view.target, before.view.target);
        QCOMPARE(after.view.distractor, before.view.distractor);
        // Run 2: the prompt, two of run 0's, run 1's own, its own.
        const std::vector<TokenId> ids{TokenId{1}, TokenId{22}, TokenId{0}, TokenId{5},
                                       TokenId{6}, TokenId{9},  TokenId{2}, TokenId{3}};
        QCOMPARE(app::idsOf(after, 2), ids);
        QCOMPARE(app::tokensOf(after, 2), 8);
        app::checkSession(after, exampleModel(), "file");
    }

    // An earlier prompt that is compared: its runs come after the session's own.
    void aComparedPromptComesBack() {
        SavedSession before = example(m_model);
        app::SavedBeside& beside = before.beside.emplace_back();
        beside.prompt = {"two", {}, {TokenId{3}, TokenId{4}}};
        beside.runs = {{{}, 0, {TokenId{5}}, {}, false}, {0, 1, {TokenId{6}}, {}, false}};
        beside.shown = 1;
        before.view.compared = app::SavedPair{4, 2};
        const std::string text = app::sessionText(before);
        QVERIFY(text.find("\"headscope_session\": 3") != std::string::npos);
        const SavedSession after = app::parseSession(text, "file");
        QCOMPARE(app::sessionText(after), text);
        QCOMPARE(after.beside.size(), 1u);
        QCOMPARE(after.beside[0].prompt.text, std::string("two"));
        QCOMPARE(after.beside[0].shown, 1u);
        QVERIFY(after.view.compared == before.view.compared);
        const SavedSession alone = app::besideOf(after, 0);
        QCOMPARE(app::idsOf(alone, 1),
                 (std::vector{TokenId{3}, TokenId{4}, TokenId{5}, TokenId{6}}));
        app::checkSession(after, exampleModel(), "file");

        const auto refused = [&](const char* place, const char* value) {
            auto document = nlohmann::json::parse(text);
            document[nlohmann::json::json_pointer(place)] = nlohmann::json::parse(value);
            return refusalOf([&] {
                app::checkSession(app::parseSession(document.dump(), "file"), exampleModel(),
                                  "file");
            });
        };
        for (const auto& [place, value, says] :
             {std::tuple("/view/compared/a", "5", "5"), std::tuple("/beside/0/shown", "2", "2"),
              std::tuple("/beside/0/runs", "[]", "is empty"),
              std::tuple("/beside/0/prompt/tokens", "[]", "is empty"),
              std::tuple("/beside/0/prompt/tokens/0", "23", "token 23"),
              std::tuple("/beside", "7", "beside"),
              std::tuple("/beside/0/runs/1/parent", "1", "parent")}) {
            const std::string refusal = refused(place, value);
            QVERIFY2(refusal != "accepted" && refusal.find(says) != std::string::npos,
                     (std::string(place) + ": " + refusal).c_str());
        }
    }

    void aSessionWithoutARun() {
        SavedSession before = example(m_model);
        before.prompt.reset();
        before.runs.clear();
        before.shown = 0;
        before.view.zoom.reset();
        before.view.target.reset();
        before.view.compared.reset();
        before.view.pins.clear();
        const SavedSession after = app::parseSession(app::sessionText(before), "file");
        QVERIFY(!after.prompt && after.runs.empty() && !after.view.zoom && !after.view.target);
        QVERIFY(after.view.pins.empty() && !after.view.compared);
    }

    // Each is the good file with one thing changed: a JSON pointer and what stands there instead.
    void oneWrongValueIsRefused_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* place, const char* value, const char* says) {
            QTest::addRow("%s=%s", place, value)
                << QString::fromLatin1(place) << QString::fromUtf8(value)
                << QString::fromLatin1(says);
        };
        row("/headscope_session", "4", "version 4, and this program reads up to 3");
        row("/runs/0/edits", "{}", "edits stands at the prompt's own run");
        row("/runs/1/edits", "[]", "edits is a list of 0, not an object");
        row("/runs/1/edits", R"({"heads": [{"layer": 1}], "edges": []})", "head");
        row("/runs/1/edits",
            R"({"heads": [], "edges": [{"layer": 1, "head": 0, "dest": {"begin": 4, "end": 4},
                                        "src": {"begin": 0}}]})",
            "dest.end is 4");
        row("/runs/1/edited", "1", "edited");
        row("/headscope_session", "-1", "headscope_session is -1");
        row("/headscope_session", "\"1\"", "headscope_session is '1'");
        row("/model", "[]", "model is a list of 0, not an object");
        row("/model/path", "\"models/x.gguf\"", "no absolute path");
        row("/model/path", "\"\"", "no absolute path");
        row("/model/path", "\"/a\\u0000b\"", "NUL");
        row("/model/path", "17", "model.path is 17, not a text");
        row("/bar/generate", "0", "bar.generate is 0, not a whole number from 1");
        row("/bar/generate", "1e308", "bar.generate is 1e+308");
        row("/bar/generate", "99999999999999999999", "bar.generate is 1e+20");
        row("/bar/generate", "9223372036854775808", "bar.generate is 9223372036854775808");
        row("/bar/temperature", "-0.5", "bar.temperature is -0.5, not a number from 0");
        row("/bar/temperature", "1e308", "bar.temperature is 1e+308");
        row("/bar/temperature", "null", "has no \"temperature\"");
        row("/bar/top_p", "0", "leaves no token");
        row("/bar/top_k", "-1", "bar.top_k is -1");
        row("/bar/seed", "-1", "bar.seed is -1");
        row("/bar/chat", "1", "bar.chat is 1, not true or false");
        row("/bar/text", "[\"a\"]", "bar.text is a list of 1, not a text");
        row("/prompt/tokens", "[]", "prompt.tokens is empty");
        row("/prompt/tokens", "{}", "prompt.tokens is an object, not a list");
        row("/prompt/tokens/1", "-4", "prompt.tokens[1] is -4");
        row("/prompt/tokens/1", "2147483648", "prompt.tokens[1] is 2147483648");
        row("/prompt/tokens/1", "1.5", "prompt.tokens[1] is 1.5");
        row("/prompt", "null", "there is no prompt");
        row("/runs", "[]", "runs is empty");
        row("/runs", "null", "has no \"runs\"");
        row("/runs/0/parent", "0", "stands at the prompt's own run");
        row("/runs/1/parent", "1", "runs[1].parent is 1");  // itself
        row("/runs/1/parent", "-1", "runs[1].parent is -1");
        row("/runs/1/parent", "null", "runs[1] has no \"parent\"");
        row("/runs/1/at", "4", "runs[1].at is 4, not a whole number from 0 to 3");
        row("/runs/1/at", "-2", "runs[1].at is -2");
        row("/runs/1/tokens", "[]", "a fork has a token");
        row("/runs/0/tokens/0", "1e308", "runs[0].tokens[0] is 1e+308");
        row("/shown", "3", "shown is 3, not a whole number from 0 to 2");
        row("/selection/dest", "8", "selection.dest is 8, not a whole number from 0 to 7");
        row("/selection/src", "7777", "selection.src is 7777");
        row("/selection/layer", "-1", "selection.layer is -1");
        row("/selection/locked", "\"yes\"", "selection.locked is 'yes'");
        row("/view/quantity", "\"sharpness\"", "view.quantity is 'sharpness', not one of scores");
        row("/view/pooling", "\"none\"", "view.pooling is none");
        row("/view/scale", "0", "view.scale is 0, not one of linear");
        row("/view/by", "\"letters\"", "view.by");
        row("/view/zoom/count", "0", "view.zoom.count is 0");
        row("/view/zoom/dest", "-9223372036854775808", "view.zoom.dest is -9223372036854775808");
        row("/view/target", "-7", "view.target is -7");
        row("/view/page", "\"front\"", "view.page is 'front', not one of head, finder, compare");
        row("/view/pins", "3", "view.pins is 3, not a list");
        row("/view/pins/1/head", "-1", "view.pins[1].head is -1");
        row("/view/pins/0", "[3, 0]", "view.pins[0] is a list of 2, not an object");
        row("/view/compared/a", "3", "view.compared.a is 3, not a whole number from 0 to 2");
        row("/view/compared", "{\"a\": 1}", "view.compared has no \"b\"");
        row("/view/heads", "[]", "view.heads is a list of 0, not an object");
        row("/view/heads/rank", "\"beauty\"", "view.heads.rank is 'beauty', not one of entropy");
        row("/view/heads/x", "null", "view.heads has no \"x\"");
        row("/view/heads/filter", "7", "view.heads.filter is 7, not a text");
        row("/view/heads/fold/layers/1/begin", "1", "fold.layers[1].begin is 1, not a whole");
        row("/view/heads/fold/layers/0/end", "1", "fold.layers[0].end is 1, not a whole");
        row("/view/heads/fold/groups/1", "0", "fold.groups[1] is 0");
        row("/view/heads/fold/pooling", "\"sum\"", "fold.pooling is 'sum', not one of max");
        row("/view/as_text", "1", "view.as_text is 1, not true or false");
        row("/view/thresholds", "{\"pattern\": -1}", "view.thresholds.pattern is -1");
        row("/view/thresholds", "0.1", "view.thresholds");
        row("/view/transposed", "1", "view.transposed is 1, not true or false");
        row("/view/palette", "\"jet\"", "view.palette is 'jet', not one of navia");
        row("/view/bars", "\"logits\"", "view.bars is 'logits', not one of write");
    }
    void oneWrongValueIsRefused() {
        QFETCH(QString, place);
        QFETCH(QString, value);
        QFETCH(QString, says);
        json document = json::parse(app::sessionText(example(m_model)));
        document[json::json_pointer(place.toStdString())] = json::parse(value.toStdString());
        const std::string text = document.dump();
        const std::string refusal =
            refusalOf([&] { (void)app::parseSession(text, "s.headscope"); });
        QVERIFY2(refusal.find(says.toStdString()) != std::string::npos, refusal.c_str());
        QVERIFY2(refusal.starts_with("s.headscope: "), refusal.c_str());
        QVERIFY2(refusal.ends_with("nothing was changed") || place == u"/headscope_session",
                 refusal.c_str());
    }

    // Older files say nothing of folds, order, text and bars, which then stay as they are.
    void howHeadsAreShownMayBeMissing() {
        json document = json::parse(app::sessionText(example(m_model)));
        for (const char* key : {"heads", "as_text", "bars", "palette", "transposed"})
            document["view"].erase(key);
        const SavedSession session = app::parseSession(document.dump(), "file");
        QVERIFY(!session.view.heads && !session.view.asText && !session.view.measure &&
                !session.view.palette && !session.view.transposed);
        app::checkSession(session, exampleModel(), "file");
        // By layer and head, nothing folded, nothing filtered: what is not there is not written.
        SavedSession plain = session;
        plain.view.heads.emplace();
        plain.view.heads->rank.reset();
        const json view = json::parse(app::sessionText(plain))["view"];
        QCOMPARE(view["heads"].size(), 3u);
        QVERIFY(app::parseSession(app::sessionText(plain), "file").view.heads == plain.view.heads);
    }

    // Older files name neither pins nor runs to compare.
    void pinsAndPairMayBeMissing() {
        json document = json::parse(app::sessionText(example(m_model)));
        document["view"].erase("pins");
        document["view"].erase("compared");
        const SavedSession session = app::parseSession(document.dump(), "file");
        QVERIFY(session.view.pins.empty() && !session.view.compared);
    }

    void moreThanFitIsRefused() {
        SavedSession session = example(m_model);
        session.view.pins.resize(app::Pins::most + 1);
        const std::string text = app::sessionText(session);
        const std::string refusal = refusalOf([&] { (void)app::parseSession(text, "file"); });
        QVERIFY2(refusal.find("view.pins has 25 entries, and 24 heads") != std::string::npos,
                 refusal.c_str());
        session = example(m_model);
        session.runs.resize(1);
        session.shown = 0;
        session.selection.dest = session.selection.src = engine::Position(0);
        const std::string one = app::sessionText(session);
        const std::string alone = refusalOf([&] { (void)app::parseSession(one, "file"); });
        QVERIFY2(alone.find("there are no two runs") != std::string::npos, alone.c_str());
    }

    void whatIsNoSessionIsRefused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        const std::string good = app::sessionText(example(m_model));
        QTest::addRow("empty") << QByteArray() << "no JSON: it ends too early";
        QTest::addRow("words") << QByteArray("a prompt of mine") << "no JSON: it stops";
        QTest::addRow("cut") << QByteArray::fromStdString(good.substr(0, good.size() / 2))
                             << "no JSON: it ends too early";
        QTest::addRow("more") << QByteArray::fromStdString(good) + "{}"
                              << "no JSON: it stops";
        QTest::addRow("gguf") << QByteArray("GGUF\3\0\0\0\0\0\0\0", 12) << "no JSON";
        QTest::addRow("not utf-8")
            << QByteArray("{\"headscope_session\":1,\"a\":\"\xFF\"}") << "no JSON";
        QTest::addRow("number") << QByteArray("1e308") << "not a session of Headscope";
        QTest::addRow("too large")
            << QByteArray("{\"headscope_session\":1e999}") << "a number that is too large";
        QTest::addRow("another json") << QByteArray("{\"cells\":[]}") << "has no \"headscope";
        QTest::addRow("list") << QByteArray("[1]") << "not a session of Headscope";
        QTest::addRow("deep") << QByteArray(1'000'000, '[') << "nested more than 10 deep";
        QTest::addRow("deep objects")
            << QByteArray("{\"headscope_session\":").repeated(100'000) << "nested more than";
    }
    void whatIsNoSessionIsRefused() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        QFile file(m_folder.filePath(QStringLiteral("hostile.headscope")));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(bytes);
        file.close();
        const std::string refusal =
            refusalOf([&] { (void)app::readSession(file.fileName().toStdString()); });
        QVERIFY2(refusal.find(says.toStdString()) != std::string::npos, refusal.c_str());
        QVERIFY2(refusal.size() < 400, refusal.c_str());
    }

    void whatIsNoFileIsRefused() {
        const auto read = [this](const char* name) {
            return refusalOf([&] {
                (void)app::readSession(m_folder.filePath(QLatin1String(name)).toStdString());
            });
        };
        QVERIFY(read("missing.headscope").find("no such file") != std::string::npos);
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("folder.headscope")));
        QVERIFY(read("folder.headscope").find("not a file") != std::string::npos);
        // A pipe that nobody writes to must not hold the window.
        const std::string pipe = m_folder.filePath(QStringLiteral("pipe.headscope")).toStdString();
        QCOMPARE(std::system(("mkfifo '" + pipe + "'").c_str()), 0);
        QVERIFY(read("pipe.headscope").find("not a file") != std::string::npos);
        QFile huge(m_folder.filePath(QStringLiteral("huge.headscope")));
        QVERIFY(huge.open(QIODevice::WriteOnly) && huge.resize(qint64{1} << 40));
        QVERIFY(read("huge.headscope")
                    .find("1,099,511,627,776 bytes; a session may have "
                          "16,777,216") != std::string::npos);
    }

    void theModelMayHaveMovedWithTheSession() {
        QTemporaryDir other;
        const auto write = [](const QString& path, const std::string& text) {
            QFile file(path);
            return file.open(QIODevice::WriteOnly) &&
                   file.write(QByteArray::fromStdString(text)) >= 0;
        };
        const QString session = other.filePath(QStringLiteral("s.headscope"));
        const std::string there = other.filePath(QStringLiteral("model.gguf")).toStdString();
        QVERIFY(write(session, app::sessionText(example("/nowhere/model.gguf"))));
        const std::string refusal =
            refusalOf([&] { (void)app::readSession(session.toStdString()); });
        QVERIFY2(refusal.find("its model is not there: /nowhere/model.gguf") != std::string::npos,
                 refusal.c_str());
        QVERIFY(write(QString::fromStdString(there), "x"));
        QCOMPARE(app::readSession(session.toStdString()).model.path, there);
    }

    void theModelMustFit_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<int>("value");
        QTest::addColumn<QString>("says");
        QTest::addRow("layer") << "/selection/layer" << 4
                               << "names layer 4, and its model Example "
                                  "has 4";
        QTest::addRow("head") << "/selection/head" << 2 << "names head 2";
        QTest::addRow("prompt") << "/prompt/tokens/0" << 23 << "names token 23";
        QTest::addRow("generated") << "/runs/1/tokens/0" << 2147483647 << "names token 2147483647";
        QTest::addRow("target") << "/view/target" << 23 << "names token 23";
        QTest::addRow("distractor") << "/view/distractor" << 24 << "names token 24";
        QTest::addRow("pin") << "/view/pins/1/layer" << 9 << "names layer 9";
        QTest::addRow("folded layer") << "/view/heads/fold/layers/1/end" << 5 << "names layer 4";
        QTest::addRow("folded group") << "/view/heads/fold/groups/1" << 2 << "names KV group 2";
        QTest::addRow("context") << "/runs/2/tokens/2" << 1
                                 << "has 9 tokens, and its model's "
                                    "context holds 8";
    }
    void theModelMustFit() {
        QFETCH(QString, place);
        QFETCH(int, value);
        QFETCH(QString, says);
        json document = json::parse(app::sessionText(example(m_model)));
        document[json::json_pointer(place.toStdString())] = value;
        const SavedSession session = app::parseSession(document.dump(), "file");
        const std::string refusal =
            refusalOf([&] { app::checkSession(session, exampleModel(), "file"); });
        QVERIFY2(refusal.find(says.toStdString()) != std::string::npos, refusal.c_str());
    }

    void whatCannotBeKeptIsSaid() {
        SavedSession session = example("/models/\xFF.gguf");
        QVERIFY(refusalOf([&] { (void)app::sessionText(session); }).find("not UTF-8") !=
                std::string::npos);
        session = example(m_model);
        session.bar.text = std::string(static_cast<std::size_t>(app::kLargestSession), 'x');
        QVERIFY(refusalOf([&] { (void)app::sessionText(session); }).find("may have 16,777,216") !=
                std::string::npos);
    }

    void aSessionHasItsOwnPrompt() {
        QCOMPARE(app::parseWindowArguments({"a.headscope"}).model,
                 std::optional<std::string>("a.headscope"));
        const std::string refusal = refusalOf([] {
            (void)app::parseWindowArguments({"a.headscope", "--prompt", "text"});
        });
        QVERIFY2(refusal.find("a session has its own prompt") != std::string::npos,
                 refusal.c_str());
        QVERIFY(app::parseWindowArguments({"a.gguf", "--prompt", "text"}).prompt);
    }

    void endings() {
        QVERIFY(app::isSessionPath("a.headscope") && app::isSessionPath("/b/C.HeadScope"));
        QVERIFY(!app::isSessionPath("headscope") && !app::isSessionPath("a.headscope.gguf"));
    }
};

QTEST_APPLESS_MAIN(SessionFileTest)
#include "session_file_test.moc"
