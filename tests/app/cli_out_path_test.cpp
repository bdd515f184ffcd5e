// SPDX-License-Identifier: GPL-3.0-or-later
// A verb writes over nothing that it reads.
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "app/verbs/out_path.h"
#include "engine/values/failure.h"

namespace fs = std::filesystem;

class CliOutPathTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    fs::path at(const QString& name) const {
        return fs::path(m_folder.path().toStdString()) / name.toStdString();
    }

  private Q_SLOTS:
    void initTestCase() {
        fs::create_directories(at(QStringLiteral("folder")));
        fs::create_directories(at(QStringLiteral("blobs")));
        for (const char* file : {"model.gguf", "split-00001-of-00002.gguf", "other.safetensors",
                                 "split-00002-of-00002.gguf", "folder/model.safetensors",
                                 "folder/config.json", "blobs/weights", "prompt.txt"})
            std::ofstream(at(QString::fromLatin1(file))) << file;
        fs::create_symlink("../blobs/weights", at(QStringLiteral("folder/shard.safetensors")));
        fs::create_symlink("model.gguf", at(QStringLiteral("link.safetensors")));
        fs::create_symlink("folder/config.json", at(QStringLiteral("link.csv")));
    }

    void refuses_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("out");
        QTest::addColumn<QString>("why");  // empty: it is taken
        const auto row = [](const char* name, const char* model, const char* out, const char* why) {
            QTest::newRow(name) << QString::fromLatin1(model) << QString::fromLatin1(out)
                                << QString::fromLatin1(why);
        };
        const char* own = "a file of the model";
        row("the file", "model.gguf", "model.gguf", "the model itself");
        row("by another path", "model.gguf", "folder/../model.gguf", "the model itself");
        row("by a link", "model.gguf", "link.safetensors", "the model itself");
        row("beside it", "model.gguf", "new.safetensors", "");
        row("over a file beside it", "model.gguf", "other.safetensors", "");
        row("of a split", "split-00001-of-00002.gguf", "split-00002-of-00002.gguf", own);
        row("beside a split", "split-00001-of-00002.gguf", "model.gguf", "");
        row("weights of a folder", "folder", "folder/model.safetensors", own);
        row("settings of a folder", "folder", "folder/config.json", own);
        row("by a link to one", "folder", "link.csv", own);
        row("what a folder links to", "folder", "blobs/weights", own);
        row("a new file in it", "folder", "folder/new.safetensors", "");
        row("the prompt", "model.gguf", "prompt.txt", "the prompt's own file");
        row("a model that is not there", "none.gguf", "new.safetensors", "");
    }
    void refuses() {
        QFETCH(QString, model);
        QFETCH(QString, out);
        QFETCH(QString, why);
        const app::Arguments arguments({{"--out", "F", ""}, {"--prompt-file", "F", ""}}, 0,
                                       {"--out", at(out).string(), "--prompt-file",
                                        at(QStringLiteral("prompt.txt")).string()});
        std::string said;
        try {
            QCOMPARE(app::parseOut(arguments, at(model).string()), at(out).string());
        } catch (const engine::Error& error) {
            QCOMPARE(error.failure().kind, engine::Failure::Kind::BadRequest);
            said = error.what();
        }
        QVERIFY2(why.isEmpty() ? said.empty() : said.find(why.toStdString()) != std::string::npos,
                 said.c_str());
    }
};

QTEST_APPLESS_MAIN(CliOutPathTest)
#include "cli_out_path_test.moc"
