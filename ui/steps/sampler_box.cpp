// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steps/sampler_box.h"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QSignalBlocker>
#include <QSpinBox>

#include "ui/painting/theme.h"

namespace ui {

namespace {

enum Entry { Greedy, Sampled };

}  // namespace

SamplerBox::SamplerBox(QWidget* parent) : QComboBox(parent) {
    setAccessibleName(QStringLiteral("Sampler"));
    addItem(QStringLiteral("greedy"));
    addItem(QStringLiteral("sampled…"));
    connect(this, &QComboBox::activated, this, &SamplerBox::choose);

    m_popup = new QFrame(this, Qt::Popup);
    m_popup->setObjectName(QStringLiteral("samplerPopup"));
    m_popup->setFrameShape(QFrame::Box);
    m_temperature = new QDoubleSpinBox(m_popup);
    m_temperature->setRange(0.01, 10);
    m_temperature->setSingleStep(0.05);
    m_topK = new QSpinBox(m_popup);
    m_topK->setRange(0, 1'000'000);
    m_topK->setSpecialValueText(QStringLiteral("all"));
    m_topP = new QDoubleSpinBox(m_popup);
    m_topP->setRange(0.01, 1);
    m_topP->setSingleStep(0.01);
    m_seed = new QLineEdit(m_popup);
    m_seed->setValidator(
        new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,20}")), m_seed));
    auto* form = new QFormLayout(m_popup);
    form->addRow(QStringLiteral("Temperature"), m_temperature);
    form->addRow(QStringLiteral("Top-k"), m_topK);
    form->addRow(QStringLiteral("Top-p"), m_topP);
    form->addRow(QStringLiteral("Seed"), m_seed);
    m_popup->hide();
    connect(m_temperature, &QDoubleSpinBox::valueChanged, this, &SamplerBox::takePopup);
    connect(m_topK, &QSpinBox::valueChanged, this, &SamplerBox::takePopup);
    connect(m_topP, &QDoubleSpinBox::valueChanged, this, &SamplerBox::takePopup);
    connect(m_seed, &QLineEdit::textEdited, this, &SamplerBox::takePopup);
    refresh();
}

void SamplerBox::setSampling(const engine::Sampling& sampling) {
    m_sampling = sampling;
    if (sampling.temperature > 0) m_sampled = sampling;
    refresh();
}

QString SamplerBox::summary() const {
    if (m_sampling.temperature <= 0) return QStringLiteral("greedy");
    QString text = QStringLiteral("T %1").arg(m_sampling.temperature, 0, 'f', 2);
    if (m_sampling.top_k > 0) text += QStringLiteral(" · k %1").arg(m_sampling.top_k);
    if (m_sampling.top_p < 1) text += QStringLiteral(" · p %1").arg(m_sampling.top_p, 0, 'f', 2);
    return text;
}

QFrame* SamplerBox::openPopup() {
    m_popup->adjustSize();
    m_popup->move(mapToGlobal(QPoint(width() - m_popup->width(), height() + 2)));
    m_popup->show();
    m_temperature->setFocus();
    return m_popup;
}

void SamplerBox::choose(int index) {
    const engine::Sampling before = m_sampling;
    m_sampling = index == Greedy ? engine::Sampling{} : m_sampled;
    refresh();
    if (index == Sampled) openPopup();
    if (before.temperature != m_sampling.temperature) Q_EMIT samplingChanged();
}

void SamplerBox::takePopup() {
    m_sampled.temperature = m_temperature->value();
    m_sampled.top_k = m_topK->value();
    m_sampled.top_p = m_topP->value();
    bool whole = false;
    const qulonglong seed = m_seed->text().toULongLong(&whole);
    if (whole) m_sampled.seed = seed;  // an empty or too large field keeps the last one
    m_sampling = m_sampled;
    refresh();
    Q_EMIT samplingChanged();
}

void SamplerBox::refresh() {
    const QSignalBlocker temperature(m_temperature), topK(m_topK), topP(m_topP);
    m_temperature->setValue(m_sampled.temperature);
    m_topK->setValue(m_sampled.top_k);
    m_topP->setValue(m_sampled.top_p);
    if (!m_seed->hasFocus()) m_seed->setText(QString::number(m_sampled.seed));
    const bool sampled = m_sampling.temperature > 0;
    setItemText(Sampled, sampled ? summary() : QStringLiteral("sampled…"));
    setCurrentIndex(sampled ? Sampled : Greedy);
    setToolTip(sampled ? QStringLiteral("Sampled with seed %1; choose it again to change it.")
                             .arg(m_sampling.seed)
                       : QStringLiteral("The most probable token at every step."));
}

}  // namespace ui
