// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display.h"

#include <unistd.h>

#include <QStringList>
#include <QtGlobal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

#include "app/command_line/cli.h"
#include "app/command_line/cli_text.h"
#include "app/files/output_file.h"

namespace app {
namespace {

std::string verbsInstead() {
    return "the verbs " + joined(verbNames()) + " need none";
}

QtMessageHandler formerHandler = nullptr;
bool silent = false;

// What Qt's platform code said before its fatal message, which itself names no display and advises
// to reinstall the program. A few lines are enough to tell why.
QStringList platformSaid;
std::mutex platformMutex;

void remember(const QString& line) {
    constexpr qsizetype lines = 8, longest = 400;
    const std::lock_guard lock(platformMutex);
    if (platformSaid.size() < lines) platformSaid << line.left(longest);
}

std::string valueOf(const char* variable) {
    const char* value = std::getenv(variable);
    return value ? value : "";
}

std::string whyNoPlatform() {
    const std::lock_guard lock(platformMutex);
    const QString said = platformSaid.join(QStringLiteral("; "));
    if (said.contains(QLatin1String("could not connect to display")) ||
        said.contains(QLatin1String("Failed to create wl_display"))) {
        std::vector<std::string> displays;
        for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY"})
            if (const std::string value = valueOf(variable); !value.empty())
                displays.push_back(std::string(variable) + ' ' + quote(value));
        return "the display cannot be reached (" +
               (displays.empty() ? "none is named" : joined(displays)) + ")";
    }
    if (const std::string platform = valueOf("QT_QPA_PLATFORM"); !platform.empty())
        return "Qt cannot start on QT_QPA_PLATFORM " + quote(platform);
    return "Qt cannot start here: " + oneLine(said.toStdString());
}

// Any thread, in theory; in practice the GUI thread inside QApplication's constructor.
void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    const bool platform =
        context.category != nullptr && std::strncmp(context.category, "qt.qpa", 6) == 0;
    if (type == QtFatalMsg) {
        const bool ofPlatform = message.contains(QLatin1String("no Qt platform plugin"));
        const std::string first = message.section(QLatin1Char('\n'), 0, 0).toStdString();
        std::cerr << "headscope: "
                  << (ofPlatform ? whyNoPlatform() : "Qt cannot start here: " + oneLine(first))
                  << "; " << verbsInstead() << std::endl;
        removeUnfinishedFile();
        ::_exit(ExitFailed);  // Qt would abort() after this
    }
    if (platform) remember(message.trimmed());
    if (silent) return;
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
