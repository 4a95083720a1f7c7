// The relay: a separate process that passes the program's output on and keeps its end.
//
// It outlives the supervisor, because a writer whose reader is gone is killed by SIGPIPE; the
// supervisor holds the reading ends, too, and starts another relay if this one dies.
//
//    program -> source pipe -> middle pipe -> the user's pipe
//
// Only relays use the middle pipe, so its contents are always known to the byte. If the reader
// keeps up, bytes are spliced, which moves them or does not. In a pipe that is not empty, every
// spliced piece would take one of its few slots, however short it is. There bytes are written
// instead, because they then join the last page, as the program's own would have. What is about to
// be written is noted in memory that the next relay sees. So a relay that is killed at any moment
// loses and repeats nothing, and the user's pipe never needs more room than without us.
#pragma once

#include <string_view>

#include "base/child.h"
#include "base/pipe.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "record/box_writer.h"

namespace holdfast {

// What the relays of one run share, in shared memory.
struct RelayState;

class Relay {
public:
    // `target` is where the bytes go: a pipe (our own stderr). `box` must outlive
    // the relay.
    static Result<Relay> start(OutputBox& box, int target);
    Relay(Relay&& other) noexcept;
    Relay& operator=(Relay&&) = delete;
    ~Relay();  // the process stays alive and finishes its work

    // What the program gets instead of `target`; once it has it, nobody else may hold it.
    int writer() const { return writer_.get(); }
    void close_writer() { writer_.reset(); }
    pid_t pid() const { return child_.pid(); }

    // Ends it, before anything was handed to it.
    void discard();

    // Call this at the relay's own end. Starts another relay unless the output's reader or all
    // writers are gone.
    void on_end(int wait_status);

    // Waits until everything written so far has been handed on: what the program
    // wrote before its end must not appear after what the next command writes.
    // Waits for the reader only where the program itself would have to: where
    // there are more bytes than its pipe holds. False when some are left for the
    // relay to hand on by and by.
    bool flush();

    // After the program's end and a flush() that left nothing: waits for the relay if nobody can
    // write to it any more, because a process that inherits it from us would see a child that it
    // never started. If somebody can (a daemon left behind), the relay goes on.
    void await_end();

    // After the program's end and a flush() that left something: a way to write after that. What is
    // written this way is not the program's and is not kept.
    UniqueFd behind_the_rest();

private:
    Relay() = default;
    Status spawn();
    std::size_t waiting() const;

    OutputBox* box_ = nullptr;
    Child child_;
    UniqueFd reader_, writer_;
    Pipe middle_;
    UniqueFd target_;
    RelayState* state_ = nullptr;
};

}  // namespace holdfast
