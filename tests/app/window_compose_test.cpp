// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the real engine: pinned heads composed to a figure by mouse and keys, seen in
// the preview, written, and written again, byte for byte, by the command that it gives.
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_cli.h"
#include "tests/support/real_window.h"
#include "ui/composer/figure_composer.h"
#include "ui/composer/figure_preview.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/window/message_bar.h"

using engine::LayerHead;
using fake::eventually;

namespace {

constexpr int kPatience = real::patience;

LayerHead head(int layer, int index) {
    return {engine::Layer(layer), engine::QueryHead(index)};
}

}  // namespace

class WindowComposeTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void opensWithThePins();
    void typedHeadsAreShownAtOnce();
    void whatIsNoHeadIsSaid_data();
    void whatIsNoHeadIsSaid();
    void buttonsTakePinsAndFocus();
    void followsTheMap();
    void whatHasNoRoomIsSaid();
    void hugePicturesAreRefused();
    void charactersWithoutAFontAreSaid();
    void filesAreTheCommands_data();
    void filesAreTheCommands();
    void dataOfTheHeads_data();
    void dataOfTheHeads();
    void generatedTokensGoByTheirIds();
    void measuresAreThoseOfTheFile_data();
    void measuresAreThoseOfTheFile();
    void choicesAreRemembered();
    void aNewRunIsFollowed();
    void aForkIsInTheTitle();

  private:
    bool settle() {
        return ::settle(*m_view, kPatience) &&
               eventually([&] { return !m_view->views().isPending(app::ReadKind::Composed); },
                          kPatience);
    }
    ui::FigureComposer* open();
    template <typename Widget>
    Widget* part(const char* name) {
        for (auto* each : m_composer->findChildren<Widget*>())
            if (each->accessibleName() == QLatin1String(name) ||
                each->objectName() == QLatin1String(name) ||
                each->property("text").toString().remove(u'&') == QLatin1String(name))
                return each;
        return nullptr;
    }
    void press(const char* button) {
        auto* found = part<QPushButton>(button);
        QVERIFY2(found && found->isEnabled(), button);
        QTest::mouseClick(found, Qt::LeftButton);
    }
    void type(const QString& heads) {
        auto* field = part<QLineEdit>("composedHeads");
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, heads);
    }
    void pressInWindow(Qt::Key key) {
        m_view->window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
        QTest::keyClick(&m_view->window(), key);
    }
    QString exportTo(const QString& name);
    bool says(const QString& begin) {
        return eventually([&] { return part<QLabel>("composedStatus")->text().startsWith(begin); });
    }
    void commandWrites(const QString& path);  // these very bytes
    bool shows(int panelsAtLeast);
    app::Session& session() const { return m_view->session(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
    QPointer<ui::FigureComposer> m_composer;
};

void WindowComposeTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
}

ui::FigureComposer* WindowComposeTest::open() {
    m_view->window().activateWindow();
    if (!QTest::qWaitForWindowActive(&m_view->window())) return nullptr;
    QTest::keyClick(&m_view->window(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    m_composer = m_view->window().findChild<ui::FigureComposer*>();
    return m_composer;
}

bool WindowComposeTest::shows(int panels) {
    return eventually(
        [&] {
            return m_composer->preview().problem().isEmpty() &&
                   !m_composer->preview().picture().isNull() &&
                   m_composer->wish().heads.size() == static_cast<std::size_t>(panels);
        },
        kPatience);
}

QString WindowComposeTest::exportTo(const QString& name) {
    press("exportComposed");
    return real::answerExport(*m_view, m_home, name);
}

void WindowComposeTest::opensWithThePins() {
    for (const LayerHead at : {head(21, 1), head(23, 3)})
        QTest::mouseClick(m_view->grid().viewport(), Qt::LeftButton, Qt::ControlModifier,
                          m_view->grid().headRect(at).center());
    QVERIFY(open());
    QVERIFY(QTest::qWaitForWindowExposed(m_composer));
    QCOMPARE(m_composer->wish().heads, (std::vector{head(21, 1), head(23, 3)}));
    QVERIFY(shows(2));
    // As large as there is room, and no larger.
    const QSize picture = m_composer->preview().picture().size();
    const QSize room = m_composer->preview().room();
    QVERIFY(picture.width() <= room.width() && picture.height() <= room.height());
    QVERIFY(picture.width() > room.width() - 3 || picture.height() > room.height() - 3);
    QVERIFY(open() == m_composer);  // one of them
    QCOMPARE(m_view->window().findChildren<ui::FigureComposer*>().size(), 1);
}

void WindowComposeTest::typedHeadsAreShownAtOnce() {
    const QImage before = m_composer->preview().picture();
    type(QStringLiteral("l2.h1 L21.H1,L23.H3"));
    QVERIFY(shows(3));
    QVERIFY(eventually([&] { return m_composer->preview().picture() != before; }, kPatience));
    QCOMPARE(m_composer->wish().heads, (std::vector{head(2, 1), head(21, 1), head(23, 3)}));
}

void WindowComposeTest::whatIsNoHeadIsSaid_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const char* typed, const char* said) {
        QTest::newRow(name) << QString::fromUtf8(typed) << QString::fromUtf8(said);
    };
    row("nothing", "", "no head is named");
    row("a word", "L1.H1, first", "“first” is no head");
    row("a layer too many", "L30.H0", "the model has L0.H0 to L29.H8");
    row("a head too many", "L0.H9", "there is no L0.H9");
    row("twice", "L1.H1 L1.H1", "L1.H1 is there twice");
    row("a huge number", "L99999999999.H0", "is no head");
    row("markup", "<b>L1.H1</b>", "“<b>L1.H1</b>” is no head");
}

