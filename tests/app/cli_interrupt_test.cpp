// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C once asks, twice ends; neither leaves a half-written file. In a child process each, the
// program itself at last, with real signals.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "app/command_line/interrupt.h"
#include "app/files/output_file.h"
#include "tests/support/default_model.h"

using namespace app;

namespace {

// Runs `work` in a child, which says when it is ready, sends it the signals and returns its wait
// status, and what it wrote on stderr.
int statusAfter(const std::vector<int>& sent,
                const std::function<int(const std::function<void()>&)>& work,
                std::string* said = nullptr) {
    int ready[2], err[2];
    if (::pipe(ready) != 0 || ::pipe(err) != 0) return -1;
    const pid_t child = ::fork();
    if (child == 0) {
        if (said) ::dup2(err[1], STDERR_FILENO);
        ::alarm(20);  // a hang is a failure, not a stuck test
        const int code =
            work([&] { [[maybe_unused]] const auto written = ::write(ready[1], "x", 1); });
        ::_exit(code);
    }
    char byte = 0;
    if (::read(ready[0], &byte, 1) != 1) return -1;
    for (const int signal : sent) {
        ::kill(child, signal);
        QTest::qSleep(50);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    for (const int end : {ready[0], ready[1], err[1]}) ::close(end);
    while (said && ::read(err[0], &byte, 1) == 1) said->push_back(byte);
    ::close(err[0]);
    return status;
}

}  // namespace

class CliInterruptTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QStringList files() const {
        return QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden);
    }

  private Q_SLOTS:
    void onceAsks_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl-C") << SIGINT;
        QTest::newRow("terminate") << SIGTERM;
        QTest::newRow("hang up") << SIGHUP;
    }
    void onceAsks() {
        QFETCH(int, signal);
        const std::string path = m_folder.filePath(QStringLiteral("a")).toStdString();
        const int status = statusAfter({signal}, [&](const auto& ready) {
            const Interrupt interrupt;
            const OutputFile file(path, 100);
            ready();
            while (!interrupt.token().stop_requested()) ::usleep(1000);
            return interrupt.exitCode();
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 128 + signal);
        QVERIFY(files().isEmpty());
    }

    void twiceEnds() {
        const std::string path = m_folder.filePath(QStringLiteral("b")).toStdString();
        std::string said;
        const auto work = [&](const auto& ready) {
            const Interrupt interrupt("headscope bench");
            const OutputFile file(path, 100, OutputFile::Until::Sibling);
            ready();
            for (;;) ::usleep(1000);  // deaf to the first
            return 0;
        };
        const int status = statusAfter({SIGINT, SIGINT}, work, &said);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 130);
        QCOMPARE(said, std::string("headscope bench: interrupted\n"));
        QVERIFY2(files().isEmpty(), qPrintable(files().join(QLatin1Char(' '))));
    }

    // Who sees no stop, as a large picture being drawn, ends after a while all the same.
    void deafWorkEnds() {
        const std::string path = m_folder.filePath(QStringLiteral("c")).toStdString();
        std::string said;
        const auto work = [&](const auto& ready) {
            const Interrupt interrupt("headscope export");
            const OutputFile file(path, 100, OutputFile::Until::Sibling);
            ready();
            for (;;) ::usleep(1000);
            return 0;
        };
        const int status = statusAfter({SIGTERM}, work, &said);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 143);
        QCOMPARE(said, std::string("headscope export: interrupted\n"));
        QVERIFY2(files().isEmpty(), qPrintable(files().join(QLatin1Char(' '))));
    }

    // kill -9 runs no handler: the kernel takes back a file that has no name yet, its reserved
    // space included.
    void killLeavesNothing() {
        const int file = ::open(m_folder.path().toLocal8Bit(), O_TMPFILE | O_WRONLY, 0600);
        if (file < 0) QSKIP("this file system has no nameless files");
        ::close(file);
        const std::string path = m_folder.filePath(QStringLiteral("c")).toStdString();
        const int status = statusAfter({SIGKILL}, [&](const auto& ready) {
            OutputFile output(path, 1 << 20);
            const std::vector<std::byte> half(1 << 19);
            output.writeAt(0, half);
            ready();
            for (;;) ::usleep(1000);
            return 0;
        });
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        QVERIFY2(files().isEmpty(), qPrintable(files().join(QLatin1Char(' '))));
    }

    void takesCtrlCInAScriptsBackgroundJob() {
        const int status = statusAfter({SIGINT}, [&](const auto& ready) {
            ::signal(SIGINT, SIG_IGN);  // as sh starts `program &`
            const Interrupt interrupt;
            ready();
            while (!interrupt.token().stop_requested()) ::usleep(1000);
            return interrupt.exitCode();
        });
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 130);
    }

    // A handler's frame on the stack of a product in work breaks it: no thread but the listener
    // takes these signals.
    void noThreadOfTheWorkTakesThem() {
        const auto blocked = [] {
            sigset_t mask;
            ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
            return ::sigismember(&mask, SIGINT) + ::sigismember(&mask, SIGTERM) +
                   ::sigismember(&mask, SIGHUP);
        };
        QCOMPARE(blocked(), 0);
        {
            const Interrupt interrupt;
            int inherited = 0;
            std::thread([&] { inherited = blocked(); }).join();
            QCOMPARE(blocked(), 3);
            QCOMPARE(inherited, 3);
        }
        QCOMPARE(blocked(), 0);
    }

    void stopsOnCtrlC_data() {
        QTest::addColumn<int>("prompt");
        QTest::addColumn<int>("generate");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<int>("wait");  // ms
        QTest::newRow("while the prompt is read")
            << 1500 << 0 << QByteArray("prompt tokens in") << 50;
        QTest::newRow("while it generates") << 3 << 2000 << QByteArray("read 3 tokens in") << 50;
        // Some of these fall into a product of oneDNN, which a handler on its stack would break.
        for (const int wait : {50, 140, 215, 230})
            QTest::addRow("while it writes, after %d ms", wait)
                << 400 << 0 << QByteArray("read 400 tokens in") << wait;
    }
    void stopsOnCtrlC() {
        NEEDS_DEFAULT_MODEL();
        QFETCH(int, prompt);
        QFETCH(int, generate);
        QFETCH(QByteArray, after);
        QFETCH(int, wait);
        QByteArray ids = "1";
        for (int i = 1; i < prompt; ++i) ids += ',' + QByteArray::number(100 + i);
        QProcess process;
        process.setReadChannel(QProcess::StandardError);
        process.start(
            QStringLiteral(HEADSCOPE_PROGRAM),
            {QStringLiteral("dump"), QString::fromStdString(default_model_path()),
             QStringLiteral("--token-ids"), QString::fromLatin1(ids), QStringLiteral("--generate"),
             QString::number(generate), QStringLiteral("--tensors"),
             QStringLiteral("contribution,residual,logits"), QStringLiteral("--verbose"),
             QStringLiteral("--out"), m_folder.filePath(QStringLiteral("long"))});
        QByteArray said;
        while (!said.contains(after) && process.waitForReadyRead(60'000)) said += process.readAll();
        QVERIFY2(said.contains(after), said);
        QTest::qSleep(wait);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        said += process.readAll();
        QVERIFY2(said.endsWith(": interrupted\n") && !said.contains("wrote"), said);
        QVERIFY(files().isEmpty());
    }

    void comesAndGoes() {
        for (int i = 0; i < 20; ++i) {
            const Interrupt interrupt;
            QVERIFY(!interrupt.token().stop_requested());
        }
    }
};

QTEST_APPLESS_MAIN(CliInterruptTest)
#include "cli_interrupt_test.moc"
