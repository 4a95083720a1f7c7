#include "sources/process_dir.h"

#include <fcntl.h>

#include <array>

namespace holdfast::sources {
namespace {

// Enough for 52 numbers of at most 20 digits and a name of 64 bytes (a kernel worker).
using LineBuffer = std::array<char, 2048>;

Result<std::string_view> read_line(LiveFile& file, int directory, const char* name,
                                   LineBuffer& buffer) {
    if (!file) {
        auto opened = LiveFile::open(directory, name);
        if (!opened) return opened.error();
        file = std::move(*opened);
    }
    return file.read(buffer);
}

}  // namespace

Result<ProcessDir> ProcessDir::open(const Roots& roots, int pid) {
    const std::string name = std::to_string(pid);
    UniqueFd dir(::openat(roots.proc(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!dir) return Error::from_errno("cannot open /proc/" + name);
    return ProcessDir(pid, std::move(dir));
}

Result<PidStat> ProcessDir::stat() {
    LineBuffer buffer;
    const auto text = read_line(stat_, dir_.get(), "stat", buffer);
    if (!text) return text.error();
    return parse_pid_stat(*text);
}

Result<PidStatm> ProcessDir::statm() {
    LineBuffer buffer;
    const auto text = read_line(statm_, dir_.get(), "statm", buffer);
    if (!text) return text.error();
    return parse_pid_statm(*text);
}

}  // namespace holdfast::sources
