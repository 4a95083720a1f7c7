// The relay: a separate process that passes on the program's output and keeps the last part of it.
//
// It outlives the supervisor, because SIGPIPE kills a writer without a reader. The supervisor holds
// the reading ends, too, and starts another relay if this one dies.
//
//    program -> source pipe -> middle pipe -> the user's pipe
//
// Only relays use the middle pipe, so its contents are always known to the byte. If the reader
// keeps up, bytes are spliced: a splice moves them or does nothing. But in a pipe that is not
// empty, each spliced piece takes one of the few slots, however short it is. So there the relay
// writes instead: written bytes join the last page, as the program's own would have. Before it
// writes, the relay notes what it is about to write in memory that the next relay sees. So a relay
// that is killed at any moment loses and repeats nothing, and the user's pipe never needs more room
// than without us.
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
    ~Relay();  // the process lives on and finishes its work

    // What the program gets instead of `target`.
    int writer() const { return writer_.get(); }
    // Call once it has ended, before flush(). Until then we keep the writing end: it alone tells
    // whether the program made its writes non-blocking.
    void program_ended();
    pid_t pid() const { return child_.pid(); }

    // Ends the relay before anything was written to it.
    void discard();

    // Call when the relay has ended. Starts another one, unless the output's reader or all writers
    // are gone.
    void on_end(int wait_status);
    // Starts the relay that could not be started when the last one ended; does nothing otherwise.
    void revive();

    // Waits until everything written so far has been passed on: the program's last output must not
    // appear behind the next command's. Waits for the reader only if the program itself would have
    // to: if there are more bytes than the reader's pipe holds and its writes wait. False if some
    // bytes are left, which the relay passes on later.
    bool flush();

    // After the program's end and a flush() that left nothing: waits for the relay if nobody can
    // write to it any more, because a process that inherits it from us would see a child that it
    // never started. If somebody can (a daemon left behind), the relay goes on.
    void await_end();

    // Call after the program's end and a flush() that left something: a descriptor whose output
    // comes after the rest. It is not the program's output, and is not kept.
    UniqueFd behind_the_rest();

private:
    Relay() = default;
    Status spawn();
    std::size_t waiting() const;

    OutputBox* box_ = nullptr;
    Child child_;
    UniqueFd reader_, writer_;
    Pipe middle_;
    Pipe side_;  // for the copy that is kept
    UniqueFd target_;
    bool writes_wait_ = true;  // for the reader, as they do unless the program wants it otherwise
    RelayState* state_ = nullptr;
};

}  // namespace holdfast
