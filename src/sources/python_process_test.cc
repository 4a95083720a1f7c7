// Stacks of real interpreters: every python3 that HOLDFAST_PYTHONS names (separated by ':'), else
// those in PATH and in the home's pyenv.
#include "sources/python_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "sources/python_image.h"

namespace holdfast::sources {
namespace {

// The tests below depend on these line numbers.
constexpr const char* program = R"python(import os, sys, threading
def fall(depth):
    if depth:
        return fall(depth - 1)
    os.write(1, b"ready"); sys.stdin.read(1)

class Worker:
    def run(self, gone):
        gone.wait()

go = threading.Event()
for _ in range(3):
    threading.Thread(target=Worker().run, args=(go,), daemon=True).start()
scope = {"fall": fall}
exec(compile("\n\n(lambda:\n  fall(\n    40))()", "d\u00e9p\u00f4t/\u6a21.py", "exec"), scope)
)python";

class Child {
public:
    Child(const std::string& python, const char* source, bool wait = true) {
        int in[2], out[2];
        if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            ::execl(python.c_str(), python.c_str(), "-c", source, nullptr);
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        in_ = in[1];
        char ready[5];
        if (wait) ready_ = ::read(out[0], ready, sizeof ready) == sizeof ready;
        ::close(out[0]);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        ::close(in_);
    }
    int pid() const { return pid_; }
    bool ready() const { return ready_; }

private:
    int pid_ = -1, in_ = -1;
    bool ready_ = false;
};

std::vector<std::string> pythons() {
    std::vector<std::string> found;
    if (const char* named = std::getenv("HOLDFAST_PYTHONS")) {
        for (const auto one : split(named, ':')) found.emplace_back(one);
        return found;
    }
    for (const auto folder : split(std::getenv("PATH"), ':')) {
        const std::string path = std::string(folder) + "/python3";
        if (::access(path.c_str(), X_OK) == 0) found.push_back(path);
    }
    std::error_code none;
    const char* home = std::getenv("HOME");
    const std::filesystem::path pyenv(std::string(home != nullptr ? home : "") +
                                      "/.pyenv/versions");
    for (const auto& version : std::filesystem::directory_iterator(pyenv, none))
        if (::access((version.path() / "bin/python3").c_str(), X_OK) == 0)
            found.push_back(version.path() / "bin/python3");
    return found;
}

std::string words(const PythonFrame& frame) {
    return std::to_string(frame.line.value_or(0)) + " " + frame.file + " " + frame.function;
}

void check_stacks(const PythonProcess& process, int pid) {
    const bool qualified = process.version().minor >= 11;
    const auto threads = process.stacks();
    ASSERT_TRUE(threads.ok()) << threads.error().text;
    ASSERT_EQ(threads->size(), 4U);
    const PythonThread& main = threads->back();
    EXPECT_EQ(main.tid, pid);
    EXPECT_EQ(main.name, "MainThread");
    ASSERT_EQ(main.frames.size(), 44U);
    EXPECT_EQ(words(main.frames[0]), "5 <string> fall");
    for (std::size_t i = 1; i <= 40; ++i) EXPECT_EQ(words(main.frames[i]), "4 <string> fall") << i;
    EXPECT_EQ(words(main.frames[41]), "4 d\u00e9p\u00f4t/\u6a21.py <lambda>");
    EXPECT_EQ(main.frames[42].function, "<module>");
    EXPECT_EQ(words(main.frames[43]), "15 <string> <module>");
    for (std::size_t i = 0; i < 3; ++i) {
        const PythonThread& worker = (*threads)[i];
        EXPECT_NE(worker.tid, 0);
        EXPECT_NE(worker.tid, pid);
        EXPECT_FALSE(worker.name.empty());
        const std::string own = qualified ? "9 <string> Worker.run" : "9 <string> run";
        EXPECT_TRUE(std::any_of(worker.frames.begin(), worker.frames.end(),
                                [&](const auto& frame) { return words(frame) == own; }));
        EXPECT_FALSE(worker.holds_gil);
    }
    const std::string text = as_text(*threads, 1 << 20);
    EXPECT_NE(text.find("T " + std::to_string(pid) + " MainThread\nF 5\t<string>\tfall\n"),
              std::string::npos);
    EXPECT_EQ(as_text(*threads, 100), text.substr(0, text.rfind('\n', 99) + 1));
}

TEST(PythonProcess, StacksOfEveryInterpreterHere) {
    std::size_t read = 0;
    for (const std::string& python : pythons()) {
        SCOPED_TRACE(python);
        const Child child(python, program);
        if (!child.ready()) continue;
        const auto process = PythonProcess::open(child.pid());
        if (!process.ok() && process.error().number == ENOTSUP) continue;
        ASSERT_TRUE(process.ok()) << process.error().text;
        check_stacks(*process, child.pid());
        RecordProperty("3." + std::to_string(process->version().minor), python);
        ++read;
    }
    if (read == 0) GTEST_SKIP() << "no Python from 3.10 to 3.15 here";
}

TEST(PythonProcess, TellsWhoHoldsTheGil) {
    for (const std::string& python : pythons()) {
        SCOPED_TRACE(python);
        const Child child(python, "import os\nos.write(1, b'ready')\nwhile True: pass");
        const auto process = PythonProcess::open(child.pid());
        if (!process.ok() || !child.ready()) continue;
        bool held = process->version().free_threaded;
        for (int look = 0; look < 10'000 && !held; ++look) {
            const auto threads = process->stacks();
            ASSERT_TRUE(threads.ok()) << threads.error().text;
            held = threads->size() == 1 && threads->front().holds_gil;
        }
        EXPECT_TRUE(held);
    }
}

TEST(PythonProcess, AProcessWithoutPythonIsToldApart) {
    const Child child("/bin/sh", "read line", false);
    int number = 0;
    // Between fork and exec the child still runs this test program.
    for (int look = 0; look < 10'000 && number != ENOEXEC; ++look)
        number = PythonProcess::open(child.pid()).error().number;
    EXPECT_EQ(number, ENOEXEC);
}

TEST(PythonProcess, AProcessThatIsGoneIsSaidToBe) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    ::waitpid(pid, nullptr, 0);
    const auto process = PythonProcess::open(pid);
    ASSERT_FALSE(process.ok());
    EXPECT_EQ(process.error().number, ESRCH);
}

TEST(PythonProcess, WithoutTheRightItSaysSo) {
    if (::geteuid() != 0) GTEST_SKIP() << "changing the user takes root";
    const auto all = pythons();
    const Child child(all.empty() ? "/bin/cat" : all.front(), program);
    if (!child.ready()) GTEST_SKIP() << "no Python here";
    const pid_t asker = ::fork();
    if (asker == 0) {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
        const auto process = PythonProcess::open(child.pid());
        const int number = process.ok() ? 0 : process.error().number;
        ::_exit(number == EPERM || number == EACCES ? 0 : 1);
    }
    int status = 0;
    ::waitpid(asker, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(PythonImages, TheExecutableComesFirstThenLibraries) {
    const auto images = python_images(
        "55d0-55d1 r--p 00000000 08:01 7   /usr/bin/my python\n"
        "7f10-7f11 r--p 00000000 08:01 8   /usr/lib/libpython3.11.so.1.0\n"
        "7f11-7f12 r-xp 00001000 08:01 8   /usr/lib/libpython3.11.so.1.0\n"
        "7f20-7f21 rw-p 00000000 00:00 0 \n"
        "7f30-7f31 r--p 00000000 08:01 9   /usr/lib/libm.so.6\n"
        "garbage\n\n7f40\n",
        "/usr/bin/my python");
    ASSERT_EQ(images.size(), 2U);
    EXPECT_EQ(images[0].path, "/usr/bin/my python");
    EXPECT_EQ(images[0].start, 0x55d0U);
    EXPECT_EQ(images[1].start, 0x7f10U);
}

}  // namespace
}  // namespace holdfast::sources
