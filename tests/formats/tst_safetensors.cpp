// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/formats/gguf_quants.h"
#include "engine/formats/safetensors.h"
#include "tests/support/hostile_files.h"

using namespace engine::formats;
using engine::Failure;
using support::safetensors;

namespace {

// The most memory that was resident since the last reset, in KiB; 0 where the system does not tell.
qint64 peak_resident(bool reset) {
    if (reset) support::write_file("/proc/self/clear_refs", "5");
    QFile file("/proc/self/status");
    if (!file.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : file.readAll().split('\n'))
        if (line.startsWith("VmHWM:")) return line.mid(6).trimmed().split(' ').front().toLongLong();
    return 0;
}

QByteArray entry(const QByteArray& name, const QByteArray& dtype, const QByteArray& shape,
                 const QByteArray& offsets) {
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
}

}  // namespace

class TestSafetensors : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    TensorFile read(const QByteArray& bytes) {
        const QString path = m_folder.filePath("model.safetensors");
        if (!support::write_file(path, bytes)) qFatal("cannot write");
        return read_safetensors(MappedFile::open(path.toStdString()));
    }

  private slots:
    void refused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QStringList>("said");
        const auto row = [](const char* name, const QByteArray& bytes, const QStringList& said) {
            QTest::newRow(name) << bytes << said;
        };
        const QByteArray four(4, '\0');
        const QByteArray ok = "{" + entry("a", "F32", "[1]", "[0,4]") + "}";
        row("three bytes", "abc", {"3 bytes"});
        row("length 0", safetensors(ok, four, 0), {"0 bytes"});
        row("length 1", safetensors(ok, four, 1), {"JSON"});
        row("length size-7", safetensors(ok, four, ok.size() + 4 + 1),
            {QString::number(ok.size() + 5), QString::number(ok.size() + 4)});
        row("length cap + 1", safetensors(ok, four, 100'000'001), {"100000001", "100000000"});
        row("length 2^63", safetensors(ok, four, std::uint64_t{1} << 63), {"9223372036854775808"});
        row("length 2^64-1", safetensors(ok, four, ~std::uint64_t{0}), {"18446744073709551615"});
        row("no brace", safetensors(" " + ok, four), {"brace"});
        row("a list", safetensors("[]"), {"brace"});
        row("not UTF-8", safetensors("{" + entry("a\xFF\xFE", "F32", "[1]", "[0,4]") + "}", four),
            {"JSON", "UTF-8"});
        row("no JSON", safetensors("{abc", four), {"JSON"});
        row("two values", safetensors(ok + ok, four), {"JSON"});
        row("NUL padding", safetensors(ok + QByteArray(3, '\0'), four), {"JSON"});
        row("nested deeply", safetensors("{\"a\":" + QByteArray(2'000'000, '[')), {"list"});
        row("shape is an object", safetensors("{\"a\":{\"shape\":{}}}"), {"object"});
        row("objects nested deeply", safetensors(QByteArray("{\"a\":").repeated(500'000)),
            {"unknown field"});
        row("same name twice",
            safetensors("{" + entry("a", "F32", "[1]", "[0,4]") + "," +
                            entry("a", "F32", "[1]", "[4,8]") + "}",
                        four + four),
            {"\"a\"", "twice"});
        row("same field twice",
            safetensors("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F16\",\"shape\":[1],"
                        "\"data_offsets\":[0,4]}}",
                        four),
            {"dtype", "twice"});
        row("field missing", safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", four),
            {"tensor a", "data_offsets"});
        row("field unknown",
            safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}",
                        four),
            {"\"x\""});
        row("offsets three", safetensors("{" + entry("a", "F32", "[1]", "[0,4,4]") + "}", four),
            {"two"});
        row("side negative", safetensors("{" + entry("a", "F32", "[-1]", "[0,4]") + "}", four),
            {"-1"});
        row("side fraction", safetensors("{" + entry("a", "F32", "[1.0]", "[0,4]") + "}", four),
            {"1.0"});
        row("side 2^63",
            safetensors("{" + entry("a", "F32", "[9223372036854775808]", "[0,4]") + "}", four),
            {"9223372036854775808"});
        row("product overflows",
            safetensors("{" + entry("a", "F32", "[4294967296,4294967296]", "[0,4]") + "}", four),
            {"tensor a", "4294967296"});
        row("bytes overflow",
            safetensors("{" + entry("a", "F32", "[4611686018427387904]", "[0,4]") + "}", four),
            {"tensor a", "too large"});
        row("rank 17",
            safetensors(
                "{" + entry("a", "F32", "[" + QByteArray("1,").repeated(16) + "1]", "[0,4]") + "}",
                four),
            {"16"});
        row("too few bytes", safetensors("{" + entry("a", "F32", "[2]", "[0,4]") + "}", four),
            {"tensor a", "8 bytes", "4"});
        row("[1] of nothing", safetensors("{" + entry("a", "F32", "[1]", "[0,0]") + "}"),
            {"tensor a", "4 bytes", "0"});
        row("backwards", safetensors("{" + entry("a", "F32", "[1]", "[4,0]") + "}", four),
            {"4 to 0", "backwards"});
        row("past the end", safetensors("{" + entry("a", "F32", "[2]", "[0,8]") + "}", four),
            {"0 to 8", "4 bytes"});
        row("offset 2^64-1",
            safetensors("{" + entry("a", "F32", "[1]", "[0,18446744073709551615]") + "}", four),
            {"18446744073709551615"});
        row("overlap",
            safetensors("{" + entry("a", "F32", "[2]", "[0,8]") + "," +
                            entry("b", "F32", "[1]", "[4,8]") + "}",
                        four + four),
            {"overlap", "a", "b"});
        row("gap",
            safetensors("{" + entry("a", "F32", "[1]", "[0,4]") + "," +
                            entry("b", "F32", "[1]", "[8,12]") + "}",
                        four + four + four),
            {"tensor b", "8", "4"});
        row("bytes left over", safetensors(ok, four + four), {"4", "8"});
        row("metadata not text", safetensors("{\"__metadata__\":{\"a\":1}}"), {"number 1"});
    }
    void refused() {
        QFETCH(QByteArray, bytes);
        QFETCH(QStringList, said);
        const qint64 before = peak_resident(true);
        QElapsedTimer timer;
        timer.start();
        const auto failure = support::failure_of([&] { read(bytes); });
        QVERIFY(timer.elapsed() < 1000);
        QVERIFY(peak_resident(false) - before < 16 * 1024);
        QVERIFY(failure.has_value());
        QCOMPARE(failure->kind, Failure::Kind::BadFile);
        QVERIFY2(QString::fromStdString(failure->where).endsWith("model.safetensors"),
                 failure->where.c_str());
        for (const QString& part : said)
            QVERIFY2(QString::fromStdString(failure->what).contains(part), failure->what.c_str());
        QVERIFY2(failure->what.size() < 600, failure->what.c_str());
    }

    // The stated length may fit a huge, mostly absent file; its bytes are still no header.
    void sparseFile() {
        const QString path = m_folder.filePath("sparse.safetensors");
        QVERIFY(support::write_file(path, safetensors("", {}, 99'999'999)));
        QVERIFY(QFile::resize(path, 300'000'000));
        const qint64 before = peak_resident(true);
        const auto failure =
            support::failure_of([&] { read_safetensors(MappedFile::open(path.toStdString())); });
        QVERIFY(failure && QString::fromStdString(failure->what).contains("brace"));
        QVERIFY(peak_resident(false) - before < 16 * 1024);
    }

    void emptyAndScalar() {
        const TensorFile file =
            read(support::SafetensorsWriter()
                     .add("none", "F32", "[0]", "")
                     .add("flat", "BF16", "[2,0]", "")
                     .add("odd", "U8", "[3]", "abc")  // what follows is unaligned
                     .add("scalar", "F32", "[]", support::floats({2.5f}))
                     .add("pair", "F16", "[1,2]", QByteArray("\0\x3C\0\xC0", 4))
                     .add("last", "F32", "[0]", "")
                     .bytes());
        QCOMPARE(file.tensors.size(), std::size_t{6});
        QCOMPARE(file.tensors.at("none").bytes, std::size_t{0});
        QCOMPARE(file.tensors.at("flat").shape, (std::vector<std::int64_t>{2, 0}));
        QVERIFY(file.tensors.at("odd").storage == Storage::U8);
        const StoredTensor& scalar = file.tensors.at("scalar");
        QVERIFY(scalar.shape.empty());
        float value = 0;
        decode(scalar.storage, scalar.data, &value, 1);
        QCOMPARE(value, 2.5f);
        const StoredTensor& pair = file.tensors.at("pair");
        QCOMPARE(pair.rows(), 1);
        QCOMPARE(pair.columns(), 2);
        QCOMPARE(pair.row_bytes(), std::size_t{4});
        float both[2] = {};
        decode(pair.storage, pair.data, both, 2);
        QCOMPARE(both[0], 1.0f);
        QCOMPARE(both[1], -2.0f);
    }

    void otherTypesAreListed_data() {
        QTest::addColumn<QByteArray>("dtype");
        QTest::addColumn<int>("bytes");
        for (const auto& [dtype, bytes] : std::initializer_list<std::pair<const char*, int>>{
                 {"I64", 64}, {"BOOL", 8}, {"F8_E8M0", 8}, {"I8", 8}, {"F4", 4}, {"F6_E2M3", 6}})
            QTest::newRow(dtype) << QByteArray(dtype) << bytes;
        QTest::newRow("of the future") << QByteArray("F3_X") << 5;
    }
    void otherTypesAreListed() {
        QFETCH(QByteArray, dtype);
        QFETCH(int, bytes);
        const TensorFile file = read(support::SafetensorsWriter()
                                         .add("a", dtype, "[8]", QByteArray(bytes, '\1'))
                                         .ones("b", {2})
                                         .bytes());
        QCOMPARE(file.refused.at("a"), dtype.toStdString());
        QVERIFY(file.tensors.count("b"));
    }

    void metadataAndPadding() {
        const QByteArray header =
            "{\"__metadata__\":{\"format\":\"pt\"}," + entry("a", "F32", "[1]", "[0,4]") + "}     ";
        const TensorFile file = read(safetensors(header, support::floats({3})));
        QCOMPARE(file.tensors.size(), std::size_t{1});
        QCOMPARE(file.header.size(), static_cast<std::size_t>(8 + header.size()));
    }
};

QTEST_APPLESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
