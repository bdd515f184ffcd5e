// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs on a fake engine whose every number is known: exit codes, failures, JSON and dumps.
#include <QFloat16>  // QCOMPARE asks whether JSON turns into one
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/command_line/cli.h"
#include "app/verbs/bench_figures.h"
#include "app/verbs/prompt_losses.h"
#include "tests/support/fake_engine.h"
#include "tests/support/golden_file.h"

using namespace app;

namespace {

using Words = std::vector<std::string>;

struct Outcome {
    int code = -1;
    std::string out, err;
};

// Four layers of four heads, a vocabulary of 97, a context of 64.
std::shared_ptr<fake::World> world() {
    auto made = std::make_shared<fake::World>();
    made->shape.context = 64;
    return made;
}

Outcome run(const Words& words, const std::shared_ptr<fake::World>& at = world(),
            std::stop_token stop = {}) {
    std::ostringstream out, err;
    Cli cli{out, err, stop,
            [&](const engine::OpenRequest& request, const engine::OnProgress& progress,
                std::stop_token token) { return fake::open(at, request, progress, token); },
            [&](const std::string& path) { return fake::open(at, {path}, {}, {})->info(); }};
    const int code = runVerb(cli, words);
    return {code, out.str(), err.str()};
}

bool isOneLine(const std::string& text) {
    return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace

class CliVerbsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::string path(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    QStringList files() const {
        return QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden);
    }

  private Q_SLOTS:
    void init() {
        for (const QString& name : files()) QFile::remove(m_folder.filePath(name));
    }

    void endsWithACodeAndALine_data() {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("named");
        // "OUT" stands for a file in a folder of the test's own, ~ for a space in a word, '' for an
        // empty word.
        const auto row = [](const char* name, const char* words, int code, const char* named) {
            QTest::newRow(name) << QByteArray(words) << code << QByteArray(named);
        };
        const auto dump = [&](const char* name, const char* words, int code, const char* named) {
            row(name, QByteArray("dump m ").append(words).constData(), code, named);
        };
        row("no model", "info", 2, "MODEL is missing");
        row("two models", "info a b", 2, "'b'");
        row("tokenize without a prompt", "tokenize m", 2, "--prompt");
        row("tokenize an empty prompt", "tokenize m --prompt ''", 2, "empty");
        row("tokenize takes no --generate", "tokenize m --prompt a --generate 1", 2, "--generate");
        row("no chat template", "tokenize m --prompt a --chat", 2, "chat template");
        row("bench: browses a shape", "bench --shape qwen3-8b --browse 2", 2, "takes no --shape");
        row("bench: browses for ever", "bench m --browse inf", 2, "--browse 'inf'");
        row("bench: browses for no time", "bench m --browse 0", 2, "--browse '0'");
        row("bench: no shape", "bench --shape ''", 2, "--shape ''");
        dump("no prompt", "--out OUT", 2, "--prompt");
        dump("two prompts", "--prompt a --token-ids 1 --out OUT", 2, "one of");
        dump("empty prompt", "--prompt '' --out OUT", 2, "--prompt ''");
        dump("empty prompt file", "--prompt-file /dev/null --out OUT", 2, "empty");
        dump("no prompt file", "--prompt-file /no/such --out OUT", 1, "/no/such");
        dump("a folder as the prompt file", "--prompt-file /tmp --out OUT", 1, "/tmp");
        dump("no out", "--prompt a", 2, "--out");
        dump("empty out", "--prompt a --out ''", 2, "--out");
        dump("stdout", "--prompt a --out -", 2, "stdout is not written to");
        dump("another format", "--prompt a --out OUT.png", 2, "not '.png'");
        dump("another case", "--prompt a --out OUT.Safetensors", 2, "'.Safetensors'");
        dump("unwritable out", "--prompt a --out /no/such/a", 1, "/no/such/a");
        dump("no such device", "--prompt a --device tpu --out OUT", 2, "'tpu'");
        dump("device number", "--prompt a --device cuda:x --out OUT", 2, "'cuda:x'");
        dump("no such dtype", "--prompt a --dtype fp8 --out OUT", 2, "'fp8'");
        dump("no threads", "--prompt a --threads 0 --out OUT", 2, "--threads '0'");
        dump("ranks are of another part", "--prompt a --ranks 2 --out OUT", 2, "--ranks");
        dump("no such tensor", "--prompt a --tensors pattern,kq --out OUT", 2, "'kq'");
        dump("no tensor", "--prompt a --tensors '' --out OUT", 2, "--tensors");
        dump("a tensor twice", "--prompt a --tensors lse,lse --out OUT", 2, "'lse'");
        dump("a layer it lacks", "--prompt a --layers 0,4 --out OUT", 2, "layers 0 to 3");
        dump("a layer past 32 bits", "--prompt a --layers 4294967296 --out OUT", 2, "4294967296");
        dump("a negative layer", "--prompt a --layers -1 --out OUT", 2, "'-1'");
        dump("very many layers", "--prompt a --layers 0-18446744073709551615 --out OUT", 2,
             "layers 0 to 3");
        dump("layers backwards", "--prompt a --layers 3-1 --out OUT", 2, "'3-1'");
        dump("layers in two ranges", "--prompt a --layers 0-2,2-3 --out OUT", 2,
             "layer 2 is given twice");
        dump("a target of nothing dumped", "--prompt a --target 3 --out OUT", 2,
             "--target '3': only logit_attribution");
        dump("no layer", "--prompt a --layers '' --out OUT", 2, "--layers");
        dump("logits of a layer", "--prompt a --layers 1 --tensors logits --out OUT", 2, "whole");
        dump("a token it lacks", "--token-ids 1,97 --out OUT", 2, "0 to 96");
        dump("token ids are no text", "--token-ids 1 --chat --out OUT", 2, "--chat");
        dump("token ids with a hole", "--token-ids 1,,2 --out OUT", 2, "--token-ids");
        dump("a target it lacks", "--prompt a --tensors logit_attribution --target 97 --out OUT", 2,
             "--target '97'");
        dump("a target of two tokens",
             "--prompt a --tensors logit_attribution --target the~cat --out OUT", 2,
             "--target 'the cat' is 2 tokens, 'the' and ' cat'");
        dump("top-k without a temperature", "--prompt a --top-k 5 --out OUT", 2, "--temperature");
        dump("top-k of temperature 0", "--prompt a --temperature 0 --top-k 5 --out OUT", 2,
             "--top-k '5'");
        dump("top-p of temperature 0", "--prompt a --temperature 0.0 --top-p 0.5 --out OUT", 2,
             "--top-p '0.5'");
        dump("a seed of nothing", "--prompt a --seed 7 --out OUT", 2, "--seed '7'");
        dump("a seed of temperature 0", "--prompt a --temperature 0 --seed 7 --out OUT", 2,
             "above 0");
        dump("top-p of nothing", "--prompt a --temperature 1 --top-p 0 --out OUT", 2, "--top-p");
        dump("cold", "--prompt a --temperature -1 --out OUT", 2, "--temperature '-1'");
        dump("generate what", "--prompt a --generate many --out OUT", 2, "--generate 'many'");
        dump("past the context", "--prompt a~b~c --generate 63 --out OUT", 2, "context of 64");
        dump("one token and far too many", "--prompt a --generate 9000 --out OUT", 2,
             "1 prompt token and 9,000 generated pass the model's context of 64");
        dump("far past the context", "--prompt a --generate 2147483647 --out OUT", 2,
             "context of 64");
        dump("past 31 bits", "--prompt a --generate 2147483648 --out OUT", 2, "--generate");
        dump("sampling the last place's follower",
             "--prompt a --temperature 1 --generate 64 --out OUT", 2, "one token less");
        const auto picture = [&](const char* name, QByteArray words, int code, const char* named) {
            if (!words.contains("--out ")) words += " --out OUT.png";
            row(name, ("export m --prompt a~b " + words).constData(), code, named);
        };
        picture("no view", "", 2, "--view");
        picture("empty view", "--view ''", 2, "--view");
        picture("a view that is none", "--view L1.X", 2, "'L1.X'");
        picture("a head without a layer", "--view H1", 2, "'H1'");
        picture("a negative layer", "--view L-1", 2, "'L-1'");
        picture("layers in a list", "--view L0,L1", 2, "stands alone");
        picture("bars have no spans", "--view bars --by words", 2, "--by 'words'");
        picture("by what", "--view L1 --by letters", 2, "--by 'letters'");
        picture("bars of a head", "--view bars:L1.H1", 2, "'L1.H1'");
        picture("a list with a hole", "--view L1.H1,", 2, "''");
        picture("a head twice", "--view L1.H1,L1.H1", 2, "twice");
        picture("a layer it lacks", "--view L4", 2, "layers 0 to 3");
        picture("a head's layer it lacks", "--view L0.H0,L4.H0", 2, "layers 0 to 3");
        picture("a head it lacks", "--view L0.H4", 2, "heads 0 to 3");
        picture("bars of a layer it lacks", "--view bars:L4", 2, "layers 0 to 3");
        picture("a position it lacks", "--view bars --position 2", 2, "positions 0 to 1");
        picture("a position of the grid", "--view grid --position 1", 2, "--position");
        picture("scores of the grid", "--view grid --quantity scores", 2, "grid");
        picture("scores of bars", "--view bars --quantity scores", 2, "bars");
        picture("no such quantity", "--view L1 --quantity p", 2, "'p'");
        picture("no such theme", "--view L1 --theme blue", 2, "'blue'");
        picture("no size", "--view L1 --zoom 0", 2, "--zoom '0'");
        picture("too large", "--view L1 --zoom 17", 2, "--zoom '17'");
        picture("outlines of a PNG", "--view L1 --outline-text", 2, "only an SVG names its fonts");
        picture("a target of patterns", "--view L1 --target 1", 2, "--target");
        picture("a target it lacks", "--view bars --target 97", 2, "--target '97'");
        picture("a distractor it lacks", "--view bars --distractor #97", 2,
                "--distractor '#97' is no id: the vocabulary has #0 to #96");
        picture("a distractor of lengths", "--view bars --quantity value --distractor 1", 2,
                "only attribution has a distractor");
        picture("a distractor of patterns", "--view L1 --distractor 1", 2, "--distractor");
        picture("a target of two tokens", "--view bars --target bb~cc", 2,
                "--target 'bb cc' is 2 tokens, 'bb' and ' cc'");
        picture("two that are one", "--view bars --target 3 --distractor #3", 2,
                "is the target itself");
        picture("to stdout", "--view L1 --out -", 2, "stdout is not written to");
        picture("no format", "--view L1 --out OUT", 2, "png");
        picture("no place", "--view L1 --out /no/such/a.png", 1, "/no/such/a.png");
    }
    void endsWithACodeAndALine() {
        QFETCH(QByteArray, words);
        QFETCH(int, code);
        QFETCH(QByteArray, named);
        Words list;
        for (const QByteArray& word : words.split(' ')) {
            if (word.isEmpty()) continue;
            list.push_back(word == "''" ? "" : QByteArray(word).replace('~', ' ').toStdString());
            if (word.startsWith("OUT")) list.back().replace(0, 3, path("out"));
        }
        const Outcome outcome = run(list);
        QVERIFY2(outcome.code == code, outcome.err.c_str());
        QVERIFY2(isOneLine(outcome.err), outcome.err.c_str());
        QVERIFY2(outcome.err.find(named.toStdString()) != std::string::npos, outcome.err.c_str());
        QVERIFY(outcome.out.empty());
        QVERIFY(files().isEmpty());
    }

    void refusesALongPrompt() {
        std::string prompt = "a";
        for (int i = 0; i < 64; ++i) prompt += " b";
        const Outcome outcome = run({"dump", "m", "--prompt", prompt, "--out", path("out")});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(isOneLine(outcome.err) &&
                     outcome.err.find("65 tokens; the model's context is 64") != std::string::npos,
                 outcome.err.c_str());
    }

    void turnsAFailureIntoACode_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("code");
        using Kind = engine::Failure::Kind;
        QTest::newRow("bad file") << "open" << int(Kind::BadFile) << 1;
        QTest::newRow("unsupported") << "open" << int(Kind::Unsupported) << 1;
        QTest::newRow("out of memory") << "open_run" << int(Kind::OutOfMemory) << 1;
        QTest::newRow("ruled out") << "tokenize" << int(Kind::BadRequest) << 2;
        QTest::newRow("in the prefill") << "prefill" << int(Kind::Internal) << 1;
        QTest::newRow("in a step") << "step" << int(Kind::Internal) << 1;
        QTest::newRow("while reading the trace") << "read" << int(Kind::Internal) << 1;
    }
    void turnsAFailureIntoACode() {
        QFETCH(QString, call);
        QFETCH(int, kind);
        QFETCH(int, code);
        const auto at = world();
        at->fail_next(call.toStdString(), {static_cast<engine::Failure::Kind>(kind),
                                           "12 of 10\nbytes", "there", "do this"});
        const Outcome outcome =
            run({"dump", "m", "--prompt", "a b", "--generate", "2", "--out", path("out")}, at);
        QCOMPARE(outcome.code, code);
        QCOMPARE(outcome.err, std::string("headscope dump: there: 12 of 10\\nbytes; do this\n"));
        QVERIFY(files().isEmpty());
        QCOMPARE(at->engines_alive, 0);
    }

