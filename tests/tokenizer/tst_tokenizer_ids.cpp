// SPDX-License-Identifier: GPL-3.0-or-later
// Ids against Hugging Face `tokenizers` (tests/data/tokenizer/make_goldens.py), bytes and spans
// against the text.
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/utf8.h"
#include "fixtures.h"

using engine::Encoding;
using engine::Token;
using fixtures::json;

namespace {

// What holds of any encoding without scaffolding: spans go from left to right and leave nothing of
// the text out.
void check_spans(const std::string& text, const Encoding& encoding) {
    std::int64_t at = 0;
    for (const Token& token : encoding.tokens) {
        QVERIFY2(token.start <= at, "a gap between spans");
        QVERIFY(token.end >= token.start && token.end >= at - 16);
        at = std::max(at, token.end);
    }
    QCOMPARE(at, static_cast<std::int64_t>(text.size()));
}

// Without a normalizer a token's bytes are the text's own.
void check_bytes(const std::string& text, const Encoding& encoding) {
    QCOMPARE(fixtures::joined(encoding), text);
    for (const Token& token : encoding.tokens)
        QCOMPARE(text.substr(static_cast<std::size_t>(token.start),
                             static_cast<std::size_t>(token.end - token.start)),
                 token.bytes);
}

// With NFC: a token that shares its place with no other holds that place's text normalized.
void check_normalized(const std::string& text, const Encoding& encoding) {
    QCOMPARE(engine::tokenizer::to_nfc(fixtures::joined(encoding)).text,
             engine::tokenizer::to_nfc(text).text);
    const std::vector<Token>& tokens = encoding.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i > 0 && tokens[i].start < tokens[i - 1].end) continue;
        if (i + 1 < tokens.size() && tokens[i + 1].start < tokens[i].end) continue;
        const auto own = text.substr(static_cast<std::size_t>(tokens[i].start),
                                     static_cast<std::size_t>(tokens[i].end - tokens[i].start));
        if (engine::tokenizer::valid_prefix(own) == own.size())
            QCOMPARE(engine::tokenizer::to_nfc(own).text,
                     engine::tokenizer::to_nfc(tokens[i].bytes).text);
    }
}

}  // namespace

