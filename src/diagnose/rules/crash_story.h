// Crashes with the crash handler's record, for the tests of several rules.
#pragma once

#include <string>
#include <utility>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {

inline Verdict crashed(int signal, int code, void (*change)(CrashEvidence&) = nullptr) {
    Story story;
    CrashEvidence& crash = story.dies_by(signal).crash(signal, code);
    if (change != nullptr) change(crash);
    return story.verdict();
}

inline NativeFrame frame(std::string symbol, std::string library) {
    NativeFrame made;
    made.symbol = std::move(symbol);
    made.library = std::move(library);
    return made;
}

}  // namespace holdfast::testing
