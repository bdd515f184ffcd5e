// SPDX-License-Identifier: GPL-3.0-or-later
// Earlier prompts: kept a model, bounded, walked through with Up and Down.
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/session/prompt_history.h"

using app::EarlierPrompt;
using app::PromptHistory;

namespace {

EarlierPrompt prompt(const QString& text, bool chat = false) {
    EarlierPrompt made;
    made.text = text;
    made.options.chat = chat;
    made.generate = 7;
    made.sampling = {0.5, 3, 0.75, 18'000'000'000'000'000'000ULL};
    return made;
}

QString walked(PromptHistory& history, int step, const QString& typed) {
    const EarlierPrompt* found = history.walk(step, prompt(typed));
    return found ? found->text : QStringLiteral("none");
}

}  // namespace

class PromptHistoryTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_path;

  private slots:
    void init() {
        m_path = m_folder.filePath(QStringLiteral("settings.ini"));
        QFile::remove(m_path);
    }

    void comesBackWithItsOptions() {
        const QString text = QStringLiteral("שלום \U0001F469 \"quoted\"\n\t[x]\\n=%1;");
        {
            QSettings settings(m_path, QSettings::IniFormat);
            PromptHistory history(settings);
            history.setModel(QStringLiteral("/a/model"));
            history.add(prompt(text, true));
        }
        QSettings settings(m_path, QSettings::IniFormat);
        PromptHistory history(settings);
        history.setModel(QStringLiteral("/a/model"));
        QCOMPARE(history.prompts().size(), 1u);
        const EarlierPrompt& back = history.prompts()[0];
        QCOMPARE(back.text, text);
        QVERIFY(back.options.chat && !back.options.parse_special);
        QCOMPARE(back.generate, 7);
        QCOMPARE(back.sampling.temperature, 0.5);
        QCOMPARE(back.sampling.top_k, 3);
        QCOMPARE(back.sampling.top_p, 0.75);
        QCOMPARE(back.sampling.seed, 18'000'000'000'000'000'000ULL);
        history.setModel(QStringLiteral("/another/model"));
        QVERIFY(history.prompts().empty());
    }

    void theSameTextIsThereOnce() {
        QSettings settings(m_path, QSettings::IniFormat);
        PromptHistory history(settings);
        history.setModel(QStringLiteral("m"));
        for (const char* text : {"a", "b", "a"}) history.add(prompt(QLatin1String(text)));
        QCOMPARE(history.prompts().size(), 2u);
        QCOMPARE(history.prompts()[0].text, QStringLiteral("a"));
        history.add(prompt(QStringLiteral("a"), true));  // another template is another prompt
        QCOMPARE(history.prompts().size(), 3u);
    }

    void isBounded() {
        QSettings settings(m_path, QSettings::IniFormat);
        PromptHistory history(settings);
        history.setModel(QStringLiteral("m"));
        for (int i = 0; i < 100; ++i) history.add(prompt(QString::number(i)));
        QCOMPARE(history.prompts().size(), static_cast<std::size_t>(PromptHistory::most));
        QCOMPARE(history.prompts()[0].text, QStringLiteral("99"));
        history.add(prompt(QString(PromptHistory::longest + 1, u'x')));
        QCOMPARE(history.prompts()[0].text, QStringLiteral("99"));  // too long to keep
        for (QChar letter : QStringLiteral("abcdefgh"))
            history.add(prompt(QString(PromptHistory::longest, letter)));
        qsizetype characters = 0;
        for (const EarlierPrompt& kept : history.prompts()) characters += kept.text.size();
        QVERIFY(characters <= PromptHistory::mostOfAll);
        QCOMPARE(history.prompts().size(), 5u);
        for (int i = 0; i < 60; ++i) {
            history.setModel(QStringLiteral("model %1").arg(i));
            history.add(prompt(QStringLiteral("x")));
        }
        settings.sync();
        settings.beginGroup(QStringLiteral("history"));
        QCOMPARE(settings.childKeys().size(), PromptHistory::mostModels + 1);  // and their list
        settings.endGroup();
        history.setModel(QStringLiteral("m"));
        QVERIFY(history.prompts().empty());  // the least recently used
    }

    void upAndDown() {
        QSettings settings(m_path, QSettings::IniFormat);
        PromptHistory history(settings);
        history.setModel(QStringLiteral("m"));
        for (const char* text : {"one", "two", "three"}) history.add(prompt(QLatin1String(text)));
        QCOMPARE(walked(history, -1, QStringLiteral("typed")), QStringLiteral("none"));
        QCOMPARE(walked(history, 1, QStringLiteral("typed")), QStringLiteral("three"));
        QCOMPARE(walked(history, 1, QStringLiteral("three")), QStringLiteral("two"));
        QCOMPARE(walked(history, 1, QStringLiteral("two")), QStringLiteral("one"));
        QCOMPARE(walked(history, 1, QStringLiteral("one")), QStringLiteral("none"));
        QCOMPARE(walked(history, -1, QStringLiteral("one")), QStringLiteral("two"));
        QCOMPARE(walked(history, -1, QStringLiteral("two")), QStringLiteral("three"));
        QCOMPARE(walked(history, -1, QStringLiteral("three")), QStringLiteral("typed"));
        QCOMPARE(walked(history, -1, QStringLiteral("typed")), QStringLiteral("none"));
        // What was just run stands in the field: one step back is the one before it.
        history.endWalk();
        QCOMPARE(walked(history, 1, QStringLiteral("three")), QStringLiteral("two"));
    }

    void nonsenseInTheFileDoesNoHarm_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addRow("words") << QByteArray("not json");
        QTest::addRow("object") << QByteArray("{}");
        QTest::addRow("numbers") << QByteArray("[1, 2]");
        QTest::addRow("deep") << QByteArray(100'000, '[');
        QTest::addRow("negative") << QByteArray(
            R"([{"text":"a","chat":false,"parse_special":false,"generate":-1,)"
            R"("temperature":0,"top_k":0,"top_p":1,"seed":0}])");
    }
    void nonsenseInTheFileDoesNoHarm() {
        QFETCH(QByteArray, bytes);
        QSettings settings(m_path, QSettings::IniFormat);
        PromptHistory history(settings);
        history.setModel(QStringLiteral("m"));
        history.add(prompt(QStringLiteral("x")));
        for (const QString& key : settings.allKeys())
            if (key != QLatin1String("history/models")) settings.setValue(key, bytes);
        history.setModel(QStringLiteral("m"));
        QVERIFY(history.prompts().empty());
        history.add(prompt(QStringLiteral("y")));
        history.setModel(QStringLiteral("m"));
        QCOMPARE(history.prompts().size(), 1u);
    }

    void forgetting() {
        QSettings settings(m_path, QSettings::IniFormat);
        PromptHistory history(settings);
        history.add(prompt(QStringLiteral("no model yet")));
        QVERIFY(history.prompts().empty());
        history.setModel(QStringLiteral("m"));
        history.add(prompt(QStringLiteral("a secret")));
        history.clear();
        settings.sync();
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(!file.readAll().contains("secret"));
    }
};

QTEST_APPLESS_MAIN(PromptHistoryTest)
#include "prompt_history_test.moc"
