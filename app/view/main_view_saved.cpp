// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt and how it is run, kept while it is typed, so that neither a crash nor a power cut
// loses it.
#include <QFile>
#include <QSettings>

#include "app/view/main_view.h"
#include "ui/prompt/prompt_panel.h"

namespace app {

namespace {

constexpr int kSaveMs = 500;
constexpr qsizetype kLongest = 200'000;     // characters; what is longer has a file of its own
constexpr qint64 kLargestTyped = 64 << 20;  // bytes

QString savedKey(const char* name) {
    return QStringLiteral("typed/") + QLatin1String(name);
}

}  // namespace

void MainView::wireSaved() {
    const ui::PromptPanel* bar = &m_window->promptPanel();
    m_save.setSingleShot(true);
    m_save.setInterval(kSaveMs);
    const auto soon = [this] { m_save.start(); };
    connect(&m_save, &QTimer::timeout, this, &MainView::saveTyped);
    connect(bar, &ui::PromptPanel::promptChanged, this, soon);
    connect(bar, &ui::PromptPanel::samplingChanged, this, soon);
    connect(bar, &ui::PromptPanel::tokensToGenerateChanged, this, soon);
    connect(m_window.get(), &ui::MainWindow::runRequested, this, soon);
    connect(m_window.get(), &ui::MainWindow::promptChosen, this, soon);
    connect(m_window.get(), &ui::MainWindow::closed, this, &MainView::saveTyped);
}

void MainView::saveTyped() {
    m_save.stop();
    const ui::PromptPanel& bar = m_window->promptPanel();
    const QString prompt = bar.prompt();
    const bool isLong = prompt.size() > kLongest;
    if (isLong) m_typed.write([prompt] { return prompt.toStdString(); });
    const engine::TokenizeOptions options = bar.tokenOptions();
    const engine::Sampling sampling = bar.sampling();
    m_settings.setValue(savedKey("inFile"), isLong);
    // Bytes: the file keeps every one of them.
    if (!isLong) m_settings.setValue(savedKey("prompt"), prompt.toUtf8());
    m_settings.setValue(savedKey("chat"), options.chat);
    m_settings.setValue(savedKey("special"), options.parse_special);
    m_settings.setValue(savedKey("tokens"), bar.tokensToGenerate());
    m_settings.setValue(savedKey("temperature"), sampling.temperature);
    m_settings.setValue(savedKey("topK"), sampling.top_k);
    m_settings.setValue(savedKey("topP"), sampling.top_p);
    m_settings.setValue(savedKey("seed"), QVariant::fromValue<qulonglong>(sampling.seed));
    m_settings.sync();
}

// Whatever the file holds: a value that makes no sense is left at its default.
void MainView::restoreTyped() {
    if (!m_settings.contains(savedKey("tokens"))) return;
    ui::PromptPanel& bar = m_window->promptPanel();
    QByteArray typed = m_settings.value(savedKey("prompt")).toByteArray();
    if (QFile file(m_typed.path()); m_settings.value(savedKey("inFile")).toBool() &&
                                    file.size() <= kLargestTyped && file.open(QFile::ReadOnly))
        typed = file.readAll();
    const QString prompt = QString::fromUtf8(typed);
    if (!prompt.isEmpty()) bar.setPrompt(prompt);
    engine::TokenizeOptions options;
    options.chat = m_settings.value(savedKey("chat")).toBool();
    options.parse_special = m_settings.value(savedKey("special")).toBool();
    bar.setTokenOptions(options);
    if (const int tokens = m_settings.value(savedKey("tokens")).toInt(); tokens > 0)
        bar.setTokensToGenerate(tokens);
    engine::Sampling sampling;
    sampling.temperature = m_settings.value(savedKey("temperature")).toDouble();
    sampling.top_k = m_settings.value(savedKey("topK")).toInt();
    sampling.top_p = m_settings.value(savedKey("topP"), 1.0).toDouble();
    sampling.seed = m_settings.value(savedKey("seed")).toULongLong();
    const bool sensible = sampling.temperature > 0 && sampling.temperature <= 10 &&
                          sampling.top_k >= 0 && sampling.top_p > 0 && sampling.top_p <= 1;
    if (sensible) bar.setSampling(sampling);
}

}  // namespace app
