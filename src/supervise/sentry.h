// A tiny process in the program's process group. It tells a signal to the whole group from a signal
// to the supervisor alone, and it is still there when the supervisor is lost.
//
// The supervisor shares its process group with the program, so that the terminal, job-control
// shells and `kill -- -GROUP` treat both as one job. A Ctrl-C or a group kill then reaches the
// program by itself and must not be forwarded; a signal to the supervisor's pid must be. Nothing in
// siginfo tells the two apart. But a process in the group that blocks every signal has the signal
// pending exactly if the whole group got it. The sentry also wakes a supervisor that stopped itself
// together with the program (Ctrl-Z), if somebody continues only the program.
//
// SIGKILL is the one signal that the supervisor cannot pass on. If the supervisor is gone without a
// farewell, the sentry passes it on: whoever killed `holdfast run` meant the program. If the
// supervisor crashed or the OOM killer killed it, nobody meant the program, and the program runs
// on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/child.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

using SignalBits = std::uint64_t;  // bit N-1 stands for signal N, as in /proc/PID/status
constexpr SignalBits signal_bit(int number) {
    return number >= 1 && number <= 64 ? SignalBits{1} << static_cast<unsigned>(number - 1) : 0;
}

struct SentryDuty {
    int machine_box = -1;   // the box in which it records what became of the supervisor
    bool pass_kill = true;  // false: the program runs on, even if the supervisor is killed
};

class Sentry {
public:
    // Forks. Call with every signal blocked, before the program starts: the kernel signals the
    // members of a group newest first, so the sentry has its copy before the supervisor wakes.
    static Result<Sentry> start(const SentryDuty& duty);
    Sentry(Sentry&&) noexcept;
    Sentry& operator=(Sentry&&) noexcept;
    ~Sentry();  // says farewell

    pid_t pid() const { return child_.pid(); }  // 0: it has ended
    // The program to which a SIGKILL is passed on. It must still be our child, not reaped.
    void guard(pid_t program);
    // Signals that reached the group and were not taken off yet.
    SignalBits pending() const;
    // Takes these signals off, so that the next ones can be seen.
    void take_off(SignalBits signals);
    // Call before the supervisor stops: continues it as soon as `program` is no longer stopped.
    void wake_us_when_running(pid_t program);
    void stand_down();
    // The machine's count of OOM kills so far: if the supervisor is gone and the count has risen,
    // the OOM killer killed it.
    void note_oom_kills(std::uint64_t count);
    // Makes the sentry the OOM killer's next choice after the program, under a limit of this size;
    // memory_reserve.h says when that is needed. Any user may raise a process's score, but few may
    // lower one.
    void stand_in_for_us(Bytes limit);
    // The sentry was killed, and has been reaped.
    void forget();

private:
    class Page;

    Sentry() = default;
    bool ask(char operation, std::uint64_t argument);

    Child child_;
    UniqueFd channel_;
    std::unique_ptr<Page> page_;
    long offered_ = 0;
};

}  // namespace holdfast
