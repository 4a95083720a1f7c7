#include "capture_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/json.h"
#include "verbs.h"

extern char** environ;

namespace holdfast::cli {
namespace {

// The package lies beside the program: in a checkout, or where it was installed without pip.
std::string package_folder() {
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) return {};
    for (const char* way : {"../../../python", "../share/holdfast/python"}) {
        const auto folder = (program.parent_path() / way).lexically_normal();
        if (std::filesystem::exists(folder / "holdfast" / "planner", failed)) return folder;
    }
    return {};
}

std::vector<std::string> environment_for_capture() {
    std::vector<std::string> variables;
    std::string path = package_folder();
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable = *entry;
        if (variable.starts_with("PYTHONPATH=")) {
            if (!path.empty()) path += ':';
            path += variable.substr(sizeof "PYTHONPATH=" - 1);
            continue;
        }
        // A capture needs no GPU, and must not take memory on one that trains.
        if (variable.starts_with("CUDA_VISIBLE_DEVICES=")) continue;
        variables.emplace_back(variable);
    }
    if (!path.empty()) variables.push_back("PYTHONPATH=" + path);
    variables.emplace_back("CUDA_VISIBLE_DEVICES=");
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    list.reserve(texts.size() + 1);
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

}  // namespace

Result<CaptureProcess> CaptureProcess::start(const std::string& python,
                                             const std::vector<std::string>& arguments,
                                             const fit::DeviceProfile& device) {
    std::array<int, 2> down{};
    std::array<int, 2> up{};
    if (::pipe2(down.data(), O_CLOEXEC) != 0) return Error::from_errno("pipe");
    UniqueFd requests_there(down[0]);
    UniqueFd requests(down[1]);
    if (::pipe2(up.data(), O_CLOEXEC) != 0) return Error::from_errno("pipe");
    UniqueFd answers(up[0]);
    UniqueFd answers_there(up[1]);

    constexpr int request_fd = 8;
    constexpr int answer_fd = 9;
    std::vector<std::string> words{python, "-m", "holdfast.planner", "--fds",
                                   std::to_string(request_fd) + "," + std::to_string(answer_fd)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = environment_for_capture();

    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, requests_there.get(), request_fd);
    ::posix_spawn_file_actions_adddup2(&actions, answers_there.get(), answer_fd);
    // What the program prints is not the answer.
    ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, python.c_str(), &actions, nullptr,
                                      pointers(words).data(), pointers(variables).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        return Error{"cannot start " + python + ": " + std::strerror(failed) +
                     "; name the Python that has torch with --python"};
    return CaptureProcess(child, std::move(requests), std::move(answers), device);
}

CaptureProcess CaptureProcess::over(UniqueFd requests, UniqueFd answers,
                                    const fit::DeviceProfile& device) {
    return CaptureProcess(0, std::move(requests), std::move(answers), device);
}

CaptureProcess::CaptureProcess(CaptureProcess&& other) noexcept
    : child_(std::exchange(other.child_, 0)),
      requests_(std::move(other.requests_)),
      answers_(std::move(other.answers_)),
      device_(other.device_),
      unread_(std::move(other.unread_)),
      any_batch_(other.any_batch_) {}

CaptureProcess::~CaptureProcess() {
    requests_ = UniqueFd();  // the end of its input is the end of its work
    answers_ = UniqueFd();
    if (child_ == 0) return;
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

Result<std::string> CaptureProcess::ask(const std::string& line) {
    ::signal(SIGPIPE, SIG_IGN);
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t put = ::write(requests_.get(), rest.data(), rest.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return Error{"the capturing Python ended early; its message is above"};
        rest.remove_prefix(static_cast<std::size_t>(put));
    }
    std::array<char, 4096> buffer{};
    for (;;) {
        const std::size_t end = unread_.find('\n');
        if (end != std::string::npos) {
            std::string answer = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            return answer;
        }
        const ssize_t got = ::read(answers_.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return Error{"the capturing Python ended early; its message is above"};
        unread_.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

Result<fit::Capture> CaptureProcess::capture(std::uint64_t batch, const std::string& way) {
    const Json request = Json::object({
        {"batch", batch},
        {"way", way},
        {"device", Json::object({{"name", device_.name},
                                 {"sm", device_.sm},
                                 {"multiprocessors", device_.multiprocessors},
                                 {"threads", device_.threads_per_multiprocessor},
                                 {"memory", device_.usable.count}})},
    });
    const auto line = ask(request.dump() + '\n');
    if (!line) return line.error();
    const auto parsed = Json::parse(*line);
    const Json answer = parsed ? *parsed : Json();
    if (const std::string* error = answer["error"].text()) return Error{*error};
    if (!answer["file"].is_string())
        return Error{"the capturing Python gave no answer that can be read"};
    any_batch_ = answer["any_batch"].truth().value_or(true);
    const std::string file = *answer["file"].text();
    auto capture = fit::read_capture(file);
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    return capture;
}

int run_python(std::vector<std::string> words) {
    std::vector<std::string> variables;
    const std::string package = package_folder();
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable = *entry;
        if (package.empty() || !variable.starts_with("PYTHONPATH="))
            variables.emplace_back(variable);
    }
    const char* before = std::getenv("PYTHONPATH");
    if (!package.empty())
        variables.push_back("PYTHONPATH=" + package +
                            (before != nullptr ? ":" + std::string(before) : ""));
    ::execvpe(words[0].c_str(), pointers(words).data(), pointers(variables).data());
    complain("cannot start " + words[0] + ": " + std::strerror(errno) +
             "; name the Python that has torch with --python");
    return exit_failure;
}

}  // namespace holdfast::cli
