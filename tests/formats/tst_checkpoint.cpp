// SPDX-License-Identifier: GPL-3.0-or-later
// Folders, shards and single files: what is opened, what is ignored, what is refused and in which
// words.
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/formats/checkpoint.h"
#include "engine/formats/gguf_quants.h"
#include "tests/support/hostile_files.h"

using namespace engine::formats;
using engine::Failure;
using support::SafetensorsWriter;
using support::write_file;

namespace {

const QByteArray config = R"({"model_type": "llama"})";

QByteArray weights(const QByteArray& name, float value) {
    return SafetensorsWriter().add(name, "F32", "[2]", support::floats({value, value})).bytes();
}

float first_value(const Checkpoint& checkpoint, const char* name) {
    const StoredTensor& tensor = checkpoint.at(name);
    float values[2] = {};
    decode(tensor.storage, tensor.data, values, 2);
    return values[0];
}

using Build = std::function<void(const QDir&)>;

void sharded(const QDir& folder, const QByteArray& first = "one.safetensors",
             const QByteArray& second = "two.safetensors") {
    write_file(folder.filePath("config.json"), config);
    write_file(folder.filePath("one.safetensors"), weights("a", 1));
    write_file(
        folder.filePath("two.safetensors"),
        SafetensorsWriter()
            .add("b", "F32", "[2]", support::floats({2, 2}))
            .add("a", "F32", "[2]", support::floats({9, 9}))  // a copy that the index does not mean
            .bytes());
    write_file(folder.filePath("model.safetensors"), weights("a", 0));
    write_file(
        folder.filePath("model.safetensors.index.json"),
        R"({"metadata": {}, "weight_map": {"a": ")" + first + R"(", "b": ")" + second + "\"}}");
}

Build index_of(const QByteArray& first, const QByteArray& second) {
    return [=](const QDir& folder) { sharded(folder, first, second); };
}

Build files(std::vector<std::pair<QString, QByteArray>> all) {
    return [=](const QDir& folder) {
        for (const auto& [name, bytes] : all) write_file(folder.filePath(name), bytes);
    };
}

}  // namespace
Q_DECLARE_METATYPE(Build)

class TestCheckpoint : public QObject {
    Q_OBJECT
  private slots:
    void theIndexDecides() {
        QTemporaryDir dir;
        sharded(QDir(dir.path()));
        write_file(dir.filePath("stray.safetensors"), "not opened");
        const Checkpoint file = open_checkpoint(dir.path().toStdString());
        QCOMPARE(file.tensors.size(), std::size_t{2});
        QCOMPARE(first_value(file, "a"), 1.0f);
        QCOMPARE(first_value(file, "b"), 2.0f);
        QCOMPARE(file.config->at("model_type").get<std::string>(), std::string("llama"));
    }

    void tensorsOutliveTheCheckpoint() {
        QTemporaryDir dir;
        sharded(QDir(dir.path()));
        StoredTensor kept;
        {
            Checkpoint file = open_checkpoint(dir.path().toStdString());
            kept = file.at("b");
        }
        float values[2] = {};
        decode(kept.storage, kept.data, values, 2);
        QCOMPARE(values[1], 2.0f);
    }

    void singleFileWithItsConfig() {
        QTemporaryDir dir;
        write_file(dir.filePath("config.json"), config);
        write_file(dir.filePath("x.safetensors"), weights("a", 4));
        const Checkpoint file = open_checkpoint(dir.filePath("x.safetensors").toStdString());
        QCOMPARE(first_value(file, "a"), 4.0f);
        QVERIFY(file.config);
    }