void WindowComposeTest::whatIsNoHeadIsSaid() {
    QFETCH(QString, typed);
    QFETCH(QString, said);
    auto* field = part<QLineEdit>("composedHeads");
    field->setText(typed);
    QVERIFY2(m_composer->preview().problem().contains(said),
             qPrintable(m_composer->preview().problem()));
    QVERIFY(settle());
    QTest::qWait(60);
    QVERIFY(!m_composer->preview().problem().isEmpty());  // no late answer takes it away
    QVERIFY(!part<QPushButton>("exportComposed")->isEnabled());
    field->setText(QStringLiteral("L1.H1"));
    QVERIFY(shows(1));
    QVERIFY(part<QPushButton>("exportComposed")->isEnabled());
}

void WindowComposeTest::buttonsTakePinsAndFocus() {
    press("Take pinned");
    QCOMPARE(m_composer->wish().heads, m_view->pins().heads());
    session().selectHead(head(5, 4));
    press("Add L5.H4");
    QCOMPARE(m_composer->wish().heads.back(), head(5, 4));
    QVERIFY(!part<QPushButton>("Add L5.H4")->isEnabled());
    QVERIFY(shows(3));
}

// Quantity and scale are the map's.
void WindowComposeTest::followsTheMap() {
    QVERIFY(settle());
    const QImage pattern = m_composer->preview().picture();
    pressInWindow(Qt::Key_1);
    QVERIFY(eventually([&] { return m_composer->preview().picture() != pattern; }, kPatience));
    pressInWindow(Qt::Key_2);
    QVERIFY(eventually([&] { return m_composer->preview().picture() == pattern; }, kPatience));
    pressInWindow(Qt::Key_S);
    QVERIFY(eventually([&] { return m_composer->preview().picture() != pattern; }, kPatience));
    m_view->headPage().scaleColumn().setChoice({});
    Q_EMIT m_view->headPage().scaleColumn().scaleChanged({});
    QVERIFY(eventually([&] { return m_composer->preview().picture() == pattern; }, kPatience));
}

void WindowComposeTest::whatHasNoRoomIsSaid() {
    type(QStringLiteral("L0.H0 L0.H1 L0.H2 L0.H3 L0.H4 L0.H5 L0.H6 L0.H7 L0.H8"));
    part<QComboBox>("Page")->setCurrentIndex(0);
    auto* columns = m_composer->findChild<QSpinBox*>();
    QVERIFY(columns);
    columns->setValue(9);
    const QString said = QStringLiteral("9 maps in 9 columns");
    QVERIFY(eventually([&] { return m_composer->preview().problem().contains(said); }, kPatience));
    QVERIFY(!part<QPushButton>("exportComposed")->isEnabled());
    columns->setValue(0);
    QVERIFY(shows(9));
    type(QStringLiteral("L21.H1, L23.H3"));
    QVERIFY(shows(2));
}

