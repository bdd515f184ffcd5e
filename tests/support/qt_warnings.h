// SPDX-License-Identifier: GPL-3.0-or-later
// What Qt drops it only warns of: a signal whose argument cannot cross a thread, a connection to
// nothing, an object used from another thread than its own. The tests of the window and of what
// stands behind it fail on these words.
#pragma once
#include <QRegularExpression>
#include <QTest>

inline const QRegularExpression& droppedByQt() {
    static const QRegularExpression words(QStringLiteral(
        "Cannot queue arguments of type|QObject::(connect|disconnect|moveToThread|startTimer|"
        "killTimer|setParent)|QMetaObject::|[Uu]nregistered (data)?type|"
        "[Cc]annot (be (started|stopped)|create children|send events)"));
    return words;
}

// Holds for one test function: called by each test's init().
inline void failOnDroppedSignals() {
    QTest::failOnWarning(droppedByQt());
}