    void describesAModel() {
        const Outcome outcome = run({"info", "m.gguf", "--json"});
        QCOMPARE(outcome.code, 0);
        const auto json = nlohmann::json::parse(outcome.out);
        for (const char* key :
             {"name", "family", "layers", "query_heads", "kv_heads", "head_dim", "d_model", "vocab",
              "context", "dtype", "bytes_per_token", "attention", "supported", "reason"})
            QVERIFY2(json.contains(key), key);
        QCOMPARE(json["layers"], 4);
        QCOMPARE(json["attention"], nlohmann::json::array({"full", "full", "full", "full"}));
        QCOMPARE(json["dtype"], "float32");
        const Outcome text = run({"info", "m.gguf"});
        QVERIFY2(text.code == 0 && text.out.find("L0 to L3: full") != std::string::npos,
                 text.out.c_str());
    }

    void listsTokens() {
        const Outcome outcome = run({"tokenize", "m", "--prompt", "a \xf0\x9f", "--json"});
        QCOMPARE(outcome.code, 0);
        const auto json = nlohmann::json::parse(outcome.out);
        QCOMPARE(json.size(), std::size_t{2});
        QCOMPARE(json[0], nlohmann::json({{"id", 0},
                                          {"piece", "a"},
                                          {"bytes", {97}},
                                          {"start", 0},
                                          {"end", 1},
                                          {"special", false}}));
        QCOMPARE(json[1]["piece"], " \xEF\xBF\xBD\xEF\xBF\xBD");
        QCOMPARE(json[1]["bytes"], nlohmann::json({32, 0xf0, 0x9f}));
        QCOMPARE(json[1]["end"], 4);
        // A token cannot break the table's lines.
        const Outcome text = run({"tokenize", "m", "--prompt", "a\nb"});
        QCOMPARE(std::count(text.out.begin(), text.out.end(), '\n'), 1);
    }

