// SPDX-License-Identifier: GPL-3.0-or-later
// Valid tiny models with bytes flipped, overwritten, cut off or repeated: each opens or is refused,
// none crashes. The seeds are fixed, so a failure comes back.
#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "engine/families/family.h"
#include "engine/formats/gguf_quants.h"
#include "tests/support/tiny_models.h"

namespace {

using Random = std::mt19937;

std::size_t below(Random& random, qsizetype limit) {
    return limit <= 0 ? 0 : random() % static_cast<std::size_t>(limit);
}

QByteArray mutate(QByteArray bytes, qsizetype header, Random& random) {
    const std::size_t changes = 1 + below(random, 3);
    for (std::size_t i = 0; i < changes && !bytes.isEmpty(); ++i) {
        const auto size = std::min<qsizetype>(bytes.size(), header);
        const auto at = static_cast<qsizetype>(below(random, size));
        switch (below(random, 6)) {
            case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8))); break;
            case 1: bytes[at] = static_cast<char>(random()); break;
            case 2: bytes.truncate(static_cast<qsizetype>(below(random, bytes.size()))); break;
            case 3:
                bytes.insert(at, bytes.mid(at, static_cast<qsizetype>(below(random, 40))));
                break;
            case 4: bytes.remove(at, static_cast<qsizetype>(below(random, 40))); break;
            default: {  // a length or a count with an awkward value
                const std::uint64_t awkward[] = {0,
                                                 1,
                                                 0x7FFFFFFF,
                                                 0xFFFFFFFF,
                                                 std::uint64_t{1} << 63,
                                                 ~std::uint64_t{0},
                                                 ~std::uint64_t{31}};
                bytes.replace(at, 8, support::little(awkward[below(random, 7)]));
            }
        }
    }
    return bytes;
}

// Reads what a user of the checkpoint would: a plan, and every number of every tensor.
void use(const std::string& path) {
    const engine::formats::Checkpoint file = engine::formats::open_checkpoint(path);
    float sum = 0;
    for (const auto& [name, tensor] : file.tensors) {
        const auto elements = static_cast<std::int64_t>(tensor.bytes) /
                              engine::formats::block_bytes(tensor.storage) *
                              engine::formats::block_elements(tensor.storage);
        QVERIFY2(elements < 100'000, name.c_str());
        std::vector<float> values(static_cast<std::size_t>(elements));
        engine::formats::decode(tensor.storage, tensor.data, values.data(), elements);
        for (const float value : values) sum += value;
    }
    QVERIFY(sum == sum || sum != sum);  // the sum keeps the reads
    engine::families::plan_model(file);
}

}  // namespace

class TestMutatedFiles : public QObject {
    Q_OBJECT
  private slots:
    void mutated_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("header");
        const QByteArray weights = support::tiny_weights(true).bytes();
        const int header = 8 + qFromLittleEndian<qint32>(weights.constData());
        QTest::newRow("safetensors") << "model.safetensors" << weights << header;
        const QByteArray config = QByteArray::fromStdString(support::tiny_config("qwen3").dump());
        QTest::newRow("config") << "config.json" << config << static_cast<int>(config.size());
        const QByteArray gguf = support::tiny_gguf("llama", false).bytes();
        QTest::newRow("gguf") << "model.gguf" << gguf
                              << static_cast<int>(gguf.indexOf("blk.1.ffn_down") + 60);
    }
    void mutated() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(int, header);
        QTemporaryDir dir;
        support::write_file(dir.filePath("config.json"),
                            QByteArray::fromStdString(support::tiny_config("qwen3").dump()));
        support::write_file(dir.filePath("model.safetensors"), support::tiny_weights(true).bytes());
        const std::string path =
            (name.endsWith(".gguf") ? dir.filePath(name) : dir.path()).toStdString();
        QVERIFY(support::write_file(dir.filePath(name), bytes));
        const auto whole = support::failure_of([&] { use(path); });
        QVERIFY2(!whole, whole ? whole->line().c_str() : "");

        Random random(20261130);
        int opened = 0, refused = 0;
        for (int i = 0; i < 2500; ++i) {
            QFile::remove(dir.filePath(name));  // writing over it would wait for the disk each time
            QVERIFY(support::write_file(dir.filePath(name), mutate(bytes, header, random)));
            const auto failure = support::failure_of([&] { use(path); });
            ++(failure ? refused : opened);
            QVERIFY(!failure || (!failure->what.empty() && failure->line().size() < 2000));
        }
        QVERIFY(refused > 1000);
        qInfo("%d opened, %d refused", opened, refused);
    }
};

QTEST_APPLESS_MAIN(TestMutatedFiles)
#include "tst_mutated_files.moc"
