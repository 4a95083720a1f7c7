// The words that stand for enumerators and signals in every form of output.
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "model/verdict.h"

namespace holdfast {

std::string signal_name(int number) {
    if (const char* abbreviation = ::sigabbrev_np(number); abbreviation != nullptr)
        return std::string("SIG") + abbreviation;
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
