// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine kept and rebuilds, against plain fp64 loops over the very same q, k and v: page
// edges, decode across them, one token, windowed layers; kept tensors stay as they were;
// rotary phases of neighbours differ.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/model/rope_table.h"
#include "tests/support/compare.h"
#include "tests/support/engine_run.h"
#include "tests/support/run_oracle.h"

using namespace engine;

namespace {

const std::string model = std::string(TEST_DATA) + "/tiny_qwen3";

std::vector<TokenId> prompt(std::int64_t length) {
    std::vector<TokenId> tokens;
    for (std::int64_t i = 0; i < length; ++i)
        tokens.push_back(TokenId{static_cast<std::int32_t>((i * 53 + 11) % 317 + 3)});
    return tokens;
}

}  // namespace

class TraceOracleTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    // The same model, but layers 1 and 2 see `window` positions.
    std::string windowed(int window) const {
        const QDir from(QString::fromStdString(model));
        for (const QString& name : from.entryList(QDir::Files))
            QFile::copy(from.filePath(name), m_folder.filePath(name));
        QFile config(m_folder.filePath("config.json"));
        if (!config.open(QIODevice::ReadWrite)) qFatal("no copy of the model");
        nlohmann::json json = nlohmann::json::parse(config.readAll().toStdString());
        json.update(
            {{"use_sliding_window", true}, {"sliding_window", window}, {"max_window_layers", 1}});
        config.resize(0);
        config.write(QByteArray::fromStdString(json.dump()));
        return m_folder.path().toStdString();
    }

  private Q_SLOTS:
    void rebuildEqualsTheDenseOracle_data() {
        QTest::addColumn<int>("pageTokens");
        QTest::addColumn<int>("length");
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("window");  // of layers 1 and 2; 0: none
        for (const int page : {1, 16, 64, 128})
            for (const int length :
                 {1, page - 1, page, page + 1, 2 * page - 1, 2 * page, 2 * page + 1})
                if (length > 0)
                    QTest::addRow("page %d, %d tokens", page, length) << page << length << 3 << 0;
        QTest::addRow("page 16, 40 steps") << 16 << 5 << 40 << 0;
        for (const int page : {1, 16})
            for (const int length : {3, 4, 9})
                QTest::addRow("page %d, window 4, %d tokens", page, length)
                    << page << length << 12 << 4;
    }
    void rebuildEqualsTheDenseOracle() {
        QFETCH(int, pageTokens);
        QFETCH(int, length);
        QFETCH(int, steps);
        QFETCH(int, window);
        EngineRun run(EngineRun::open(window > 0 ? windowed(window) : model, pageTokens),
                      prompt(length), steps);
        QCOMPARE(run.rows(), length + steps);
        // The source axis stays absolute: what has left the window is masked where it stands.
        for (int layer = 0; layer < run.engine->info().layers; ++layer)
            if (!fits_oracle(oracle_errors(run, layer, 0, layer > 0 ? window : 0), 1e-5, layer))
                return;
    }

    // A prompt read with steps is the prompt read at once: prefill rows and decode rows are the
    // same thing.
    void decodeRowsEqualPrefillRows() {
        EngineRun stepped(EngineRun::open(model, 16), prompt(9), 30);
        EngineRun at_once(EngineRun::open(model, 16), stepped.tokens);
        for (int layer = 0; layer < 3; ++layer) {
            const Rows all{0, 39};
            QVERIFY(relative_difference(stepped.read("z", layer, all),
                                        at_once.read("z", layer, all)) < 1e-5);
            QVERIFY(max_difference(stepped.read("pattern", layer, all),
                                   at_once.read("pattern", layer, all)) < 1e-5);
        }
    }

    void keptTensorsStay() {
        EngineRun run(EngineRun::open(model, 16), prompt(20));
        const Rows all{0, 20};
        std::vector<std::vector<float>> kept;
        for (int layer = 0; layer < 3; ++layer)
            for (const char* kind : {"q", "k", "v", "z", "lse"})
                kept.push_back(run.read(kind, layer, all));
        for (int pass = 0; pass < 50; ++pass) {
            const RunId other = run.engine->open_run({prompt(33), {}, 0});
            while (!run.engine->prefill_chunk(other, {}).finished()) {
            }
            run.engine->close_run(other);
            (void)run.engine->decode_step(run.run, {});
        }
        std::size_t at = 0;
        for (int layer = 0; layer < 3; ++layer)
            for (const char* kind : {"q", "k", "v", "z", "lse"})
                QCOMPARE(run.read(kind, layer, all), kept[at++]);
    }

    void rotaryPhasesOfNeighboursDiffer() {
        ModelConfig config;
        config.per_layer.resize(1);
        config.per_layer[0].rope.rotary_dim = 2;
        config.per_layer[0].rope.inverse_frequency = {1.0};
        RopeTable table(config);
        const auto cosine = [&](std::int64_t position) {
            table.fill(position, position + 1);
            return table.layer(0).cosines[0];
        };
        QVERIFY(std::abs(cosine(257) - 0.8193f) < 1e-4f);
        QVERIFY(std::abs(cosine(256) + 0.0398f) < 1e-4f);
        QVERIFY(std::abs(cosine(2049) - 0.7766f) < 1e-4f);
        QVERIFY(std::abs(cosine(2048) - 0.9497f) < 1e-4f);
        QVERIFY(std::abs(cosine(15962) - std::cos(15962.0)) < 1e-6);
    }
};

QTEST_APPLESS_MAIN(TraceOracleTest)
#include "trace_oracle_test.moc"
