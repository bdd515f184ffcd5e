// SPDX-License-Identifier: GPL-3.0-or-later
// How models are opened, and the cache folder. Knows no engine: devices and sizes come in, what the
// user wants goes out. GUI thread.
#pragma once
#include <QDialog>
#include <QList>
#include <QString>

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace ui {

struct SettingsValues {
    QString device = QStringLiteral("auto");  // "auto", "cpu", "cuda:N"
    int threads = 0;                          // 0: all cores
    int memoryMb = 0;                         // of trace; 0: three quarters of what is free
    bool operator==(const SettingsValues&) const = default;
};

class SettingsDialog : public QDialog {
    Q_OBJECT
  public:
    static constexpr int leastMemoryMb = 64, mostMemoryMb = 4'000'000;
    static constexpr int mostThreads = 1024;

    struct Device {
        QString id;    // "cuda:0"
        QString text;  // "NVIDIA H200, 139 GB"
    };
    struct CacheRow {
        QString name, size, note;
    };

    // The device of `values` is offered whether it is there or not.
    SettingsDialog(const SettingsValues& values, int cores, QWidget* parent);

    SettingsValues values() const;
    void setDevices(const QList<Device>&, const QString& whyNone);
    // Of what can be removed; empty: nothing can, and the button is off.
    void setCache(const QString& folder, const QList<CacheRow>&, const QString& total,
                  const QString& removable);
    void setCacheNote(const QString&);  // "Measuring …"

  Q_SIGNALS:
    void valuesChosen(const ui::SettingsValues&);  // OK
    void emptyCacheRequested();                    // asked and confirmed

  private:
    void build(int cores);
    void check();
    void askToEmpty();

    QComboBox* m_device = nullptr;
    QLabel *m_deviceNote = nullptr, *m_problem = nullptr, *m_cacheNote = nullptr,
           *m_folder = nullptr;
    QSpinBox *m_threads = nullptr, *m_memory = nullptr;
    QTableWidget* m_cache = nullptr;
    QPushButton* m_empty = nullptr;
    QDialogButtonBox* m_buttons = nullptr;
    QString m_removable;
};

}  // namespace ui
