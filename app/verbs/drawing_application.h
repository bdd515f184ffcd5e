// SPDX-License-Identifier: GPL-3.0-or-later
// Fonts, painting and an offscreen window need an application, not a display. The offscreen
// platform draws the same picture everywhere, so it is taken even where there is a display.
#pragma once
#include <QApplication>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "app/display.h"

namespace app {

template <typename Application = QApplication>
class DrawingApplication {
  public:
    DrawingApplication() {
        if (QCoreApplication::instance()) return;  // a test's
        silenceQt();
        ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
        m_application = std::make_unique<Application>(m_argc, m_argv.data());
    }
    Application* get() const { return m_application.get(); }

  private:
    int m_argc = 1;
    std::string m_name = "headscope";
    std::array<char*, 2> m_argv{m_name.data(), nullptr};
    std::unique_ptr<Application> m_application;
};

}  // namespace app
