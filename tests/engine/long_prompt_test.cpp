// SPDX-License-Identifier: GPL-3.0-or-later
// Far from position 0: scaled rotary frequencies at 9,000 tokens, neighbours past position
// 2,048, and what a view of such a run costs in memory. The oracle turns, in fp64, the q and k that
// each token has at position 0 of a run of its own, where the rotation does nothing.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/support/engine_run.h"
#include "tests/support/memory_use.h"

using namespace engine;

namespace {

constexpr std::int64_t dim = 16, query_heads = 8, kv_heads = 2;

struct Scaling {  // Llama 3's, as its paper's code has it; factor 1: none
    double theta = 10000, factor = 1, low = 1, high = 4, original = 8192;

    double frequency(std::int64_t pair) const {
        const double f = std::pow(theta, -2.0 * static_cast<double>(pair) / dim);
        const double wavelength = 2 * std::numbers::pi / f;
        if (factor == 1 || wavelength < original / high) return f;
        if (wavelength > original / low) return f / factor;
        const double smooth = (original / wavelength - low) / (high - low);
        return (1 - smooth) * f / factor + smooth * f;
    }
};

class Oracle {
  public:
    Oracle(const std::string& model, const std::vector<TokenId>& kinds, Scaling scaling)
        : scaling_(scaling) {
        for (const TokenId token : kinds) {
            const EngineRun alone(EngineRun::open(model), {token});
            q_.push_back(alone.read("q", 0, {0, 1}));
            k_.push_back(alone.read("k", 0, {0, 1}));
        }
    }

    // Layer 0's row of one head, the token at each position being kinds[position % kinds].
    std::vector<double> pattern_row(std::int64_t head, std::int64_t dest) const {
        std::vector<double> row;
        double most = -INFINITY, total = 0;
        const std::vector<double> q = turned(kind(q_, dest), head, dest);
        for (std::int64_t src = 0; src <= dest; ++src) {
            const std::vector<double> k =
                turned(kind(k_, src), head / (query_heads / kv_heads), src);
            double dot = 0;
            for (std::size_t i = 0; i < dim; ++i) dot += q[i] * k[i];
            row.push_back(dot / std::sqrt(double{dim}));
            most = std::max(most, row.back());
        }
        for (double& x : row) total += x = std::exp(x - most);
        for (double& x : row) x /= total;
        return row;
    }

  private:
    static const std::vector<float>& kind(const std::vector<std::vector<float>>& of,
                                          std::int64_t position) {
        return of[static_cast<std::size_t>(position) % of.size()];
    }
    std::vector<double> turned(const std::vector<float>& rows, std::int64_t head,
                               std::int64_t position) const {
        std::vector<double> out(dim);
        const float* x = rows.data() + head * dim;
        for (std::int64_t i = 0; i < dim / 2; ++i) {
            const double phase = static_cast<double>(position) * scaling_.frequency(i);
            const double a = x[i], b = x[i + dim / 2];
            out[static_cast<std::size_t>(i)] = a * std::cos(phase) - b * std::sin(phase);
            out[static_cast<std::size_t>(i + dim / 2)] = b * std::cos(phase) + a * std::sin(phase);
        }
        return out;
    }

    Scaling scaling_;
    std::vector<std::vector<float>> q_, k_;  // of each kind of token, unturned
};

const std::vector<TokenId> kinds = {TokenId{17}, TokenId{201}, TokenId{88}, TokenId{300},
                                    TokenId{5}};

std::vector<TokenId> prompt(std::int64_t length, const std::vector<TokenId>& of) {
    std::vector<TokenId> tokens;
    for (std::int64_t i = 0; i < length; ++i)
        tokens.push_back(of[static_cast<std::size_t>(i) % of.size()]);
    return tokens;
}

}  // namespace

class LongPromptTest : public QObject {
    Q_OBJECT

