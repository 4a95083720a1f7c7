#include "jupyter/python_kernel.h"

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
    // -I: the current folder may contain an ipykernel.py.
    auto child =
        Child::spawn({python, "-I", "-c", question}, {{STDIN_FILENO, Child::Descriptor::null},
                                                      {STDOUT_FILENO, pipe->writer.get()},
                                                      {STDERR_FILENO, Child::Descriptor::null}});
    pipe->writer.reset();
    if (!child) return child.error();
    Answer answer;
    std::array<char, 4096> piece{};
    for (;;) {
        const ssize_t got = ::read(pipe->reader.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        answer.text.append(piece.data(), static_cast<std::size_t>(got));
    }
    answer.status = child->wait().value_or(-1);
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
