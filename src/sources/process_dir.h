// A process's directory in /proc, kept open. A pid may be reused, but this directory always means
// the same process: once that is reaped, every read below fails with ESRCH.
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"
#include "sources/live_file.h"
#include "sources/pid_stat.h"
#include "sources/roots.h"

namespace holdfast::sources {

class ProcessDir {
public:
    static Result<ProcessDir> open(const Roots& roots, int pid);

    int pid() const { return pid_; }
    // For read_pid_status(dir.fd()) and the other readers of single files.
    int fd() const { return dir_.get(); }

    // The hot path: after the first call a single pread, no allocation. Both keep a descriptor
    // open.
    Result<PidStat> stat();
    Result<PidStatm> statm();

private:
    ProcessDir(int pid, UniqueFd dir) : pid_(pid), dir_(std::move(dir)) {}

    int pid_;
    UniqueFd dir_;
    LiveFile stat_;
    LiveFile statm_;
};

}  // namespace holdfast::sources