    // stdout is the array and nothing else; what the tokens do not stand for goes to stderr.
    void saysWhatOfAPromptIsLost() {
        const std::string broken = "a \xf0\x9f";
        for (const Words& words : {Words{"tokenize", "m", "--prompt", broken, "--json"},
                                   Words{"tokenize", "m", "--prompt", broken},
                                   Words{"dump", "m", "--prompt", broken, "--out", path("out")}}) {
            const Outcome outcome = run(words);
            QVERIFY2(outcome.code == 0 && isOneLine(outcome.err), outcome.err.c_str());
            QVERIFY2(outcome.err.find("not valid UTF-8") != std::string::npos, outcome.err.c_str());
        }
        engine::Encoding encoding;
        encoding.tokens = {{{}, "a", 0, 1, false}, {{}, "b", 3, 4, false}};
        QVERIFY(promptLosses("a  b", encoding).empty());  // templates trim white space
        QCOMPARE(promptLosses("a\x1f\x1f"
                              "b",
                              encoding)
                     .size(),
                 std::size_t{1});
        QVERIFY(promptLosses("a\x1f\x1f"
                             "b",
                             encoding)[0]
                    .starts_with("2 bytes of the prompt are"));
        QVERIFY(promptLosses("a b\x1f", {})[0].starts_with("3 bytes"));
    }

