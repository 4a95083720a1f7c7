// The relay: a process of its own that hands the program's output on and keeps the last of it.
//
// It outlives the supervisor, because a writer whose reader is gone is killed by SIGPIPE; the
// supervisor holds the reading end too and starts another relay should this one die. Bytes are
// moved with splice after a look at a copy made by tee, so a relay killed at any moment has neither
// lost nor repeated one.
#pragma once

#include "base/child.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "record/box_writer.h"

namespace holdfast {

class Relay {
public:
    // `target` is where the bytes go (our own stderr). `box` must outlive the relay.
    static Result<Relay> start(OutputBox& box, int target);

    // What the program gets as stdout and/or stderr; closed with release_writer after the launch.
    int writer() const { return writer_.get(); }
    void release_writer() { writer_.reset(); }
    pid_t pid() const { return child_.pid(); }

    // To be told of the relay's own end. Starts another one unless the output's reader went away or
    // all writers are gone.
    void on_end(int wait_status);

    // Waits until everything written so far has been handed on: what the program wrote before its
    // end must not appear after what the next command writes.
    void flush() const;

private:
    Status spawn();

    OutputBox* box_ = nullptr;
    int target_ = -1;
    Child child_;
    UniqueFd reader_;
    UniqueFd writer_;
};

}  // namespace holdfast