// Before anything is drawn; the number that is advised is one.
void WindowComposeTest::hugePicturesAreRefused() {
    auto* width = part<QDoubleSpinBox>("Width of the page");
    auto* dpi = part<QComboBox>("Resolution of a PNG");
    const int before = dpi->currentIndex();
    part<QComboBox>("Page")->setCurrentIndex(3);
    width->setValue(600);
    dpi->setCurrentIndex(3);
    const QString said = QStringLiteral("the most is 100,000,000");
    QVERIFY(eventually([&] { return m_composer->preview().problem().contains(said); }, kPatience));
    QVERIFY(!part<QPushButton>("exportComposed")->isEnabled());
    dpi->setCurrentIndex(0);
    QVERIFY(shows(2));
    QVERIFY(part<QPushButton>("exportComposed")->isEnabled());
    dpi->setCurrentIndex(before);
    width->setValue(120);
    part<QComboBox>("Page")->setCurrentIndex(1);
    QVERIFY(shows(2));
}

// What is drawn as boxes is said above the page, by its number, when it is written.
void WindowComposeTest::charactersWithoutAFontAreSaid() {
    for (auto* line : m_composer->findChildren<QLineEdit*>())
        if (line->toolTip() == QLatin1String("Below the colour bar"))
            line->setText(QStringLiteral("a\u0378b"));
    QTest::qWait(60);
    QVERIFY(settle());
    m_view->window().messageBar().dismiss();
    const QString path = exportTo(QStringLiteral("boxes.png"));
    QVERIFY(says(QStringLiteral("Written: ") + path));
    const ui::Message& message = m_view->window().messageBar().message();
    QVERIFY(message.severity == ui::Message::Severity::Warn);
    QCOMPARE(message.what,
             QStringLiteral("No font of this machine has U+0378: drawn as boxes in boxes.png."));
    QVERIFY(m_view->window().messageBar().isVisibleTo(&m_view->window()));
    const QString fonts = QImage(path).text(QStringLiteral("Fonts"));
    QVERIFY2(fonts.contains(QStringLiteral("no font for U+0378")), qPrintable(fonts));
    m_view->window().messageBar().dismiss();
}

void WindowComposeTest::filesAreTheCommands_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("page");      // of the combo box
    QTest::addColumn<int>("quantity");  // key
    QTest::addColumn<QString>("caption");
    QTest::addColumn<bool>("other");  // columns, labels, letters, ground, colours, scale, axes
    QTest::newRow("png, double") << "figure.png" << 1 << int(Qt::Key_2) << QString() << false;
    QTest::newRow("png, dark, own") << "figure.png" << 0 << int(Qt::Key_2)
                                    << QStringLiteral("it's <b>\"$HOME\"</b> 猫") << true;
    QTest::newRow("svg, scores") << "figure.svg" << 2 << int(Qt::Key_1) << QStringLiteral("Scores")
                                 << false;
    QTest::newRow("png, like an option")
        << "figure.png" << 1 << int(Qt::Key_2) << QStringLiteral("--prompt") << false;
    QTest::newRow("pdf, attribution") << "figure.pdf" << 3 << int(Qt::Key_4) << QString() << true;
    QTest::newRow("natural png") << "figure.png" << 4 << int(Qt::Key_3) << QString() << false;
}

void WindowComposeTest::filesAreTheCommands() {
    QFETCH(QString, name);
    QFETCH(int, page);
    QFETCH(int, quantity);
    QFETCH(QString, caption);
    QFETCH(bool, other);
    part<QComboBox>("Page")->setCurrentIndex(page);
    for (auto* box : m_composer->findChildren<QCheckBox*>()) box->setChecked(other);
    part<QComboBox>("Colours")->setCurrentIndex(other ? 1 : 0);
    part<QComboBox>("Token labels")->setCurrentIndex(other ? 2 : 0);
    m_composer->findChild<QSpinBox*>()->setValue(other ? 1 : 0);
    const QList<QLineEdit*> lines = m_composer->findChildren<QLineEdit*>();
    for (auto* line : lines)
        if (line->toolTip() == QLatin1String("Below the colour bar")) line->setText(caption);
    pressInWindow(static_cast<Qt::Key>(quantity));
    QCOMPARE(static_cast<int>(m_view->views().quantity()), quantity - int(Qt::Key_1));
    for (QAction* action : m_view->window().actions())
        if (action->shortcut() == QKeySequence(Qt::Key_T)) action->setChecked(other);
    ui::ScaleChoice choice;
    if (other) {
        choice.transfer = engine::Transfer::Linear;
        choice.sink = ui::SinkMode::InScale;
        choice.setThreshold(m_view->views().quantity(), 0.0625);
    }
    m_view->headPage().scaleColumn().setChoice(choice);
    Q_EMIT m_view->headPage().scaleColumn().scaleChanged(choice);
    QTest::qWait(60);
    QVERIFY(settle());
    QVERIFY(shows(2));
    const QString path = exportTo(name);
    QVERIFY(!path.isEmpty());
    QVERIFY(says(QStringLiteral("Written: ") + path));
    press("copyFigureCommand");
    QVERIFY(says(QStringLiteral("Copied: ")));
    commandWrites(path);
}

