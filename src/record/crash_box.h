// crash.box: made by the supervisor, filled by the agent of a process that crashes, read by `why`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/time.h"
#include "record/agent_format.h"
#include "record/box_file.h"
#include "record/run_directory.h"

namespace holdfast {

class CrashBox {
public:
    static Result<CrashBox> create(const RunDirectory* directory, const BoxOrigin& origin);

    int fd() const { return file_.fd(); }  // to read it back
    std::span<std::byte> bytes() { return file_.bytes(); }

private:
    MappedFile file_;
};

// An executable mapping at the moment of the crash.
struct CrashModule {
    std::uint64_t start = 0, end = 0;
    std::uint64_t offset = 0;            // of `start` in the file
    std::optional<std::uint64_t> inode;  // none: not a file
    std::string path;                    // or "[vdso]", or empty for anonymous memory

    bool holds(std::uint64_t address) const { return address >= start && address < end; }
};

struct CrashPythonFrame {
    std::optional<int> line;
    std::string file, function;
};

struct CrashPythonThread {
    int tid = 0;
    std::string name;
    std::vector<CrashPythonFrame> frames;  // innermost first
};

struct CrashThread {
    int tid = 0;
    std::optional<std::uint64_t> pc;
    std::string name;
};

struct CrashRecord {
    std::size_t slot = 0;
    bool finished = false;  // the handler completed the record; else this is how far it got
    bool survived = false;  // the program's own handler dealt with it, and the program went on

    int pid = 0, tid = 0;
    std::uint64_t start_ticks = 0;
    std::string thread;  // the faulting thread's name
    Nanos time{};
    std::optional<Nanos> wall;

    int signal = 0, code = 0, error = 0;
    std::optional<int> sender_pid, sender_uid;  // of a signal that was sent
    std::optional<std::uint64_t> address;       // only for a fault whose address the kernel knows

    format::CrashMachine machine = format::CrashMachine::none;
    std::vector<std::uint64_t> registers;  // in the machine's order, see format::Crash
    std::optional<std::uint64_t> pc, sp;
    std::optional<std::uint64_t> stack_low, stack_high;
    std::uint64_t stack_from = 0;  // address of stack[0]
    std::vector<std::byte> stack;  // empty once unwound
    std::vector<std::byte> instruction;

    std::string exception_type;  // mangled
    std::string exception_what;
    std::string abort_text;
    std::string unread;

    std::vector<CrashModule> modules;       // by address
    std::vector<CrashPythonThread> python;  // the faulting thread first
    std::vector<CrashThread> threads;

    bool unwound = false;
    std::string native;  // see native/native_text.h
};

// The crashes of a run in the order in which they happened. An error if there is no box or it
// cannot be read; skips damaged slots.
Result<std::vector<CrashRecord>> read_crashes(const RunDirectory& directory);
Result<std::vector<CrashRecord>> read_crashes(int fd);
Result<std::vector<CrashRecord>> read_crashes(std::span<const std::byte> box);

// Parse the text parts, whose format is in format::Crash. Leave out lines that make no sense.
std::vector<CrashModule> parse_crash_modules(std::string_view text);
std::vector<CrashPythonThread> parse_crash_python(std::string_view text);
std::vector<CrashThread> parse_crash_threads(std::string_view text);

}  // namespace holdfast
