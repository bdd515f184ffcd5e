// SPDX-License-Identifier: GPL-3.0-or-later
// A verb on the real engine, in this process; and what it, or the window, wrote.
#pragma once
#include <QFile>
#include <QProcess>
#include <sstream>
#include <string>
#include <vector>

#include "app/command_line/cli.h"

struct CliOutcome {
    int code = -1;
    std::string out, err;
};

inline CliOutcome run_verb(const std::vector<std::string>& words) {
    std::ostringstream out, err;
    app::Cli cli{out,
                 err,
                 {},
                 [](const engine::OpenRequest& request, const engine::OnProgress& progress,
                    std::stop_token stop) { return engine::open_engine(request, progress, stop); },
                 [](const std::string& path) { return engine::inspect_model(path); }};
    const int code = app::runVerb(cli, words);
    return {code, out.str(), err.str()};
}

inline QByteArray file_bytes(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// The words of a command as a shell reads them: asked from one.
inline std::vector<std::string> shell_words(const QString& command) {
    QProcess shell;
    shell.start(QStringLiteral("sh"),
                {QStringLiteral("-c"), QStringLiteral("printf '%s\\0' ") + command});
    std::vector<std::string> words;
    if (!shell.waitForFinished()) return words;
    for (const QByteArray& word : shell.readAllStandardOutput().split('\0'))
        words.push_back(word.toStdString());
    words.pop_back();
    return words;
}