    void hashFollowsConfigHeaderAndSize() {
        QTemporaryDir dir;
        const auto hash = [&](const QByteArray& text, const QByteArray& bytes) {
            write_file(dir.filePath("config.json"), text);
            write_file(dir.filePath("model.safetensors"), bytes);
            return open_checkpoint(dir.path().toStdString()).hash;
        };
        const std::string first = hash(config, weights("a", 1));
        QCOMPARE(first.size(), std::size_t{16});
        QCOMPARE(hash(config, weights("a", 1)), first);
        QCOMPARE(hash(config, weights("a", 2)), first);  // the weights themselves are not read
        QVERIFY(hash(config + " ", weights("a", 1)) != first);
        QVERIFY(hash(config, weights("b", 1)) != first);
        QCOMPARE(open_checkpoint((dir.path() + "/").toStdString()).hash,
                 hash(config, weights("b", 1)));
    }

    void folders_data() {
        QTest::addColumn<Build>("build");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QStringList>("said");
        const auto row = [](const char* name, Build build, Failure::Kind kind,
                            const QStringList& said) {
            QTest::newRow(name) << std::move(build) << static_cast<int>(kind) << said;
        };
        const auto bad = Failure::Kind::BadFile, unsupported = Failure::Kind::Unsupported;
        const QByteArray model = weights("a", 1);
        row("empty folder", files({}), bad, {"config.json"});
        row("no config", files({{"model.safetensors", model}}), bad, {"config.json"});
        row("config alone", files({{"config.json", config}}), bad, {"model.safetensors"});
        row("config empty", files({{"config.json", ""}, {"model.safetensors", model}}), bad,
            {"0 bytes"});
        row("config is a list", files({{"config.json", "[]"}, {"model.safetensors", model}}), bad,
            {"object"});
        row("config cut short", files({{"config.json", "{\"a\": "}, {"model.safetensors", model}}),
            bad, {"JSON"});
        row("config not UTF-8",
            files({{"config.json", "{\"a\": \"\xFF\"}"}, {"model.safetensors", model}}), bad,
            {"JSON", "UTF-8"});
        row("config nested deeply",
            files({{"config.json", "{\"a\":" + QByteArray(1'000'000, '[')},
                   {"model.safetensors", model}}),
            bad, {"deeper"});
        row("config with a key twice",
            files({{"config.json", R"({"x": {"k": 1, "k": 2}})"}, {"model.safetensors", model}}),
            bad, {"\"k\"", "twice"});
        row("pickle only", files({{"config.json", config}, {"pytorch_model.bin", "PK\3\4"}}),
            unsupported, {"pytorch_model.bin", "pickle", "save_pretrained"});
        row("GGUF inside", files({{"config.json", config}, {"x.gguf", "GGUF"}}), bad, {"x.gguf"});
        row("weights empty", files({{"config.json", config}, {"model.safetensors", ""}}), bad,
            {"0 bytes"});
        row("LFS pointer",
            files({{"config.json", config},
                   {"model.safetensors", "version https://git-lfs.github.com/spec/v1\noid"}}),
            unsupported, {"git lfs pull"});
        row("second shard missing", index_of("one.safetensors", "three.safetensors"), bad,
            {"three.safetensors", "missing"});
        row("tensor not in its shard", index_of("one.safetensors", "one.safetensors"), bad,
            {"b", "one.safetensors"});
        row("../x", index_of("one.safetensors", "../x.safetensors"), bad, {"../x", "outside"});
        row("sub/../../x", index_of("one.safetensors", "sub/../../x.safetensors"), bad,
            {"outside"});
        row("absolute", index_of("one.safetensors", "/etc/passwd"), bad,
            {"/etc/passwd", "outside"});
        row("no shard name", index_of("one.safetensors", ""), bad, {"empty"});
        row("NUL in a name", index_of("one.safetensors", "two\\u0000.safetensors"), bad, {"NUL"});
        row("shard is the folder", index_of("one.safetensors", "."), bad, {"folder"});
        row("pickle shard", index_of("one.safetensors", "two.bin"), unsupported, {"pickle"});
        const auto index = [&](const QByteArray& text) {
            return files({{"config.json", config}, {"model.safetensors.index.json", text}});
        };
        row("index without a map", index("{}"), bad, {"weight_map"});
        row("index is a list", index("[1]"), bad, {"weight_map"});
        row("map empty", index(R"({"weight_map": {}})"), bad, {"weight_map"});
        row("map of numbers", index(R"({"weight_map": {"a": 1}})"), bad, {"a"});
        row("index with a tensor twice", index(R"({"weight_map": {"a": "x", "a": "y"}})"), bad,
            {"twice"});
    }
    void folders() {
        QFETCH(Build, build);
        QFETCH(int, kind);
        QFETCH(QStringList, said);
        QTemporaryDir dir;
        build(QDir(dir.path()));
        const auto failure =
            support::failure_of([&] { open_checkpoint(dir.path().toStdString()); });
        QVERIFY(failure.has_value());
        QCOMPARE(static_cast<int>(failure->kind), kind);
        const QString line = QString::fromStdString(failure->line());
        for (const QString& part : said) QVERIFY2(line.contains(part), qPrintable(line));
    }

