// SPDX-License-Identifier: GPL-3.0-or-later
// Options and numbers are read whole or refused, and a refusal names the option and the value on
// one line.
#include <QTest>

#include "app/command_line/arguments.h"
#include "app/command_line/cli.h"
#include "app/command_line/cli_text.h"
#include "app/command_line/near_verb.h"
#include "app/window.h"

using namespace app;

namespace {

const std::vector<Option> options = {{"--count", "N", ""},
                                     {"--share", "P", ""},
                                     {"--ids", "LIST", ""},
                                     {"--name", "TEXT", ""},
                                     {"--json", "", ""}};

using Words = std::vector<std::string>;

Words words(const QByteArray& line) {
    Words out;
    for (const QByteArray& word : line.split(' '))
        out.push_back(word == "``" ? "" : QByteArray(word).replace('~', ' ').toStdString());
    return out;
}

// What the arguments are refused for; empty if they are taken.
std::string refusal(const Words& typed) {
    try {
        const Arguments arguments(options, 1, typed);
        arguments.integer("--count", 1, 100);
        arguments.real("--share", 0, 1);
        arguments.integers("--ids", 0, 1000);
        return {};
    } catch (const engine::Error& error) {
        return error.failure().kind == engine::Failure::Kind::BadRequest ? error.what()
                                                                         : "another kind";
    }
}

}  // namespace

class CliArgumentsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void refuses_data() {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<QByteArray>("named");  // what the message must hold
        // ~ stands for a space in a word, `` for an empty word.
        const auto row = [](const char* name, const char* typed, const char* named) {
            QTest::newRow(name) << QByteArray(typed) << QByteArray(named);
        };
        row("unknown option", "--frob", "--frob");
        row("unknown short option", "-x", "-x");
        row("a prefix is not the option", "--coun 3", "--coun");
        row("second positional", "a b", "'b'");
        row("no value", "--count", "--count N");
        row("an option where the value should be", "--name --json", "--name --name=--json");
        row("value for a switch", "--json=yes", "--json");
        row("twice", "--count 1 --count 2", "--count twice");
        row("empty number", "--count ``", "--count ''");
        row("trailing text", "--count 12x", "--count '12x'");
        row("leading space", "--count ~12", "--count '~12'");
        row("plus", "--count +12", "--count '+12'");
        row("negative", "--count -1", "--count '-1'");
        row("fraction", "--count 1.5", "--count '1.5'");
        row("exponent", "--count 1e1", "--count '1e1'");
        row("below the range", "--count 0", "--count '0' 1 100");
        row("above the range", "--count 101", "--count '101' 1 100");
        row("past 64 bits", "--count 18446744073709551617", "--count 18446744073709551617");
        row("real: text", "--share half", "--share 'half'");
        row("real: trailing text", "--share 0.5f", "--share '0.5f'");
        row("real: nan", "--share nan", "--share 'nan'");
        row("real: inf", "--share inf", "--share 'inf'");
        row("real: hexadecimal", "--share 0x1p-1", "--share 0x1p-1");
        row("real: comma", "--share 0,5", "--share '0,5'");
        row("real: above the range", "--share 1.01", "--share '1.01'");
        row("real: overflow", "--share 1e999", "--share '1e999'");
        row("list: empty", "--ids ``", "--ids ''");
        row("list: hole", "--ids 1,,2", "--ids '' '1,,2'");
        row("list: trailing comma", "--ids 1,", "--ids '1,'");
        row("list: negative", "--ids 1,-2", "--ids '-2'");
        row("list: space", "--ids 1,~2", "--ids '~2'");
        row("list: above the range", "--ids 1,1001", "--ids '1001'");
        row("control characters", "--count 1\n2\x1b[31m", "'1\\n2\\x1b[31m'");
    }
    void refuses() {
        QFETCH(QByteArray, typed);
        QFETCH(QByteArray, named);
        const std::string line = refusal(words(typed));
        QVERIFY2(!line.empty(), "was taken");
        QVERIFY2(line.find_first_of("\n\x1b") == std::string::npos, line.c_str());
        for (const std::string& part : words(named))
            QVERIFY2(line.find(part) != std::string::npos, (line + " lacks " + part).c_str());
    }

    void takes() {
        const Arguments arguments(options, 1,
                                  Words{"model", "--count=7", "--share", "2.5e-1", "--ids", "3,1,3",
                                        "--name=--json", "--json"});
        QCOMPARE(arguments.positionals(), std::vector<std::string>{"model"});
        QCOMPARE(arguments.integer("--count", 0, 10), std::optional<std::int64_t>(7));
        QCOMPARE(arguments.real("--share", 0, 1), std::optional<double>(0.25));
        QCOMPARE(arguments.integers("--ids", 0, 10),
                 std::optional(std::vector<std::int64_t>{3, 1, 3}));
        QCOMPARE(arguments.text("--name"), std::optional<std::string>("--json"));
        QVERIFY(arguments.has("--json"));
        QVERIFY(!Arguments(options, 1, {}).integer("--count", 0, 10));
    }
    void takesATextThatLooksLikeAnOption() {
        QCOMPARE(Arguments(options, 1, {"--name", "-5 degrees"}).text("--name"),
                 std::optional<std::string>("-5 degrees"));
        QCOMPARE(Arguments(options, 1, {"--name", ""}).text("--name"),
                 std::optional<std::string>(""));
        QCOMPARE(Arguments(options, 1, {"--", "--odd-name.gguf"}).positionals(),
                 std::vector<std::string>{"--odd-name.gguf"});
    }
    void helpWinsOverWhatIsWrong() {
        QVERIFY_EXCEPTION_THROWN(Arguments(options, 0, {"extra", "--frob", "--help"}), HelpAsked);
        QVERIFY_EXCEPTION_THROWN(Arguments(options, 0, {"--count", "x", "--version"}),
                                 VersionAsked);
    }

    void findsTheVerbThatWasMeant_data() {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<QByteArray>("verb");  // none: it is no slip of one
        const auto row = [](const char* word, const char* verb) {
            QTest::newRow(*word ? word : "empty") << QByteArray(word) << QByteArray(verb);
        };
        row("dmup", "dump");
        row("Dump", "dump");
        row("dmp", "dump");
        row("dumpp", "dump");
        row("inof", "info");
        row("tokenise", "tokenize");
        row("tokneize", "tokenize");
        row("expotr", "export");
        row("bnech", "bench");
        row("", "");
        row("model", "");
        row("pm", "");
        row("gpt2", "");
        row("llama", "");
        row("information", "");
        row("dump.gguf", "");
        row("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "");
    }
    void findsTheVerbThatWasMeant() {
        QFETCH(QByteArray, word);
        QFETCH(QByteArray, verb);
        const Words verbs = {"info", "tokenize", "dump", "export", "bench"};
        QCOMPARE(nearVerb(word.toStdString(), verbs).value_or(""), verb.toStdString());
    }

    void aPlainWordThatIsNothingIsNoModel() {
        const Words verbs = {"info", "dump"};
        for (const char* word : {"frob", "dmup"})
            QVERIFY_EXCEPTION_THROWN(refuseMistypedVerb({word}, verbs), engine::Error);
        for (const char* word : {"./frob", "frob.gguf", "--frob", ""})
            refuseMistypedVerb({word}, verbs);  // the window says what is wrong with a path
    }

    void theWindowComputesWhereItIsTold() {
        const WindowArguments plain = parseWindowArguments({"model.gguf"});
        QVERIFY(!plain.device && !plain.dtype && !plain.threads);
        const WindowArguments all = parseWindowArguments(
            {"--device", "cuda:1", "model.gguf", "--dtype=bfloat16", "--threads", "3"});
        QCOMPARE(all.model, std::optional<std::string>("model.gguf"));
        QCOMPARE(all.device, std::optional<std::string>("cuda:1"));
        QVERIFY(all.dtype == engine::DType::BF16);
        QCOMPARE(all.threads, std::optional<int>(3));
        QCOMPARE(parseWindowArguments({"--device=cpu"}).device, std::optional<std::string>("cpu"));
        for (const Words& wrong : {Words{"--device", "gpu"}, Words{"--device", "cuda:x"},
                                   Words{"--dtype", "int8"}, Words{"--threads", "0"}})
            QVERIFY_EXCEPTION_THROWN(parseWindowArguments(wrong), engine::Error);
        for (const char* option : {"--device cpu|cuda[:N]", "--dtype TYPE", "--threads N"})
            QVERIFY2(helpText().find(option) != std::string::npos, option);
    }

    void writesForPeople() {
        QCOMPARE(counted(1, "token"), std::string("1 token"));
        QCOMPARE(counted(9000, "token"), std::string("9,000 tokens"));
        QCOMPARE(thousands(0), std::string("0"));
        QCOMPARE(thousands(-1234567), std::string("-1,234,567"));
        QCOMPARE(humanBytes(999), std::string("999 B"));
        QCOMPARE(humanBytes(1'500'000'000), std::string("1.50 GB"));
        QCOMPARE(oneLine("a\nb\xff\x7f\xc2\x9b"), std::string("a\\nb\\xff\\x7f\\xc2\\x9b"));
        QCOMPARE(oneLine("é 你"), std::string("é 你"));
        QCOMPARE(validUtf8("a\xf0\x9f"
                           "b\xed\xa0\x80"),
                 std::string("a\xEF\xBF\xBD\xEF\xBF\xBD"
                             "b\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"));
        QVERIFY(quote(std::string(10'000, 'x')).size() < 80);
    }
};

QTEST_APPLESS_MAIN(CliArgumentsTest)
#include "cli_arguments_test.moc"