void WindowComposeTest::commandWrites(const QString& path) {
    const QString name = path.section(u'/', -1);
    std::vector<std::string> verb = shell_words(QGuiApplication::clipboard()->text());
    QVERIFY(!verb.empty() && verb.front() == "headscope");
    verb.erase(verb.begin());
    const QString again = m_home.folder.filePath(QStringLiteral("again-") + name);
    verb.back() = again.toStdString();
    if (!name.endsWith(QStringLiteral("png")))  // a PNG's pixels
        for (std::size_t i = 0; i < verb.size(); ++i)
            if (verb[i] == "--zoom")
                verb.erase(verb.begin() + std::ptrdiff_t(i), verb.begin() + std::ptrdiff_t(i) + 2);
    const CliOutcome outcome = run_verb(verb);
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    QVERIFY(!file_bytes(path).isEmpty());
    QVERIFY2(file_bytes(path) == file_bytes(again),
             qPrintable(QGuiApplication::clipboard()->text()));
}

void WindowComposeTest::dataOfTheHeads_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("csv") << "figure.csv";
    QTest::newRow("npy") << "figure.npy";
}

void WindowComposeTest::dataOfTheHeads() {
    QFETCH(QString, name);
    pressInWindow(Qt::Key_2);
    QVERIFY(settle());
    const QString path = exportTo(name);
    QVERIFY(!path.isEmpty());
    const QString again = m_home.folder.filePath(QStringLiteral("again-") + name);
    const CliOutcome outcome =
        run_verb({"export", default_model_path(), "--prompt", session().run().prompt, "--view",
                  "L21.H1,L23.H3", "--out", again.toStdString()});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    QVERIFY(file_bytes(path) == file_bytes(again));
}

void WindowComposeTest::generatedTokensGoByTheirIds() {
    m_view->window().promptPanel().setTokensToGenerate(3);
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually([&] { return session().run().steps.size() == 3; }, kPatience));
    QVERIFY(settle());
    QTest::qWait(60);
    QVERIFY(settle());
    press("copyFigureCommand");
    const QString command = QGuiApplication::clipboard()->text();
    QCOMPARE(command.section(QStringLiteral("--token-ids "), 1).section(u' ', 0, 0).count(u','),
             int(session().run().rows) - 1);
    QVERIFY(!command.contains(QStringLiteral("--prompt")));
    const QString path = exportTo(QStringLiteral("generated.png"));
    QVERIFY(!path.isEmpty());
    commandWrites(path);
    QVERIFY(QImage(path)
                .text(QStringLiteral("Prompt"))
                .contains(QString::fromStdString(session().run().prompt)));
}

void WindowComposeTest::measuresAreThoseOfTheFile_data() {
    QTest::addColumn<int>("page");
    QTest::addColumn<int>("dpi");
    for (const int page : {0, 1, 4})
        for (const int dpi : {0, 3}) QTest::addRow("page %d, dpi %d", page, dpi) << page << dpi;
}

