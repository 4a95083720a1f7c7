#include "native/isolated.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/child.h"
#include "base/pipe.h"
#include "native/stack.h"

namespace holdfast {
namespace {

// The child writes the text twice, first without source lines, and ends each with this.
constexpr char end_of_text = '\f';

void write_text(int fd, std::string text) {
    text += end_of_text;
    if (!write_all(fd, text)) ::_exit(1);
}

[[noreturn]] void run_child(int fd, pid_t parent, const CrashRecord& crash,
                            const IsolationLimits& limits) {
    end_with_parent(parent);
    // The child may crash, and must not leave a core file. The parent's signal handlers mean
    // nothing here.
    ::prctl(PR_SET_DUMPABLE, 0);
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPIPE})
        ::signal(number, SIG_DFL);
    const rlimit no_core{0, 0}, few_seconds{10, 10};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setrlimit(RLIMIT_CPU, &few_seconds);
    UnwindOptions options;
    options.before_lines = [&](const NativeStack& stack) {
        write_text(fd, native_text(stack, limits.text_size));
    };
    write_text(fd, native_text(unwind(crash, options), limits.text_size));
    ::_exit(0);
}

// The child's output; last() is the last text that is complete.
class Answer {
public:
    void add(std::string_view bytes) { text_ += bytes; }
    std::size_t whole() const {
        return static_cast<std::size_t>(std::count(text_.begin(), text_.end(), end_of_text));
    }
    std::optional<std::string> last() const {
        const std::size_t end = text_.rfind(end_of_text);
        if (end == std::string::npos) return std::nullopt;
        const std::size_t before = end == 0 ? std::string::npos : text_.rfind(end_of_text, end - 1);
        const std::size_t begin = before == std::string::npos ? 0 : before + 1;
        return text_.substr(begin, end - begin);
    }

private:
    std::string text_;
};

void listen(int fd, const IsolationLimits& limits, Answer& answer) {
    Nanos deadline = monotonic_now() + limits.frames_within;
    bool early = false;
    std::array<char, 16384> buffer{};
    while (answer.whole() < 2) {
        const Nanos left = deadline - monotonic_now();
        pollfd readable{fd, POLLIN, 0};
        if (left <= Nanos(0)) return;
        const int ready = ::poll(&readable, 1, static_cast<int>(left.count() / 1'000'000 + 1));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return;
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        answer.add({buffer.data(), static_cast<std::size_t>(got)});
        if (!early && answer.whole() > 0) {
            early = true;
            deadline = monotonic_now() + limits.lines_within;
        }
    }
}

}  // namespace

std::string unwind_isolated(const CrashRecord& crash, const IsolationLimits& limits) {
    const auto only_top = [&](std::string_view why) {
        NativeStack stack = unwind(crash, {{}, true});
        stack.missing = {"native stack: " + std::string(why)};
        return native_text(stack, limits.text_size);
    };
    auto pipe = Pipe::make();
    if (!pipe) return only_top("no pipe to the unwinder");
    const pid_t parent = ::getpid();
    auto child =
        Child::start([&]() -> int { run_child(pipe->writer.get(), parent, crash, limits); });
    if (!child) return only_top("the unwinder could not be started");
    pipe->writer.reset();
    Answer answer;
    listen(pipe->reader.get(), limits, answer);
    // The child has ended, is too slow, or is stuck.
    child->end();
    if (const auto text = answer.last()) return *text;
    return only_top("the unwinder failed on the files of this process");
}

}  // namespace holdfast
