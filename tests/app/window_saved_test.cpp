// SPDX-License-Identifier: GPL-3.0-or-later
// What was typed comes back at the next start, after a crash too, and whatever the file holds.
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/view/main_view.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"

class WindowSavedTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    int m_count = 0;

    QString freshPath() { return m_folder.filePath(QString::number(m_count++)); }

    struct Window {
        QSettings settings;
        app::MainView view;
        explicit Window(const QString& path, std::optional<std::string> prompt = {})
            : settings(path, QSettings::IniFormat),
              view(fake::source(std::make_shared<fake::World>()), settings,
                   {std::nullopt, std::move(prompt), {}, false}) {}
        ui::PromptPanel& bar() { return view.window().promptPanel(); }
    };

  private slots:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { ui::loadFonts(); }

    void typedTextComesBack_data() {
        QTest::addColumn<QString>("text");
        QTest::addRow("words") << QStringLiteral("Once upon a time");
        QTest::addRow("ini") << QStringLiteral("[x]\\n=%1;\"@ByteArray(\",,, \\x00");
        QTest::addRow("300,000 characters")
            << QStringLiteral("你 and \"so\"\n on, ").repeated(20'000) + QStringLiteral("the end");
        QTest::addRow("emoji") << QStringLiteral("\U0001F469\u200D\U0001F467 שלום 你好");
    }
    void typedTextComesBack() {
        QFETCH(QString, text);
        const QString path = freshPath();
        {
            Window first(path);
            auto* line = first.bar().findChild<ui::PromptLine*>();
            line->selectAll();
            QTest::keyClicks(line, QStringLiteral("x"));
            first.bar().setPrompt(text);
            first.bar().setTokensToGenerate(77);
            Q_EMIT first.bar().promptChanged();
            engine::Sampling sampling;
            sampling.temperature = 0.7;
            sampling.seed = 18'000'000'000'000'000'000ULL;
            first.bar().setSampling(sampling);
            Q_EMIT first.bar().samplingChanged();
            QTest::qWait(700);
            // As in a crash: another process reads the file while this one never closes.
            Window second(path);
            QCOMPARE(second.bar().prompt(), text);
            QCOMPARE(second.bar().tokensToGenerate(), 77);
            QCOMPARE(second.bar().sampling().temperature, 0.7);
            QCOMPARE(second.bar().sampling().seed, 18'000'000'000'000'000'000ULL);
        }
        // One that is asked for goes first.
        Window third(path, "given");
        QCOMPARE(third.bar().prompt(), QStringLiteral("given"));
    }

    // Neither the one that was there before a long one comes back, nor the long one after it.
    void theNewestComesBackWhateverItsLength() {
        const QString path = freshPath();
        const auto type = [&path](const QString& text) {
            Window window(path);
            window.bar().setPrompt(text);
            Q_EMIT window.bar().promptChanged();
            window.view.window().close();
        };
        const QString longText = QStringLiteral("word ").repeated(50'000);
        for (const QString& text :
             {QStringLiteral("short"), longText, longText + u'!', QStringLiteral("short again")}) {
            type(text);
            QCOMPARE(Window(path).bar().prompt(), text);
        }
    }

    void nonsenseInTheFileDoesNoHarm() {
        const QString path = freshPath();
        {
            QSettings settings(path, QSettings::IniFormat);
            settings.setValue(QStringLiteral("typed/prompt"), QByteArray("\xFF\xFE broken", 9));
            settings.setValue(QStringLiteral("typed/tokens"), QStringLiteral("many"));
            settings.setValue(QStringLiteral("typed/temperature"), -4);
            settings.setValue(QStringLiteral("typed/topP"), 99);
        }
        Window window(path);
        QVERIFY(window.bar().tokensToGenerate() > 0);
        QCOMPARE(window.bar().sampling().temperature, 0.0);
        QVERIFY(window.bar().prompt().contains(QStringLiteral("broken")));
    }

    void noFileNoHarm() {
        Window window(freshPath());
        QVERIFY(window.bar().prompt().startsWith(QStringLiteral("When Mary and John")));
    }
};

QTEST_MAIN(WindowSavedTest)
#include "window_saved_test.moc"
