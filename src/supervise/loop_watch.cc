#include "supervise/loop_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <ctime>
#include <utility>
#include <vector>

#include "base/read_file.h"
#include "base/unique_fd.h"
#include "sources/mountinfo.h"
#include "sources/pid_figures.h"
#include "supervise/local_path.h"

namespace holdfast {
namespace {

constexpr std::size_t most_loop_frames = 64;  // a deeper stack is a recursion, and no loop
constexpr std::size_t largest_source = 1U << 20U;
constexpr Nanos between_looks = std::chrono::milliseconds(50);
constexpr Nanos between_stacks = std::chrono::seconds(1);
// Whoever looks for an interpreter before it has started must wait before asking again. What has
// written something has started.
constexpr Nanos start_of_python = std::chrono::seconds(1);

// The folder that a relative path starts from.
std::optional<std::string> working_directory(int process_dir) {
    std::array<char, PATH_MAX> path{};
    const ssize_t size = ::readlinkat(process_dir, "cwd", path.data(), path.size());
    if (size <= 0 || static_cast<std::size_t>(size) == path.size()) return std::nullopt;
    return std::string(path.data(), static_cast<std::size_t>(size));
}

// The text of a file as the process sees it. Nothing if it was changed since: then the lines are
// others than those that run. Nothing from a network filesystem either, because a server that does
// not answer would block the supervisor.
std::optional<std::string> source_text(int process_dir, const std::string& file,
                                       const timespec& since) {
    if (file.empty() || file.front() == '<') return std::nullopt;
    const auto mounts = sources::read_mountinfo(process_dir);
    const auto folder = file.front() == '/' ? std::string() : working_directory(process_dir);
    if (!mounts || !folder) return std::nullopt;
    const auto path = local_path(process_dir, *mounts, *folder + "/" + file);
    if (!path) return std::nullopt;
    const UniqueFd fd(::openat(process_dir, ("root" + *path).c_str(),
                               O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
    struct stat about {};
    if (!fd || ::fstat(fd.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_size > static_cast<off_t>(largest_source) || about.st_mtim.tv_sec > since.tv_sec)
        return std::nullopt;
    auto text = read_tail(fd.get(), largest_source);
    if (!text) return std::nullopt;
    return std::move(*text);
}

}  // namespace

void LoopWatch::forget() {
    pid_ = 0;
    history_.forget();
    sources_.clear();
    found_.reset();
}

const SourceLoops* LoopWatch::source_of(const std::string& file) {
    const auto [at, is_new] = sources_.try_emplace(file);
    if (is_new)
        if (const auto text = source_text(tree_->directory_of(pid_), file, began_))
            at->second = loops_of(*text);
    return at->second ? &*at->second : nullptr;
}

void LoopWatch::look(Nanos now) {
    if (now < next_look_) return;
    const Nanos started = own_cpu_now();
    const format::Process* working = tree_->working();
    if (working == nullptr || working->program != format::ProgramKind::python)
        forget();
    else
        look_at(now, *working);
    next_look_ = now + std::max(between_looks, (own_cpu_now() - started) * 500);
}

void LoopWatch::look_at(Nanos now, const format::Process& working) {
    const bool is_new = working.pid != pid_;
    if (is_new) {
        forget();
        pid_ = working.pid;
        ::clock_gettime(CLOCK_REALTIME, &began_);
    }
    const int dir = tree_->directory_of(pid_);
    const auto io = sources::read_pid_io(dir);
    if (!io || !io->write_count) return;
    const bool wrote = !is_new && std::exchange(writes_, *io->write_count) != *io->write_count;
    writes_ = *io->write_count;
    if (!wrote && now < next_stack_) return;
    const bool started = wrote || now - Nanos(working.first_seen) >= start_of_python;
    LoopLook look;
    look.time = now;
    look.writes = writes_;
    const auto turns = sources::read_thread_turns(dir, pid_);
    if (started && turns) {
        look.ran = turns->ran + turns->waited;
        for (const sources::PythonThread& thread : stacks_->threads_of(now, pid_)) {
            if (thread.tid != pid_ || thread.frames.size() > most_loop_frames) continue;
            if (!thread.frames.empty()) look.instruction = thread.frames.front().instruction;
            for (auto frame = thread.frames.rbegin(); frame != thread.frames.rend(); ++frame) {
                Frame& kept = look.frames.emplace_back();
                kept.file = frame->file;
                kept.function = frame->function;
                if (frame->line) kept.line = static_cast<int>(*frame->line);
            }
        }
    }
    history_.add(std::move(look));
    next_stack_ = now + between_stacks;
    found_ = history_.judge(now, [this](const std::string& file) { return source_of(file); });
}

}  // namespace holdfast
