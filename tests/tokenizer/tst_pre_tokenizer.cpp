// SPDX-License-Identifier: GPL-3.0-or-later
// Where text is cut before BPE: published patterns' pieces, Hugging Face's pieces for every rule,
// and refusals by name.
#include "engine/tokenizer/json_pre_tokenizer.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/pre_tokenizer.h"
#include "fixtures.h"

using engine::Failure;
using engine::tokenizer::JsonFields;
using engine::tokenizer::Piece;
using engine::tokenizer::PreTokenizer;
using fixtures::json;

namespace {

// The pattern that the fixture's own file holds, not one that the test brings.
PreTokenizer rules_of(const std::string& folder) {
    const json file = fixtures::read_json(folder + "/tokenizer.json");
    json rule = file.at("pre_tokenizer");
    if (rule.at("type") == "ByteLevel") rule["add_prefix_space"] = false;
    return PreTokenizer(read_pre_tokenizer(JsonFields(rule, folder)).rules);
}

QStringList pieces_of(const PreTokenizer& rules, const std::string& text) {
    QStringList pieces;
    for (const Piece& piece : rules.split(text).pieces)
        pieces << QString::fromStdString(text.substr(piece.begin, piece.end - piece.begin));
    return pieces;
}

json split_with(const std::string& pattern) {
    return json{{"type", "Sequence"},
                {"pretokenizers",
                 {{{"type", "Split"},
                   {"pattern", {{"Regex", pattern}}},
                   {"behavior", "Isolated"},
                   {"invert", false}},
                  {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
}

}  // namespace

class TestPreTokenizer : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    // What the published patterns make of these, by Python's `regex`.
    void pieces_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("qwen");
        QTest::addColumn<QStringList>("llama3");
        QTest::addColumn<QStringList>("gpt2");
        const auto row = [](const char* name, const char* text, QStringList qwen,
                            QStringList llama3, QStringList gpt2) {
            QTest::newRow(name) << QString::fromUtf8(text) << qwen << llama3 << gpt2;
        };
        row("digits", "2025 and 12345", {"2", "0", "2", "5", " and", " ", "1", "2", "3", "4", "5"},
            {"202", "5", " and", " ", "123", "45"}, {"2025", " and", " 12345"});
        row("spaces and newlines", "  \n\n  x", {"  \n\n", " ", " x"}, {"  \n\n", " ", " x"},
            {"  \n\n ", " x"});
        row("tabs", "x\t\ty", {"x", "\t", "\ty"}, {"x", "\t", "\ty"}, {"x", "\t", "\t", "y"});
        row("contractions", "I'M it'S", {"I", "'M", " it", "'S"}, {"I", "'M", " it", "'S"},
            {"I", "'", "M", " it", "'", "S"});
        row("carriage return", "x->y\r\nz", {"x", "->", "y", "\r\n", "z"},
            {"x", "->", "y", "\r\n", "z"}, {"x", "->", "y", "\r", "\n", "z"});
        row("no-break space", "a\u00a0b", {"a", "\u00a0b"}, {"a", "\u00a0b"}, {"a", "\u00a0", "b"});
        row("zero-width space", "a\u200bb", {"a", "\u200bb"}, {"a", "\u200bb"},
            {"a", "\u200b", "b"});
        row("combining marks", "e\u0301te\u0301", {"e", "\u0301te", "\u0301"},
            {"e", "\u0301te", "\u0301"}, {"e", "\u0301", "te", "\u0301"});
        row("number characters", "price: ½ ① ٢", {"price", ":", " ", "½", " ", "①", " ", "٢"},
            {"price", ":", " ", "½", " ", "①", " ", "٢"}, {"price", ":", " ½", " ①", " ٢"});
        row("trailing spaces", "  end  ", {" ", " end", "  "}, {" ", " end", "  "},
            {" ", " end", "  "});
        row("Chinese and digits", "你好世界123", {"你好世界", "1", "2", "3"}, {"你好世界", "123"},
            {"你好世界", "123"});
        row("two-case words", "eBay pH mL", {"eBay", " pH", " mL"}, {"eBay", " pH", " mL"},
            {"eBay", " pH", " mL"});
        row("U+180E is no white space", "a\u180e b", {"a", "\u180e", " b"}, {"a", "\u180e", " b"},
            {"a", "\u180e", " b"});
    }
    void pieces() {
        QFETCH(QString, text);
        for (const char* name : {"qwen", "llama3", "gpt2"}) {
            const auto expected =
                *static_cast<const QStringList*>(QTest::qData(name, qMetaTypeId<QStringList>()));
            QCOMPARE(pieces_of(rules_of(name), text.toStdString()), expected);
        }
    }

    // Composed by NFC, as Qwen's own file has it done before the cut, the marks part no word.
    void pieces_after_nfc_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("pieces");
        QTest::newRow("combining marks")
            << QString::fromUtf8("e\u0301te\u0301") << QStringList{"\u00e9t\u00e9"};
        QTest::newRow("a mark that composes with nothing")
            << QString::fromUtf8("q\u0301t") << QStringList{"q", "\u0301t"};
        QTest::newRow("Hangul") << QString::fromUtf8("\u1112\u1161\u11ab") << QStringList{"\ud55c"};
    }
    void pieces_after_nfc() {
        QFETCH(QString, text);
        QFETCH(QStringList, pieces);
        QCOMPARE(fixtures::read_json("qwen/tokenizer.json").at("normalizer").at("type"), "NFC");
        QCOMPARE(pieces_of(rules_of("qwen"), engine::tokenizer::to_nfc(text.toStdString()).text),
                 pieces);
    }

    void equal_hugging_face() {
        const json golden = fixtures::read_json("rules.json");
        QVERIFY(golden["cases"].size() > 15);
        for (const json& one : golden["cases"]) {
            const PreTokenizer rules(
                read_pre_tokenizer(JsonFields(one["rule"], "rules.json")).rules);
            for (std::size_t i = 0; i < golden["strings"].size(); ++i) {
                const std::string text = golden["strings"][i];
                json pieces = json::array();
                for (const Piece& piece : rules.split(text).pieces)
                    pieces.push_back({piece.begin, piece.end});
                QVERIFY2(pieces == one["pieces"][i],
                         fixtures::readable(text) + " by " +
                             QByteArray::fromStdString(one["rule"].dump()) + " is " +
                             QByteArray::fromStdString(pieces.dump() + " instead of " +
                                                       one["pieces"][i].dump()));
            }
        }
    }

    void refused_by_name_data() {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("name");
        const auto pattern = [](const char* title, const char* regex, const char* name) {
            QTest::newRow(title) << QString::fromStdString(split_with(regex).dump())
                                 << QString(name);
        };
        pattern("anchor", "^a|b", "the anchor ^");
        pattern("dollar", "a$", "the anchor $");
        pattern("hexadecimal", R"(\h+)", R"(\h)");
        pattern("word boundary", R"(\bword)", R"(\b)");
        pattern("class in class", "[a[bc]]", "a class inside a class");
        pattern("intersection", "[a-z&&[^b]]", "&&");
        pattern("flag", "(?m)a", "(?m)");
        pattern("named group", "(?<name>a)", "(?<n");
        pattern("recursion", "a(?R)?b", "(?R)");
        pattern("repeated repetition", "a{1,3}+", "repetition of a repetition");
        pattern("property without braces", R"(\pL)", "property");
        QTest::newRow("scheme")
            << R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "often"})"
            << "\"often\"";
        QTest::newRow("scripts") << R"({"type": "UnicodeScripts"})"
                                 << "\"UnicodeScripts\"";
        QTest::newRow("after byte level")
            << R"({"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"},
                    {"type": "Digits"}]})"
            << "\"Digits\" after ByteLevel";
        QTest::newRow("behavior")
            << R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "Shuffled",
                    "invert": false})"
            << "\"Shuffled\"";
    }
    void refused_by_name() {
        QFETCH(QString, rule);
        QFETCH(QString, name);
        const json parsed = json::parse(rule.toStdString());
        const Failure failure =
            fixtures::failure_of([&] { read_pre_tokenizer(JsonFields(parsed, "tokenizer.json")); });
        QCOMPARE(failure.kind, Failure::Kind::Unsupported);
        QVERIFY2(QString::fromStdString(failure.what).contains(name), failure.what.c_str());
        QCOMPARE(failure.where, std::string("tokenizer.json"));
    }

    void broken_patterns_are_bad_files_data() {
        QTest::addColumn<QString>("pattern");
        QTest::newRow("parenthesis") << "(a";
        QTest::newRow("property") << R"(\p{Nonsense})";
        QTest::newRow("range") << "[z-a]";
        QTest::newRow("long") << QString(70000, 'a');
        QTest::newRow("nested") << QString(5000, '(') + QString(5000, ')');
    }
    void broken_patterns_are_bad_files() {
        QFETCH(QString, pattern);
        const json rule = split_with(pattern.toStdString());
        const Failure failure =
            fixtures::failure_of([&] { read_pre_tokenizer(JsonFields(rule, "t")); });
        QCOMPARE(failure.kind, Failure::Kind::BadFile);
    }

    // A pattern that doubles its work with every character gives up instead of running for hours.
    void endless_backtracking_is_refused() {
        const json rule = split_with(R"((?:\p{L}+)+\p{N})");
        const PreTokenizer rules(read_pre_tokenizer(JsonFields(rule, "t")).rules);
        QElapsedTimer timer;
        timer.start();
        const Failure failure = fixtures::failure_of([&] { rules.split(std::string(60, 'a')); });
        QCOMPARE(failure.kind, Failure::Kind::BadRequest);
        QVERIFY(timer.elapsed() < 5000);
    }
};

QTEST_APPLESS_MAIN(TestPreTokenizer)
#include "tst_pre_tokenizer.moc"