// Of a run whose cells are pooled, otherwise in the preview than in the file.
void WindowComposeTest::measuresAreThoseOfTheFile() {
    QFETCH(int, page);
    QFETCH(int, dpi);
    const QString prompt = QStringLiteral("one two three four five six ").repeated(60);
    if (session().run().prompt != prompt.toStdString()) {
        m_view->window().promptPanel().setTokensToGenerate(0);
        m_view->window().promptPanel().setPrompt(prompt);
        Q_EMIT m_view->window().runRequested();
        QVERIFY(eventually(
            [&] {
                return session().run().promptRead && session().run().prompt == prompt.toStdString();
            },
            kPatience));
    }
    QVERIFY(settle());
    part<QComboBox>("Page")->setCurrentIndex(page);
    part<QComboBox>("Resolution of a PNG")->setCurrentIndex(dpi);
    QTest::qWait(100);
    QVERIFY(settle());
    QVERIFY(shows(2));
    const QImage file(exportTo(QStringLiteral("measured.png")));
    const auto text = [](int pixels) { return ui::thousands(pixels); };
    const QString said = part<QLabel>("composedMeasures")->text();
    QVERIFY2(
        said.endsWith(
            QStringLiteral("as a PNG %1 × %2 pixels").arg(text(file.width()), text(file.height()))),
        qPrintable(said + u' ' + text(file.width()) + u' ' + text(file.height())));
    const QString shown = part<QLabel>("composedShows")->text();
    QVERIFY2(
        file.text(QStringLiteral("Description")).contains(shown.section(QStringLiteral(", "), 1)),
        qPrintable(shown + u'\n' + file.text(QStringLiteral("Description"))));
}

void WindowComposeTest::choicesAreRemembered() {
    part<QComboBox>("Page")->setCurrentIndex(2);
    part<QComboBox>("Resolution of a PNG")->setCurrentIndex(3);
    part<QComboBox>("Colours")->setCurrentIndex(1);
    m_composer->findChild<QSpinBox*>()->setValue(2);
    press("Close");
    QVERIFY(eventually([&] { return m_composer.isNull(); }));
    QVERIFY(open());
    const ui::FigureWish wish = m_composer->wish();
    QCOMPARE(wish.size, QStringLiteral("slide"));
    QCOMPARE(wish.dpi, 600);
    QVERIFY(wish.scheme == ui::Scheme::Dark);
    QCOMPARE(wish.page.columns, 2);
    QCOMPARE(wish.heads, m_view->pins().heads());
    QVERIFY(shows(2));
}

void WindowComposeTest::aNewRunIsFollowed() {
    const QImage before = m_composer->preview().picture();
    m_view->window().promptPanel().setPrompt(QStringLiteral("One two three four"));
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually([&] { return session().run().prompt == "One two three four"; }, kPatience));
    QVERIFY(settle());
    QVERIFY(eventually([&] { return m_composer->preview().picture() != before; }, kPatience));
    QVERIFY(m_composer->preview().problem().isEmpty());
    QTest::keyClick(m_composer, Qt::Key_Escape);
    QVERIFY(eventually([&] { return m_composer.isNull(); }));
    // A machine without a font for the cat above has been warned of that.
    for (const ui::Message& each : m_view->window().messages())
        QVERIFY2(each.severity == ui::Message::Severity::Warn, qPrintable(each.what + each.why));
}

// What the title says is in its field, where it can be changed.
void WindowComposeTest::aForkIsInTheTitle() {
    m_view->window().promptPanel().setTokensToGenerate(2);
    const std::size_t before = session().run().steps.size();
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually([&] { return session().run().steps.size() == before + 2; }, kPatience));
    QVERIFY(settle());
    const engine::Step step = session().run().steps.back();
    const engine::RunId parent = session().run().id;
    session().fork(step.position, step.alternatives.at(1), {});
    QVERIFY(eventually([&] { return session().run().id != parent; }, kPatience));
    QVERIFY(settle());
    Q_EMIT m_view->window().composeRequested();
    m_composer = m_view->window().findChild<ui::FigureComposer*>();
    QVERIFY(m_composer);
    QVERIFY(settle());
    const QString name = QString::fromStdString(session().model()->name);
    const auto field = [&] {
        QStringList texts;
        for (const auto* line : m_composer->findChildren<QLineEdit*>()) texts << line->text();
        return texts;
    };
    QVERIFY(field().contains(name + QStringLiteral(" · run B")));
    QVERIFY(!m_composer->wish().title.has_value());
    session().showRun(parent);
    QVERIFY(eventually([&] { return field().contains(name + QStringLiteral(" · run A")); }));
    QTest::keyClick(m_composer, Qt::Key_Escape);
    QVERIFY(eventually([&] { return m_composer.isNull(); }));
}

QTEST_MAIN(WindowComposeTest)
#include "window_compose_test.moc"
