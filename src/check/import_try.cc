#include "check/import_try.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/pipe.h"
#include "base/text.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_output = 64U << 10U;

std::string last_line_of(std::string_view text) {
    std::string last;
    while (const auto line = next_line(text))
        if (!trim(*line).empty()) last = printable(trim(*line)).substr(0, 300);
    return last;
}

}  // namespace

ImportTry try_import(const std::string& python, const std::string& framework, Nanos limit) {
    ImportTry tried;
    tried.framework = framework;
    tried.seconds = seconds(limit);
    auto pipe = Pipe::make();
    if (!pipe) return tried;
    const std::string code = "import " + framework;
    const pid_t parent = ::getpid();
    auto child = Child::start([&] {
        end_with_parent(parent);
        const int nothing = ::open("/dev/null", O_RDWR);
        if (nothing >= 0) {
            ::dup2(nothing, STDIN_FILENO);
            ::dup2(nothing, STDOUT_FILENO);
        }
        ::dup2(pipe->writer.get(), STDERR_FILENO);
        ::execl(python.c_str(), python.c_str(), "-c", code.c_str(), nullptr);
        return 127;
    });
    pipe->writer.reset();
    if (!child) return tried;
    std::string text;
    const Nanos start = monotonic_now();
    std::optional<int> status;
    // Waits for the process itself: a process that it left behind may keep the pipe open.
    while (!status) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(start + limit - monotonic_now())
                .count();
        if (left <= 0) break;
        pollfd waits{pipe->reader.get(), POLLIN, 0};
        if (::poll(&waits, 1, 20) > 0) {
            char piece[4096];
            const ssize_t got = ::read(pipe->reader.get(), piece, sizeof piece);
            if (got > 0) text.append(piece, static_cast<std::size_t>(got));
            if (text.size() > most_output) text.erase(0, text.size() - most_output / 2);
            if (got <= 0) ::poll(nullptr, 0, 5);
        }
        status = child->wait_if_ended();
    }
    if (!status) {
        child->end();
        return tried;
    }
    tried.seconds = seconds(monotonic_now() - start);
    tried.done = true;
    tried.well = WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
    tried.last_line = last_line_of(text);
    if (tried.last_line.empty() && WIFSIGNALED(*status))
        tried.last_line = "ended by signal " + std::to_string(WTERMSIG(*status));
    if (tried.last_line.empty() && !tried.well)
        tried.last_line = "exit status " + std::to_string(WEXITSTATUS(*status));
    return tried;
}

}  // namespace holdfast::check
