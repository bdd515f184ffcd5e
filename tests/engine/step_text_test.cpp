// SPDX-License-Identifier: GPL-3.0-or-later
// The text that steps add: whole characters only, whatever tokens they are spread over. Tokens are
// forced by forks, so that every state is met; the expected texts are written out.
#include <QTest>

#include "tests/support/default_model.h"
#include "tests/support/engine_run.h"

using namespace engine;

namespace {

const std::string lost = "\uFFFD";

Engine& shared_engine() {
    static const std::unique_ptr<Engine> engine = EngineRun::open(default_model_path());
    return *engine;
}

void read_prompt(Engine& engine, RunId run) {
    while (!engine.prefill_chunk(run, {}).finished()) {
    }
}

// A text's tokens, of which a prompt may hold only the first few.
struct Forced {
    Engine* engine = &shared_engine();
    std::vector<TokenId> ids;

    explicit Forced(const std::string& text) {
        for (const Token& token : engine->tokenize(text, {}).tokens) ids.push_back(token.id);
    }
    RunId read(std::size_t tokens) const {
        const auto end = ids.begin() + static_cast<std::ptrdiff_t>(tokens);
        const RunId run = engine->open_run({{ids.begin(), end}, {}, 0});
        read_prompt(*engine, run);
        return run;
    }
};

bool whole(const std::string& text) {
    const QString decoded = QString::fromUtf8(text.c_str(), static_cast<qsizetype>(text.size()));
    return decoded.toStdString() == text;
}

}  // namespace

class StepTextTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Greedily, the model goes on with the pattern of its prompt, character by split character.
    void splitCharactersComeWhole_data() {
        QTest::addColumn<QString>("unit");
        QTest::addRow("emoji") << QStringLiteral("😀");
        QTest::addRow("rare emoji") << QStringLiteral("🦉");
        QTest::addRow("CJK") << QStringLiteral("鬱");
        QTest::addRow("Hangul") << QStringLiteral("뷁");
    }
    void splitCharactersComeWhole() {
        NEEDS_DEFAULT_MODEL();
        QFETCH(QString, unit);
        const Forced forced(unit.repeated(12).toStdString());
        const RunId run = forced.read(forced.ids.size());
        std::string streamed, joined;
        int held = 0;
        for (int i = 0; i < 7; ++i) {
            const Step step = forced.engine->decode_step(run, {});
            QVERIFY2(whole(step.text), QByteArray::fromStdString(step.text).toHex());
            if (!step.unfinished.empty()) {
                QCOMPARE(step.unfinished, lost);
                ++held;
            }
            streamed += step.text;
            joined += step.token.bytes;
        }
        QVERIFY2(held >= 4, qPrintable(QStringLiteral("%1 steps held bytes back").arg(held)));
        // One-shot decoding of the same bytes. Qt, the other implementation here, writes a mark for
        // each byte of a cut end, HF and we one for all of it.
        QString once = QString::fromUtf8(joined.c_str());
        while (once.endsWith(QChar(0xFFFD))) once.chop(1);
        QCOMPARE(QString::fromStdString(streamed), once);
        QVERIFY(QString::fromStdString(streamed).contains(unit));
    }

    // A prompt may end inside a character: the first step completes it, and says the whole of it.
    void promptThatEndsInsideACharacter() {
        NEEDS_DEFAULT_MODEL();
        const Forced forced(QStringLiteral("🦉").repeated(6).toStdString());
        const std::size_t end = forced.ids.size() - 1;
        const RunId run = forced.read(end);
        std::string text;
        for (int i = 0; i < 4 && text.empty(); ++i) text = forced.engine->decode_step(run, {}).text;
        QCOMPARE(QString::fromStdString(text), QStringLiteral("🦉"));
    }

    // A fork knows the bytes that its own tokens hold back, not its parent's newest.
    void forkInsideACharacter() {
        NEEDS_DEFAULT_MODEL();
        const Forced forced(QStringLiteral("🦉").repeated(6).toStdString());
        const std::size_t length = forced.ids.size(), each = length / 6;
        QVERIFY(each >= 2 && each * 6 == length);
        const RunId parent = forced.read(length);
        const Step first = forced.engine->decode_step(parent, {});
        QVERIFY(!first.unfinished.empty());  // the parent is inside its next one

        // After the fork's token the sixth character lacks its last token.
        const auto at = static_cast<std::int64_t>(length - 2);
        const RunId inside = forced.engine->fork_run(parent, Position{at}, forced.ids[length - 2]);
        read_prompt(*forced.engine, inside);
        QCOMPARE(QString::fromStdString(forced.engine->decode_step(inside, {}).text),
                 QStringLiteral("🦉"));

        // A letter in its place: what was held can no longer become a character, and is told with
        // the prompt that the fork was given, not with its first step.
        const TokenId letter = forced.engine->tokenize("a", {}).tokens.at(0).id;
        const RunId broken = forced.engine->fork_run(parent, Position{at + 1}, letter);
        read_prompt(*forced.engine, broken);
        const Step after = forced.engine->decode_step(broken, {});
        QCOMPARE(after.text, whole(after.token.bytes) ? after.token.bytes : std::string());

        // The parent goes on as if there had been no fork.
        std::string text = first.text;
        for (int i = 0; i < 4 && text.empty(); ++i)
            text = forced.engine->decode_step(parent, {}).text;
        QCOMPARE(QString::fromStdString(text), QStringLiteral("🦉"));
    }

    // A step that is cancelled adds nothing, and its retry adds the same.
    void cancelledStepHoldsNothingBack() {
        NEEDS_DEFAULT_MODEL();
        const Forced forced(QStringLiteral("🦉").repeated(6).toStdString());
        const RunId run = forced.read(forced.ids.size() - 1);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN((void)forced.engine->decode_step(run, stop.get_token()),
                                 Cancelled);
        QCOMPARE(QString::fromStdString(forced.engine->decode_step(run, {}).text),
                 QStringLiteral("🦉"));
    }
};

QTEST_APPLESS_MAIN(StepTextTest)
#include "step_text_test.moc"
