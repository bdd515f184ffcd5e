// SPDX-License-Identifier: GPL-3.0-or-later
// A view as a Python program: it parses, and what it names is the view's. Python's own parser is
// the judge.
#include <QFile>
#include <QFloat16>  // QCOMPARE asks whether JSON turns into one
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/files/code_snippet.h"

using app::SnippetFor;
using app::SnippetView;
using nlohmann::json;

namespace {

SnippetView exampleView() {
    SnippetView view;
    view.model.path = "/models/My \"Model\"\\ de l'été";
    view.model.name = "My\nModel";
    view.model.family = "llama";
    view.model.format = "safetensors bfloat16";
    view.model.dtype = engine::DType::BF16;
    view.model.layers = 30;
    view.model.query_heads = 9;
    view.prompt = "Line one\n\t\"two\" \\ '''three''' \U0001F469\u200D\U0001F467 \x7F {braces}";
    for (int i = 0; i < 60; ++i) {
        view.tokens.push_back(engine::TokenId(100 * i));
        view.labels.push_back(i % 7 == 0 ? "·\"quote\"" : "·tok" + std::to_string(i));
    }
    view.at = {engine::Layer(12), engine::QueryHead(7)};
    view.dest = engine::Position(41);
    view.src = engine::Position(17);
    view.dests = {20, 45};
    view.srcs = {10, 35};
    return view;
}

// What the program binds by plain assignment, as Python's parser reads it, and the text of its
// expressions.
const char* const kReader = R"PY(
import ast, json, sys
tree = ast.parse(sys.stdin.buffer.read())
out = {"imports": [], "calls": []}
for node in ast.walk(tree):
    if isinstance(node, ast.Assign):
        name = ast.unparse(node.targets[0])
        try:
            out[name] = ast.literal_eval(node.value)
        except ValueError:
            out.setdefault(name, ast.unparse(node.value))
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        out["imports"].append(ast.unparse(node))
    elif isinstance(node, ast.Call):
        out["calls"].append(ast.unparse(node))
json.dump(out, sys.stdout)
)PY";

}  // namespace

class CodeSnippetTest : public QObject {
    Q_OBJECT
    QString m_python;

