// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/view/main_view.h"
#include "tests/support/app_fixture.h"
#include "ui/run_state.h"

// Until nothing is computed and nothing asked for is outstanding, for longer than the frame that
// gathers growth; false after `ms`.
inline bool settle(app::MainView& view, int ms = 5000) {
    int quiet = 0;
    return fake::eventually(
        [&] {
            bool busy = ui::isBusy(view.session().state());
            for (std::size_t kind = 0; kind < app::kReadKinds; ++kind)
                busy = busy || view.views().isPending(static_cast<app::ReadKind>(kind));
            quiet = busy ? 0 : quiet + 1;
            return quiet > 60;
        },
        ms);
}
