// The farewell, which tells the sentry how the supervisor ended, and the mark that a crash leaves
// there: after a crash nobody meant to kill the program.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

namespace holdfast {

enum class Farewell : std::uint32_t {
    none = 0,      // no farewell: killed
    ended = 1,     // the run is over
    crashing = 2,  // crashed by a fault of our own
};

struct FarewellPage {
    std::atomic<Farewell> farewell;
    std::atomic<std::uint64_t> oom_kills;  // of /proc/vmstat, at the last look
};

// The signals of a fault. Never block them: the kernel would then kill without calling the handler.
inline constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

// From now on a crash of this process leaves its mark on `page`; null: nowhere. A fault signal that
// somebody sent waits in the inbox instead, like all other signals.
void mark_crashes_on(FarewellPage* page);

}  // namespace holdfast
