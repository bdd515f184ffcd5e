// SPDX-License-Identifier: GPL-3.0-or-later
// The files of this checkout as the house tests see them: what git tracks, or, in an unpacked
// archive without git, everything but build folders.
#pragma once
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QStringList>

namespace house {

inline QDir root() {
    return QDir(QStringLiteral(SOURCE_ROOT));
}

inline QStringList walked_files() {
    QStringList files;
    QDirIterator walk(root().path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (walk.hasNext()) {
        const QString file = root().relativeFilePath(walk.next());
        const bool built = file.startsWith(QLatin1String("build")) && file.contains(u'/');
        const bool hidden = file.startsWith(QLatin1String(".git/")) ||
                            file.startsWith(QLatin1String(".cache/")) ||
                            file.contains(QLatin1String("__pycache__"));
        if (!built && !hidden) files << file;
    }
    return files;
}

// Paths relative to the root, sorted; those deleted but not yet committed are left out.
inline QStringList tracked_files() {
    QProcess git;
    git.setWorkingDirectory(root().path());
    git.start(QStringLiteral("git"), {QStringLiteral("ls-files"), QStringLiteral("-z")});
    QStringList files;
    if (git.waitForFinished(30000) && git.exitStatus() == QProcess::NormalExit &&
        git.exitCode() == 0) {
        for (const QByteArray& name : git.readAllStandardOutput().split('\0')) {
            const QString file = QString::fromUtf8(name);
            if (!file.isEmpty() && root().exists(file)) files << file;
        }
    }
    if (files.isEmpty()) files = walked_files();
    files.sort();
    return files;
}

inline QByteArray contents(const QString& file) {
    QFile source(root().filePath(file));
    return source.open(QIODevice::ReadOnly) ? source.readAll() : QByteArray();
}

inline bool ends_with_any(const QString& file, std::initializer_list<const char*> endings) {
    for (const char* ending : endings) {
        if (file.endsWith(QLatin1String(ending))) return true;
    }
    return false;
}

inline bool is_cpp(const QString& file) {
    return ends_with_any(file, {".h", ".cpp", ".cu", ".cuh"});
}

// Written by people and read by them: what the rules on length and licence are about.
inline bool is_source(const QString& file) {
    return is_cpp(file) || ends_with_any(file, {".cmake", "CMakeLists.txt", ".sh", ".py"}) ||
           file == QLatin1String(".ci/run");
}

// Qt Test cuts long messages, so what is wrong is printed a line each.
inline QByteArray listed(const QStringList& wrong) {
    for (const QString& line : wrong) qInfo("  %s", qPrintable(line));
    return QByteArray::number(wrong.size()) + " found, listed above";
}

}  // namespace house
