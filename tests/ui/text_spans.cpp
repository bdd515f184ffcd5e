// SPDX-License-Identifier: GPL-3.0-or-later
// Where words, sentences, lines and turns begin among tokens, and axes that count them.
#include <QTest>

#include "tests/ui/map_support.h"
#include "ui/painting/chat_turns.h"
#include "ui/painting/text_spans.h"
#include "ui/painting/theme.h"

using namespace ui;

namespace {

// UTF-8.
QStringList list(std::initializer_list<const char*> texts) {
    QStringList all;
    for (const char* text : texts) all << QString::fromUtf8(text);
    return all;
}

// "‹…›" around a token: it is a control token.
std::vector<engine::Token> tokensFrom(const QStringList& texts) {
    std::vector<engine::Token> tokens;
    for (const QString& text : texts) {
        engine::Token token;
        token.control = text.startsWith(u'‹');
        token.bytes = (token.control ? text.mid(1).chopped(1) : text).toStdString();
        tokens.push_back(token);
    }
    return tokens;
}

// Spans as texts, so that a table reads like the prompt: tokens of a span joined by "|".
QStringList spansOf(const std::vector<engine::Token>& tokens, Granularity granularity) {
    const std::vector<std::int64_t> edges = spanEdges(tokens, granularity);
    QStringList spans;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        QStringList parts;
        for (std::int64_t at = edges[i]; at < edges[i + 1]; ++at)
            parts << visibleToken(tokens[static_cast<std::size_t>(at)].bytes);
        spans << parts.join(u'|');
    }
    return spans;
}

}  // namespace

class TextSpansTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void spans_data() {
        QTest::addColumn<Granularity>("granularity");
        QTest::addColumn<QStringList>("tokens");
        QTest::addColumn<QStringList>("spans");
        const QStringList mary =
            list({"When", " Mary", " don", "'t", " go", ",", " J", "ohn", " gave"});
        QTest::newRow("words") << Granularity::Words << mary
                               << list({"When", "·Mary", "·don|'t", "·go", ",", "·J|ohn", "·gave"});
        QTest::newRow("tokens") << Granularity::Tokens << list({"a", "b"}) << list({"a", "b"});
        QTest::newRow("a sign glued to a word goes by its first character")
            << Granularity::Words << list({"a", ".b", " c"}) << list({"a", ".b", "·c"});
        QTest::newRow("white space alone")
            << Granularity::Words << list({"a", "\n\n", "b", "  ", " c"})
            << list({"a", "⏎⏎", "b", "··", "·c"});
        QTest::newRow("control tokens stand alone")
            << Granularity::Words << list({"‹<s>›", "a", "b", "‹</s>›", "‹<s>›", "c"})
            << list({"<s>", "a|b", "</s>", "<s>", "c"});
        QTest::newRow("ideographs")
            << Granularity::Words << list({"你", "好"}) << list({"你", "好"});
        QTest::newRow("sentences")
            << Granularity::Sentences
            << list({"Hi", " there", ".", " How", " are", " you", "?", "\n", "Fine", " (", "3", ".",
                     "14", ")", "."})
            << list({"Hi|·there|.", "·How|·are|·you|?|⏎", "Fine|·(|3|.|14|)|."});
        QTest::newRow("no sentence goes across a control token")
            << Granularity::Sentences << list({"one", "‹<x>›", " two", "."})
            << list({"one", "<x>", "·two|."});
        QTest::newRow("lines") << Granularity::Lines
                               << list({"if", " x", ":\n", "  ", "  y", "\n\n", "z"})
                               << list({"if|·x|:⏎", "··|··y|⏎⏎", "z"});
        QTest::newRow("a line feed before a word")
            << Granularity::Lines << list({"a", "\nb", "c"}) << list({"a", "⏎b|c"});
        QTest::newRow("ChatML") << Granularity::Turns
                                << list({"‹<|im_start|>›", "system", "\n", "Be", " kind",
                                         "‹<|im_end|>›", "\n", "‹<|im_start|>›", "user", "\n", "Hi",
                                         "‹<|im_end|>›", "\n", "‹<|im_start|>›", "assistant", "\n",
                                         "Hello"})
                                << list({"<|im_start|>|system|⏎|Be|·kind|<|im_end|>|⏎",
                                         "<|im_start|>|user|⏎|Hi|<|im_end|>|⏎",
                                         "<|im_start|>|assistant|⏎|Hello"});
        QTest::newRow("Llama 3") << Granularity::Turns
                                 << list({"‹<bos>›", "‹<header>›", "user", "‹</header>›", "\n\n",
                                          "Hi", "‹<eot>›", "‹<header>›", "assistant", "‹</header>›",
                                          "\n\n"})
                                 << list({"<bos>|<header>|user|</header>|⏎⏎|Hi|<eot>",
                                          "<header>|assistant|</header>|⏎⏎"});
        QTest::newRow("no template")
            << Granularity::Turns << mary << QStringList{mary.join(u'|').replace(u' ', u'·')};
        QTest::newRow("only a BOS")
            << Granularity::Turns << list({"‹<s>›", "a", "b"}) << list({"<s>|a|b"});
        for (int i = 0; i < granularities; ++i)
            QTest::addRow("no tokens, %d", i)
                << static_cast<Granularity>(i) << QStringList() << QStringList();
    }
    void spans() {
        QFETCH(Granularity, granularity);
        QFETCH(QStringList, tokens);
        QFETCH(QStringList, spans);
        QCOMPARE(spansOf(tokensFrom(tokens), granularity), spans);
    }

    // Tokens may be halves of a character, bytes that are none, or nothing at all.
    void halfCharacters() {
        const auto tokens = tokensOf({"a ", "\xE4\xBD", "\xA0", "", "\xE5\xA5\xBD", " b", "\xFF"});
        for (int i = 0; i < granularities; ++i) {
            const std::vector<std::int64_t> edges = spanEdges(tokens, static_cast<Granularity>(i));
            QCOMPARE(edges.front(), 0);
            QCOMPARE(edges.back(), std::ssize(tokens));
            QVERIFY(std::is_sorted(edges.begin(), edges.end()));
            QVERIFY(std::adjacent_find(edges.begin(), edges.end()) == edges.end());
        }
        const std::vector<std::int64_t> words{0, 1, 4, 5, 6, 7};
        QCOMPARE(spanEdges(tokens, Granularity::Words), words);
    }

    // What a run's text says more only changes the end of its spans.
    void growsAtItsEnd() {
        std::vector<engine::Token> tokens;
        for (const char* text : {"One", " two", ".", " Thr", "ee", " four", "!", "\n", "Five"})
            tokens.push_back({engine::TokenId{}, text, 0, 0, false});
        for (int i = 1; i < granularities; ++i) {
            std::vector<std::int64_t> before;
            for (std::ptrdiff_t n = 1; n <= std::ssize(tokens); ++n) {
                const auto edges =
                    spanEdges({tokens.begin(), tokens.begin() + n}, static_cast<Granularity>(i));
                QCOMPARE(edges.back(), n);
                for (std::size_t at = 0; at + 1 < before.size(); ++at)
                    QCOMPARE(edges[at], before[at]);
                before = edges;
            }
        }
    }

    void unitsOfAnAxis() {
        const MapUnits units(Granularity::Words, {0, 1, 4, 6, 10});
        QCOMPARE(units.spans(), 4);
        QCOMPARE(units.tokensOf(1), (engine::Rows{1, 4}));
        QCOMPARE(units.tokensOf(engine::Rows{1, 3}), (engine::Rows{1, 6}));
        QCOMPARE(units.tokensOf(9), (engine::Rows{10, 10}));
        QCOMPARE(units.unitOf(0), 0);
        QCOMPARE(units.unitOf(3), 1);
        QCOMPARE(units.unitOf(4), 2);
        QCOMPARE(units.unitOf(99), 3);
        QCOMPARE(units.unitsReady(0), 0);
        QCOMPARE(units.unitsReady(5), 3);
        // Two spans a pixel are one coarser span.
        const engine::Axis axis = units.tokensOf(engine::Axis{0, 4, 2, {}});
        QCOMPARE(axis.edges, (std::vector<std::int64_t>{0, 4, 10}));
        QCOMPARE(units.tokensOf(engine::Axis{1, 4, 1, {}}).edges,
                 (std::vector<std::int64_t>{1, 4, 6, 10}));
        for (const auto& [position, pixel] : {std::pair{0, 0}, {3, 0}, {4, 1}, {9, 1}, {10, -1}})
            QCOMPARE(pixelAt(axis, position), pixel);
        QCOMPARE(pixelAt({4, 9, 2, {}}, 8), 2);
        QCOMPARE(pixelAt({4, 9, 2, {}}, 3), -1);

        const MapUnits tokens;
        QVERIFY(tokens.areTokens() && MapUnits(Granularity::Tokens, {0, 1}).areTokens());
        QCOMPARE(tokens.tokensOf(7), (engine::Rows{7, 8}));
        QCOMPARE(tokens.unitOf(7), 7);
        QVERIFY(units == MapUnits(Granularity::Words, {0, 1, 4, 6, 10}));
        QVERIFY(!(units == MapUnits(Granularity::Lines, {0, 1, 4, 6, 10})) && !(units == tokens));
    }

    void turnsNameTheirRoles_data() {
        QTest::addColumn<QStringList>("tokens");
        QTest::addColumn<QStringList>("turns");  // "begin–end role"
        QTest::newRow("ChatML") << list({"‹<|im_start|>›", "system", "\n", "Be", "‹<|im_end|>›",
                                         "\n", "‹<|im_start|>›", "us", "er", "\n", "user", "\n",
                                         "‹<|im_end|>›"})
                                << list({"0–6 system", "6–13 user"});
        QTest::newRow("Llama 3") << list({"‹<|begin_of_text|>›", "‹<|start_header_id|>›", "user",
                                          "‹<|end_header_id|>›", "\n\n", "Hi", "‹<|eot_id|>›",
                                          "‹<|start_header_id|>›", "assistant",
                                          "‹<|end_header_id|>›"})
                                 << list({"0–7 user", "7–10 assistant"});
        QTest::newRow("Gemma") << list({"‹<bos>›", "‹<start_of_turn>›", "model", "\n", "Hi"})
                               << list({"0–5 model"});
        QTest::newRow("Phi-3") << list({"‹<|user|>›", "\n", "Hi", "‹<|end|>›", "‹<|assistant|>›"})
                               << list({"0–4 user", "4–5 assistant"});
        QTest::newRow("one turn names none")
            << list({"‹<|im_start|>›", "user", "\n", "Hi", "‹<|im_end|>›", "‹<|im_start|>›", "poet",
                     "\n", "Ho"})
            << list({"0–5 user", "5–9 "});
        QTest::newRow("a word, no role") << list({"user", "\n", "Hi"}) << QStringList();
        QTest::newRow("a line, no role")
            << list({"‹<s>›", "user", " of", " it", "\n"}) << QStringList();
        QTest::newRow("no tokens") << QStringList() << QStringList();
    }
    void turnsNameTheirRoles() {
        QFETCH(QStringList, tokens);
        QFETCH(QStringList, turns);
        const std::vector<ChatTurn> found = chatTurns(tokensFrom(tokens));
        QStringList said;
        for (const ChatTurn& turn : found)
            said << QStringLiteral("%1–%2 %3")
                        .arg(turn.tokens.begin)
                        .arg(turn.tokens.end)
                        .arg(turn.role);
        QCOMPARE(said, turns);
        for (std::int64_t i = -1; i <= tokens.size(); ++i) {
            const ChatTurn* turn = turnOf(found, i);
            QCOMPARE(turn != nullptr, !turns.isEmpty() && i >= 0 && i < tokens.size());
            if (turn) QVERIFY(i >= turn->tokens.begin && i < turn->tokens.end);
        }
    }

    void textOfASpan() {
        const auto tokens = tokensOf({"<b>", " the", "\n", "cat", "\xF0\x9F\x98", "\x80", "!"});
        QCOMPARE(spanText(tokens, {0, 4}, 20), QStringLiteral("<b>·the⏎cat"));
        QCOMPARE(spanText(tokens, {1, 4}, 4), QStringLiteral("·th…"));
        QCOMPARE(spanText(tokens, {4, 7}, 20), QStringLiteral("😀!"));
        QCOMPARE(spanText(tokens, {4, 7}, 2), QStringLiteral("…"));  // no half of a character
        QCOMPARE(spanText(tokens, {6, 20}, 8), QStringLiteral("!"));
        QCOMPARE(spanText(tokensFrom(list({"‹<s>›", "‹<h>›", "user", "\n", "‹</h>›"})), {0, 5}, 20),
                 QStringLiteral("user⏎</h>"));
        QCOMPARE(spanText(tokensFrom(list({"‹<s>›", "‹<h>›"})), {0, 2}, 20), QStringLiteral("<h>"));
        QCOMPARE(rangeText({12, 18}), QStringLiteral("12–17"));
        QCOMPARE(rangeText({1000, 1001}), QStringLiteral("1,000"));
    }

    // Every token that is generated finds the spans anew: as long as a step may not be noticed.
    void longTextIsQuick() {
        std::vector<engine::Token> tokens;
        const char* words[] = {" the", " cat", " sat", " on", " it", ".", "\n"};
        for (int i = 0; i < 8192; ++i)
            tokens.push_back({engine::TokenId{}, words[i % 7], 0, 0, false});
        for (int i = 1; i < granularities; ++i) {
            QElapsedTimer clock;
            clock.start();
            QVERIFY(spanEdges(tokens, static_cast<Granularity>(i)).size() >= 2);
            qInfo("%d: %.2f ms", i, static_cast<double>(clock.nsecsElapsed()) / 1e6);
            QVERIFY(clock.elapsed() < 200);  // some 5 on a quiet machine
        }
    }
};

QTEST_MAIN(TextSpansTest)
#include "text_spans.moc"
