#include "fit_captures.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/json.h"
#include "base/pipe.h"
#include "verbs.h"

extern char** environ;

namespace holdfast::cli {

Result<CaptureFiles> CaptureFiles::open(const std::vector<std::string>& paths) {
    CaptureFiles files;
    for (const std::string& path : paths) {
        auto capture = fit::read_capture(path);
        if (!capture) return capture.error();
        files.captures_.push_back(std::move(*capture));
    }
    if (files.captures_.empty()) return Error{"no capture file named; say: --replay FILE[,FILE]"};
    return files;
}

Result<fit::Capture> CaptureFiles::capture(std::uint64_t batch, const std::string& way) {
    for (const fit::Capture& capture : captures_)
        if (capture.batch == batch && way.empty()) return capture;
    return Error{way.empty() ? "no file has this batch size" : "the files do not have it"};
}

namespace {

// The package is next to the program: in a checkout, or if it was installed without pip.
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
    auto down = Pipe::make();
    if (!down) return down.error();
    auto up = Pipe::make();
    if (!up) return up.error();
    const int request_fd = down->reader.get();
    const int answer_fd = up->writer.get();
    std::vector<std::string> words{python, "-m", "holdfast.planner", "--fds",
                                   std::to_string(request_fd) + "," + std::to_string(answer_fd)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::vector<std::string> variables = environment_for_capture();
    // What the captured program prints must not mix with the answer.
    auto child = Child::spawn(
        words, {{request_fd, request_fd}, {answer_fd, answer_fd}, {STDOUT_FILENO, STDERR_FILENO}},
        &variables);
    if (!child)
        return Error{"cannot start " + python + ": " + child.error().text +
                     "; name the Python that has torch with --python"};
    return CaptureProcess(std::move(*child), std::move(down->writer), std::move(up->reader),
                          device);
}

CaptureProcess CaptureProcess::over(UniqueFd requests, UniqueFd answers,
                                    const fit::DeviceProfile& device) {
    return CaptureProcess(Child(), std::move(requests), std::move(answers), device);
}

CaptureProcess::~CaptureProcess() {
    requests_ = UniqueFd();  // the process ends when its input ends
    answers_ = UniqueFd();
    child_.wait();
}

Result<std::string> CaptureProcess::ask(const std::string& line) {
    ::signal(SIGPIPE, SIG_IGN);
    if (!write_all(requests_.get(), line))
        return Error{"the capturing Python ended early; its message is above"};
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
