// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece vocabularies from a tokenizer.model and from GGUF metadata against sentencepiece
// itself, and GGUF's names of pre-tokenizers against the files that they stand for.
#include <QTemporaryDir>

#include "engine/tokenizer/gguf_pre_tokenizers.h"
#include "engine/tokenizer/spm_vocabulary.h"
#include "engine/tokenizer/tokenizer_gguf.h"
#include "fixtures.h"

using engine::Encoding;
using engine::Failure;
using engine::TokenId;
using engine::formats::Metadata;
using engine::tokenizer::SpmFile;
using engine::tokenizer::TextTokenizer;
using fixtures::json;

namespace {

std::string bytes_of(const std::string& name) {
    std::ifstream file(fixtures::data_folder() + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TextTokenizer from_gguf(const Metadata& metadata) {
    return TextTokenizer(engine::tokenizer::read_gguf_tokenizer(metadata, "x.gguf"));
}

// The same vocabulary as GGUF has it.
Metadata gguf_of(const SpmFile& spm) {
    std::vector<std::string> tokens;
    std::vector<double> scores;
    std::vector<std::int64_t> types;
    for (const auto& piece : spm.vocabulary.pieces) {
        tokens.push_back(piece.text);
        scores.push_back(piece.score);
        types.push_back(static_cast<std::int64_t>(piece.kind));
    }
    Metadata metadata;
    metadata.set("tokenizer.ggml.model", std::string("llama"));
    metadata.set("tokenizer.ggml.pre", std::string("default"));
    metadata.set("tokenizer.ggml.tokens", std::move(tokens));
    metadata.set("tokenizer.ggml.scores", std::move(scores));
    metadata.set("tokenizer.ggml.token_type", std::move(types));
    metadata.set("tokenizer.ggml.bos_token_id", std::uint64_t{1});
    metadata.set("tokenizer.ggml.eos_token_id", std::uint64_t{2});
    return metadata;
}

// A byte-level tokenizer.json as GGUF has it.
Metadata gguf_of(const json& file, const char* pre) {
    std::vector<std::string> tokens, merges;
    std::vector<std::int64_t> types;
    const auto put = [&](std::size_t id, const std::string& text, std::int64_t type) {
        if (id >= tokens.size()) {
            tokens.resize(id + 1, "[PAD]");
            types.resize(id + 1, 5);
        }
        tokens[id] = text;
        types[id] = type;
    };
    for (const auto& [text, id] : file["model"]["vocab"].items()) put(id, text, 1);
    for (const json& token : file["added_tokens"])
        put(token["id"], token["content"], token["special"] ? 3 : 4);
    for (const json& merge : file["model"]["merges"])
        merges.push_back(merge.is_string()
                             ? merge.get<std::string>()
                             : merge[0].get<std::string>() + " " + merge[1].get<std::string>());
    Metadata metadata;
    metadata.set("tokenizer.ggml.model", std::string("gpt2"));
    metadata.set("tokenizer.ggml.pre", std::string(pre));
    metadata.set("tokenizer.ggml.tokens", std::move(tokens));
    metadata.set("tokenizer.ggml.token_type", std::move(types));
    metadata.set("tokenizer.ggml.merges", std::move(merges));
    return metadata;
}

void check_ids(const engine::tokenizer::Tokenizer& tokenizer, const json& expected, bool special) {
    const json corpus = fixtures::read_json("corpus.json");
    QCOMPARE(expected.size(), corpus.size());
    for (std::size_t i = 0; i < corpus.size(); ++i) {
        const std::string text = corpus[i];
        const json ids = fixtures::ids_of(tokenizer.encode(text, {false, special, false}));
        QVERIFY2(ids == expected[i], fixtures::readable(text) + " gives " +
                                         QByteArray::fromStdString(ids.dump()) + " instead of " +
                                         QByteArray::fromStdString(expected[i].dump()));
    }
}

}  // namespace

class TestGgufTokenizer : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void sentencepiece_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("BPE") << "spm_bpe";
        QTest::newRow("Unigram") << "spm_unigram";
    }
    void sentencepiece() {
        QFETCH(QString, name);
        const json golden = fixtures::read_json(name.toStdString() + "/golden.json");
        const auto tokenizer =
            fixtures::tokenizer_of_folder(fixtures::data_folder() + "/" + name.toStdString());
        check_ids(*tokenizer, golden["plain"], false);
        const Encoding whole = tokenizer->encode("hello", {});
        QCOMPARE(whole.tokens.front().bytes, std::string("<s>"));
        QVERIFY(tokenizer->ends_text(TokenId(2)));
    }

