// SPDX-License-Identifier: GPL-3.0-or-later
// Files that nobody vouches for: what is not implemented is refused by name, what is broken is
// refused with the place.
#include <QTemporaryDir>

#include "engine/tokenizer/tokenizer_gguf.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "fixtures.h"

using engine::Failure;
using engine::TokenId;
using engine::formats::Metadata;
using engine::tokenizer::TextTokenizer;
using fixtures::json;

namespace {

void write(const QTemporaryDir& folder, const char* name, const std::string& content) {
    std::ofstream(folder.filePath(name).toStdString()) << content;
}

Failure failure_of_json(const json& file) {
    return fixtures::failure_of([&] {
        TextTokenizer tokenizer(engine::tokenizer::read_tokenizer_json(file, "tokenizer.json"));
    });
}

// A byte-level vocabulary of seven tokens, two of them special.
Metadata tiny_gguf() {
    Metadata metadata;
    metadata.set("tokenizer.ggml.model", std::string("gpt2"));
    metadata.set("tokenizer.ggml.pre", std::string("smollm"));
    metadata.set("tokenizer.ggml.tokens",
                 std::vector<std::string>{"a", "b", "ab", "<|x|>", "<u>", "[PAD0]", "\u0120"});
    metadata.set("tokenizer.ggml.token_type", std::vector<std::int64_t>{1, 1, 1, 3, 4, 5, 1});
    metadata.set("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
    metadata.set("tokenizer.ggml.bos_token_id", std::uint64_t{3});
    metadata.set("tokenizer.ggml.eos_token_id", std::uint64_t{3});
    return metadata;
}

}  // namespace

class TestTokenizerFiles : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    // A change to a good file, as a JSON merge patch, and what the refusal must name.
    void refused_by_name_data() {
        QTest::addColumn<QString>("patch");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* title, const char* patch, const char* name) {
            QTest::newRow(title) << QString(patch) << QString(name);
        };
        row("model", R"({"model": {"type": "WordPiece"}})", "\"WordPiece\"");
        row("bytes and Unigram", R"({"model": {"type": "Unigram"}})", "byte-level");
        row("suffix", R"({"model": {"end_of_word_suffix": "</w>"}})", "end_of_word_suffix");
        row("prefix", R"({"model": {"continuing_subword_prefix": "##"}})",
            "continuing_subword_prefix");
        row("dropout", R"({"model": {"dropout": 0.1}})", "dropout");
        row("normalizer", R"({"normalizer": {"type": "BertNormalizer"}})", "\"BertNormalizer\"");
        row("normalizer in a sequence",
            R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"},
                {"type": "ByteLevel"}]}})",
            "\"ByteLevel\"");
        row("pre-tokenizer", R"({"pre_tokenizer": {"type": "BertPreTokenizer"}})",
            "\"BertPreTokenizer\"");
        row("post-processor", R"({"post_processor": {"type": "PairProcessing"}})",
            "\"PairProcessing\"");
        row("text twice",
            R"({"post_processor": {"type": "TemplateProcessing", "single": [
                {"Sequence": {"id": "A"}}, {"Sequence": {"id": "A"}}], "special_tokens": {}}})",
            "repeats the text");
        row("decoder", R"({"decoder": {"type": "WordPiece"}})", "\"WordPiece\"");
    }
    void refused_by_name() {
        QFETCH(QString, patch);
        QFETCH(QString, name);
        json file = fixtures::read_json("gpt2/tokenizer.json");
        file.merge_patch(json::parse(patch.toStdString()));
        const Failure failure = failure_of_json(file);
        QCOMPARE(failure.kind, Failure::Kind::Unsupported);
        QVERIFY2(QString::fromStdString(failure.what).contains(name), failure.what.c_str());
    }

    void broken_files_data() {
        QTest::addColumn<QString>("patch");
        const auto row = [](const char* title, const char* patch) {
            QTest::newRow(title) << QString(patch);
        };
        row("no model", R"({"model": null})");
        row("model is a list", R"({"model": []})");
        row("no vocabulary", R"({"model": {"vocab": null}})");
        row("vocabulary is a list", R"({"model": {"vocab": []}})");
        row("id is a text", R"({"model": {"vocab": {"!": "0"}}})");
        row("id is negative", R"({"model": {"vocab": {"!": -1}}})");
        row("id is a fraction", R"({"model": {"vocab": {"!": 0.5}}})");
        row("id is huge", R"({"model": {"vocab": {"!": 4000000000}}})");
        row("id beyond 64 bits", R"({"model": {"vocab": {"!": 1e30}}})");
        row("id twice", R"({"model": {"vocab": {"!": 5}}})");
        row("no merges", R"({"model": {"merges": null}})");
        row("ignore_merges is a text", R"({"model": {"ignore_merges": "yes"}})");
        row("unknown token", R"({"model": {"unk_token": "<not there>"}})");
        row("added tokens", R"({"added_tokens": {"a": 1}})");
        row("added token without id", R"({"added_tokens": [{"content": "x"}]})");
        row("empty added token", R"({"added_tokens": [{"id": 3, "content": ""}]})");
        row("added token id", R"({"added_tokens": [{"id": 99999999999, "content": "x"}]})");
        row("BOS outside",
            R"({"post_processor": {"type": "TemplateProcessing", "single": [
                {"SpecialToken": {"id": "a"}},
            {"Sequence": {"id": "A"}}], "special_tokens": {"a": {"ids": [9999999]}}}})");
        row("template without its token", R"({"post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "a"}}, {"Sequence": {"id": "A"}}],
            "special_tokens": {}}})");
        row("template without the text",
            R"({"post_processor": {"type": "TemplateProcessing", "single": [],
            "special_tokens": {}}})");
        row("pattern",
            R"({"pre_tokenizer": {"type": "Split", "pattern": {}, "behavior": "Isolated"}})");
    }
    void broken_files() {
        QFETCH(QString, patch);
        json file = fixtures::read_json("gpt2/tokenizer.json");
        file.merge_patch(json::parse(patch.toStdString()));
        const Failure failure = failure_of_json(file);
        QVERIFY2(failure.kind == Failure::Kind::BadFile, failure.what.c_str());
        QVERIFY(failure.where.find("tokenizer.json") != std::string::npos);
    }

    void broken_text_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray(R"({"model": {"vocab": {"a": 0)");
        QTest::newRow("no UTF-8") << QByteArray("{\"a\": \"\xff\"}");
        QTest::newRow("deep") << QByteArray(1'000'000, '[');
        QTest::newRow("null") << QByteArray("null");
        QTest::newRow("list") << QByteArray("[]");
    }
    void broken_text() {
        QFETCH(QByteArray, content);
        QTemporaryDir folder;
        write(folder, "tokenizer.json", content.toStdString());
        const Failure failure = fixtures::failure_of(
            [&] { fixtures::tokenizer_of_folder(folder.path().toStdString()); });
        QVERIFY2(failure.kind == Failure::Kind::BadFile, failure.what.c_str());
    }

    void files_beside() {
        QTemporaryDir folder;
        const Failure failure = fixtures::failure_of(
            [&] { fixtures::tokenizer_of_folder(folder.path().toStdString()); });
        QCOMPARE(failure.kind, Failure::Kind::BadFile);
        QVERIFY(failure.what.find("tokenizer.json") != std::string::npos);

        write(folder, "tokenizer.json", fixtures::read_json("qwen/tokenizer.json").dump());
        const auto open = [&] {
            return fixtures::tokenizer_of_folder(folder.path().toStdString());
        };
        QVERIFY(!open()->has_chat_template() && !open()->has_unknown_template());
        const std::string chatml = "{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}";
        write(folder, "tokenizer_config.json", json{{"chat_template", chatml}}.dump());
        QVERIFY(open()->has_chat_template());
        const json named = {{{"name", "tool_use"}, {"template", "x"}},
                            {{"name", "default"}, {"template", chatml}}};
        write(folder, "tokenizer_config.json", json{{"chat_template", named}}.dump());
        QVERIFY(open()->has_chat_template());
        write(folder, "chat_template.jinja",
              "{{ something_else() }}");  // newer files keep it here, and it wins
        QVERIFY(!open()->has_chat_template());
        write(folder, "tokenizer_config.json", json{{"eos_token", "a"}}.dump());
        QVERIFY(open()->ends_text(TokenId(fixtures::ids_of(open()->encode("a", {}))[0])));
        write(folder, "generation_config.json", R"({"eos_token_id": [5, 6]})");
        QVERIFY(open()->ends_text(TokenId(5)) && open()->ends_text(TokenId(6)));
        write(folder, "generation_config.json", R"({"eos_token_id": "five"})");
        QCOMPARE(fixtures::failure_of(open).kind, Failure::Kind::BadFile);
    }

    void gguf_metadata() {
        const TextTokenizer tokenizer(
            engine::tokenizer::read_gguf_tokenizer(tiny_gguf(), "x.gguf"));
        QCOMPARE(tokenizer.vocab(), 7);
        QCOMPARE(fixtures::ids_of(tokenizer.encode("ab a<u>", {})), (std::vector<int>{2, 6, 0, 4}));
        QCOMPARE(fixtures::ids_of(tokenizer.encode("ab<|x|>", {false, true, true})),
                 (std::vector<int>{2, 3}));
        QCOMPARE(tokenizer.bytes(TokenId(5)), std::string());
        QVERIFY(tokenizer.is_control(TokenId(3)) && !tokenizer.is_control(TokenId(4)));
        QVERIFY(tokenizer.ends_text(TokenId(3)));

        Metadata with_bos = tiny_gguf();
        with_bos.set("tokenizer.ggml.add_bos_token", true);
        const TextTokenizer other(engine::tokenizer::read_gguf_tokenizer(with_bos, "x.gguf"));
        QCOMPARE(fixtures::ids_of(other.encode("a", {})), (std::vector<int>{3, 0}));

        Metadata qwen = tiny_gguf();
        qwen.set("tokenizer.ggml.pre", std::string("qwen2"));
        qwen.set("tokenizer.ggml.tokens",
                 std::vector<std::string>{"\u00c3", "\u00a9", "\u00c3\u00a9", "<|x|>", "<u>",
                                          "[PAD0]", "e"});
        qwen.set("tokenizer.ggml.merges", std::vector<std::string>{"\u00c3 \u00a9"});
        const TextTokenizer composing(engine::tokenizer::read_gguf_tokenizer(qwen, "x.gguf"));
        QCOMPARE(fixtures::ids_of(composing.encode("e\u0301", {})),
                 (std::vector<int>{2}));  // qwen2 means NFC too
    }

    void gguf_refusals_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("name");
        QTest::newRow("model") << "tokenizer.ggml.model"
                               << "rwkv"
                               << "\"rwkv\"";
    }
    void gguf_refusals() {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, name);
        Metadata metadata = tiny_gguf();
        metadata.set(key.toStdString(), value.toStdString());
        const Failure failure = fixtures::failure_of(
            [&] { engine::tokenizer::read_gguf_tokenizer(metadata, "x.gguf"); });
        QCOMPARE(failure.kind, Failure::Kind::Unsupported);
        QVERIFY2(QString::fromStdString(failure.what).contains(name), failure.what.c_str());
    }
    void lying_gguf_metadata() {
        const auto refused = [](const char* key, engine::formats::MetaValue value) {
            Metadata metadata = tiny_gguf();
            metadata.set(key, std::move(value));
            return fixtures::failure_of([&] {
                       TextTokenizer tokenizer(
                           engine::tokenizer::read_gguf_tokenizer(metadata, "x.gguf"));
                   }).kind == Failure::Kind::BadFile;
        };
        QVERIFY(refused("tokenizer.ggml.token_type", std::vector<std::int64_t>{1, 1}));
        QVERIFY(
            refused("tokenizer.ggml.token_type", std::vector<std::int64_t>{1, 1, 1, 3, 4, 6, 1}));
        QVERIFY(refused("tokenizer.ggml.token_type", std::string("1")));
        QVERIFY(refused("tokenizer.ggml.tokens", std::vector<std::string>{}));
        QVERIFY(refused("tokenizer.ggml.tokens", std::uint64_t{7}));
        QVERIFY(refused("tokenizer.ggml.merges", std::vector<std::string>{"a q"}));
        QVERIFY(refused("tokenizer.ggml.eos_token_id", std::uint64_t{7}));
        QVERIFY(refused("tokenizer.ggml.eos_token_id", std::int64_t{-1}));
    }
};

QTEST_APPLESS_MAIN(TestTokenizerFiles)
#include "tst_tokenizer_files.moc"
