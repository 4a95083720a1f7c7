#include "evidence/traceback_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/read_file.h"
#include "model/own_code.h"

namespace holdfast {
namespace {

TEST(TracebackText, OfAnErrorThatClosingTheFileRaisedAgainHasTheFirstPlace) {
    const auto last = last_traceback(
        "Traceback (most recent call last):\n"
        "  File \"train.py\", line 12, in <module>\n    log.flush()\n"
        "OSError: [Errno 28] No space left on device\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\n"
        "  File \"train.py\", line 9, in <module>\n    with open(path) as log:\n"
        "OSError: [Errno 28] No space left on device\n");
    ASSERT_TRUE(last);
    ASSERT_EQ(last->frames.size(), 1U);
    EXPECT_EQ(last->frames[0].line, 12);
}

// What CPython 3.10 to 3.13 printed for the same small programs; one file where versions agree.
struct Expected {
    std::string type;  // empty: no traceback that ended the process
    std::string message;
    std::string user_file;
    int user_line = 0;
    bool ends_the_output = true;
};

const std::map<std::string, Expected> expectations{
    {"simple",
     {"FileNotFoundError", "[Errno 2] No such file or directory: '/data/train.csv'",
      "/home/ada/simple.py", 3}},
    {"context", {"ValueError", "row 7 is bad", "/home/ada/context.py", 7}},
    {"cause", {"RuntimeError", "step failed", "/home/ada/cause.py", 7}},
    {"syntax", {"SyntaxError", "'(' was never closed", "/home/ada/syntax.py", 2}},
    {"syntax_import", {"SyntaxError", "'(' was never closed", "/home/ada/syntax.py", 2}},
    {"group", {"ExceptionGroup", "two parts failed (2 sub-exceptions)", "/home/ada/group.py", 10}},
    {"markers", {"TypeError", "'NoneType' object is not subscriptable", "/home/ada/markers.py", 2}},
    {"recursion",
     {"RecursionError", "maximum recursion depth exceeded", "/home/ada/recursion.py", 2}},
    {"notes", {"ValueError", "bad batch\nwhile reading shard 3\nof 8", "/home/ada/notes.py", 4}},
    {"multiline",
     {"RuntimeError",
      "CUDA error: device-side assert triggered\nCUDA kernel errors might be reported "
      "later.\nFor debugging set CUDA_LAUNCH_BLOCKING=1",
      "/home/ada/multiline.py", 2}},
    {"module_type",
     {"json.decoder.JSONDecodeError",
      "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
      "/home/ada/module_type.py", 3}},
    {"nomessage", {"AssertionError", "", "/home/ada/nomessage.py", 4}},
    {"memory_error", {"MemoryError", "", "/home/ada/memory_error.py", 2}},
    {"thread", {}},
    {"child", {}},
    {"thread_then_main",
     {"OSError", "[Errno 28] No space left on device: '/data/out.bin'",
      "/home/ada/thread_then_main.py", 7}},
    {"logged", {"ValueError", "not fatal", "/home/ada/logged.py", 4, false}},
    {"printed", {"ValueError", "not fatal", "/home/ada/printed.py", 3, false}},
    {"pool", {"ValueError", "bad 3", "/home/ada/pool.py", 8}},
    {"futures", {"ValueError", "bad", "/home/ada/futures.py", 6}},
    {"ignored", {"KeyError", "'lr'", "/home/ada/ignored.py", 6}},
    {"interrupt", {"KeyboardInterrupt", "", "/home/ada/interrupt.py", 3}},
    {"module", {"ZeroDivisionError", "division by zero", "/home/ada/p/__main__.py", 2}},
    {"local_class", {"make.<locals>.Odd", "strange", "/home/ada/local_class.py", 4}},
    {"longcall",
     {"TypeError", "unsupported operand type(s) for +: 'int' and 'str'", "/home/ada/longcall.py",
      2}},
    {"dash_c", {"IndexError", "list index out of range", "<string>", 1}},
};

class PrintedByPython : public testing::TestWithParam<std::string> {};

TEST_P(PrintedByPython, IsReadAsMeant) {
    const auto text = read_file(HOLDFAST_FIXTURES "/tracebacks/" + GetParam());
    ASSERT_TRUE(text.ok());
    const Expected& expected = expectations.at(GetParam().substr(0, GetParam().find('-')));
    const auto traceback = last_traceback(*text);
    ASSERT_EQ(traceback.has_value(), !expected.type.empty());
    if (!traceback) return;
    EXPECT_EQ(traceback->type, expected.type);
    EXPECT_EQ(traceback->message.substr(0, expected.message.size()), expected.message);
    EXPECT_EQ(traceback->ends_the_output, expected.ends_the_output);
    const Frame* frame = innermost_own_frame(traceback->frames);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->file, expected.user_file);
    EXPECT_EQ(frame->line, expected.user_line);
}

std::vector<std::string> fixture_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(HOLDFAST_FIXTURES "/tracebacks"))
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