    json read(const std::string& code) {
        QProcess python;
        python.start(m_python, {QStringLiteral("-c"), QString::fromLatin1(kReader)});
        python.write(QByteArray::fromStdString(code));
        python.closeWriteChannel();
        if (!python.waitForFinished(60'000) || python.exitCode() != 0) {
            qWarning("%s\n%s", code.c_str(), python.readAllStandardError().constData());
            return {};
        }
        return json::parse(python.readAllStandardOutput().toStdString());
    }

    static bool has(const json& list, const std::string& part) {
        return std::any_of(list.begin(), list.end(), [&](const json& item) {
            return item.get<std::string>().find(part) != std::string::npos;
        });
    }

  private slots:
    void initTestCase() {
        m_python = QStandardPaths::findExecutable(QStringLiteral("python3"));
        if (m_python.isEmpty()) QSKIP("there is no python3 to parse with");
    }

    void namesTheView_data() {
        QTest::addColumn<bool>("lens");
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("attention");
        for (const bool lens : {true, false}) {
            const char* library = lens ? "lens" : "nnsight";
            QTest::addRow("%s folder", library) << lens << "safetensors bfloat16"
                                                << "qwen3"
                                                << "model.model.layers[layer].self_attn.output[1]";
            QTest::addRow("%s gguf", library) << lens << "GGUF Q4_1"
                                              << "llama"
                                              << "model.model.layers[layer].self_attn.output[1]";
            QTest::addRow("%s gpt2", library) << lens << "safetensors float32"
                                              << "gpt2"
                                              << "model.transformer.h[layer].attn.output[1]";
            QTest::addRow("%s neox", library) << lens << "safetensors float16"
                                              << "gpt_neox"
                                              << "model.gpt_neox.layers[layer].attention.output[1]";
        }
    }
    void namesTheView() {
        QFETCH(bool, lens);
        QFETCH(QString, format);
        QFETCH(QString, family);
        QFETCH(QString, attention);
        SnippetView view = exampleView();
        view.model.format = format.toStdString();
        view.model.family = family.toStdString();
        if (format.startsWith(u"GGUF")) view.model.path += "/it.Q4_1.gguf";
        QCOMPARE(app::whyNoSnippet(view), std::string());
        const std::string code =
            app::snippetOf(view, lens ? SnippetFor::TransformerLens : SnippetFor::Nnsight);
        const json program = read(code);
        QVERIFY2(!program.is_null(), code.c_str());
        QCOMPARE(program["(layer, head)"], json::parse("[12, 7]"));
        QCOMPARE(program["(dest, src)"], json::parse("[41, 17]"));
        QCOMPARE(program["prompt"], view.prompt);
        std::vector<int> ids;
        for (const engine::TokenId id : view.tokens) ids.push_back(engine::to_int(id));
        QCOMPARE(program["token_ids"], json(ids));
        const json& calls = program["calls"];
        QVERIFY(has(calls, "plt.subplots"));
        QVERIFY(has(calls, "pattern[20:45, 10:35].sqrt()"));
        if (format.startsWith(u"GGUF")) {
            QCOMPARE(program["folder"], exampleView().model.path);
            QCOMPARE(program["file"], "it.Q4_1.gguf");
            QVERIFY(has(calls, "AutoModelForCausalLM.from_pretrained(folder, gguf_file=file"));
        } else {
            QCOMPARE(program["path"], view.model.path);
        }
        if (lens) {
            QVERIFY(has(calls, "TransformerBridge.boot_transformers("));
            QVERIFY(has(calls, "model.run_with_cache(tokens, names_filter=name)"));
            QVERIFY(code.find("f\"blocks.{layer}.attn.hook_pattern\"") != std::string::npos);
            QVERIFY(has(program["imports"], "from transformer_lens.model_bridge import"));
        } else {
            QVERIFY(has(calls, "LanguageModel("));
            QVERIFY(has(calls, "model.trace(tokens)"));
            QVERIFY2(has(calls, attention.toStdString() + "[0, head].save()"), code.c_str());
            QVERIFY(has(program["imports"], "from nnsight import LanguageModel"));
        }
        QVERIFY(code.find("torch.bfloat16") != std::string::npos);  // ModelInfo's, not the file's
        for (const char* axis : {"ax.set_xticks(range(25), ['·", "ax.set_yticks(range(25), ['·"})
            QVERIFY2(has(calls, axis), code.c_str());
    }

    void longSlicesHaveNoLabels() {
        SnippetView view = exampleView();
        view.dests = view.srcs = {0, 60};
        const json program = read(app::snippetOf(view, SnippetFor::Nnsight));
        QVERIFY(!has(program["calls"], "set_xticks"));
        QVERIFY(has(program["calls"], "pattern[0:60, 0:60]"));
    }

    // The plot alone: the pattern stays [dest, src].
    void transposedPlot() {
        SnippetView view = exampleView();
        const std::string usual = app::snippetOf(view, app::SnippetFor::Nnsight);
        view.transposed = true;
        const std::string turned = app::snippetOf(view, app::SnippetFor::Nnsight);
        QVERIFY(usual.find(".T.sqrt()") == std::string::npos);
        QVERIFY(turned.find("].T.sqrt()") != std::string::npos);
        QVERIFY(usual.find("ax.set_xlabel(\"source (key)\")") != std::string::npos);
        QVERIFY(turned.find("ax.set_xlabel(\"destination (query)\")") != std::string::npos);
        QVERIFY(turned.find("ax.set_ylabel(\"source (key)\")") != std::string::npos);
    }

    void renormalizedAndSpansAreComputed_data() {
        QTest::addColumn<bool>("renormalized");
        QTest::addColumn<bool>("spans");
        QTest::addRow("renormalized") << true << false;
        QTest::addRow("spans") << false << true;
        QTest::addRow("both") << true << true;
    }
    void renormalizedAndSpansAreComputed() {
        QFETCH(bool, renormalized);
        QFETCH(bool, spans);
        SnippetView view = exampleView();
        view.renormalized = renormalized;
        if (spans) {
            view.edges = {0, 3, 4, 20, 60};
            view.labels = {"The cat", "·\"s\"", "c", "d"};
            view.dests = {1, 4};
            view.srcs = {0, 3};
        }
        QCOMPARE(app::whyNoSnippet(view), std::string());
        for (const SnippetFor library : {SnippetFor::TransformerLens, SnippetFor::Nnsight}) {
            const std::string code = app::snippetOf(view, library);
            const json program = read(code);
            QVERIFY2(!program.is_null(), code.c_str());
            const json& calls = program["calls"];
            QCOMPARE(has(calls, "pattern.sum(-1, keepdim=True)"), renormalized);
            QCOMPARE(code.find("pattern[:, 0] = 0\n") != std::string::npos, renormalized);
            QCOMPARE(code.find("without source 0\"") != std::string::npos, renormalized);
            QVERIFY(has(calls, spans ? "mass[1:4, 0:3].sqrt()" : "pattern[20:45, 10:35].sqrt()"));
            if (!spans) continue;
            QCOMPARE(program["edges"], json({0, 3, 4, 20, 60}));
            QVERIFY(has(calls, "ax.set_xticks(range(3), ['The cat', '·\"s\"', 'c']"));
            QVERIFY(has(calls, "ax.set_yticks(range(3), ['·\"s\"', 'c', 'd']"));
            QVERIFY(code.find("@ pattern @ span.T") != std::string::npos);
        }
    }

    void whatIsNotTheSameIsRefused_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("says");
        QTest::addRow("scores") << "scores"
                                << "press 2";
        QTest::addRow("value") << "value"
                               << "only the pattern";
        QTest::addRow("family") << "family"
                                << "the family bert has not been compared";
        QTest::addRow("gguf") << "gguf"
                              << "GGUF reader does not know the family olmo2";
        QTest::addRow("path") << "path"
                              << "not UTF-8";
        QTest::addRow("compared") << "compared"
                                  << "two runs";
        QTest::addRow("tokens") << "tokens"
                                << "no run";
    }
    void whatIsNotTheSameIsRefused() {
        QFETCH(QString, what);
        QFETCH(QString, says);
        SnippetView view = exampleView();
        if (what == u"scores") view.quantity = engine::Quantity::Scores;
        if (what == u"value") view.quantity = engine::Quantity::Value;
        if (what == u"family") view.model.family = "bert";
        if (what == u"gguf") {
            view.model.family = "olmo2";
            view.model.format = "GGUF Q8_0";
        }
        if (what == u"path") view.model.path = "/m/\xFF";
        if (what == u"compared") view.compared = true;
        if (what == u"tokens") view.tokens.clear();
        const std::string why = app::whyNoSnippet(view);
        QVERIFY2(why.find(says.toStdString()) != std::string::npos, why.c_str());
    }
};

QTEST_APPLESS_MAIN(CodeSnippetTest)
#include "code_snippet_test.moc"
