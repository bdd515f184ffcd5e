// SPDX-License-Identifier: GPL-3.0-or-later
// A file beside the settings that is written over and over on a thread of its own: it is always
// whole, an older text or the newest. Called by the GUI thread, which it never keeps waiting but in
// the destructor and in wait().
#pragma once
#include <QString>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

class QSettings;

namespace app {

class KeptFile {
  public:
    using Text = std::function<std::string()>;  // called on the thread; may throw engine::Error

    // `ending` follows the settings file's name: "headscope-prompt.txt" of "headscope.ini".
    KeptFile(const QSettings& settings, const QString& ending);
    ~KeptFile();  // what was last asked for is there

    const QString& path() const { return m_path; }
    void write(Text);  // in place of one that is not begun; what cannot be written is left as it is
    void wait();       // until all of it is written

  private:
    void loop(const std::stop_token&);

    QString m_path;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    Text m_next;             // under the lock
    bool m_writing = false;  // likewise
    std::jthread m_thread;   // from the first write on
};

}  // namespace app
