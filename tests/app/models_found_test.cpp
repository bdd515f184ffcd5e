// SPDX-License-Identifier: GPL-3.0-or-later
// Which models there are to choose from: where they are looked for, on which thread, and what the
// picker makes of them.
#include <QComboBox>
#include <QDir>
#include <QSettings>
#include <QStandardItemModel>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <thread>

#include "app/session/model_list.h"
#include "app/threads/engine_thread.h"
#include "app/view/main_view.h"
#include "tests/support/app_fixture.h"
#include "ui/prompt/prompt_panel.h"

using namespace app;
using namespace Qt::StringLiterals;
using engine::FoundModel;
using fake::eventually;

namespace {

struct Variables {
    const char *hub, *home, *cache, *user;
};

void set(const char* name, const char* value) {
    if (value)
        qputenv(name, value);
    else
        qunsetenv(name);
}

QStringList entries(const MainView& view, bool enabled) {
    auto* box = const_cast<MainView&>(view).window().promptPanel().findChild<QComboBox*>();
    QStringList found;
    for (int i = 0; i < box->count(); ++i)
        if (!box->itemText(i).isEmpty() &&
            static_cast<QStandardItemModel*>(box->model())->item(i)->isEnabled() == enabled)
            found << box->itemText(i);
    return found;
}

}  // namespace
Q_DECLARE_METATYPE(Variables)

class ModelsFoundTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

  private slots:
    void whereTheCacheIs_data() {
        QTest::addColumn<Variables>("set");
        QTest::addColumn<QString>("folder");
        QTest::newRow("its own") << Variables{"/h", "/i", "/c", "/u"} << "/h";
        QTest::newRow("of its home") << Variables{nullptr, "/i", "/c", "/u"} << "/i/hub";
        QTest::newRow("of caches") << Variables{"", "", "/c", "/u"} << "/c/huggingface/hub";
        QTest::newRow("of the user")
            << Variables{nullptr, nullptr, nullptr, "/u"} << "/u/.cache/huggingface/hub";
        QTest::newRow("none") << Variables{nullptr, nullptr, nullptr, nullptr} << "";
    }
    void whereTheCacheIs() {
        QFETCH(Variables, set);
        QFETCH(QString, folder);
        const char* names[] = {"HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HOME"};
        const char* values[] = {set.hub, set.home, set.cache, set.user};
        std::vector<std::optional<QByteArray>> before;
        for (int i = 0; i < 4; ++i) {
            before.push_back(qEnvironmentVariableIsSet(names[i]) ? std::optional(qgetenv(names[i]))
                                                                 : std::nullopt);
            ::set(names[i], values[i]);
        }
        const QString found = QString::fromStdString(huggingFaceFolder());
        for (std::size_t i = 0; i < 4; ++i)
            ::set(names[i], before[i] ? before[i]->constData() : nullptr);
        QCOMPARE(found, folder);
    }

    void whatLiesBeside() {
        QCOMPARE(folderBeside("/m/a.gguf"), std::string("/m"));
        QCOMPARE(folderBeside("/m/folder/"), std::string("/m"));
        QCOMPARE(folderBeside("/hub/models--a--b/snapshots/1f"), std::string());
        QCOMPARE(folderBeside("/hub/models--a--b/snapshots/1f/a.gguf"), std::string());
    }

    // A cache's file keeps its name, and of a split model one part is listed.
    void listedFiles() {
        const QDir root(m_folder.path());
        QVERIFY(root.mkpath(u"models"_s) && root.mkpath(u"blobs"_s));
        const auto put = [&](const QString& path) {
            QFile file(root.filePath(path));
            QVERIFY(file.open(QIODevice::WriteOnly));
        };
        put(u"blobs/1f"_s);
        put(u"models/b-00001-of-00002.gguf"_s);
        put(u"models/b-00002-of-00002.gguf"_s);
        QVERIFY(QFile::link(u"../blobs/1f"_s, root.filePath(u"models/a.gguf"_s)));
        const std::string folder = QDir(root.canonicalPath() + u"/models"_s).path().toStdString();
        QCOMPARE(modelPaths(root.filePath(u"models"_s).toStdString(),
                            {folder + "/../models/a.gguf", folder + "/gone.gguf"}),
                 (std::vector<std::string>{folder + "/a.gguf", folder + "/b-00001-of-00002.gguf"}));
    }

    // Files are looked at one by one while no job has work: a prompt does not wait for a full
    // cache.
    void lookingWaitsForJobs() {
        const auto world = std::make_shared<fake::World>();
        EngineSource source = fake::source(world);
        source.inspect = [](const std::string& path) {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            engine::ModelInfo info;
            info.path = path;
            return info;
        };
        EngineThread thread(source);
        std::size_t inspected = 0;
        std::optional<std::size_t> before;  // the model was open
        connect(&thread, &EngineThread::happened, this, [&](const EngineEvent& event) {
            inspected += std::holds_alternative<ModelInspected>(event);
            if (std::holds_alternative<ModelOpened>(event)) before = inspected;
        });
        thread.inspect(std::vector<std::string>(20, "x"));
        QTest::qWait(50);
        thread.open({.path = "fake.gguf"});
        QVERIFY(eventually([&] { return inspected == 20; }));
        QVERIFY2(before && *before < 5, QByteArray::number(qsizetype(before.value_or(20))));
    }

    void aFolderThatCannotBeReadHoldsNothing() {
        EngineSource source = fake::source(std::make_shared<fake::World>());
        source.find = [](const std::string& folder, int) -> std::vector<FoundModel> {
            throw engine::Error(engine::Failure::Kind::BadFile, "cannot read the folder", folder);
        };
        EngineThread thread(source);
        std::optional<ModelsFound> found;
        connect(&thread, &EngineThread::happened, this, [&](const EngineEvent& event) {
            if (const auto* news = std::get_if<ModelsFound>(&event)) found = *news;
        });
        thread.find("/gone", 2);
        QVERIFY(eventually([&] { return found.has_value(); }));
        QCOMPARE(found->folder, std::string("/gone"));
        QVERIFY(found->models.empty());
    }

    // The cache's models and the open model's neighbours, while the window stays live.
    void thePickerOffersThem() {
        qputenv("HF_HUB_CACHE", "/the/cache");
        const auto world = std::make_shared<fake::World>();
        EngineSource source = fake::source(world);
        std::atomic<bool> onGuiThread = false;
        source.find = [&](const std::string& folder, int) -> std::vector<FoundModel> {
            onGuiThread = onGuiThread || QThread::currentThread() == thread();
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
            if (folder == "/the/cache")
                return {{"org/good", "/the/cache/good", "safetensors", 1000, {}},
                        {"org/half", "/the/cache/half", "safetensors", 10, "a file is missing"}};
            return {{"open", folder + "/open.gguf", "GGUF", 10, {}},
                    {"beside", folder + "/beside.gguf", "GGUF", 10, {}}};
        };
        QSettings settings(m_folder.filePath(u"settings.ini"_s), QSettings::IniFormat);
        MainView view(source, settings, {"/some/open.gguf", std::nullopt, {}, false});
        QElapsedTimer tick;
        qint64 longest = 0;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this,
                [&] { longest = std::max(longest, tick.restart()); });
        view.window().show();
        QTest::qWait(50);  // what the first frames cost
        view.begin();
        tick.start();
        timer.start(5);
        QVERIFY(eventually([&] {
            return entries(view, true).filter(u"org/good"_s).size() == 1 &&
                   entries(view, true).filter(u"beside"_s).size() == 1 &&
                   entries(view, false).filter(u"org/half"_s).size() == 1;
        }));
        qunsetenv("HF_HUB_CACHE");
        QCOMPARE(entries(view, false).filter(u"org/half"_s).front(),
                 u"org/half  safetensors  1 KB  not supported"_s);
        // Once, though found again.
        auto* box = view.window().promptPanel().findChild<QComboBox*>();
        int times = 0;
        for (int i = 0; i < box->count(); ++i) times += box->itemData(i) == u"/some/open.gguf"_s;
        QCOMPARE(times, 1);
        QVERIFY(!onGuiThread);
        QVERIFY2(longest < 350, QByteArray::number(longest));
    }

    // Ten thousand are cut, and it is said; what is open under the pointer stays as it is.
    void aFullFolderIsCut() {
        qputenv("HF_HUB_CACHE", "/the/cache");
        EngineSource source = fake::source(std::make_shared<fake::World>());
        source.find = [](const std::string& folder, int) {
            std::vector<FoundModel> many;
            for (int i = 0; i < 10'000; ++i) {
                const std::string name = "model " + std::to_string(i);
                many.push_back({name, folder + "/" + name + ".gguf", "GGUF", 10, {}});
            }
            return many;
        };
        QSettings settings(m_folder.filePath(u"full.ini"_s), QSettings::IniFormat);
        MainView view(source, settings, {{}, std::nullopt, {}, false});
        view.window().show();
        view.begin();
        auto* box = view.window().promptPanel().findChild<QComboBox*>();
        box->showPopup();
        const int before = box->count();
        QTest::qWait(300);
        QCOMPARE(box->count(), before);
        box->hidePopup();
        QVERIFY(eventually([&] { return entries(view, true).filter(u"model "_s).size() == 100; }));
        QCOMPARE(entries(view, false).filter(u"and 9900 more"_s).size(), 1);
        qunsetenv("HF_HUB_CACHE");
    }
};

QTEST_MAIN(ModelsFoundTest)
#include "models_found_test.moc"