    void gguf_llama_equals_sentencepiece() {
        const SpmFile spm = engine::tokenizer::read_spm_file(bytes_of("spm_bpe/tokenizer.model"),
                                                             "tokenizer.model");
        const TextTokenizer tokenizer = from_gguf(gguf_of(spm));
        check_ids(tokenizer, fixtures::read_json("spm_bpe/golden.json")["plain"], false);
        const Encoding whole = tokenizer.encode("a b", {});
        QCOMPARE(whole.tokens.front().bytes, std::string("<s>"));
        QCOMPARE(fixtures::joined(whole), std::string("<s> a b"));
        Metadata plain = gguf_of(spm);
        plain.set("tokenizer.ggml.add_space_prefix", false);
        plain.set("tokenizer.ggml.add_bos_token", false);
        plain.set("tokenizer.ggml.add_eos_token", true);
        const Encoding ended = from_gguf(plain).encode("a b", {});
        QCOMPARE(fixtures::joined(ended), std::string("a b</s>"));
        QCOMPARE(fixtures::ids_of(from_gguf(plain).encode("a</s>b", {false, true, false}))[1], 2);
    }

    // A user-defined piece is found in the normalized text, where spaces are marks.
    void user_defined_pieces() {
        SpmFile spm = engine::tokenizer::read_spm_file(bytes_of("spm_bpe/tokenizer.model"), "m");
        const auto id = static_cast<int>(spm.vocabulary.pieces.size());
        spm.vocabulary.pieces.push_back(
            {"\u2581\u2581\u2581x", 0, engine::tokenizer::SpmVocabulary::Kind::UserDefined});
        const TextTokenizer tokenizer = from_gguf(gguf_of(spm));
        const Encoding encoding = tokenizer.encode("a   xb", {false, false, false});
        const std::vector<int> ids = fixtures::ids_of(encoding);
        const auto found = std::find(ids.begin(), ids.end(), id);
        QVERIFY(found != ids.end());
        const auto& token = encoding.tokens[static_cast<std::size_t>(found - ids.begin())];
        QCOMPARE(token.bytes, std::string("   x"));
        QVERIFY(token.start == 1 && token.end == 5 && !token.control);
    }