INSTANTIATE_TEST_SUITE_P(Fixtures, PrintedByPython, testing::ValuesIn(fixture_names()),
                         [](const auto& name) {
                             std::string word = name.param.substr(0, name.param.size() - 4);
                             for (char& c : word)
                                 if (c == '-' || c == '.') c = '_';
                             return word;
                         });

constexpr const char* plain =
    "Traceback (most recent call last):\n"
    "  File \"/home/ada/train.py\", line 42, in step\n"
    "    loss.backward()\n"
    "RuntimeError: boom\n";

std::string each_line(const std::string& before, const std::string& text) {
    std::string out = before;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        if (text[i] == '\n' && i + 1 < text.size()) out += before;
    }
    return out;
}

TEST(TracebackText, LosesTheRankALauncherPutBeforeEachLine) {
    for (const std::string before : {"[rank0]: ", "[default3]:", "[1,0]<stderr>:", "0: "}) {
        const auto traceback = last_traceback(each_line(before, plain));
        ASSERT_TRUE(traceback) << before;
        EXPECT_EQ(traceback->type, "RuntimeError");
        EXPECT_EQ(traceback->frames.at(0).function, "step");
        EXPECT_TRUE(traceback->ends_the_output);
    }
}

TEST(TracebackText, KeepsInterleavedRanksApart) {
    const auto traceback = last_traceback(
        "[rank0]: Traceback (most recent call last):\n"
        "[rank1]: Traceback (most recent call last):\n"
        "[rank0]:   File \"/home/ada/a.py\", line 1, in zero\n"
        "[rank1]:   File \"/home/ada/a.py\", line 2, in one\n"
        "[rank1]: ValueError: one\n"
        "[rank0]: ValueError: zero\n");
    ASSERT_TRUE(traceback);
    EXPECT_EQ(traceback->message, "zero");
    ASSERT_EQ(traceback->frames.size(), 1U);
    EXPECT_EQ(traceback->frames[0].function, "zero");
}

TEST(TracebackText, BeginsRightBehindAProgressBar) {
    const auto traceback =
        last_traceback(std::string("  3%|3         | 3/100 [00:01<00:40,  2.40it/s]") + plain);
    ASSERT_TRUE(traceback);
    EXPECT_TRUE(traceback->ends_the_output);
}

TEST(TracebackText, EndsTheOutputBeforeWarningsAndBars) {
    const auto traceback = last_traceback(
        std::string(plain) +
        "  4%|4         | 4/100 [00:01<00:40,  2.40it/s]\n"
        "/usr/lib/python3.11/multiprocessing/resource_tracker.py:254: UserWarning: leaked\n"
        "  warnings.warn('resource_tracker: There appear to be %d '\n\n");
    ASSERT_TRUE(traceback);
    EXPECT_EQ(traceback->message, "boom");
    EXPECT_TRUE(traceback->ends_the_output);
}

