// SPDX-License-Identifier: GPL-3.0-or-later
// The net under the other tests: Qt's own words for what it drops are among those that fail them.
#include <thread>

#include "tests/support/qt_warnings.h"

// Known to no meta-type: only connections by name let such a signal through to run time.
struct Unregistered {
    int value = 0;
};

class Speaker : public QObject {
    Q_OBJECT
  public:
    int heard = 0;

  Q_SIGNALS:
    void said(Unregistered);

  public Q_SLOTS:
    void hear(Unregistered) { ++heard; }
};

class QtWarningsTest : public QObject {
    Q_OBJECT

    static inline QStringList s_messages;
    template <typename Fault>
    static QStringList messagesOf(Fault&& fault) {
        s_messages.clear();
        const QtMessageHandler before = qInstallMessageHandler(
            [](QtMsgType, const QMessageLogContext&, const QString& text) { s_messages << text; });
        fault();
        qInstallMessageHandler(before);
        return s_messages;
    }

  private Q_SLOTS:
    void faultsAreCaught_data() {
        QTest::addColumn<int>("fault");
        QTest::newRow("an argument that cannot be queued") << 0;
        QTest::newRow("a signal that does not exist") << 1;
        QTest::newRow("a timer of another thread") << 2;
        QTest::newRow("a child in another thread") << 3;
    }
    void faultsAreCaught() {
        QFETCH(int, fault);
        Speaker speaker;
        const auto elsewhere = [](auto&& work) { std::jthread thread(work); };
        const QStringList messages = messagesOf([&] {
            switch (fault) {
                case 0:
                    QObject::connect(&speaker, SIGNAL(said(Unregistered)), &speaker,
                                     SLOT(hear(Unregistered)), Qt::QueuedConnection);
                    Q_EMIT speaker.said({});
                    QCoreApplication::processEvents();
                    break;
                case 1:
                    QObject::connect(&speaker, SIGNAL(shouted()), &speaker, SLOT(hear()));
                    break;
                case 2: elsewhere([&] { speaker.startTimer(1000); }); break;
                case 3: elsewhere([&] { QObject child(&speaker); }); break;
            }
        });
        QCOMPARE(speaker.heard, 0);
        QCOMPARE(messages.size(), 1);
        QVERIFY2(droppedByQt().match(messages.front()).hasMatch(), qPrintable(messages.front()));
    }

    void otherWordsPass() {
        for (const char* words : {"QFileSystemWatcher: path is empty", "libpng warning: iCCP",
                                  "This plugin does not support propagateSizeHints()"})
            QVERIFY(!droppedByQt().match(QString::fromLatin1(words)).hasMatch());
    }
};

QTEST_GUILESS_MAIN(QtWarningsTest)
#include "qt_warnings_test.moc"
