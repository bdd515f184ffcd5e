// SPDX-License-Identifier: GPL-3.0-or-later
// Rotary frequencies of every dialect and scaling that is implemented; the rest is refused by name.
#include <QTest>
#include <cmath>

#include "tests/families/plan_helpers.h"

using engine::Failure;
using nlohmann::json;
using support::TinySizes;

class TestRope : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

    std::vector<double> frequencies(const json& changes, int head_dim = 4) {
        TinySizes sizes;
        sizes.layers = 1;
        sizes.head_dim = head_dim;
        json config = support::tiny_config("llama", sizes);
        config.erase("rope_theta");
        config.update(changes);
        const auto plan =
            support::plan_folder(m_dir, config, support::tiny_weights(false, false, sizes));
        return plan.config.per_layer.at(0).rope.inverse_frequency;
    }

  private slots:
    // theta 500000, d 64, factor 32, low 1, high 4, original 8192.
    void llama3_data() {
        QTest::addColumn<QString>("outer");
        QTest::addColumn<QString>("key");
        QTest::newRow("rope_scaling, rope_type") << "rope_scaling"
                                                 << "rope_type";
        QTest::newRow("rope_scaling, type") << "rope_scaling"
                                            << "type";
        QTest::newRow("rope_parameters, rope_type") << "rope_parameters"
                                                    << "rope_type";
    }
    void llama3() {
        QFETCH(QString, outer);
        QFETCH(QString, key);
        json set{{"factor", 32.0},
                 {"low_freq_factor", 1.0},
                 {"high_freq_factor", 4.0},
                 {"original_max_position_embeddings", 8192}};
        set[key.toStdString()] = "llama3";
        json changes{{"max_position_embeddings", 131072}};
        (outer == "rope_parameters" ? set : changes)["rope_theta"] = 500000.0;
        changes[outer.toStdString()] = set;
        const std::vector<double> scaled = frequencies(changes, 64);
        QCOMPARE(scaled.size(), std::size_t{32});
        const auto plain = [](int i) { return std::pow(500000.0, -2.0 * i / 64); };
        const auto close = [](double value, double expected, double relative) {
            return std::abs(value - expected) <= relative * expected;
        };
        for (int i = 0; i < 15; ++i)
            QVERIFY(close(scaled[static_cast<std::size_t>(i)], plain(i), 1e-14));
        QVERIFY(close(scaled[15], 0.00129055, 5e-6));
        QVERIFY(close(scaled[16], 0.000429557, 5e-6));
        QVERIFY(close(scaled[17], 0.0000970829, 5e-6));
        for (int i = 18; i < 32; ++i)
            QVERIFY(close(scaled[static_cast<std::size_t>(i)], plain(i) / 32, 1e-14));
    }

    void dialects_data() {
        QTest::addColumn<json>("changes");
        QTest::addColumn<double>(
            "second");  // the second frequency of head_dim 4: theta^(−1/2), scaled
        const auto row = [](const char* name, json changes, double second) {
            QTest::newRow(name) << std::move(changes) << second;
        };
        row("10000 by default", json::object(), 0.01);
        row("top level", {{"rope_theta", 1e6}}, 1e-3);
        row("integer", {{"rope_theta", 1000000}}, 1e-3);
        row("nested", {{"rope_parameters", {{"rope_theta", 1e6}, {"rope_type", "default"}}}}, 1e-3);
        row("nested over a stale top level",
            {{"rope_theta", 1e4},
             {"rope_parameters", {{"rope_theta", 1e6}, {"rope_type", "default"}}}},
            1e-3);
        row("nested without theta",
            {{"rope_theta", 1e6}, {"rope_parameters", {{"rope_type", "default"}}}}, 1e-3);
        row("nested null", {{"rope_theta", 1e6}, {"rope_parameters", nullptr}}, 1e-3);
        row("scaling null", {{"rope_theta", 1e6}, {"rope_scaling", nullptr}}, 1e-3);
        row("scaling null, nested given",
            {{"rope_scaling", nullptr}, {"rope_parameters", {{"rope_theta", 1e6}}}}, 1e-3);
        row("linear", {{"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}}}, 0.005);
        row("linear, nested",
            {{"rope_parameters", {{"rope_type", "linear"}, {"factor", 4}, {"rope_theta", 1e6}}}},
            2.5e-4);
        row("default", {{"rope_scaling", {{"rope_type", "default"}}}}, 0.01);
        row("whole rotary said", {{"partial_rotary_factor", 1.0}}, 0.01);
    }
    void dialects() {
        QFETCH(json, changes);
        QFETCH(double, second);
        const std::vector<double> values = frequencies(changes);
        QCOMPARE(values.size(), std::size_t{2});
        QVERIFY(std::abs(values[1] - second) < 1e-12);
    }

    // What transformers' own function makes of yarn (modeling_rope_utils), for Qwen3 as for Llama:
    // head_dim 16, theta 1e4, factor 4 of 4,096 tokens; the factor of cos and sin last.
    void yarn_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<json>("set");
        QTest::addColumn<std::vector<double>>("expected");
        const auto row = [](const char* type, const char* what, json set,
                            std::vector<double> expected) {
            set.update({{"rope_type", "yarn"},
                        {"factor", 4.0},
                        {"rope_theta", 1e4},
                        {"original_max_position_embeddings", 4096}});
            QTest::addRow("%s: %s", type, what) << type << std::move(set) << std::move(expected);
        };
        for (const char* type : {"qwen3", "llama"}) {
            row(type, "by default", json::object(),
                {1, 0.316227764, 0.1, 0.025693506, 0.00625, 0.00138349656, 0.00025, 7.90569466e-05,
                 1.13862944});
            row(type, "betas 8 and 2", {{"beta_fast", 8.0}, {"beta_slow", 2.0}},
                {1, 0.316227764, 0.1, 0.0316227786, 0.0075, 0.00158113893, 0.00025, 7.90569466e-05,
                 1.13862944});
            row(type, "not truncated",
                {{"beta_fast", 8.0}, {"beta_slow", 2.0}, {"truncate", false}},
                {1, 0.316227764, 0.1, 0.0316227786, 0.00889242906, 0.000842372188, 0.00025,
                 7.90569466e-05, 1.13862944});
            row(type, "its own factor", {{"attention_factor", 1.5}},
                {1, 0.316227764, 0.1, 0.025693506, 0.00625, 0.00138349656, 0.00025, 7.90569466e-05,
                 1.5});
        }
    }
    void yarn() {
        QFETCH(QString, type);
        QFETCH(json, set);
        QFETCH(std::vector<double>, expected);
        TinySizes sizes;
        sizes.head_dim = 16;
        json config = support::tiny_config(qPrintable(type), sizes);
        config.erase("rope_theta");
        config.update({{"max_position_embeddings", 16384}, {"rope_parameters", set}});
        const auto plan = support::plan_folder(
            m_dir, config, support::tiny_weights(type == "qwen3", false, sizes));
        for (const engine::LayerConfig& layer : plan.config.per_layer) {
            std::vector<double> planned = layer.rope.inverse_frequency;
            planned.push_back(layer.rope.attention_factor);
            QCOMPARE(planned.size(), expected.size());
            for (std::size_t i = 0; i < planned.size(); ++i)
                QVERIFY2(std::abs(planned[i] / expected[i] - 1) < 1e-6,
                         QByteArray::number(planned[i], 'g', 9));
        }
    }

    void refused_data() {
        QTest::addColumn<json>("scaling");
        QTest::addColumn<QString>("said");
        for (const char* type : {"mrope", "ntk", "proportional", "something new"})
            QTest::newRow(type) << json{{"rope_type", type}, {"factor", 2.0}} << QString(type);
        const auto row = [](const char* name, json scaling, const char* said) {
            QTest::newRow(name) << std::move(scaling) << QString(said);
        };
        row("old key", {{"type", "ntk"}, {"factor", 2.0}}, "ntk");
        row("longrope without long factors",
            {{"rope_type", "longrope"}, {"short_factor", {1.0, 1.0}}}, "long_factor is missing");
        row("longrope of another head",
            {{"type", "su"}, {"short_factor", {1.0}}, {"long_factor", {1.0, 1.0}}},
            "short_factor has 1 numbers");
        row("yarn's factor is a text", {{"type", "yarn"}, {"factor", "2"}}, "factor");
        row("type is a number", {{"type", 3}}, "type");
        row("not an object", json::array({1}), "rope_scaling");
        row("linear without factor", {{"type", "linear"}}, "rope_scaling.factor is missing");
        row("factor 0", {{"type", "linear"}, {"factor", 0}}, "factor is 0");
        row("llama3 without low", {{"type", "llama3"}, {"factor", 8}},
            "low_freq_factor is missing");
        row("llama3 high below low",
            {{"type", "llama3"}, {"factor", 8}, {"low_freq_factor", 4}, {"high_freq_factor", 1}},
            "not above");
        row("partial", {{"rope_type", "default"}, {"partial_rotary_factor", 0.5}},
            "partial_rotary_factor");
        row("a set a layer type", {{"full_attention", {{"rope_type", "default"}}}},
            "full_attention");
    }
    void refused() {
        QFETCH(json, scaling);
        QFETCH(QString, said);
        for (const char* outer : {"rope_scaling", "rope_parameters"}) {
            const auto failure = support::failure_of([&] { frequencies({{outer, scaling}}); });
            QVERIFY(failure.has_value());
            if (said == "rope_scaling") continue;
            const QString what = QString::fromStdString(failure->what);
            QVERIFY2(what.contains(said.replace("rope_scaling", outer)), failure->what.c_str());
        }
    }

    void gguf_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<double>("factor");
        QTest::addColumn<double>("old");  // the key of files before rope.scaling
        QTest::addColumn<bool>("divisors");
        QTest::addColumn<double>("second");
        QTest::newRow("plain") << "" << 0.0 << 0.0 << false << 0.01;
        QTest::newRow("none") << "none" << 8.0 << 0.0 << false << 0.01;
        QTest::newRow("linear") << "linear" << 8.0 << 0.0 << false << 0.00125;
        QTest::newRow("linear by default") << "" << 8.0 << 0.0 << false << 0.00125;
        QTest::newRow("scale_linear") << "" << 0.0 << 4.0 << false << 0.0025;
        QTest::newRow("scale_linear 1") << "" << 0.0 << 1.0 << false << 0.01;
        QTest::newRow("factor over scale_linear") << "" << 8.0 << 4.0 << false << 0.00125;
        QTest::newRow("divisors") << "" << 0.0 << 0.0 << true << 0.0025;
    }
    void gguf() {
        QFETCH(QString, type);
        QFETCH(double, factor);
        QFETCH(double, old);
        QFETCH(bool, divisors);
        QFETCH(double, second);
        auto writer = support::tiny_gguf("llama", false);
        if (!type.isEmpty()) writer.string("llama.rope.scaling.type", type.toLatin1());
        if (factor > 0) writer.f32("llama.rope.scaling.factor", static_cast<float>(factor));
        if (old > 0) writer.f32("llama.rope.scale_linear", static_cast<float>(old));
        if (divisors) writer.tensor("rope_freqs.weight", {2}, 0, support::floats({1, 4}));
        const auto plan = support::plan_gguf(m_dir, writer);
        const auto& values = plan.config.per_layer[1].rope.inverse_frequency;
        const double times = factor > 0 ? factor : old > 0 ? old : 1;
        QCOMPARE(values.at(0), type != "none" ? 1 / times : 1.0);
        QVERIFY(std::abs(values.at(1) - second) < 1e-12);
        QVERIFY(plan.unused.empty());
    }
};

QTEST_APPLESS_MAIN(TestRope)
#include "tst_rope.moc"
