// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/settings_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

QLabel* note(const QString& text) {
    QLabel* label = plainLabel(text);
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

}  // namespace

SettingsDialog::SettingsDialog(const SettingsValues& values, int cores, QWidget* parent)
    : QDialog(parent) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("settingsDialog"));
    setWindowTitle(QStringLiteral("Settings"));
    resize(560, 520);
    build(cores);
    m_device->addItem(QStringLiteral("Automatic: the first GPU, else the CPU"),
                      QStringLiteral("auto"));
    m_device->addItem(QStringLiteral("CPU"), QStringLiteral("cpu"));
    if (m_device->findData(values.device) < 0) m_device->addItem(values.device, values.device);
    m_device->setCurrentIndex(m_device->findData(values.device));
    m_threads->setValue(values.threads);
    m_memory->setValue(values.memoryMb);
    check();
}

void SettingsDialog::build(int cores) {
    auto* opening = new QGroupBox(QStringLiteral("Opening a model"));
    auto* form = new QFormLayout(opening);
    m_device = new QComboBox;
    m_device->setAccessibleName(QStringLiteral("Device"));
    m_deviceNote = note(QStringLiteral("Looking for GPUs…"));
    m_threads = new QSpinBox;
    m_threads->setAccessibleName(QStringLiteral("Compute threads"));
    m_threads->setRange(0, mostThreads);
    m_threads->setSpecialValueText(QStringLiteral("All cores (%1)").arg(cores));
    m_threads->setToolTip(QStringLiteral("Threads that compute on the CPU"));
    m_memory = new QSpinBox;
    m_memory->setAccessibleName(QStringLiteral("Memory for the trace"));
    m_memory->setRange(0, mostMemoryMb);
    m_memory->setSingleStep(leastMemoryMb);
    m_memory->setSuffix(QStringLiteral(" MB"));
    m_memory->setGroupSeparatorShown(true);
    m_memory->setSpecialValueText(QStringLiteral("Three quarters of what is free"));
    m_memory->setToolTip(literalToolTip(
        QStringLiteral("The most that keys, values, queries and outputs of all layers may take, on "
                       "the device that computes them")));
    m_problem = note({});
    form->addRow(QStringLiteral("&Device"), m_device);
    form->addRow(QString(), m_deviceNote);
    form->addRow(QStringLiteral("Compute &threads"), m_threads);
    form->addRow(QStringLiteral("&Memory for the trace"), m_memory);
    form->addRow(QString(), m_problem);
    form->addRow(
        note(QStringLiteral("These hold from the next model that is opened; the open one "
                            "stays as it is.")));

    auto* cache = new QGroupBox(QStringLiteral("Cache folder"));
    auto* column = new QVBoxLayout(cache);
    m_folder = plainLabel({});
    m_folder->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_folder->setWordWrap(true);
    m_cache = new QTableWidget(0, 3);
    m_cache->setAccessibleName(QStringLiteral("What is in the cache folder"));
    m_cache->setHorizontalHeaderLabels(
        {QStringLiteral("Name"), QStringLiteral("Size"), QStringLiteral("When emptied")});
    m_cache->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_cache->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_cache->horizontalHeader()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    m_cache->verticalHeader()->hide();
    m_cache->verticalHeader()->setDefaultSectionSize(19);
    m_cache->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_cache->setSelectionMode(QAbstractItemView::NoSelection);
    m_cache->setTextElideMode(Qt::ElideMiddle);
    m_cache->setFont(wordFont(11));
    auto* below = new QHBoxLayout;
    m_cacheNote = note(QStringLiteral("Measuring…"));
    m_empty = new QPushButton(QStringLiteral("&Empty…"));
    m_empty->setObjectName(QStringLiteral("emptyCache"));
    m_empty->setEnabled(false);
    m_empty->setAutoDefault(false);
    below->addWidget(m_cacheNote, 1);
    below->addWidget(m_empty);
    column->addWidget(m_folder);
    column->addWidget(m_cache, 1);
    column->addLayout(below);

    m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(12, 12, 12, 12);
    all->addWidget(opening);
    all->addWidget(cache, 1);
    all->addWidget(m_buttons);

    connect(m_threads, &QSpinBox::valueChanged, this, &SettingsDialog::check);
    connect(m_memory, &QSpinBox::valueChanged, this, &SettingsDialog::check);
    connect(m_empty, &QPushButton::clicked, this, &SettingsDialog::askToEmpty);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT valuesChosen(values());
        accept();
    });
}

