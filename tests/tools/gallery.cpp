// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the real window, offscreen, on a real model: gallery MODEL RESOURCES. What it shows is what
// a user reaches by the same few moves.
#include <QElapsedTimer>
#include <QEventLoop>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "app/verbs/drawing_application.h"
#include "app/view/main_view.h"
#include "engine/engine.h"
#include "ui/finder/head_finder.h"
#include "ui/painting/theme.h"

namespace {

constexpr int patience = 300'000, generated = 16;  // milliseconds; tokens

void spin(int milliseconds) {
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

// Until nothing is computed or read any more.
void settle(app::MainView& view) {
    QElapsedTimer clock;
    clock.start();
    for (int quiet = 0; quiet < 60; ++quiet) {
        spin(10);
        bool busy = ui::isBusy(view.session().state());
        for (std::size_t kind = 0; kind < app::kReadKinds; ++kind)
            busy = busy || view.views().isPending(static_cast<app::ReadKind>(kind));
        if (busy) quiet = 0;
        if (clock.elapsed() > patience)
            throw engine::Error(engine::Failure::Kind::Internal, "the window does not settle");
    }
}

std::string contentOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw engine::Error(engine::Failure::Kind::Io, path + " cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

// In at most 256 colours, the commonest first and none close to another, so that grounds and cells
// stay exactly what they are and no colour becomes a strange one: a third of the bytes.
QImage simplified(const QImage& picture) {
    std::map<QRgb, int> counts;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) ++counts[picture.pixel(x, y)];
    std::vector<std::pair<int, QRgb>> common;
    for (const auto& [colour, count] : counts) common.emplace_back(-count, colour);
    std::sort(common.begin(), common.end());
    const auto distance = [](QRgb a, QRgb b) {
        const int red = qRed(a) - qRed(b), green = qGreen(a) - qGreen(b),
                  blue = qBlue(a) - qBlue(b);
        return red * red + green * green + blue * blue;
    };
    QList<QRgb> table;
    for (int apart = 50; table.isEmpty() || table.size() > 256; apart += apart / 4) {
        table.clear();
        for (const auto& entry : common)
            if (std::none_of(table.cbegin(), table.cend(),
                             [&](QRgb one) { return distance(one, entry.second) < apart; }))
                table << entry.second;
    }
    std::map<QRgb, uint> places;
    for (const auto& entry : counts) {
        const QRgb colour = entry.first;
        const auto nearest = std::min_element(
            table.cbegin(), table.cend(),
            [&](QRgb one, QRgb other) { return distance(one, colour) < distance(other, colour); });
        places[colour] = static_cast<uint>(nearest - table.cbegin());
    }
    QImage indexed(picture.size(), QImage::Format_Indexed8);
    indexed.setColorTable(table);
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            indexed.setPixel(x, y, places[picture.pixel(x, y)]);
    return indexed;
}

void save(app::MainView& view, const std::string& path) {
    settle(view);
    const QImage picture =
        simplified(view.window().grab().toImage().convertToFormat(QImage::Format_RGB32));
    if (!picture.save(QString::fromStdString(path), "PNG", 0))
        throw engine::Error(engine::Failure::Kind::Io, path + " cannot be written");
    std::printf("%s\n", path.c_str());
}

struct Shown {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
    std::unique_ptr<app::MainView> view;

    Shown(const std::string& model, const std::string& prompt, ui::Scheme scheme) {
        settings.setValue(QStringLiteral("window/scheme"), scheme == ui::Scheme::Dark ? 1 : 0);
        view = std::make_unique<app::MainView>(
            app::EngineSource{engine::open_engine,
                              [](const std::string& path) { return engine::inspect_model(path); }},
            settings, app::MainView::Start{model, prompt, folder.path().toStdString(), false});
        view->window().resize(1280, 800);
        view->window().show();
        view->begin();
        QElapsedTimer clock;
        clock.start();
        while (!view->session().run().promptRead) {
            spin(10);
            if (clock.elapsed() > patience)
                throw engine::Error(engine::Failure::Kind::Internal, model + " does not open");
        }
        settle(*view);
    }
};

void draw(const std::string& model, const std::string& resources) {
    const std::string gallery = resources + "/gallery/";
    const std::string sentence = contentOf(resources + "/prompts/indirect_object.txt");
    const std::string list = contentOf(resources + "/prompts/induction.txt");
    {
        const Shown light(model, sentence, ui::Scheme::Light);
        app::MainView& view = *light.view;
        save(view, resources + "/screenshot.png");
        view.window().showFinderPage();
        save(view, gallery + "finder.png");
        app::Session& session = view.session();
        session.run({sentence, session.run().options, {}, generated});
        settle(view);
        const app::RunView run = session.run();
        const engine::Step& first = run.steps.at(0);
        session.fork(first.position, first.alternatives.at(1), {});
        settle(view);
        view.window().showComparePage();
        save(view, gallery + "compare.png");
    }
    const Shown dark(model, list, ui::Scheme::Dark);
    app::MainView& view = *dark.view;
    view.finder().table().sortByColumn(columnOf(ui::HeadMetric::Induction), Qt::DescendingOrder);
    view.session().selectHead(view.finder().ranked().front());
    save(view, gallery + "induction-dark.png");
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::fprintf(stderr, "gallery MODEL RESOURCES\n");
        return 2;
    }
    const app::DrawingApplication<> application;
    ui::loadFonts();
    try {
        draw(arguments[1], arguments[2]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gallery: %s\n", error.what());
        return 1;
    }
    return 0;
}
