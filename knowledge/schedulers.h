// Batch systems that own a job's time and memory limit, and how each spells what a user can change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

// A property that the table does not give is empty.
struct Scheduler {
    std::string kind;  // "slurm": as records name it
    std::string called;
    std::string marked_by, job, ends_at;  // names of environment variables
    std::string stopper;                  // the program that sends SIGTERM
    std::string cgroup;                   // a word in the path of its groups
    std::string raise_memory;             // with MIB for the number
    std::string save_early;
    std::string look_at_tasks;
};

const std::vector<Scheduler>& schedulers();

// Null if no section has this name; "" is none.
const Scheduler* scheduler_of_kind(std::string_view kind);

// By what people call it, as launchers.txt does.
const Scheduler* scheduler_called(std::string_view name);

}  // namespace holdfast
