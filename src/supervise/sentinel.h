// A tiny process in the program's process group that tells a signal sent to everybody from one sent
// to the supervisor alone.
//
// The supervisor shares its process group with the program, so that the terminal, job-control
// shells and `kill -- -GROUP` treat both as one job. A Ctrl-C or a group kill then reaches the
// program by itself and must not be forwarded; a signal sent to the supervisor's pid must. Nothing
// in siginfo tells the two apart. But a bystander in the group, with every signal blocked, has the
// signal pending exactly if everybody got it. It is also what wakes a supervisor that stopped
// itself together with the program (Ctrl-Z) when the program is continued behind its back.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

using SignalBits = std::uint64_t;  // bit N-1 stands for signal N, as in /proc/PID/status
constexpr SignalBits signal_bit(int number) {
    return number >= 1 && number <= 64 ? SignalBits{1} << static_cast<unsigned>(number - 1) : 0;
}

class Sentinel {
public:
    // Forks. Call with every signal blocked, before the program starts: the kernel signals the
    // members of a group newest first, so the sentinel has its copy before the supervisor wakes.
    static Result<Sentinel> start();
    Sentinel(Sentinel&&) = default;
    Sentinel& operator=(Sentinel&&) = default;
    ~Sentinel();

    pid_t pid() const { return pid_; }
    // Signals that reached the group and were not taken off yet.
    SignalBits pending() const;
    // Takes these off, so that the next one can be seen.
    void take_off(SignalBits signals);
    // While the supervisor is stopped: continue it as soon as `program` is no longer stopped.
    void wake_us_when_running(pid_t program);
    void stand_down();
    // To be the one that the OOM killer takes, should it look for somebody else than the program
    // below a limit of this size: see memory_reserve.h for when that is. Any user may offer this of
    // a process; few may spare one.
    void stand_in_for_us(Bytes limit);
    // It was, and has been waited for.
    void forget();

private:
    Sentinel() = default;
    bool ask(char operation, std::uint64_t argument);

    pid_t pid_ = -1;
    UniqueFd channel_;
    long offered_ = 0;
};

}  // namespace holdfast