    // A tiny model with another context and, for tiny_llama3, another scaling.
    static std::string modelIn(const QTemporaryDir& folder, const char* name,
                               const Scaling& scaling) {
        const QDir from(QStringLiteral(TEST_DATA "/") + QString::fromLatin1(name));
        for (const QString& file : from.entryList(QDir::Files))
            QFile::copy(from.filePath(file), folder.filePath(file));
        QFile config(folder.filePath(QStringLiteral("config.json")));
        config.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        if (!config.open(QIODevice::ReadWrite)) qFatal("no copy of the model");
        nlohmann::json json = nlohmann::json::parse(config.readAll().toStdString());
        json["max_position_embeddings"] = 16384;
        if (scaling.factor != 1)
            json["rope_parameters"] = {{"rope_type", "llama3"},
                                       {"rope_theta", scaling.theta},
                                       {"factor", scaling.factor},
                                       {"low_freq_factor", scaling.low},
                                       {"high_freq_factor", scaling.high},
                                       {"original_max_position_embeddings", scaling.original}};
        config.resize(0);
        config.write(QByteArray::fromStdString(json.dump()));
        return folder.path().toStdString();
    }

    static void compareRows(const EngineRun& run, const Oracle& oracle,
                            const std::vector<std::int64_t>& dests) {
        for (const std::int64_t dest : dests) {
            const std::vector<float> rows = run.read("pattern", 0, {dest, dest + 1});
            QCOMPARE(static_cast<std::int64_t>(rows.size()), query_heads * (dest + 1));
            for (std::int64_t head = 0; head < query_heads; ++head) {
                const std::vector<double> expected = oracle.pattern_row(head, dest);
                double error = 0;
                for (std::int64_t src = 0; src <= dest; ++src)
                    error = std::max(
                        error, std::abs(expected[static_cast<std::size_t>(src)] -
                                        rows[static_cast<std::size_t>(head * (dest + 1) + src)]));
                QVERIFY2(error < 1e-5, qPrintable(QStringLiteral("dest %1, head %2: off by %3")
                                                      .arg(dest)
                                                      .arg(head)
                                                      .arg(error)));
            }
        }
    }

  private Q_SLOTS:
    void scaledFrequenciesReachNineThousandTokens() {
        const Scaling scaling{500000, 32, 1, 4, 8192};
        const QTemporaryDir folder;
        const std::string model = modelIn(folder, "tiny_llama3", scaling);
        EngineRun run(EngineRun::open(model), prompt(9001, kinds));
        const Oracle oracle(model, kinds, scaling);
        std::vector<std::int64_t> dests = {8999, 9000};
        for (std::int64_t dest = 0; dest < 16; ++dest) dests.push_back(dest);
        compareRows(run, oracle, dests);
        // A frequency table without the scaling would not go unnoticed.
        const std::vector<double> scaled = oracle.pattern_row(0, 9000),
                                  plain = Oracle(model, kinds, {500000}).pattern_row(0, 9000);
        double difference = 0;
        for (std::size_t i = 0; i < scaled.size(); ++i)
            difference = std::max(difference, std::abs(scaled[i] / plain[i] - 1));
        QVERIFY2(difference > 0.01, qPrintable(QString::number(difference)));

        // A map of all of it is pooled on the way: 8 heads of 9,001² cells would be 2.6 GB.
        const memory_use::Peak peak;
        TileRequest map;
        map.run = run.run;
        for (int head = 0; head < query_heads; ++head)
            map.heads.push_back({Layer{1}, QueryHead{head}});
        map.dest = map.src = {0, 9216, 36, {}};
        map.pooling = Pooling::Max;
        const Tile tile = run.engine->reader()->tile(map);
        QCOMPARE(tile.data.as<float>().size(), std::size_t{query_heads * 256 * 256});
        (void)run.read("pattern", 1, {9000, 9001});
        QVERIFY2(peak.growth() < std::int64_t{64} << 20,
                 qPrintable(QString::number(peak.growth())));
    }

    void neighboursPastTwoThousandDiffer() {
        const std::vector<TokenId> one = {TokenId{17}};
        const QTemporaryDir folder;
        const std::string model = modelIn(folder, "tiny_llama", {});
        EngineRun run(EngineRun::open(model), prompt(2100, one));
        compareRows(run, Oracle(model, one, {}), {256, 257, 2048, 2049, 2099});
        // Were phases rounded to bf16, 2048 and 2049 would be one position, and this row's last two
        // tokens would weigh alike.
        const std::vector<float> row = run.read("pattern", 0, {2049, 2050});
        QVERIFY2(std::abs(row[2049] / row[2048] - 1) > 1e-3f,
                 qPrintable(QString::number(row[2049] / row[2048] - 1)));
    }
};

QTEST_APPLESS_MAIN(LongPromptTest)
#include "long_prompt_test.moc"