    void names_stand_for_files_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("pre");
        QTest::newRow("llama-bpe") << "llama3"
                                   << "llama-bpe";
        QTest::newRow("smollm") << "llama3"
                                << "smollm";
    }
    void names_stand_for_files() {
        QFETCH(QString, name);
        QFETCH(QString, pre);
        json file = fixtures::read_json(name.toStdString() + "/tokenizer.json");
        const TextTokenizer tokenizer = from_gguf(gguf_of(file, pre.toLatin1().constData()));
        const json golden = fixtures::read_json(name.toStdString() + "/golden.json");
        if (pre == "llama-bpe") {
            check_ids(tokenizer, golden["plain"], false);
            check_ids(tokenizer, golden["special"], true);
        } else {  // other patterns, other ids
            const std::string text = "2025 and 12345";
            QVERIFY(fixtures::ids_of(tokenizer.encode(text, {})) !=
                    fixtures::ids_of(
                        fixtures::tokenizer_named("llama3")->encode(text, {false, false, false})));
        }
    }

    // The patterns of o200k and DeepSeek, whose pieces Hugging Face made.
    void patterns_data() {
        QTest::addColumn<QString>("pre");
        QTest::addColumn<int>("from_the_end");
        QTest::newRow("gpt-4o") << "gpt-4o" << 2;
        QTest::newRow("deepseek-v3") << "deepseek-v3" << 1;
    }
    void patterns() {
        using namespace engine::tokenizer;
        QFETCH(QString, pre);
        QFETCH(int, from_the_end);
        std::vector<PreTokenizer::Rule> rules;
        for (const std::string_view pattern : gguf_pre_tokenizer(pre.toStdString()).patterns)
            rules.push_back(Split{Regex(pattern, "t"), Matches::Isolated, false});
        const PreTokenizer cutter(std::move(rules));
        const json golden = fixtures::read_json("rules.json");
        const json& one =
            golden["cases"][golden["cases"].size() - static_cast<std::size_t>(from_the_end)];
        for (std::size_t i = 0; i < golden["strings"].size(); ++i) {
            const std::string text = golden["strings"][i];
            json pieces = json::array();
            for (const Piece& piece : cutter.split(text).pieces)
                pieces.push_back({piece.begin, piece.end});
            QVERIFY2(pieces == one["pieces"][i], fixtures::readable(text));
        }
    }

    void every_known_name_compiles() {
        using namespace engine::tokenizer;
        for (const char* name : {"gpt-2", "phi-2", "olmo", "mpt", "smollm", "starcoder",
                                 "command-r", "qwen2", "stablelm2", "deepseek-r1-qwen", "llama-bpe",
                                 "dbrx", "glm4", "gpt-4o", "llama4", "tekken", "deepseek-v3"}) {
            const GgufPreTokenizer rules = gguf_pre_tokenizer(name);
            QVERIFY2(rules.known && !rules.patterns.empty(), name);
            for (const std::string_view pattern : rules.patterns) Regex(pattern, name);
        }
    }

    void an_unknown_name_warns_data() {
        QTest::addColumn<QString>("pre");
        QTest::addColumn<QString>("warning");  // how it begins
        QTest::newRow("another") << "of-the-future"
                                 << "The pre-tokenizer \"of-the-future\" is not known here";
        QTest::newRow("none") << ""
                              << "The file names no pre-tokenizer";
        QTest::newRow("known") << "gpt-2"
                               << "";
    }
    void an_unknown_name_warns() {
        QFETCH(QString, pre);
        QFETCH(QString, warning);
        const json file = fixtures::read_json("gpt2/tokenizer.json");
        const TextTokenizer tokenizer = from_gguf(gguf_of(file, pre.toUtf8().constData()));
        const std::string& said = tokenizer.warning();
        QVERIFY2(said.starts_with(warning.toStdString()), said.c_str());
        QCOMPARE(said.empty(), warning.isEmpty());
        QVERIFY(tokenizer.encode("hello", {}).notes.empty());  // which are of what was decided
    }

    void lying_metadata() {
        const SpmFile spm = engine::tokenizer::read_spm_file(bytes_of("spm_bpe/tokenizer.model"),
                                                             "tokenizer.model");
        const auto refused = [&](const char* key, engine::formats::MetaValue value) {
            Metadata metadata = gguf_of(spm);
            metadata.set(key, std::move(value));
            return fixtures::failure_of([&] { from_gguf(metadata); }).kind ==
                   Failure::Kind::BadFile;
        };
        QVERIFY(refused("tokenizer.ggml.scores", std::vector<double>{1, 2}));
        QVERIFY(refused("tokenizer.ggml.scores", std::string("1")));
        QVERIFY(refused("tokenizer.ggml.scores",
                        std::vector<double>(spm.vocabulary.pieces.size(), NAN)));
        QVERIFY(refused("tokenizer.ggml.token_type",
                        std::vector<std::int64_t>(spm.vocabulary.pieces.size(), 7)));
        QVERIFY(refused("tokenizer.ggml.tokens",
                        std::vector<std::string>(spm.vocabulary.pieces.size(), "")));
        QVERIFY(refused("tokenizer.ggml.bos_token_id", std::uint64_t{1u << 30}));
    }

    // Every prefix of a tokenizer.model, and every byte of it changed: refused or read, no crash.
    void broken_models() {
        const std::string whole = bytes_of("spm_bpe/tokenizer.model");
        int refused = 0;
        const auto try_bytes = [&](const std::string& bytes) {
            try {
                engine::tokenizer::TokenizerParts parts;
                add_spm_vocabulary(engine::tokenizer::read_spm_file(bytes, "m").vocabulary, parts);
                TextTokenizer(std::move(parts)).encode("some text", {});
            } catch (const engine::Error& error) {
                QVERIFY(!error.failure().what.empty());
                ++refused;
            }
        };
        for (std::size_t size = 0; size < whole.size(); size += 97)
            try_bytes(whole.substr(0, size));
        for (std::size_t at = 0; at < whole.size(); at += 61) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ 0x5A);
            try_bytes(bytes);
        }
        QVERIFY(refused > 100);
    }

    void tokens_beside_a_model() {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const std::string& content) {
            std::ofstream(folder.filePath(name).toStdString(), std::ios::binary) << content;
        };
        write("tokenizer.model", bytes_of("spm_bpe/tokenizer.model"));
        write("tokenizer_config.json",
              R"({"add_bos_token": false, "add_eos_token": true, "eos_token": "<|im_end|>",
                  "added_tokens_decoder": {"0": {"content": "<unk>", "special": true},
                                           "5000": {"content": "<|im_end|>", "special": true}}})");
        const auto tokenizer = fixtures::tokenizer_of_folder(folder.path().toStdString());
        const Encoding encoding = tokenizer->encode("a<|im_end|>", {false, true, true});
        QCOMPARE(fixtures::ids_of(encoding)[encoding.tokens.size() - 2], 5000);
        QCOMPARE(fixtures::ids_of(encoding).back(), 2);
        QVERIFY(tokenizer->ends_text(TokenId(5000)));
        write("tokenizer_config.json", R"({"added_tokens_decoder": {"x": {"content": "y"}}})");
        QCOMPARE(fixtures::failure_of([&] {
                     fixtures::tokenizer_of_folder(folder.path().toStdString());
                 }).kind,
                 Failure::Kind::BadFile);
    }
};

QTEST_APPLESS_MAIN(TestGgufTokenizer)
#include "tst_gguf_tokenizer.moc"
