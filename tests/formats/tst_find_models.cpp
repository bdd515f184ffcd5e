// SPDX-License-Identifier: GPL-3.0-or-later
// Folders as people have them: plain checkpoints, GGUF files, Hugging Face's cache. And split GGUF
// models, opened from any part.
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "engine/formats/checkpoint.h"
#include "engine/formats/find_models.h"
#include "engine/formats/gguf_quants.h"
#include "tests/support/hostile_files.h"

using engine::Failure;
using engine::FoundModel;
using engine::formats::Checkpoint;
using engine::formats::find_models;
using support::GgufWriter;
using support::write_file;

namespace {

constexpr const char* revision = "0123456789abcdef";

void put(const QDir& root, const QString& path, const QByteArray& bytes = "{}") {
    QVERIFY(root.mkpath(QFileInfo(path).path()));
    QVERIFY(write_file(root.filePath(path), bytes));
}

// Part `number` of `count`, holding one tensor of that value.
QByteArray part(int number, int count, int tensors = 3) {
    GgufWriter writer;
    if (number == 1) writer.string("general.architecture", "llama");
    writer
        .raw("split.no", 2, support::little<std::uint16_t>(static_cast<std::uint16_t>(number - 1)))
        .raw("split.count", 2, support::little<std::uint16_t>(static_cast<std::uint16_t>(count)))
        .raw("split.tensors.count", 5, support::little<std::int32_t>(tensors));
    const auto value = static_cast<float>(number);
    return writer.tensor("t" + QByteArray::number(number), {2}, 0, support::floats({value, value}))
        .bytes();
}

QString part_name(int number, int count = 3) {
    return QStringLiteral("m-%1-of-%2.gguf")
        .arg(number, 5, 10, QLatin1Char('0'))
        .arg(count, 5, 10, QLatin1Char('0'));
}

}  // namespace

