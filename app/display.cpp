// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display.h"

#include <unistd.h>

#include <QString>
#include <QtGlobal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "app/cli.h"
#include "app/cli_text.h"
#include "app/output_file.h"

namespace app {
namespace {

std::string verbsInstead() {
    return "the verbs " + joined(verbNames()) + " need none";
}

QtMessageHandler formerHandler = nullptr;
bool silent = false;

// Any thread, in theory; in practice the GUI thread inside QApplication's constructor.
void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    const bool platform =
        context.category != nullptr && std::strncmp(context.category, "qt.qpa", 6) == 0;
    if (type == QtFatalMsg) {
        const std::string text = message.section(QLatin1Char('\n'), 0, 0).toStdString();
        std::cerr << "headscope: Qt cannot start here: " << oneLine(text) << "; " << verbsInstead()
                  << std::endl;
        removeUnfinishedFile();
        ::_exit(ExitFailed);  // Qt would abort() after this
    }
    if (platform || silent) return;  // said again, and better, by the fatal message if it matters
    formerHandler(type, context, message);
}

}  // namespace

void requireDisplay() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') return;
    }
    throw engine::Error(engine::Failure::Kind::Device, "there is no display to show the window on",
                        "", verbsInstead());
}

void silenceQt() {
    silent = true;
    failInOneLineWithoutPlatform();
}

void failInOneLineWithoutPlatform() {
    const QtMessageHandler former = qInstallMessageHandler(onMessage);
    if (former != onMessage) formerHandler = former;
}

}  // namespace app
