// SPDX-License-Identifier: GPL-3.0-or-later
// Another process cuts the model's file short while it is open: the step, the prompt and the view
// that met it are refused with the file's name, no row is published, and the process lives on.
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

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
        const pid_t child = ::fork();
        if (child == 0) ::_exit(::truncate(path.c_str(), 4096) == 0 ? 0 : 1);
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }

  private Q_SLOTS:
    void isRefusedByName_data() {
        QTest::addColumn<int>("which");
        QTest::addRow("a step") << 0;
        QTest::addRow("a prompt") << 1;
        QTest::addRow("a view of the weights") << 2;
        QTest::addRow("a map through the weights") << 3;
    }
    void isRefusedByName() {
        QFETCH(int, which);
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
        cut(file);
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
        QVERIFY2(failure.what.find("4096 now") != std::string::npos, failure.what.c_str());
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
};

QTEST_APPLESS_MAIN(LostFileTest)
#include "lost_file_test.moc"
