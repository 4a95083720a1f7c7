// The options of a run, and the functions that it calls with what it sees.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/child.h"
#include "record/run_directory.h"
#include "record/run_home.h"
#include "supervise/headroom_page.h"
#include "supervise/stall_watch.h"

namespace holdfast {

struct RunOptions {
    std::vector<std::string> command;
    std::string name;
    bool subreaper = true;
    bool detach = false;  // the program runs on even when somebody kills us with SIGKILL
    bool agent = true;    // loaded into the command, if it can load it and a disk can be written
    GuardOptions guard;
    // A Jupyter kernel: it must not outlive us, because an orphan would hold its ports.
    bool kernel = false;
    HomeFacts environment = HomeFacts::of_process();
    std::string version;
    // Gets one line each: where the record is kept instead, and what the guard did first.
    std::function<void(const std::string&)> warn = [](const std::string&) {};
    // How long a proven deadlock is watched before the user is told; zero: never told.
    Nanos stall_after = stall_thresholds::usual_patience;
    // The following may start a process for their work, and return it.
    // The program is stuck, or moves again. `mid_line`: its last output may not have ended with a
    // newline.
    std::function<Child(const RunDirectory&, const StallNews&, bool mid_line)> on_stall;
    // Called now and then while memory climbs steadily: at this rate it will be full in `fills_in`.
    std::function<Child(const RunDirectory&, Nanos fills_in, bool mid_line)> on_filling;
    // Called once the command runs.
    std::function<Child(const RunDirectory&, pid_t command, const std::string& directory)> on_start;
};

}  // namespace holdfast
