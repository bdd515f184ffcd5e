// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/prompt_history.h"

#include <QCryptographicHash>
#include <QSettings>
#include <QStringList>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/files/json_reader.h"
#include "engine/values/failure.h"

namespace app {

using nlohmann::json;

namespace {

QString modelsKey() {
    return QStringLiteral("history/models");
}

json asJson(const EarlierPrompt& prompt) {
    return {{"text", prompt.text.toStdString()},
            {"chat", prompt.options.chat},
            {"parse_special", prompt.options.parse_special},
            {"generate", prompt.generate},
            {"temperature", prompt.sampling.temperature},
            {"top_k", prompt.sampling.top_k},
            {"top_p", prompt.sampling.top_p},
            {"seed", prompt.sampling.seed}};
}

EarlierPrompt promptOf(const JsonReader& from) {
    EarlierPrompt prompt;
    prompt.text = QString::fromStdString(from["text"].text());
    prompt.options.chat = from["chat"].flag();
    prompt.options.parse_special = from["parse_special"].flag();
    prompt.generate = static_cast<int>(from["generate"].integer(1, 1'000'000));
    prompt.sampling.temperature = from["temperature"].real(0, 10);
    prompt.sampling.top_k = static_cast<int>(from["top_k"].integer(0, 1'000'000));
    prompt.sampling.top_p = from["top_p"].real(1e-9, 1);
    prompt.sampling.seed = from["seed"].unsignedInteger();
    return prompt;
}

bool isSame(const EarlierPrompt& a, const EarlierPrompt& b) {
    return a.text == b.text && a.options.chat == b.options.chat &&
           a.options.parse_special == b.options.parse_special;
}

// As many of the first ones as may be kept.
void bound(std::vector<EarlierPrompt>& prompts) {
    qsizetype characters = 0;
    std::size_t kept = 0;
    while (kept < prompts.size() && kept < PromptHistory::most) {
        characters += prompts[kept].text.size();
        if (characters > PromptHistory::mostOfAll) break;
        ++kept;
    }
    prompts.resize(kept);
}

}  // namespace

void PromptHistory::setModel(const QString& path) {
    // A path is no key: its slashes are groups there.
    const QByteArray name =
        QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha1).toHex();
    m_key = path.isEmpty() ? QString() : QStringLiteral("history/") + QString::fromLatin1(name);
    m_prompts.clear();
    endWalk();
    if (m_key.isEmpty()) return;
    try {
        const std::string text = m_settings.value(m_key).toByteArray().toStdString();
        if (text.empty()) return;
        const json list = parseJson(text, 4, "history");
        const JsonReader from(list, "history");
        for (std::size_t i = 0; i < from.size(); ++i) m_prompts.push_back(promptOf(from.item(i)));
        bound(m_prompts);
    } catch (const engine::Error&) {
        m_prompts.clear();  // somebody else wrote it
    }
}

void PromptHistory::add(const EarlierPrompt& prompt) {
    endWalk();
    if (m_key.isEmpty() || prompt.text.isEmpty() || prompt.text.size() > longest) return;
    std::erase_if(m_prompts, [&](const EarlierPrompt& other) { return isSame(other, prompt); });
    m_prompts.insert(m_prompts.begin(), prompt);
    bound(m_prompts);
    store();
}

void PromptHistory::clear() {
    endWalk();
    m_prompts.clear();
    store();
}

void PromptHistory::store() {
    if (m_key.isEmpty()) return;
    QStringList models = m_settings.value(modelsKey()).toStringList();
    models.removeAll(m_key);
    if (m_prompts.empty()) {
        m_settings.remove(m_key);
    } else {
        json list = json::array();
        for (const EarlierPrompt& prompt : m_prompts) list.push_back(asJson(prompt));
        m_settings.setValue(m_key, QByteArray::fromStdString(list.dump()));
        models.prepend(m_key);
    }
    while (models.size() > mostModels) m_settings.remove(models.takeLast());
    m_settings.setValue(modelsKey(), models);
    m_settings.sync();
}

const EarlierPrompt* PromptHistory::walk(int step, const EarlierPrompt& typed) {
    if (m_at < 0) m_typed = typed;
    int next = m_at + step;
    const auto count = static_cast<int>(m_prompts.size());
    // What is in the field already is no step.
    if (m_at < 0 && next >= 0 && next < count &&
        isSame(m_prompts[static_cast<std::size_t>(next)], typed))
        ++next;
    if (next < -1 || next >= count || next == m_at) return nullptr;
    m_at = next;
    return m_at < 0 ? &m_typed : &m_prompts[static_cast<std::size_t>(m_at)];
}

}  // namespace app
