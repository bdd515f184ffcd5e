// SPDX-License-Identifier: GPL-3.0-or-later
// Another process cuts the model's file short while it is open, or writes over it: the step, the
// prompt and the view that met it are refused with the file's name, no row is published, and the
// process lives on.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "engine/values/failure.h"
#include "tests/support/engine_run.h"

using namespace engine;

namespace {

const QString model = QStringLiteral(TEST_DATA "/tiny_qwen3");
const QString weights = QStringLiteral("model-00001-of-00002.safetensors");

std::vector<TokenId> prompt() {
    std::vector<TokenId> tokens;
    for (int i = 0; i < 20; ++i) tokens.push_back(TokenId{3 + i * 7});
    return tokens;
}

}  // namespace

class LostFileTest : public QObject {
    Q_OBJECT

    static void copyModel(const QString& to) {
        for (const QString& name : QDir(model).entryList(QDir::Files)) {
            QFile::remove(QDir(to).filePath(name));
            QVERIFY(QFile::copy(QDir(model).filePath(name), QDir(to).filePath(name)));
            QFile::setPermissions(QDir(to).filePath(name), QFile::ReadOwner | QFile::WriteOwner);
        }
    }
    static void cut(const std::string& path) {
        inAnother([&] { return ::truncate(path.c_str(), 4096) == 0; });
    }
    // As long as before, with other weights in its second half.
    static void writeOver(const std::string& path) {
        inAnother([&] {
            const int file = ::open(path.c_str(), O_WRONLY);
            const off_t end = ::lseek(file, 0, SEEK_END);
            const std::vector<char> other(static_cast<std::size_t>(end / 2), 0x3c);
            return ::pwrite(file, other.data(), other.size(), end / 2) == end / 2;
        });
    }
    static void inAnother(const std::function<bool()>& does) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(does() ? 0 : 1);
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }

  private Q_SLOTS:
    void isRefusedByName_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<bool>("isCut");
        for (const bool isCut : {true, false}) {
            const char* how = isCut ? "cut" : "written over";
            QTest::addRow("a step, %s", how) << 0 << isCut;
            QTest::addRow("a prompt, %s", how) << 1 << isCut;
            QTest::addRow("a view of the weights, %s", how) << 2 << isCut;
            QTest::addRow("a map through the weights, %s", how) << 3 << isCut;
        }
    }
    void isRefusedByName() {
        QFETCH(int, which);
        QFETCH(bool, isCut);
        const QTemporaryDir folder;
        copyModel(folder.path());
        const std::string file = folder.filePath(weights).toStdString();
        EngineRun run(EngineRun::open(folder.path().toStdString()), prompt());
        EngineRun other(EngineRun::open(model.toStdString()), prompt());
        const auto map = [&run](Quantity quantity) {
            TileRequest request;
            request.run = run.run;
            request.heads = {{Layer{0}, QueryHead{1}}};
            request.dest = request.src = {0, 20, 1, {}};
            request.pooling = Pooling::None;
            request.quantity = quantity;
            const Tile tile = run.engine->reader()->tile(request);
            const auto values = tile.data.as<float>();
            return std::vector<float>(values.begin(), values.end());
        };
        const std::vector<float> pattern = map(Quantity::Pattern), scores = map(Quantity::Scores);
        const std::vector<float> entropy = run.engine->reader()->metrics({{}, run.run, {}}).entropy;
        if (isCut)
            cut(file);
        else
            writeOver(file);
        const Failure failure = failure_of([&] {
            if (which == 0) {
                (void)run.engine->decode_step(run.run, {});
            } else if (which == 1) {
                (void)run.engine->prefill_chunk(run.engine->open_run({prompt(), {}, 0}), {});
            } else if (which == 2) {
                (void)run.read("residual", 0, {0, 20});
            } else {
                (void)map(Quantity::Value);
            }
        });
        QCOMPARE(failure.kind, Failure::Kind::BadFile);
        QCOMPARE(failure.where, file);
        QVERIFY2(failure.what.find(isCut ? "4096 now" : "was written to") != std::string::npos,
                 failure.what.c_str());
        QCOMPARE(run.rows(), 20);
        // What comes from the run's own trace stays readable.
        QCOMPARE(map(Quantity::Pattern), pattern);
        QCOMPARE(map(Quantity::Scores), scores);
        QCOMPARE(run.engine->reader()->metrics({{}, run.run, {}}).entropy, entropy);
        // Another model is none the worse, and this one opens again once its file is back.
        QCOMPARE(other.engine->decode_step(other.run, {}).rows, 21);
        copyModel(folder.path());
        EngineRun again(EngineRun::open(folder.path().toStdString()), prompt());
        QCOMPARE(again.engine->decode_step(again.run, {}).token.id,
                 other.engine->reader()->logits(other.run, Position{19}, 1).candidates.at(0).token);
    }

    // Another file of its name is none of this one's business.
    void replacedIsRead() {
        const QTemporaryDir folder;
        copyModel(folder.path());
        const std::string file = folder.filePath(weights).toStdString();
        EngineRun run(EngineRun::open(folder.path().toStdString()), prompt());
        EngineRun other(EngineRun::open(model.toStdString()), prompt());
        QVERIFY(QFile::remove(QString::fromStdString(file)));
        QVERIFY(QFile::copy(QDir(model).filePath(QStringLiteral("tokenizer.json")),
                            QString::fromStdString(file)));
        QCOMPARE(run.engine->decode_step(run.run, {}).token.id,
                 other.engine->decode_step(other.run, {}).token.id);
    }
};

QTEST_APPLESS_MAIN(LostFileTest)
#include "lost_file_test.moc"
