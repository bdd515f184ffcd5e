// SPDX-License-Identifier: GPL-3.0-or-later
// The direction of knowledge, read off the includes. It is no matter of taste: a Qt header before a
// torch header does not compile, and torch costs seconds a file.
#include <QRegularExpression>
#include <QTest>

#include "tests/house/source_tree.h"

namespace {

// What an include names, without its brackets; a quoted name is relative to the root.
struct Include {
    QString name;
    bool quoted = false;
};

QList<Include> includes_of(const QString& file) {
    static const QRegularExpression pattern(
        QStringLiteral(R"(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"])"),
        QRegularExpression::MultilineOption);
    QList<Include> found;
    auto matches = pattern.globalMatch(QString::fromUtf8(house::contents(file)));
    while (matches.hasNext()) {
        const auto match = matches.next();
        found << Include{match.captured(2), match.captured(1) == QLatin1String("\"")};
    }
    return found;
}

// A layer: the files it covers, and what those may include. Both as anchored patterns.
struct Layer {
    const char* name;
    const char* files;
    const char* quoted;
    const char* angled;
};

// The standard library's own headers have no dot, Qt's begin with a Q and a capital.
constexpr const char* standard = "[a-z_]+";
constexpr const char* qt =
    "[a-z_]+|Q[A-Z]\\w*|Qt\\w*(/\\w+)?|qcustomplot\\.h|"
    "(unistd|fcntl|signal|dlfcn|errno)\\.h|sys/[a-z_]+\\.h|nlohmann/json(_fwd)?\\.hpp";

const Layer layers[] = {
    {"kernels see plain pointers: no ATen, no Qt, no engine", "kernels/.*", "kernels/.*",
     "[a-z_]+|(immintrin|arm_neon|pthread|sched|unistd)\\.h|cuda\\w*\\.h|cuda/.*|sys/[a-z_]+\\.h"},
    {"values are structs of the standard library", "engine/values/.*", "engine/values/.*",
     standard},
    {"the boundary is free of torch and Qt", "engine/(engine|trace_reader|module)\\.h",
     "engine/(engine|trace_reader)\\.h|engine/values/.*", standard},
    {"formats are bytes to named tensors: no torch, no family, no model", "engine/formats/.*",
     "engine/(formats|values)/.*|kernels/block_codecs\\.h",
     "[a-z_]+|(sys|linux)/[a-z_]+\\.h|(unistd|fcntl|errno|signal)\\.h|"
     "nlohmann/json(_fwd)?\\.hpp"},
    {"families are data: no torch", "engine/families/.*",
     "engine/(families|formats|values)/.*|engine/model/model_config\\.h",
     "[a-z_]+|nlohmann/json(_fwd)?\\.hpp"},
    {"the tokenizer needs no torch", "engine/tokenizer/.*", "engine/(tokenizer|formats|values)/.*",
     "[a-z_]+|nlohmann/json(_fwd)?\\.hpp|pcre2\\.h|unicode/\\w+\\.h"},
    {"the engine has no Qt and no window", "engine/.*", "(engine|kernels)/.*",
     "[a-z_]+|(sys|linux)/[a-z_]+\\.h|(dlfcn|unistd|fcntl|signal|pthread|sched|errno|omp)\\.h|"
     "nlohmann/json(_fwd)?\\.hpp|pcre2\\.h|unicode/\\w+\\.h|(ATen|c10|torch)/.*"},
    {"ui knows the engine's values and nothing else of it", "ui/.*",
     "(ui|engine/values)/.*|qcustomplot\\.h|[\\w]+\\.moc|moc_\\w+\\.cpp", qt},
    {"app knows engine and ui, but no torch and no kernels", "app/.*",
     "(app|ui|engine/values)/.*|engine/"
     "(engine|trace_reader|module)\\.h|[\\w]+\\.moc|moc_\\w+\\.cpp",
     "(?!ATen/|torch/|c10/|cuda).*"},
};

}  // namespace

class LayeringTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void includes_data() {
        QTest::addColumn<QString>("files");
        QTest::addColumn<QString>("quoted");
        QTest::addColumn<QString>("angled");
        for (const Layer& layer : layers) {
            QTest::newRow(layer.name)
                << QString::fromLatin1(layer.files) << QString::fromLatin1(layer.quoted)
                << QString::fromLatin1(layer.angled);
        }
    }

    void includes() {
        QFETCH(QString, files);
        QFETCH(QString, quoted);
        QFETCH(QString, angled);
        const auto exactly = [](const QString& pattern) {
            return QRegularExpression(QRegularExpression::anchoredPattern(pattern));
        };
        const QRegularExpression covered = exactly(files), local = exactly(quoted),
                                 system = exactly(angled);
        int read = 0;
        QStringList wrong;
        for (const QString& file : house::tracked_files()) {
            if (!house::is_cpp(file) || !covered.match(file).hasMatch()) continue;
            ++read;
            for (const Include& include : includes_of(file)) {
                const QRegularExpression& allowed = include.quoted ? local : system;
                if (!allowed.match(include.name).hasMatch())
                    wrong << file + QLatin1String(": ") + include.name;
            }
        }
        QVERIFY2(read > 0, "no such file: the rule checks nothing");
        QVERIFY2(wrong.isEmpty(), house::listed(wrong).constData());
    }

    // torch/torch.h costs 14 s a file; engine headers make do with a forward declaration. What
    // torch calls header-only (its version, say) costs nothing.
    void torch_is_included_narrowly() {
        QStringList wrong;
        for (const QString& file : house::tracked_files()) {
            if (!house::is_cpp(file) || file.startsWith(QLatin1String("tests/"))) continue;
            for (const Include& include : includes_of(file)) {
                if ((include.name.startsWith(QLatin1String("torch/")) &&
                     !include.name.startsWith(QLatin1String("torch/headeronly/"))) ||
                    include.name == QLatin1String("ATen/ATen.h")) {
                    wrong << file + QLatin1String(": ") + include.name;
                }
            }
        }
        QVERIFY2(wrong.isEmpty(), house::listed(wrong).constData());
    }
};

QTEST_APPLESS_MAIN(LayeringTest)
#include "tst_layering.moc"
