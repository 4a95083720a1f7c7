#include "jupyter/python_kernel.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>

#include "base/child.h"
#include "base/format.h"
#include "base/json.h"
#include "base/pipe.h"
#include "base/unique_fd.h"

namespace holdfast {
namespace {

// Writes what `python -m ipykernel install` would write: without frozen modules if they hinder the
// debugger. Older versions of ipykernel do not have this argument.
constexpr const char* question =
    "import json, sys, ipykernel.kernelspec as k\n"
    "thaw = ['-Xfrozen_modules=off']\n"
    "cpython = sys.implementation.name == 'cpython' and sys.version_info >= (3, 11)\n"
    "try: spec = k.get_kernel_dict(python_arguments=thaw if cpython else None)\n"
    "except TypeError: spec = k.get_kernel_dict()\n"
    "print(json.dumps({'spec': spec, 'resources': str(k.RESOURCES)}))\n";

struct Answer {
    int status = -1;
    std::string text;
};

Result<Answer> ask(const std::string& python) {
    auto pipe = Pipe::make();
    if (!pipe) return pipe.error();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe->writer.get(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // -I: the current folder may contain an ipykernel.py.
    std::array<const char*, 5> words{python.c_str(), "-I", "-c", question, nullptr};
    pid_t pid = 0;
    const int failed = ::posix_spawnp(&pid, python.c_str(), &actions, nullptr,
                                      const_cast<char* const*>(words.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    pipe->writer.reset();
    if (failed != 0) return Error{std::strerror(failed), failed};
    Child child = Child::spawned(pid);
    Answer answer;
    std::array<char, 4096> piece{};
    for (;;) {
        const ssize_t got = ::read(pipe->reader.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        answer.text.append(piece.data(), static_cast<std::size_t>(got));
    }
    answer.status = child.wait().value_or(-1);
    return answer;
}

}  // namespace

Result<PythonKernel> kernel_of_python(const std::string& python) {
    const auto answer = ask(python);
    if (!answer) return Error{formatted("{}: {}", python, answer.error().text)};
    const auto json = Json::parse(answer->text);
    if (answer->status != 0 || !json || json->find("spec") == nullptr)
        return Error{
            formatted("{0} has no ipykernel; install it: {0} -m pip install ipykernel", python)};
    auto spec = Kernelspec::parse((*json)["spec"].dump());
    if (!spec) return Error{formatted("the kernelspec of {} {}", python, spec.error().text)};
    const std::string* resources = (*json)["resources"].text();
    return PythonKernel{std::move(*spec), resources != nullptr ? *resources : ""};
}

}  // namespace holdfast
