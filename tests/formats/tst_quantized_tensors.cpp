// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that a quantization spreads over two tensors: put together where they fit, refused with
// both shapes where they do not, left alone where nobody says that they belong together.
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/formats/checkpoint.h"
#include "tests/support/hostile_files.h"

using namespace engine::formats;
using engine::Failure;
using nlohmann::json;
using support::SafetensorsWriter;

namespace {

QByteArray bytes(int count) {
    return QByteArray(count, '\1');
}

QByteArray factors(int count) {
    return support::floats(std::vector<float>(static_cast<std::size_t>(count), 0.5f));
}

const json fp8{{"quant_method", "fp8"}, {"weight_block_size", {4, 8}}};
const json mxfp4{{"quant_method", "mxfp4"}};

}  // namespace
Q_DECLARE_METATYPE(json)

class TestQuantizedTensors : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

    Checkpoint open(const json& quantization, const SafetensorsWriter& weights) {
        const json config{{"model_type", "llama"}, {"quantization_config", quantization}};
        if (!support::write_file(m_dir.filePath("config.json"),
                                 QByteArray::fromStdString(config.dump())) ||
            !support::write_file(m_dir.filePath("model.safetensors"), weights.bytes()))
            qFatal("cannot write");
        return open_checkpoint(m_dir.path().toStdString());
    }

  private slots:
    // The last blocks of rows and columns are cut short.
    void factorsOfBlocks() {
        const Checkpoint file = open(fp8, SafetensorsWriter()
                                              .add("w", "F8_E4M3", "[9,20]", bytes(180))
                                              .add("w_scale_inv", "F32", "[3,3]", factors(9))
                                              .add("v", "BF16", "[4]", bytes(8)));
        QCOMPARE(file.tensors.size(), std::size_t{2});
        const StoredTensor& w = file.at("w");
        QCOMPARE(w.scales.rows, 4);
        QCOMPARE(w.scales.columns, 8);
        QCOMPARE(w.scales.bytes, std::size_t{36});
        QVERIFY(file.at("v").scales.data == nullptr);
    }

    void oneFactor_data() {
        QTest::addColumn<QByteArray>("shape");
        for (const char* shape : {"[]", "[1]"}) QTest::newRow(shape) << QByteArray(shape);
    }
    void oneFactor() {
        QFETCH(QByteArray, shape);
        const json whole{{"quant_method", "fp8"}, {"weight_block_size", nullptr}};
        const Checkpoint file = open(whole, SafetensorsWriter()
                                                .add("w", "F8_E5M2", "[9,20]", bytes(180))
                                                .add("w_scale_inv", "BF16", shape, bytes(2)));
        QCOMPARE(file.at("w").scales.rows, 9);
        QCOMPARE(file.at("w").scales.columns, 20);
    }

    void blocksOfExperts() {
        const Checkpoint file = open(mxfp4, SafetensorsWriter()
                                                .add("w_blocks", "U8", "[2,6,3,16]", bytes(576))
                                                .add("w_scales", "U8", "[2,6,3]", bytes(36)));
        QCOMPARE(file.tensors.size(), std::size_t{1});
        const StoredTensor& w = file.at("w");
        QCOMPARE(w.shape, (std::vector<std::int64_t>{2, 6, 96}));
        QVERIFY(w.storage == Storage::MXFP4_PAIRS);
        QCOMPARE(w.row_bytes(), std::size_t{48});
        QCOMPARE(w.scales.row_bytes, std::size_t{3});
    }

    void whatHasNoPartnerStays_data() {
        QTest::addColumn<json>("quantization");
        QTest::addColumn<int>("tensors");
        QTest::newRow("none") << json() << 4;
        QTest::newRow("no object") << json("fp8") << 4;
        QTest::newRow("no method") << json{{"weight_block_size", {4, 8}}} << 4;
        QTest::newRow("another method") << json{{"quant_method", "awq"}} << 4;
        QTest::newRow("a method of another type") << json{{"quant_method", 8}} << 4;
        QTest::newRow("fp8") << fp8 << 3;
        QTest::newRow("mxfp4") << mxfp4 << 3;
    }
    void whatHasNoPartnerStays() {
        QFETCH(json, quantization);
        QFETCH(int, tensors);
        const Checkpoint file =
            open(quantization, SafetensorsWriter()
                                   .add("w", "F8_E4M3", "[4,8]", bytes(32))
                                   .add("w_scale_inv", "F32", "[1,1]", factors(1))
                                   .add("x_blocks", "U8", "[1,1,1,16]", bytes(16))
                                   .add("x_scales", "U8", "[1,1,1]", bytes(1)));
        QCOMPARE(file.tensors.size(), static_cast<std::size_t>(tensors));
    }

    void bytesAreNoWeights() {
        const Checkpoint file =
            open(mxfp4, SafetensorsWriter().add("x_blocks", "U8", "[1,1,1,16]", bytes(16)));
        const auto failure = support::failure_of([&] { file.at("x_blocks"); });
        QVERIFY(failure && failure->kind == Failure::Kind::Unsupported);
        QVERIFY2(failure->what.find("stored as U8") != std::string::npos, failure->what.c_str());
    }

    void refused_data() {
        QTest::addColumn<json>("quantization");
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QStringList>("said");
        const auto row = [](const char* name, const json& quantization,
                            const SafetensorsWriter& writer, const QStringList& said) {
            QTest::newRow(name) << quantization << writer.bytes() << said;
        };
        const auto eight = [](const QByteArray& shape, int count) {
            return SafetensorsWriter()
                .add("w", "F8_E4M3", "[9,20]", bytes(180))
                .add("w_scale_inv", "F32", shape, factors(count));
        };
        row("a block too few", fp8, eight("[3,2]", 6),
            {"w_scale_inv is [3, 2]", "[3, 3]", "[4, 8]"});
        row("turned", fp8, eight("[9]", 9), {"[9]", "[3, 3]"});
        row("one of blocks", fp8, eight("[]", 1), {"[]", "[3, 3]"});
        row("blocks of one", {{"quant_method", "fp8"}, {"weight_block_size", nullptr}},
            eight("[3,3]", 9), {"[3, 3]", "as a whole"});
        for (const json& size : {json(128), json{128}, json{128, 0}, json{-1, 128}, json{1.5, 128},
                                 json{"a", "b"}, json{std::uint64_t{1} << 63, 128}, json::object()})
            row(size.dump().c_str(), {{"quant_method", "fp8"}, {"weight_block_size", size}},
                eight("[3,3]", 9), {"weight_block_size"});
        const auto blocks = [](const QByteArray& shape, int count, const QByteArray& scales,
                               int scale_count) {
            return SafetensorsWriter()
                .add("w_blocks", "U8", shape, bytes(count))
                .add("w_scales", "U8", scales, bytes(scale_count));
        };
        row("blocks of 8 bytes", mxfp4, blocks("[1,2,3,8]", 48, "[1,2,3]", 6), {"16 bytes"});
        row("a scale too few", mxfp4, blocks("[1,2,3,16]", 96, "[1,2,2]", 4),
            {"[1, 2, 2]", "[1, 2, 3]"});
        row("twice", mxfp4,
            blocks("[1,2,3,16]", 96, "[1,2,3]", 6).add("w", "BF16", "[1]", bytes(2)),
            {"tensor w", "once more"});
        row("too many to count", mxfp4,
            blocks("[0,1,4611686018427387904,16]", 0, "[0,1,4611686018427387904]", 0),
            {"too large to count"});
    }
    void refused() {
        QFETCH(json, quantization);
        QFETCH(QByteArray, file);
        QFETCH(QStringList, said);
        const json config{{"model_type", "llama"}, {"quantization_config", quantization}};
        QVERIFY(support::write_file(m_dir.filePath("config.json"),
                                    QByteArray::fromStdString(config.dump())));
        QVERIFY(support::write_file(m_dir.filePath("model.safetensors"), file));
        const auto failure =
            support::failure_of([&] { open_checkpoint(m_dir.path().toStdString()); });
        QVERIFY(failure.has_value());
        QCOMPARE(failure->kind, Failure::Kind::BadFile);
        QVERIFY(!failure->where.empty());
        for (const QString& part : said)
            QVERIFY2(QString::fromStdString(failure->what).contains(part), failure->what.c_str());
    }
};

QTEST_APPLESS_MAIN(TestQuantizedTensors)
#include "tst_quantized_tensors.moc"
