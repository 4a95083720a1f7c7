// The names of enumerators and signals in every form of output.
#include <array>
#include <csignal>

#include "base/format.h"
#include "model/verdict.h"

namespace holdfast {
namespace {

// Linux's own order, the same on every machine we support. Not sigabbrev_np: that needs glibc 2.32.
constexpr std::array<std::string_view, 31> signals{
    "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1", "SEGV",
    "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN", "TTOU",
    "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "POLL", "PWR",  "SYS"};

}  // namespace

std::string signal_name(int number) {
    if (number > 0 && static_cast<std::size_t>(number) <= signals.size())
        return formatted("SIG{}", signals[static_cast<std::size_t>(number) - 1]);
    if (number >= SIGRTMIN && number <= SIGRTMAX)
        return "SIGRTMIN+" + std::to_string(number - SIGRTMIN);
    return "signal " + std::to_string(number);
}

std::optional<int> signal_number(std::string_view name) {
    for (int number = 1; number <= SIGRTMAX; ++number)
        if (signal_name(number) == name) return number;
    return std::nullopt;
}

std::string_view name_of(Outcome outcome) {
    switch (outcome) {
    case Outcome::finished: return "finished";
    case Outcome::died: return "died";
    case Outcome::stuck: return "stuck";
    case Outcome::running: return "running";
    }
    return "running";
}

std::string_view name_of(Confidence confidence) {
    switch (confidence) {
    case Confidence::certain: return "certain";
    case Confidence::likely: return "likely";
    case Confidence::unknown: return "unknown";
    }
    return "unknown";
}

}  // namespace holdfast