class TestFindModels : public QObject {
    Q_OBJECT
  private slots:
    // Neither what only looks like files nor more than can be looked at in a while.
    void leaves_out_and_says_so() {
        std::string left_out;
        QVERIFY(find_models("/proc", 4, &left_out).empty());
        QCOMPARE(left_out, std::string("/proc of the kernel's file systems"));
        QTemporaryDir dir;
        const QDir root(dir.path());
        put(root, "a/a.gguf");
        QVERIFY(QFile::link("/proc", root.filePath("b")) &&
                QFile::link("/sys", root.filePath("c")));
        QCOMPARE(find_models(dir.path().toStdString(), 4, &left_out).size(), std::size_t{1});
        QVERIFY2(left_out.find("/b and 1 more folders of the kernel's") != std::string::npos,
                 left_out.c_str());
        QVERIFY(QFile::remove(root.filePath("b")) && QFile::remove(root.filePath("c")));
        find_models(dir.path().toStdString(), 4, &left_out);
        QCOMPARE(left_out, std::string());
        QVERIFY(root.mkdir("many"));
        for (int i = 0; i < 20'001; ++i)
            QVERIFY(QFile::link("x", root.filePath(QStringLiteral("many/%1").arg(i))));
        QCOMPARE(find_models(dir.path().toStdString(), 4, &left_out).size(), std::size_t{1});
        QCOMPARE(left_out, std::string("all after the first 20,000 entries"));
    }

    void folders_and_files() {
        QTemporaryDir dir;
        const QDir root(dir.path());
        put(root, "plain/config.json");
        put(root, "plain/model.safetensors", QByteArray(100, 'x'));
        put(root, "sharded/config.json");
        put(root, "sharded/model.safetensors.index.json");
        put(root, "sharded/model-00001-of-00002.safetensors", QByteArray(30, 'x'));
        put(root, "sharded/model-00002-of-00002.safetensors", QByteArray(12, 'x'));
        put(root, "pickled/config.json");
        put(root, "pickled/pytorch_model.bin", QByteArray(50, 'x'));
        put(root, "tokenizer_only/config.json");
        put(root, "odd/config.json");
        put(root, "odd/adapter_model.safetensors", "x");
        put(root, "publisher/repository/a.Q4_K_M.gguf", QByteArray(7, 'x'));
        for (int i : {1, 2, 3}) put(root, part_name(i), QByteArray(i, 'x'));
        put(root, "lost-00002-of-00002.gguf", "x");
        put(root, ".hidden/config.json");
        put(root, ".hidden/model.safetensors", "x");
        const std::vector<FoundModel> found = find_models(dir.path().toStdString());
        QStringList lines;
        for (const FoundModel& model : found)
            lines << QString::fromStdString(model.name + "|" + model.format + "|" +
                                            std::to_string(model.bytes) + "|" +
                                            (model.reason.empty() ? "" : "no"));
        QCOMPARE(lines, (QStringList{"a.Q4_K_M|GGUF|7|", "lost|GGUF|1|no", "m|GGUF|6|",
                                     "odd|safetensors|1|no", "pickled|pickle|50|no",
                                     "plain|safetensors|100|", "sharded|safetensors|42|"}));
        QVERIFY(found[4].reason.find("pickle") != std::string::npos);
        QCOMPARE(find_models((dir.path() + "/plain/").toStdString()).front().name,
                 std::string("plain"));
    }

    void hugging_face_cache() {
        QTemporaryDir dir;
        const QDir root(dir.path());
        const QString repository = "hub/models--org--name";
        const QString snapshot = repository + "/snapshots/" + revision;
        put(root, repository + "/blobs/aa", "{}");
        put(root, repository + "/blobs/bb", QByteArray(64, 'x'));
        put(root, repository + "/refs/main", revision);
        put(root, repository + "/snapshots/older/config.json");
        QVERIFY(root.mkpath(snapshot));
        QVERIFY(QFile::link("../../blobs/aa", root.filePath(snapshot + "/config.json")));
        QVERIFY(QFile::link("../../blobs/bb", root.filePath(snapshot + "/model.safetensors")));
        put(root, "hub/models--org--part/snapshots/x/config.json");
        QVERIFY(QFile::link("../../blobs/none", root.filePath("hub/models--org--part/snapshots/x/"
                                                              "model.safetensors")));
        put(root, "hub/models--org--empty/refs/main", "gone");
        put(root, "hub/datasets--a--b/x.txt");
        put(root, "hub/models--o--g/snapshots/x/q.gguf", "12345");
        const std::vector<FoundModel> found = find_models(root.filePath("hub").toStdString());
        QCOMPARE(found.size(), std::size_t{3});
        QCOMPARE(found[0].name, std::string("o/g: q"));
        QCOMPARE(found[1].name, std::string("org/name"));
        QCOMPARE(found[1].bytes, std::int64_t{64});
        QCOMPARE(found[1].path, root.filePath(snapshot).toStdString());
        QVERIFY(found[1].reason.empty());
        QCOMPARE(found[2].name, std::string("org/part"));
        QVERIFY(found[2].reason.find("did not end") != std::string::npos);
        // One folder up is the same, as people name either.
        QCOMPARE(find_models(dir.path().toStdString()).size(), std::size_t{3});
    }

    // The repository's own folder opens as its snapshot does.
    void a_repository_opens() {
        QTemporaryDir dir;
        const QDir root(dir.path());
        put(root, QString("models--a--b/snapshots/%1/config.json").arg(revision));
        put(root, QString("models--a--b/snapshots/%1/model.safetensors").arg(revision),
            support::SafetensorsWriter().ones("w", {2}).bytes());
        const Checkpoint file =
            engine::formats::open_checkpoint(root.filePath("models--a--b").toStdString());
        QVERIFY(file.has("w"));
    }

    void endless_folders() {
        QTemporaryDir dir;
        const QDir root(dir.path());
        QVERIFY(root.mkpath("a"));
        QVERIFY(QFile::link("..", root.filePath("a/up")));
        put(root, "a/m.gguf", "x");
        QVERIFY(!find_models(dir.path().toStdString()).empty());
        const auto failure = support::failure_of([&] { find_models("/nowhere/at/all"); });
        QVERIFY(failure && failure->kind == Failure::Kind::BadFile);
    }

    void split_gguf_from_any_part() {
        QTemporaryDir dir;
        const QDir root(dir.path());
        for (int i : {1, 2, 3}) put(root, part_name(i), part(i, 3));
        std::string hash;
        for (int i : {1, 2, 3}) {
            const Checkpoint file =
                engine::formats::open_checkpoint(root.filePath(part_name(i)).toStdString());
            QCOMPARE(file.tensors.size(), std::size_t{3});
            QCOMPARE(file.metadata.text("general.architecture"), std::string("llama"));
            float values[2] = {};
            const auto& tensor = file.at("t3");
            engine::formats::decode(tensor.storage, tensor.data, values, 2);
            QCOMPARE(values[1], 3.0f);
            QVERIFY(hash.empty() || hash == file.hash);
            hash = file.hash;
        }
    }

    void lying_parts_data() {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QString>("said");
        QTest::newRow("missing") << 0 << "part 2 of 3 of this model is missing";
        QTest::newRow("renamed") << 1 << "does not end with -00001-of-00003.gguf";
        QTest::newRow("of another model") << 2 << "by its metadata part 2 of 4";
        QTest::newRow("exchanged") << 3 << "by its metadata part 3 of 3";
        QTest::newRow("tensors missing") << 4 << "4 tensors are announced, the parts hold 3";
        QTest::newRow("tensor twice") << 5 << "t1 is in an earlier part";
        QTest::newRow("no number") << 6 << "split.no is 3";
    }
    void lying_parts() {
        QFETCH(int, fault);
        QFETCH(QString, said);
        QTemporaryDir dir;
        const QDir root(dir.path());
        put(root, part_name(1), part(1, 3, fault == 4 ? 4 : 3));
        if (fault != 0) put(root, part_name(2), part(2, 3));
        put(root, part_name(3), part(3, 3));
        QString opened = part_name(1);
        if (fault == 1) {
            opened = "renamed.gguf";
            put(root, opened, part(1, 3));
        }
        if (fault == 2) put(root, part_name(2), part(2, 4));
        if (fault == 3) put(root, part_name(2), part(3, 3));
        if (fault == 5) {
            QByteArray copy = part(2, 3);
            put(root, part_name(2), copy.replace("t2", "t1"));
        }
        if (fault == 6) put(root, part_name(1), part(4, 3));
        const auto failure = support::failure_of(
            [&] { engine::formats::open_checkpoint(root.filePath(opened).toStdString()); });
        QVERIFY(failure.has_value());
        QCOMPARE(failure->kind, Failure::Kind::BadFile);
        QVERIFY2(QString::fromStdString(failure->what).contains(said), failure->what.c_str());
    }
};

QTEST_APPLESS_MAIN(TestFindModels)
#include "tst_find_models.moc"