TEST(TracebackText, DoesNotEndTheOutputWhenTheProgramWentOn) {
    std::string later = plain;
    for (int i = 0; i < 60; ++i) later += "reading shard " + std::to_string(i) + "\n";
    for (const std::string& text :
         {later, std::string(plain) + "2026-01-31 12:00:00 next file\n",
          std::string(plain) + "W0131 12:00:00.123456 17 file.cc:3] slow\n"}) {
        const auto traceback = last_traceback(text);
        ASSERT_TRUE(traceback);
        EXPECT_EQ(traceback->message, "boom");
        EXPECT_FALSE(traceback->ends_the_output);
    }
}

TEST(TracebackText, ATracebackCutOffIsNone) {
    EXPECT_FALSE(last_traceback("Traceback (most recent call last):\n"));
    EXPECT_FALSE(last_traceback(
        "Traceback (most recent call last):\n  File \"/home/ada/a.py\", line 1, in f\n"));
    EXPECT_FALSE(last_traceback(
        "Traceback (most recent call last):\n  File \"/home/ada/a.py\", line 1, in f\nKilled\n"));
}

TEST(TracebackText, AnEarlierOneDoesNotEndTheOutputBeforeOneCutOff) {
    const auto traceback =
        last_traceback(std::string(plain) + "\nTraceback (most recent call last):\n");
    ASSERT_TRUE(traceback);
    EXPECT_FALSE(traceback->ends_the_output);
}

TEST(TracebackText, AWorkersTracebackInTheMessageBelongsToTheMessage) {
    const auto traceback = last_traceback(
        "Traceback (most recent call last):\n"
        "  File \"/home/ada/train.py\", line 9, in <module>\n"
        "    for batch in loader:\n"
        "  File \"/opt/venv/lib/python3.11/site-packages/torch/_utils.py\", line 722, in reraise\n"
        "    raise exception\n"
        "OSError: Caught OSError in DataLoader worker process 0.\n"
        "Original Traceback (most recent call last):\n"
        "  File \"/home/ada/data.py\", line 3, in __getitem__\n"
        "    open(self.path)\n"
        "OSError: [Errno 24] Too many open files\n\n");
    ASSERT_TRUE(traceback);
    EXPECT_EQ(innermost_own_frame(traceback->frames)->line, 9);
    EXPECT_NE(traceback->message.find("Too many open files"), std::string::npos);
    EXPECT_TRUE(traceback->ends_the_output);
}

TEST(TracebackText, OtherTextHoldsNone) {
    EXPECT_FALSE(last_traceback(""));
    EXPECT_FALSE(last_traceback("ValueError: not a traceback\n"));
    EXPECT_FALSE(last_traceback(
        "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n"
        "  File \"/home/ada/a.py\", line 2 in f\n"));
}

TEST(TracebackText, DeepStacksAreBoundedAtBothEndsKept) {
    std::string text = "Traceback (most recent call last):\n";
    for (int i = 0; i < 2000; ++i)
        text += "  File \"/home/ada/a.py\", line " + std::to_string(i + 1) + ", in f\n";
    text += "RecursionError: deep\n";
    const auto traceback = last_traceback(text);
    ASSERT_TRUE(traceback);
    EXPECT_LE(traceback->frames.size(), 128U);
    EXPECT_EQ(traceback->frames.front().line, 1);
    EXPECT_EQ(traceback->frames.back().line, 2000);
}

TEST(InnermostOwnFrame, IsNullWhenAllIsLibraryCode) {
    TracebackText traceback;
    traceback.frames = {{"<frozen runpy>", 1, "f"},
                        {"/usr/lib/python3.12/json/decoder.py", 1, "f"},
                        {"/home/ada/.venv/lib/python3.12/site-packages/torch/x.py", 1, "f"},
                        {"/usr/lib/python3/dist-packages/yaml/x.py", 1, "f"},
                        {"<__array_function__ internals>", 1, "f"}};
    EXPECT_EQ(innermost_own_frame(traceback.frames), nullptr);
}

TEST(InnermostOwnFrame, ANotebookCellIsTheUsers) {
    TracebackText traceback;
    traceback.frames = {{"/tmp/ipykernel_12/34.py", 3, "<module>"}, {"<string>", 1, "f"}};
    EXPECT_EQ(innermost_own_frame(traceback.frames)->line, 3);
}

}  // namespace
}  // namespace holdfast