    void foreignFiles_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("said");
        const QByteArray some(40, '\7');
        QTest::newRow("zip pickle") << "x.pt" << QByteArray("PK\3\4" + some) << "pickle";
        QTest::newRow("plain pickle") << "weights" << QByteArray("\x80\2" + some) << "pickle";
        QTest::newRow("pickle by name") << "x.bin" << some << "pickle";
        QTest::newRow("ONNX") << "x.onnx" << some << "ONNX";
        QTest::newRow("HDF5") << "x" << QByteArray("\x89HDF\r\n" + some) << "HDF5";
        QTest::newRow("before GGUF") << "x.bin" << QByteArray("tjgg" + some) << "GGML";
        QTest::newRow("LFS") << "x.gguf"
                             << QByteArray("version https://git-lfs.github.com/spec/v1\n") << "LFS";
        QTest::newRow("web page") << "x.gguf" << QByteArray("<!DOCTYPE html><html>") << "web page";
        QTest::newRow("JSON") << "config.json" << config << "folder";
        QTest::newRow("anything") << "x.dat" << some << "neither GGUF nor safetensors";
    }
    void foreignFiles() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, said);
        QTemporaryDir dir;
        QVERIFY(write_file(dir.filePath(name), bytes));
        const auto failure =
            support::failure_of([&] { open_checkpoint(dir.filePath(name).toStdString()); });
        QVERIFY(failure.has_value());
        const QString line = QString::fromStdString(failure->line());
        QVERIFY2(line.contains(said), qPrintable(line));
    }

    void notFiles() {
        QTemporaryDir dir;
        const std::string pipe = dir.filePath("pipe.gguf").toStdString();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const auto said = [](const std::string& path) {
            const auto failure = support::failure_of([&] { open_checkpoint(path); });
            return QString::fromStdString(failure ? failure->line() : "opened");
        };
        QVERIFY2(said(pipe).contains("a pipe"),
                 qPrintable(said(pipe)));  // and does not wait for a writer
        QVERIFY2(said("/dev/zero").contains("a device"), qPrintable(said("/dev/zero")));
        QVERIFY(said("").contains("no model"));
        const std::string absent = dir.filePath("absent.gguf").toStdString();
        QVERIFY(said(absent).contains("No such file"));
        QVERIFY(said(std::string("a\0b", 3)).contains("no model"));
        const QString loop = dir.filePath("loop");
        QVERIFY(QFile::link(loop, loop));
        QVERIFY(said(loop.toStdString()).contains("symbolic"));
        QVERIFY(write_file(dir.filePath("config.json"), config));
        QVERIFY(QDir(dir.path()).mkdir("model.safetensors"));
        QVERIFY(said(dir.path().toStdString()).contains("this is a folder"));
    }

    void noPermission() {
        if (::geteuid() == 0) QSKIP("the superuser may read everything");
        QTemporaryDir dir;
        const QString path = dir.filePath("x.gguf");
        QVERIFY(write_file(path, "GGUF") && QFile::setPermissions(path, {}));
        const auto failure = support::failure_of([&] { open_checkpoint(path.toStdString()); });
        QVERIFY(failure && failure->what.find("Permission denied") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestCheckpoint)
#include "tst_checkpoint.moc"