    void dumpsWhatTheHeadsDid_data() {
        QTest::addColumn<int>("words");
        QTest::addColumn<int>("generate");
        QTest::newRow("one token") << 1 << 0;
        QTest::newRow("prompt") << 7 << 0;
        QTest::newRow("one generated") << 7 << 1;
        QTest::newRow("several generated") << 7 << 5;
        QTest::newRow("to the last place") << 60 << 4;
        QTest::newRow("the last place's follower") << 60 << 5;
        QTest::newRow("full prompt, one generated") << 64 << 1;
    }
    void dumpsWhatTheHeadsDid() {
        QFETCH(int, words);
        QFETCH(int, generate);
        std::string prompt = "a";
        for (int i = 1; i < words; ++i) prompt += " b";
        const Outcome outcome = run({"dump", "m", "--prompt", prompt, "--generate",
                                     std::to_string(generate), "--layers", "2,0", "--tensors",
                                     "token_ids,scores,pattern,lse", "--out", path("out")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(outcome.out.empty() && outcome.err.empty());
        QCOMPARE(files(), QStringList{QStringLiteral("out")});
        const golden::File file(path("out"));
        const std::int64_t rows = words + std::max(generate, 1) - 1;
        QCOMPARE(file.at("token_ids").shape, std::vector<std::int64_t>{words + generate});
        QVERIFY(!file.has("layers.1.pattern"));
        for (const int layer : {0, 2}) {
            const std::string name = "layers." + std::to_string(layer);
            const auto pattern = file.at(name + ".pattern"), scores = file.at(name + ".scores"),
                       lse = file.at(name + ".lse");
            QCOMPARE(pattern.shape, (std::vector<std::int64_t>{4, rows, rows}));
            QCOMPARE(scores.shape, pattern.shape);
            QCOMPARE(lse.shape, (std::vector<std::int64_t>{4, rows}));
            std::size_t i = 0;
            for (int head = 0; head < 4; ++head)
                for (std::int64_t dest = 0; dest < rows; ++dest)
                    for (std::int64_t src = 0; src < rows; ++src, ++i) {
                        const engine::LayerHead at{engine::Layer(layer), engine::QueryHead(head)};
                        QCOMPARE(pattern.values[i], fake::pattern(at, dest, src));
                        QCOMPARE(scores.values[i],
                                 src > dest ? -INFINITY : fake::score(at, dest, src));
                        if (src == 0)
                            QCOMPARE(lse.values[static_cast<std::size_t>(head * rows + dest)],
                                     fake::lse(at, dest));
                    }
        }
    }

    void writesInChunksOfRows() {
        const auto at = world();
        at->shape.context = 1024;
        at->shape.query_heads = 2;
        at->shape.layers = 1;
        std::string ids = "0";
        for (int i = 1; i < 300; ++i) ids += "," + std::to_string(i % 97);
        QCOMPARE(
            run({"dump", "m", "--token-ids", ids, "--tensors", "pattern", "--out", path("out")}, at)
                .code,
            0);
        QVERIFY(at->count("read") > 1);
        const auto pattern = golden::File(path("out")).at("layers.0.pattern");
        for (const std::int64_t dest : {0, 255, 256, 299})
            for (const std::int64_t src : {0, 255, 256, 299})
                QCOMPARE(pattern.values[static_cast<std::size_t>((300 + dest) * 300 + src)],
                         fake::pattern({engine::Layer(0), engine::QueryHead(1)}, dest, src));
    }

    void carriesItsOrigin() {
        QCOMPARE(run({"dump", "m", "--prompt", "a \"b\"", "--out", path("out")}).code, 0);
        QFile file(QString::fromStdString(path("out")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        std::uint64_t length = 0;
        QCOMPARE(file.read(reinterpret_cast<char*>(&length), 8), 8);
        QCOMPARE((length + 8) % 8, std::uint64_t{0});
        const auto metadata = nlohmann::json::parse(
            file.read(static_cast<qint64>(length)).toStdString())["__metadata__"];
        QCOMPARE(metadata["prompt"], "a \"b\"");
        QCOMPARE(nlohmann::json::parse(metadata["token_texts"].get<std::string>()),
                 nlohmann::json({"a", " \"b\""}));
        QCOMPARE(metadata["model"], "Fake-4x4");
        QCOMPARE(metadata["model_hash"], "fake");
        QCOMPARE(metadata["headscope_version"], HEADSCOPE_VERSION);
    }

    void doesNotOverwriteItsModel() {
        QFile model(QString::fromStdString(path("model.gguf")));
        QVERIFY(model.open(QIODevice::WriteOnly));
        const Outcome outcome =
            run({"dump", path("model.gguf"), "--prompt", "a", "--out", path("./model.gguf")});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.find("the model itself") != std::string::npos, outcome.err.c_str());
    }

    void stopsWhenAsked_data() {
        QTest::addColumn<QString>("where");
        for (const char* where : {"open", "prefill", "step", "read"}) QTest::newRow(where) << where;
    }
    void stopsWhenAsked() {
        QFETCH(QString, where);
        const auto at = world();
        at->open_delay = where == QLatin1String("open") ? 30 : 0;
        at->layer_delay = where == QLatin1String("prefill") ? 0.05 : 0;
        at->step_delay = where == QLatin1String("step") ? 30 : 0;
        std::stop_source source;
        std::jthread stopper([&] {
            // "read" is reached at once and is over soon: there the request comes first.
            if (where != QLatin1String("read"))
                std::this_thread::sleep_for(std::chrono::milliseconds(60));
            while (where == QLatin1String("read") && at->count("read") == 0)
                std::this_thread::yield();
            source.request_stop();
        });
        std::string prompt = "a";
        for (int i = 1; i < 64; ++i) prompt += " b";
        const bool steps = where == QLatin1String("step");
        const Outcome outcome =
            run({"dump", "m", "--prompt", steps ? "a" : prompt, "--generate", steps ? "3" : "0",
                 "--tensors", "scores,pattern,lse", "--out", path("out")},
                at, source.get_token());
        QCOMPARE(outcome.code, 130);
        QCOMPARE(outcome.err, std::string("headscope dump: interrupted\n"));
        QVERIFY(files().isEmpty());
    }

    void saysWhatItDoes() {
        const Outcome outcome = run(
            {"dump", "m", "--prompt", "a b", "--generate", "1", "--verbose", "--out", path("out")});
        QCOMPARE(outcome.code, 0);
        for (const char* part : {"opened Fake-4x4", "2 prompt tokens", "read 2 tokens in",
                                 "generated 1 token in", "text: ", "wrote 8 tensors"})
            QVERIFY2(outcome.err.find(part) != std::string::npos, outcome.err.c_str());
    }

    void measuresEveryFigure() {
        const auto at = world();
        at->shape.context = 128;
        at->shape.chunk = 4;
        at->layer_delay = 0.002;
        at->step_delay = 0.002;
        std::ostringstream out, err;
        Cli cli{out, err, {}, {}, {}};
        const auto engine = fake::open(at, {"m"}, {}, {});
        std::vector<Figure> figures;
        BenchSubject subject{cli, "m", engine->info(), {1e9, 1e9}, figures};
        subject.contexts = {16, 32, 4096};
        benchEngine(subject, *engine);
        benchWithoutCapture(subject, *engine);
        printJson(out, figures, subject.info);
        std::set<std::string> names;
        for (const auto& figure : nlohmann::json::parse(out.str())) {
            for (const char* key : {"name", "value", "unit", "limit", "context", "device", "dtype",
                                    "threads", "runs"})
                QVERIFY2(figure.contains(key), key);
            QVERIFY2(figure["value"] > 0 && figure["context"] <= 128,  // 4096 has no place
                     figure.dump().c_str());
            names.insert(figure["name"]);
        }
        QCOMPARE(names, (std::set<std::string>{"decode_tok_s", "decode_tok_s_no_capture",
                                               "prefill_ms", "layer_pattern_ms", "view_ms",
                                               "view_to_host_ms", "grid_ms", "grid_mean_ms",
                                               "bars_ms", "max_captured_tokens", "cancel_decode_ms",
                                               "cancel_prefill_ms", "peak_memory_bytes"}));
        // A step pauses for 2 ms and a chunk of 4 tokens for 4 · 2: nothing can be faster.
        for (const Figure& figure : figures) {
            if (figure.name.starts_with("decode_tok_s")) QVERIFY(figure.value < 500);
            if (figure.name == "prefill_ms")
                QVERIFY(figure.value >= 2.0 * static_cast<double>(figure.context));
        }
        QCOMPARE(median({3, 1, 2}), 2.0);
        QCOMPARE(median({4, 1, 2, 3}), 2.5);
    }
    void knowsItsMachine() {
        const MachineLimits limits = measureMachine(1);
        QVERIFY(limits.readBytesPerSecond > 1e8 && limits.readBytesPerSecond < 1e12);
        if (limits.flopsPerSecond)
            QVERIFY(*limits.flopsPerSecond > 1e8 && *limits.flopsPerSecond < 1e12);
        QCOMPARE(leastSeconds({1e9, 1e9}, 3e9, 2e9), std::optional<double>(3));
        QCOMPARE(leastSeconds({1e9, std::nullopt}, 3e9, 2e9), std::nullopt);
    }

    void explainsItself() {
        for (const std::string& verb : verbNames()) {
            const Outcome outcome = run({verb, "--help"});
            QCOMPARE(outcome.code, 0);
            QVERIFY(outcome.err.empty());
            QVERIFY(outcome.out.find("headscope " + verb) == 0);
        }
        QCOMPARE(run({"dump", "--frob", "--version"}).out,
                 std::string("headscope " HEADSCOPE_VERSION "\n"));
    }
};

QTEST_APPLESS_MAIN(CliVerbsTest)
#include "cli_verbs_test.moc"
