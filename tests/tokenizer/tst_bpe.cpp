// SPDX-License-Identifier: GPL-3.0-or-later
// Merging by rank: against a plain loop, on merges in both written forms, and in near-linear time
// on hostile text.
#include <ctime>
#include <random>
#include <set>

#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/merge_queue.h"
#include "engine/tokenizer/merge_text.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "engine/tokenizer/utf8.h"
#include "fixtures.h"

using engine::Failure;
using engine::tokenizer::Bpe;
using engine::tokenizer::ModelParts;
using fixtures::json;

namespace {

std::string spelled(unsigned char byte) {
    std::string out;
    engine::tokenizer::append_utf8(out, engine::tokenizer::byte_level_character(byte));
    return out;
}

// The definition: while some neighbours have a merge, merge the leftmost pair of the lowest rank.
std::vector<std::string> merge_slowly(const ModelParts& model, std::vector<std::string> parts) {
    for (;;) {
        std::size_t best = parts.size(), best_rank = model.merges.size();
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
            for (std::size_t rank = 0; rank < best_rank; ++rank)
                if (model.merges[rank].first == parts[i] &&
                    model.merges[rank].second == parts[i + 1]) {
                    best = i;
                    best_rank = rank;
                }
        if (best == parts.size()) return parts;
        parts[best] += parts[best + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

// Random merges over a few letters, ranks in any order: deeper ones may come first.
ModelParts random_model(std::mt19937& random, int merges) {
    ModelParts model;
    std::vector<std::string> tokens{"a", "b", "c"};
    for (std::uint32_t id = 0; id < 3; ++id) model.vocabulary.emplace_back(tokens[id], id);
    for (int i = 0; i < merges; ++i) {
        const std::string left = tokens[random() % tokens.size()],
                          right = tokens[random() % tokens.size()];
        if (left.size() + right.size() > 12 ||
            std::find(tokens.begin(), tokens.end(), left + right) != tokens.end())
            continue;
        model.vocabulary.emplace_back(left + right, static_cast<std::uint32_t>(tokens.size()));
        tokens.push_back(left + right);
        model.merges.emplace_back(left, right);
    }
    std::shuffle(model.merges.begin(), model.merges.end(), random);
    return model;
}

json tiny_file(json merges) {
    json vocabulary = json::object();
    for (unsigned byte = 0; byte < 256; ++byte)
        vocabulary[spelled(static_cast<unsigned char>(byte))] = byte;
    vocabulary["ab"] = 256;
    vocabulary["abc"] = 257;
    vocabulary["x y"] = 258;  // a space inside a part, as some published vocabularies have it
    vocabulary["x yab"] = 259;
    return {{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", std::move(merges)}}},
            {"pre_tokenizer",
             {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}};
}

std::vector<int> encode_with(const json& file, const std::string& text) {
    const engine::tokenizer::TextTokenizer tokenizer(
        engine::tokenizer::read_tokenizer_json(file, "tokenizer.json"));
    return fixtures::ids_of(tokenizer.encode(text, {}));
}

}  // namespace

class TestBpe : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void byte_level_is_one_to_one() {
        std::set<std::string> seen;
        for (unsigned byte = 0; byte < 256; ++byte) {
            const std::string text = spelled(static_cast<unsigned char>(byte));
            QVERIFY(seen.insert(text).second);
            QCOMPARE(engine::tokenizer::byte_level_bytes(text).value(),
                     std::string(1, static_cast<char>(byte)));
        }
        QCOMPARE(spelled(' '), std::string("\u0120"));
        QCOMPARE(spelled('\n'), std::string("\u010a"));
        QCOMPARE(spelled('!'), std::string("!"));
        QVERIFY(!engine::tokenizer::byte_level_bytes("\u4f60"));
        QVERIFY(!engine::tokenizer::byte_level_bytes("\xff"));
    }

    // Short pieces are searched through and long ones go through a queue; both against the
    // definition.
    void equals_the_definition_data() {
        QTest::addColumn<int>("length");
        for (const int length : {1, 2, 3, 7, 39, 40, 41, 42, 80, 200})
            QTest::addRow("%d", length) << length;
    }
    void equals_the_definition() {
        QFETCH(int, length);
        std::mt19937 random(static_cast<unsigned>(length));
        for (int round = 0; round < 200; ++round) {
            const ModelParts model = random_model(random, 20 + round % 5 * 20);
            const Bpe bpe(model, "test");
            std::string text;
            std::vector<std::string> parts;
            for (int i = 0; i < length; ++i) {
                parts.emplace_back(1, static_cast<char>('a' + random() % (round % 2 ? 3 : 2)));
                text += parts.back();
            }
            std::vector<Bpe::Symbol> symbols;
            bpe.encode(text, symbols);
            std::vector<std::string> merged;
            for (const Bpe::Symbol& symbol : symbols) {
                merged.push_back(model.vocabulary[symbol.id].first);
                QCOMPARE(text.substr(symbol.begin, symbol.end - symbol.begin), merged.back());
            }
            QVERIFY2(merged == merge_slowly(model, parts), text.c_str());
        }
    }

    void the_queue_is_in_order() {
        std::mt19937 random(3);
        for (int round = 0; round < 200; ++round) {
            engine::tokenizer::MergeQueue queue;
            std::multiset<std::pair<std::uint32_t, std::uint32_t>> expected;
            for (int step = 0; step < 300; ++step) {
                if (random() % 5 < 3) {
                    const std::uint32_t rank = random() % 6, place = random() % 50;
                    queue.push({rank, place});
                    expected.emplace(rank, place);
                    continue;
                }
                const auto entry = queue.pop();
                QCOMPARE(entry.has_value(), !expected.empty());
                if (!entry) continue;
                QVERIFY(std::pair(entry->rank, entry->place) == *expected.begin());
                expected.erase(expected.begin());
            }
        }
    }

    // The form of newer files, and of older ones.
    void merges_in_both_forms() {
        const json strings = tiny_file({"a b", "ab c", "x y ab"});
        const json pairs = tiny_file(json::array({{"a", "b"}, {"ab", "c"}, {"x y", "ab"}}));
        for (const char* text : {"abc", "ababc", "x yab", "aabbcc", ""})
            QCOMPARE(encode_with(strings, text), encode_with(pairs, text));
        QCOMPARE(encode_with(strings, "abcab"), (std::vector<int>{257, 256}));
    }
    void unreadable_merges_are_errors_data() {
        QTest::addColumn<QString>("merges");
        QTest::newRow("one part") << R"(["ab"])";
        QTest::newRow("no such token") << R"(["a q1"])";
        QTest::newRow("no result") << R"(["a a"])";
        QTest::newRow("pair without result") << R"([["a", "a"]])";
        QTest::newRow("three parts") << R"([["a", "b", "c"]])";
        QTest::newRow("numbers") << R"([[1, 2]])";
        QTest::newRow("a text") << R"("a b")";
        QTest::newRow("null") << "null";
    }
    void unreadable_merges_are_errors() {
        QFETCH(QString, merges);
        const json file = tiny_file(json::parse(merges.toStdString()));
        const Failure failure = fixtures::failure_of([&] { encode_with(file, "ab"); });
        QCOMPARE(failure.kind, Failure::Kind::BadFile);
    }
    void an_ambiguous_merge_is_an_error() {
        ModelParts model;
        std::uint32_t id = 0;
        for (const char* token : {"a", "b c", "a b", "c", "ab c", "a bc"})
            model.vocabulary.emplace_back(token, id++);
        const engine::tokenizer::MergeReader reader(model, "test");
        const Failure failure = fixtures::failure_of([&] { reader.parts_of("a b c"); });
        QCOMPARE(failure.kind, Failure::Kind::BadFile);
    }

    void bytes_without_a_token() {
        json file = tiny_file({"a b"});
        file["model"]["vocab"].erase("c");
        QCOMPARE(encode_with(file, "cabcc"),
                 (std::vector<int>{256}));  // left out, as Hugging Face does
        file["model"]["unk_token"] = "!";
        QCOMPARE(encode_with(file, "cabcc"), (std::vector<int>{'!', 256, '!', '!'}));
        file["model"]["fuse_unk"] = true;
        QCOMPARE(encode_with(file, "cabcc"), (std::vector<int>{'!', 256, '!'}));
    }

    // Hostile text: under 5 s, and twice the text takes at most 2.3 times as long.
    void hostile_runs_are_near_linear_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<char>("character");
        QTest::addColumn<int>("length");
        for (const char* name : {"smollm", "qwen", "llama3"}) {
            QTest::addRow("%s carets", name) << QString(name) << '^' << 1'000'000;
            QTest::addRow("%s letters", name) << QString(name) << 'a' << 500'000;
            QTest::addRow("%s spaces", name) << QString(name) << ' ' << 100'000;
            QTest::addRow("%s newlines", name) << QString(name) << '\n' << 100'000;
        }
    }
    void hostile_runs_are_near_linear() {
        QFETCH(QString, name);
        QFETCH(char, character);
        QFETCH(int, length);
        const auto tokenizer = fixtures::tokenizer_named(name.toStdString());
        NEEDS_DEFAULT_MODEL(tokenizer);
        // Processor time, and the best of some rounds: other programs must not decide. The growth
        // is that of texts whose work fits a core's caches: past them the memory decides (2.4 times
        // has been seen). What is quadratic takes 4 times at any length.
        const auto seconds = [&](int n) {
            const std::string text(static_cast<std::size_t>(n), character);
            const std::clock_t start = std::clock();
            const auto encoding = tokenizer->encode(text, {false, false, false});
            const double spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
            return fixtures::joined(encoding) == text ? spent : 1e9;
        };
        const double whole = seconds(length);
        QVERIFY2(whole < 5, qPrintable(QString("%1 s").arg(whole)));
        const int cached = length / 16;
        double once = 1e9, twice = 1e9;
        for (int round = 0; round < 40 && (round < 3 || twice > 2.3 * once); ++round) {
            once = std::min(once, seconds(cached));
            twice = std::min(twice, seconds(2 * cached));
        }
        QVERIFY2(twice <= 2.3 * once, qPrintable(QString("%1 s, then %2 s").arg(once).arg(twice)));
    }
};

QTEST_APPLESS_MAIN(TestBpe)
#include "tst_bpe.moc"