class TestTokenizerIds : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void equal_hugging_face_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("parse_special");
        for (const char* name : {"smollm", "qwen", "llama3", "gpt2"})
            for (const bool special : {false, true})
                QTest::addRow("%s %s", name, special ? "special" : "plain")
                    << QString(name) << special;
    }
    void equal_hugging_face() {
        QFETCH(QString, name);
        QFETCH(bool, parse_special);
        const auto tokenizer = fixtures::tokenizer_named(name.toStdString());
        NEEDS_DEFAULT_MODEL(tokenizer);
        const json corpus = fixtures::read_json("corpus.json");
        const std::string file =
            name == "smollm" ? "smollm.json" : name.toStdString() + "/golden.json";
        const json golden = fixtures::read_json(file)[parse_special ? "special" : "plain"];
        QCOMPARE(golden.size(), corpus.size());
        QVERIFY(corpus.size() > 400);
        for (std::size_t i = 0; i < corpus.size(); ++i) {
            const std::string text = corpus[i];
            const Encoding encoding = tokenizer->encode(text, {false, parse_special, false});
            const std::vector<int> expected = golden[i];
            QVERIFY2(fixtures::ids_of(encoding) == expected,
                     fixtures::readable(text) + " gives " +
                         QByteArray::fromStdString(json(fixtures::ids_of(encoding)).dump()) +
                         " instead of " + QByteArray::fromStdString(golden[i].dump()));
            for (const Token& token : encoding.tokens) {
                QCOMPARE(token.bytes, tokenizer->bytes(token.id));
                QCOMPARE(token.control, tokenizer->is_control(token.id));
            }
        }
    }

    void bytes_and_spans_are_the_texts_data() { equal_hugging_face_data(); }
    void bytes_and_spans_are_the_texts() {
        QFETCH(QString, name);
        QFETCH(bool, parse_special);
        const auto tokenizer = fixtures::tokenizer_named(name.toStdString());
        NEEDS_DEFAULT_MODEL(tokenizer);
        for (const auto& entry : fixtures::read_json("corpus.json")) {
            const std::string text = entry;
            const Encoding encoding = tokenizer->encode(text, {false, parse_special, false});
            // The default model lacks a few control bytes; the note says how many were left out.
            const bool complete = encoding.notes.empty() ||
                                  encoding.notes.back().find("left out") == std::string::npos;
            if (!complete) {
                QVERIFY(name == "smollm" && text.find('\x1f') != std::string::npos);
                continue;
            }
            // These tokens take white space with them, or are written differently in the text.
            if (name == "qwen" && (text.find("<mask>") != std::string::npos ||
                                   text.find("[MASK]") != std::string::npos ||
                                   text.find("[PAD]") != std::string::npos)) {
                check_spans(text, encoding);
            } else if (name == "qwen") {
                check_spans(text, encoding);
                check_normalized(text, encoding);
            } else if (name == "gpt2") {  // a space in front that the text does not have
                check_spans(text, encoding);
            } else {
                check_spans(text, encoding);
                check_bytes(text, encoding);
            }
            if (QTest::currentTestFailed()) {
                qWarning() << fixtures::readable(text);
                return;
            }
        }
    }

    // Lists of ids to text, as generated ones are (tests/data/tokenizer/make_decoded.py).
    void decode_as_hugging_face_data() {
        QTest::addColumn<QString>("name");
        // Their decoders drop the space that their tokenizers put in front; here a token's bytes
        // are its own wherever it stands.
        QTest::addColumn<bool>("drops_space");
        for (const char* name : {"qwen", "llama3", "gpt2"})
            QTest::newRow(name) << QString(name) << false;
        for (const char* name : {"llama2", "t5"}) QTest::newRow(name) << QString(name) << true;
    }
    void decode_as_hugging_face() {
        QFETCH(QString, name);
        QFETCH(bool, drops_space);
        const auto tokenizer = fixtures::tokenizer_named(name.toStdString());
        const json lists = fixtures::read_json("decoded.json").at(name.toStdString());
        QVERIFY(lists.size() > 20);
        for (const json& entry : lists) {
            engine::tokenizer::StreamDecoder stream;
            std::string text;
            for (const int id : entry[0])
                text += stream.push(tokenizer->bytes(engine::TokenId{id}));
            text += stream.flush();
            if (drops_space && text.starts_with(' ')) text.erase(0, 1);
            QVERIFY2(text == entry[1].get<std::string>(), QByteArray::fromStdString(entry.dump()) +
                                                              " is decoded to " +
                                                              fixtures::readable(text));
        }
    }

    // Byte for byte: "e", U+0301 as given is é in the tokens; the span is of what was given.
    void spans_lead_back_through_nfc() {
        const auto tokenizer = fixtures::tokenizer_named("qwen");
        const std::string text =
            "xe\u0301y <|im_end|>\u212b";  // e + acute; Ångström sign becomes Å
        const Encoding encoding = tokenizer->encode(text, {false, true, false});
        std::string shown;
        for (const Token& token : encoding.tokens)
            shown += std::to_string(token.start) + "-" + std::to_string(token.end) + ":" +
                     token.bytes + "|";
        QVERIFY2(shown.ends_with("5-6: |6-16:<|im_end|>|16-19:\u00c5|") ||
                     shown.ends_with("5-6: |6-16:<|im_end|>|16-19:\xC3|16-19:\x85|"),
                 fixtures::readable(shown));
        QVERIFY2(shown.starts_with("0-1:x|1-4:\u00e9|4-5:y|") ||
                     shown.starts_with("0-4:x\u00e9|4-5:y") ||
                     shown.starts_with("0-1:x|1-5:\u00e9y|") || shown.starts_with("0-5:x\u00e9y|"),
                 fixtures::readable(shown));
    }

    // add_prefix_space: the space takes no place in the text.
    void an_added_space_has_no_place() {
        const auto tokenizer = fixtures::tokenizer_named("gpt2");
        const Encoding encoding = tokenizer->encode("a", {});
        QCOMPARE(encoding.tokens.size(), std::size_t{1});
        QCOMPARE(encoding.tokens[0].bytes, std::string(" a"));
        QCOMPARE(encoding.tokens[0].start, 0);
        QCOMPARE(encoding.tokens[0].end, 1);
    }

    // `read`: what Python makes of the bytes with errors="replace", and hands to the tokenizers.
    void broken_utf8_is_read_as_python_does_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("read");
        const auto row = [](const char* name, const char* text, const char* read) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(read);
        };
        row("half an emoji", "a\xF0\x9F\x98", "a\uFFFD");
        row("lone continuation", "\x80\xBF text \x80", "\uFFFD\uFFFD text \uFFFD");
        row("surrogate", "x\xED\xA0\x80y", "x\uFFFD\uFFFD\uFFFDy");
        row("overlong", "\xC0\x80\xE0\x80\xAF", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
        row("beyond Unicode", "\xF4\x90\x80\x80\xFF\xFE", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
        row("broken between words", "hello \xC3 world e\xCC\x81 \xCC",
            "hello \uFFFD world e\u0301 \uFFFD");
        row("in front of a control string", "\xF0\x9F<|im_end|>\xE2\x82", "\uFFFD<|im_end|>\uFFFD");
        QByteArray all, read;
        for (int byte = 255; byte >= 0; --byte) {
            all += static_cast<char>(byte);
            read += byte < 128 ? QByteArray(1, static_cast<char>(byte)) : QByteArray("\uFFFD");
        }
        QTest::newRow("every byte") << all << read;
    }
    void broken_utf8_is_read_as_python_does() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, read);
        for (const char* name : {"llama3", "gpt2", "qwen"}) {
            const auto tokenizer = fixtures::tokenizer_named(name);
            const std::string given = text.toStdString();
            const Encoding encoding = tokenizer->encode(given, {false, false, false}),
                           whole = tokenizer->encode(read.toStdString(), {false, false, false});
            QCOMPARE(fixtures::ids_of(encoding), fixtures::ids_of(whole));
            check_spans(given, encoding);
            QVERIFY2(encoding.notes.back().ends_with("not valid UTF-8 and read as U+FFFD"),
                     encoding.notes.back().c_str());
            QVERIFY(whole.notes.empty() || whole.notes.back() != encoding.notes.back());
        }
    }

    void ids_outside_the_vocabulary_are_padding() {
        const auto tokenizer = fixtures::tokenizer_named("qwen");
        QVERIFY(tokenizer->vocab() > 256);
        for (const int id : {-1, tokenizer->vocab(), tokenizer->vocab() + 1000, INT_MAX, INT_MIN}) {
            QCOMPARE(tokenizer->bytes(engine::TokenId(id)), std::string());
            QVERIFY(!tokenizer->is_control(engine::TokenId(id)));
            QVERIFY(!tokenizer->ends_text(engine::TokenId(id)));
        }
    }
};

QTEST_APPLESS_MAIN(TestTokenizerIds)
#include "tst_tokenizer_ids.moc"