SettingsValues SettingsDialog::values() const {
    return {m_device->currentData().toString(), m_threads->value(), m_memory->value()};
}

void SettingsDialog::check() {
    const int memory = m_memory->value();
    const bool tooLittle = memory > 0 && memory < leastMemoryMb;
    m_problem->setText(tooLittle
                           ? QStringLiteral("%1 MB hold hardly a page of a small model; %2 MB at "
                                            "least, or 0 for three quarters of what is free.")
                                 .arg(memory)
                                 .arg(leastMemoryMb)
                           : QString());
    m_problem->setVisible(tooLittle);
    QPalette palette = m_problem->palette();
    palette.setColor(QPalette::PlaceholderText, theme().error);
    m_problem->setPalette(palette);
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(!tooLittle);
}

void SettingsDialog::setDevices(const QList<Device>& devices, const QString& whyNone) {
    const QString chosen = m_device->currentData().toString();
    while (m_device->count() > 2) m_device->removeItem(2);
    for (const Device& device : devices)
        m_device->addItem(device.id + QStringLiteral(" · ") + onOneLine(device.text), device.id);
    if (m_device->findData(chosen) < 0)
        m_device->addItem(chosen + QStringLiteral(" (not there now)"), chosen);
    m_device->setCurrentIndex(m_device->findData(chosen));
    m_deviceNote->setText(devices.isEmpty() ? whyNone : QString());
    m_deviceNote->setVisible(!m_deviceNote->text().isEmpty());
}

void SettingsDialog::setCache(const QString& folder, const QList<CacheRow>& rows,
                              const QString& total, const QString& removable) {
    m_folder->setText(folder);
    m_removable = removable;
    m_cache->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) {
        const QStringList texts{onOneLine(rows[row].name), rows[row].size, rows[row].note};
        for (int at = 0; at < 3; ++at) {
            auto* item = new QTableWidgetItem(texts[at]);
            if (at == 1) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            item->setToolTip(literalToolTip(texts[at]));
            m_cache->setItem(row, at, item);
        }
    }
    m_cacheNote->setText(removable.isEmpty()
                             ? QStringLiteral("%1; nothing to remove.").arg(total)
                             : QStringLiteral("%1, of which %2 can go.").arg(total, removable));
    m_empty->setEnabled(!removable.isEmpty());
}

void SettingsDialog::setCacheNote(const QString& text) {
    m_cacheNote->setText(text);
    m_empty->setEnabled(false);
}

void SettingsDialog::askToEmpty() {
    QStringList goes;
    for (int row = 0; row < m_cache->rowCount(); ++row)
        if (m_cache->item(row, 2)->text() == QLatin1String("removed"))
            goes << m_cache->item(row, 0)->text();
    auto* box =
        new QMessageBox(QMessageBox::Question, QStringLiteral("Empty the cache folder"),
                        QStringLiteral("Remove %1 from %2?").arg(m_removable, m_folder->text()),
                        QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("emptyCacheQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(goes.join(u'\n') +
                            QStringLiteral("\n\nThe next start fetches again what it needs."));
    QPushButton* remove = box->addButton(QStringLiteral("&Remove"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(remove, &QPushButton::clicked, this, [this] {
        setCacheNote(QStringLiteral("Removing…"));
        Q_EMIT emptyCacheRequested();
    });
    box->open();
}

}  // namespace ui
