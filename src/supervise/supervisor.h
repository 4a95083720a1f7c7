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

namespace holdfast {

struct RunOptions {
    std::vector<std::string> command;
    std::string name;
    bool subreaper = true;
    bool agent = true;  // put into the command, where there is one and a disk to write to
    GuardOptions guard;
    Environment environment = Environment::of_process();
    std::string version;
    // Told one line each: where the record went instead, and what the guard did first.
    std::function<void(const std::string&)> warn = [](const std::string&) {};
};

// A run whose command has ended. Holds the record open for those who read it next.
class FinishedRun {
public:
    int wait_status = 0;
    RunFacts facts;
    std::optional<RunDirectory> directory;  // nothing: no disk would have the record

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
