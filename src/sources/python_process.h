// The Python stacks of a running process, read from outside: nothing is stopped and none of its
// code is called, so a stack that changes meanwhile may end early.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "frames/layout.h"

namespace holdfast::sources {

struct PythonFrame {
    std::string file, function;
    std::optional<std::uint32_t> line;
    std::int32_t instruction = -1;  // byte offset in the bytecode; below 0: not begun
};

struct PythonThread {
    int tid = 0;  // 0: not known
    std::string name;
    std::vector<PythonFrame> frames;  // innermost first
    bool holds_gil = false;
    bool complete = true;  // false: there are more frames
};

struct PythonVersion {
    unsigned major = 0, minor = 0;
    std::optional<unsigned> micro;
    bool free_threaded = false;
};

class PythonProcess {
public:
    // The Error's number says why: EPERM, no right to read it; ESRCH, it has ended; ENOEXEC, it
    // runs no Python; ENOTSUP, it runs a Python whose stacks cannot be read.
    static Result<PythonProcess> open(int pid);

    // Of all threads that Python knows, the newest first. Empty while the interpreter starts.
    Result<std::vector<PythonThread>> stacks() const;
    PythonVersion version() const { return version_; }

private:
    PythonProcess(int pid, UniqueFd dir) : pid_(pid), dir_(std::move(dir)) {}

    int pid_;
    UniqueFd dir_;  // /proc/PID: stays this process's, even if the pid is reused
    std::uintptr_t runtime_ = 0;
    std::uintptr_t code_type_ = 0;
    frames::Layout layout_;
    PythonVersion version_;
};

// In the format of format::Crash::python: whole lines only, at most `limit` bytes.
std::string as_text(const std::vector<PythonThread>& threads, std::size_t limit);

}  // namespace holdfast::sources
