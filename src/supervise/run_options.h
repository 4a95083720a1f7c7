// What a run is asked for, and whom it tells what it sees.
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
    bool agent = true;    // put into the command, where there is one and a disk to write to
    GuardOptions guard;
    // A Jupyter kernel: it must not outlive us, because an orphan would hold its ports.
    bool kernel = false;
    Environment environment = Environment::of_process();
    std::string version;
    // Told one line each: where the record went instead, and what the guard did first.
    std::function<void(const std::string&)> warn = [](const std::string&) {};
    // How long a proven deadlock is watched before it is told; zero: nothing is told.
    Nanos stall_after = stall_thresholds::usual_patience;
    // These may start a process for what they do, and return it.
    // The program is stuck, or moves again. `mid_line`: its last output may not have ended its
    // line.
    std::function<Child(const RunDirectory&, const StallNews&, bool mid_line)> on_stall;
    // Now and then: memory climbs steadily and would be full in so long.
    std::function<Child(const RunDirectory&, Nanos fills_in, bool mid_line)> on_filling;
    // Once the command runs.
    std::function<Child(const RunDirectory&, pid_t command, const std::string& directory)> on_start;
};

}  // namespace holdfast
