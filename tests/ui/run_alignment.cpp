// SPDX-License-Identifier: GPL-3.0-or-later
// Which tokens of two runs stand for one another, against the table of all edit distances.
#include "ui/models/run_alignment.h"

#include <QTest>
#include <algorithm>
#include <random>

using engine::TokenId;
using ui::RunAlignment;

namespace {

std::vector<TokenId> idsOf(const QByteArray& letters) {
    std::vector<TokenId> ids;
    for (const char letter : letters) ids.push_back(TokenId(letter));
    return ids;
}

int editDistance(const std::vector<TokenId>& a, const std::vector<TokenId>& b) {
    std::vector<std::vector<int>> table(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j)
            table[i][j] = i == 0 || j == 0
                              ? static_cast<int>(i + j)
                              : std::min({table[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0),
                                          table[i - 1][j] + 1, table[i][j - 1] + 1});
    return table[a.size()][b.size()];
}

// Every position once and in order; how many changes the places take.
int changesOf(const RunAlignment& by, const std::vector<TokenId>& a,
              const std::vector<TokenId>& b) {
    std::int64_t nextA = 0, nextB = 0;
    int changes = 0;
    for (std::int64_t place = 0; place < by.places(); ++place) {
        const std::int64_t x = by.positionAt(0, place), y = by.positionAt(1, place);
        if (x != RunAlignment::none && (x != nextA++ || by.placeOf(0, x) != place)) return -1;
        if (y != RunAlignment::none && (y != nextB++ || by.placeOf(1, y) != place)) return -1;
        if (x == RunAlignment::none && y == RunAlignment::none) return -1;
        if (!by.isBoth(place) || a[static_cast<std::size_t>(x)] != b[static_cast<std::size_t>(y)])
            ++changes;
    }
    return nextA == std::ssize(a) && nextB == std::ssize(b) ? changes : -1;
}

}  // namespace

class RunAlignmentTest : public QObject {
    Q_OBJECT
  private slots:
    void placesOfTokens_data();
    void placesOfTokens();
    void changesAreTheFewest();
    void tooDifferentIsSaid();
    void growsByItsEnd();
};

// Upper row A, lower row B; a dot: only the other has it.
void RunAlignmentTest::placesOfTokens_data() {
    QTest::addColumn<QByteArray>("a");
    QTest::addColumn<QByteArray>("b");
    QTest::addColumn<bool>("byPosition");
    QTest::addRow("the same") << QByteArray("abcd") << QByteArray("abcd") << true;
    QTest::addRow("one in another's place") << QByteArray("abcd") << QByteArray("axcd") << true;
    QTest::addRow("two that change places") << QByteArray("JandMx") << QByteArray("MandJx") << true;
    QTest::addRow("longer") << QByteArray("abc..") << QByteArray("abcde") << true;
    QTest::addRow("put in") << QByteArray("ab.cd") << QByteArray("abxcd") << false;
    QTest::addRow("taken out") << QByteArray("abcd") << QByteArray("a.cd") << false;
    QTest::addRow("at the front") << QByteArray("..ab") << QByteArray("xyab") << false;
    QTest::addRow("empty") << QByteArray("") << QByteArray("") << true;
    QTest::addRow("one is empty") << QByteArray("...") << QByteArray("abc") << true;
    QTest::addRow("both ways") << QByteArray("abcdef.") << QByteArray("a.cdefg") << false;
}

void RunAlignmentTest::placesOfTokens() {
    QFETCH(QByteArray, a);
    QFETCH(QByteArray, b);
    QFETCH(bool, byPosition);
    const QByteArray upper = a, lower = b;
    const RunAlignment by =
        RunAlignment::byToken(idsOf(a.replace(".", "")), idsOf(b.replace(".", "")));
    QCOMPARE(by.isByPosition(), byPosition);
    QVERIFY(!by.isCut());
    QCOMPARE(by.places(), upper.size());
    std::int64_t inA = 0, inB = 0, both = 0;
    for (int place = 0; place < upper.size(); ++place) {
        QCOMPARE(by.positionAt(0, place), upper[place] == '.' ? RunAlignment::none : inA++);
        QCOMPARE(by.positionAt(1, place), lower[place] == '.' ? RunAlignment::none : inB++);
        both += upper[place] != '.' && lower[place] != '.';
    }
    QCOMPARE(by.countBoth(), both);
    QCOMPARE(by.positionAt(0, -1), RunAlignment::none);
    QCOMPARE(by.positionAt(1, by.places()), RunAlignment::none);
}

void RunAlignmentTest::changesAreTheFewest() {
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::vector<TokenId> a(random() % 12), b(random() % 12);
        const unsigned kinds = 1 + random() % 4;
        for (auto* run : {&a, &b})
            for (TokenId& id : *run) id = TokenId(static_cast<int>(random() % kinds));
        const RunAlignment by = RunAlignment::byToken(a, b);
        QCOMPARE(changesOf(by, a, b), editDistance(a, b));
    }
}

void RunAlignmentTest::tooDifferentIsSaid() {
    std::vector<TokenId> a, b;
    for (int i = 0; i < 3000; ++i) {
        a.push_back(TokenId(i < 5 || i >= 2990 ? i : 10'000 + i));
        b.push_back(TokenId(i < 5 || i >= 2990 ? i : 20'000 + i));
    }
    b.insert(b.begin() + 100, TokenId(5));
    const RunAlignment by = RunAlignment::byToken(a, b);
    QVERIFY(by.isCut() && !by.isByPosition());
    QCOMPARE(by.countBoth(), 15);
    QCOMPARE(by.places(), 15 + 2985 + 2986);
    QCOMPARE(by.sharedBeginning(), 5);
}

void RunAlignmentTest::growsByItsEnd() {
    const RunAlignment before = RunAlignment::byToken(idsOf("abc"), idsOf("xabc")),
                       after = RunAlignment::byToken(idsOf("abcd"), idsOf("xabc")),
                       other = RunAlignment::byToken(idsOf("abc"), idsOf("abxc"));
    QVERIFY(before.begins(after) && !after.begins(before) && !before.begins(other));
    QCOMPARE(before.placesBefore(0, 2), 3);
    QCOMPARE(before.placesBefore(0, 3), 4);
    QCOMPARE(before.positionsIn(0, {0, 3}), (engine::Rows{0, 2}));
    QCOMPARE(before.positionsIn(1, {0, 3}), (engine::Rows{0, 3}));
}

QTEST_MAIN(RunAlignmentTest)
#include "run_alignment.moc"
