// Runs one command under watch, from its start to its end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/box_writer.h"
#include "record/run_directory.h"
#include "record/run_facts.h"
#include "record/run_home.h"
#include "record/run_record.h"
#include "supervise/headroom_page.h"
#include "supervise/stall_watch.h"

namespace holdfast {

struct RunOptions {
    std::vector<std::string> command;
    std::string name;
    bool subreaper = true;
    bool detach = false;  // the program runs on even when somebody kills us with SIGKILL
    bool agent = true;    // put into the command, where there is one and a disk to write to
    GuardOptions guard;
    // A Jupyter kernel: it must not outlive us, because an orphan would hold its ports.
    bool kernel = false;
    Environment environment = Environment::of_process();
    std::string version;
    // Told one line each: where the record went instead, and what the guard did first.
    std::function<void(const std::string&)> warn = [](const std::string&) {};
    // How long a proven deadlock is watched before it is told; zero: nothing is told.
    Nanos stall_after = StallWatch::usual_patience;
    // Told that the program is stuck, or moves again. `mid_line`: its last output may not have
    // ended its line. Returns the process that does the telling, 0 for none.
    std::function<pid_t(const RunDirectory&, const StallNews&, bool mid_line)> on_stall;
    // Told now and then that memory climbs steadily and would be full in so long. As on_stall.
    std::function<pid_t(const RunDirectory&, Nanos fills_in, bool mid_line)> on_filling;
    // Once the command runs: looks at the machine in a process of its own. Returns that, 0 for
    // none.
    std::function<pid_t(const RunDirectory&, pid_t command, const std::string& directory)> on_start;
    NativeFrames native_frames;  // asked of a few threads of a program that is stuck
};

// A run whose command has ended. Holds the record open for those who read it next.
class FinishedRun {
public:
    int wait_status = 0;
    bool unobserved = false;  // we failed on the way: the status is all there is
    RunFacts facts;
    std::optional<RunDirectory> directory;  // nothing: no disk would have the record
    // Where words must go that are to come after the program's last bytes, some of which wait for
    // their reader still; none: to stderr.
    UniqueFd stderr_behind;

    Result<RunRecord> read() const;

private:
    friend class Supervisor;
    std::unique_ptr<MachineBox> machine_;
    std::unique_ptr<OutputBox> output_;
    int gpu_fd_ = -1;
};

// Returns after the command's end. An Error: the command could not be started (its number is
// exec's).
Result<FinishedRun> supervise(const RunOptions& options);

}  // namespace holdfast
