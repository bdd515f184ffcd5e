// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include "engine/formats/checkpoint.h"
#include "engine/formats/gguf_quants.h"
#include "tests/support/hostile_files.h"

using namespace engine::formats;
using engine::Failure;
using support::GgufWriter;
using support::little;

class TestGguf : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    Checkpoint read(const QByteArray& bytes) {
        const QString path = m_folder.filePath("model.gguf");
        if (!support::write_file(path, bytes)) qFatal("cannot write");
        return open_checkpoint(path.toStdString());
    }

  private slots:
    void values_data() {
        QTest::addColumn<std::uint32_t>("version");
        QTest::newRow("version 2") << 2u;
        QTest::newRow("version 3") << 3u;
    }
    void values() {
        QFETCH(std::uint32_t, version);
        GgufWriter writer;
        writer.version = version;
        writer.raw("u8", 0, little<std::uint8_t>(200))
            .raw("i8", 1, little<std::int8_t>(-5))
            .raw("u16", 2, little<std::uint16_t>(60000))
            .raw("i16", 3, little<std::int16_t>(-300))
            .u32("u32", 4'000'000'000u)
            .raw("i32", 5, little<std::int32_t>(-70000))
            .f32("f32", 0.5f)
            .raw("yes", 7, little<std::uint8_t>(1))
            .string("text", "h\xC3\xA9llo")
            .raw("u64", 10, little(~std::uint64_t{0}))
            .raw("i64", 11, little<std::int64_t>(-1))
            .raw("f64", 12, little(0.1))
            .raw("texts", 9,
                 little(8u) + little<std::uint64_t>(2) + GgufWriter::text("a") +
                     GgufWriter::text(""))
            .raw("ints", 9,
                 little(5u) + little<std::uint64_t>(2) + little<std::int32_t>(-1) +
                     little<std::int32_t>(7))
            .raw("floats", 9, little(6u) + little<std::uint64_t>(1) + little(1.5f))
            .raw("bools", 9, little(7u) + little<std::uint64_t>(2) + QByteArray("\1\0", 2))
            .raw("lists", 9,
                 little(9u) + little<std::uint64_t>(1) + little(0u) + little<std::uint64_t>(3) +
                     "abc")
            .raw("none", 9, little(8u) + little<std::uint64_t>(0))
            .u32("general.alignment", 64);
        writer.alignment = 64;
        writer.tensor("a", {2, 3}, 0, support::floats({1, 2, 3, 4, 5, 6}))
            .tensor("b", {3}, 30, QByteArray("\x80\x3F\0\0\0\xC0", 6));
        const Checkpoint file = read(writer.bytes());
        const Metadata& m = file.metadata;
        QCOMPARE(m.integer("u8"), 200);
        QCOMPARE(m.integer("i8"), -5);
        QCOMPARE(m.integer("u16"), 60000);
        QCOMPARE(m.integer("i16"), -300);
        QCOMPARE(m.integer("u32"), 4'000'000'000);
        QCOMPARE(m.integer("i32"), -70000);
        QCOMPARE(m.number("f32"), 0.5);
        QCOMPARE(m.number("u8"), 200.0);
        QVERIFY(m.flag_or("yes", false));
        QCOMPARE(m.text("text"), std::string("h\xC3\xA9llo"));
        QVERIFY(support::failure_of([&] { m.integer("u64"); }).has_value());
        QCOMPARE(m.integer("i64"), -1);
        QCOMPARE(m.number("f64"), 0.1);
        QCOMPARE(m.texts("texts"), (std::vector<std::string>{"a", ""}));
        QCOMPARE(std::get<std::vector<std::int64_t>>(*m.find("ints")),
                 (std::vector<std::int64_t>{-1, 7}));
        QCOMPARE(std::get<std::vector<double>>(*m.find("floats")), std::vector<double>{1.5});
        QCOMPARE(std::get<std::vector<std::int64_t>>(*m.find("bools")),
                 (std::vector<std::int64_t>{1, 0}));
        QVERIFY(!m.has("lists"));
        QVERIFY(m.texts("none").empty());
        QCOMPARE(m.integer_or("absent", 9), 9);

        const StoredTensor& a = file.at("a");
        QCOMPARE(a.shape, (std::vector<std::int64_t>{3, 2}));  // three rows of two
        float row[2] = {};
        decode(a.storage, a.data + 2 * a.row_bytes(), row, 2);
        QCOMPARE(row[0], 5.0f);
        QCOMPARE(row[1], 6.0f);
        QCOMPARE(file.at("b").storage, Storage::BF16);
        QCOMPARE(file.hash.size(), std::size_t{16});
    }

    void missingAndMistyped() {
        const Checkpoint file = read(GgufWriter().string("name", "x").bytes());
        const auto missing =
            support::failure_of([&] { file.metadata.integer("llama.block_count"); });
        QVERIFY(missing && missing->what.find("llama.block_count") != std::string::npos);
        const auto mistyped = support::failure_of([&] { file.metadata.integer_or("name", 1); });
        QVERIFY(mistyped && mistyped->what.find("name is a text") != std::string::npos);
    }

    void refused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<bool>("lies");  // BadFile, else Unsupported
        QTest::addColumn<QStringList>("said");
        const auto row = [](const char* name, const QByteArray& bytes, bool lies,
                            const QStringList& said) {
            QTest::newRow(name) << bytes << lies << said;
        };
        const auto with = [](auto change) {
            GgufWriter writer;
            change(writer);
            return writer.bytes();
        };
        const auto raw = [&](std::uint32_t type, const QByteArray& value) {
            return with([&](GgufWriter& w) { w.raw("key", type, value); });
        };
        const std::uint64_t huge = ~std::uint64_t{0};
        row("magic only", "GGUF", true, {"4 bytes", "0 are left"});
        row("other magic", "GGUX" + QByteArray(40, '\0'), true, {"GGUX"});
        row("version 1", with([](GgufWriter& w) { w.version = 1; }), false, {"version 1"});
        row("version 4", with([](GgufWriter& w) { w.version = 4; }), false, {"version 4"});
        row("big-endian", with([](GgufWriter& w) { w.version = 0x03000000; }), false,
            {"big-endian"});
        row("pairs 2^64-1", with([&](GgufWriter& w) { w.pair_count = huge; }), true,
            {"18446744073709551615"});
        row("pairs, one too many", with([](GgufWriter& w) { w.u32("a", 1).pair_count = 2; }), true,
            {"key 1 has no name"});
        row("tensors 2^64-1", with([&](GgufWriter& w) { w.tensor_count = huge; }), true,
            {"18446744073709551615"});
        row("tensors, one too many", with([](GgufWriter& w) { w.ones("a", {4}).tensor_count = 2; }),
            true, {"no name"});
        row("text 2^64-1", raw(8, little(huge)), true, {"key", "18446744073709551615"});
        row("text, one byte short", raw(8, little<std::uint64_t>(100)), true, {"key", "100 bytes"});
        row("list 2^61 of 8", raw(9, little(10u) + little(std::uint64_t{1} << 61)), true,
            {"2305843009213693952"});
        row("list of bytes 2^63", raw(9, little(0u) + little(std::uint64_t{1} << 63)), true,
            {"9223372036854775808"});
        row("list of texts that lie",
            raw(9, little(8u) + little<std::uint64_t>(3) + little(huge) + QByteArray(40, '\0')),
            true, {"18446744073709551615"});
        QByteArray lists;
        for (int i = 0; i < 100'000; ++i) lists += little(9u) + little<std::uint64_t>(1);
        row("lists of lists", raw(9, lists), true, {"deeper"});
        row("value type 13", raw(13, QByteArray(16, '\0')), true, {"unknown value type 13"});
        row("truth value 2", raw(7, "\2" + QByteArray(20, '\0')), true, {"2"});
        row("list holds 2^64-1", raw(9, little(10u) + little<std::uint64_t>(1) + little(huge)),
            true, {"18446744073709551615"});
        row("key twice", with([](GgufWriter& w) { w.u32("k", 1).u32("k", 2); }), true,
            {"k", "twice"});
        row("tensor twice", with([](GgufWriter& w) { w.ones("t", {4}).ones("t", {4}); }), true,
            {"t", "twice"});
        row("rank 5", with([](GgufWriter& w) { w.ones("t", {1, 1, 1, 1, 1}); }), true, {"5 dim"});
        row("rank 2^32-1",
            with([](GgufWriter& w) { w.tensor("t", {}, 0, QByteArray(4, '\0')); })
                .replace(little(0u) + little(0u) + little<std::uint64_t>(0),
                         little(~0u) + little(0u) + little<std::uint64_t>(0)),
            true, {"4294967295"});
        row("side 2^64-1", with([&](GgufWriter& w) { w.tensor("t", {huge}, 0, "abcd"); }), true,
            {"18446744073709551615"});
        row("sides overflow", with([](GgufWriter& w) {
                w.tensor("t", {std::uint64_t{1} << 32, std::uint64_t{1} << 32}, 0, "abcd");
            }),
            true, {"t", "4294967296"});
        row("sides overflow to 0", with([](GgufWriter& w) {
                w.tensor("t", {std::uint64_t{1} << 32, std::uint64_t{1} << 32, 4}, 2, "abcd");
            }),
            true, {"too large"});
        row("bytes overflow",
            with([](GgufWriter& w) { w.tensor("t", {std::uint64_t{1} << 62}, 0, "abcd"); }), true,
            {"too large"});
        row("cut short", with([](GgufWriter& w) { w.ones("t", {64}); }).chopped(4), true,
            {"tensor t", "256 bytes", "252"});
        row("offset off the grid",
            with([](GgufWriter& w) { w.tensor("t", {4}, 0, QByteArray(64, '\0'), 8); }), true,
            {"offset 8", "32"});
        row("offset 2^64-32", with([](GgufWriter& w) {
                w.tensor("t", {4}, 0, QByteArray(64, '\0'), ~std::uint64_t{31});
            }),
            true, {"18446744073709551584"});
        row("overlap", with([](GgufWriter& w) {
                w.ones("a", {16}).tensor("b", {8}, 0, QByteArray(32, '\0'), 32);
            }),
            true, {"overlap", "a", "b"});
        for (const std::uint32_t alignment : {0u, 3u, 48u, 1u << 31})
            row(qPrintable(QString("alignment %1").arg(alignment)),
                with([&](GgufWriter& w) { w.u32("general.alignment", alignment); }), true,
                {QString::number(alignment), "power of two"});
        row("alignment is a text", with([](GgufWriter& w) { w.string("general.alignment", "32"); }),
            true, {"general.alignment is a text"});
        row("row of 33 in Q8_0",
            with([](GgufWriter& w) { w.tensor("t", {33}, 8, QByteArray(68, '\0')); }), true,
            {"33", "Q8_0", "32"});
        row("row of 896 in Q6_K", with([](GgufWriter& w) {
                w.tensor("t", {896, 2}, 14, QByteArray(1470, '\0'));
            }),
            true, {"896", "Q6_K", "256"});
    }
    void refused() {
        QFETCH(QByteArray, bytes);
        QFETCH(bool, lies);
        QFETCH(QStringList, said);
        const auto failure = support::failure_of([&] { read(bytes); });
        QVERIFY(failure.has_value());
        for (const QString& part : said)
            QVERIFY2(QString::fromStdString(failure->what).contains(part), failure->what.c_str());
        QCOMPARE(failure->kind, lies ? Failure::Kind::BadFile : Failure::Kind::Unsupported);
        QVERIFY2(failure->what.size() < 600, failure->what.c_str());
    }

    // Types that are not decoded are named when someone needs the tensor, with what to do; the rest
    // stays readable.
    void otherTypes_data() {
        QTest::addColumn<std::uint32_t>("type");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("bytes");  // of 256 elements
        const auto row = [](std::uint32_t type, const char* name, int bytes) {
            QTest::newRow(name) << type << QByteArray(name) << bytes;
        };
        row(9, "Q8_1", 8 * 36);
        row(16, "IQ2_XXS", 66);
        row(18, "IQ3_XXS", 98);
        row(15, "Q8_K", 292);
        row(19, "IQ1_S", 50);
        row(99, "ggml type 99", 1);
    }
    void otherTypes() {
        QFETCH(std::uint32_t, type);
        QFETCH(QByteArray, name);
        QFETCH(int, bytes);
        GgufWriter writer;
        writer.tensor("t", {256}, type, QByteArray(bytes, '\1')).ones("u", {2});
        const Checkpoint file = read(writer.bytes());
        QVERIFY(file.has("t") && !file.find("t") && file.find("u"));
        const auto failure = support::failure_of([&] { file.at("t"); });
        QVERIFY(failure.has_value());
        QCOMPARE(failure->kind, Failure::Kind::Unsupported);
        QVERIFY2(failure->what.find(name.toStdString()) != std::string::npos,
                 failure->what.c_str());
        QVERIFY(!failure->hint.empty());
        if (type != 99) {  // one byte less, and it does not fit
            GgufWriter shorter;
            shorter.tensor("t", {256}, type, QByteArray(bytes - 1, '\1'));
            QVERIFY(support::failure_of([&] { read(shorter.bytes()); }).has_value());
        }
    }
};

QTEST_APPLESS_MAIN(TestGguf)
#include "tst_gguf.moc"
