// The leak that will fill the memory of a program that still runs: what its user is told at once.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "model/evidence.h"

namespace holdfast {

struct FillingLeak {
    MemorySite line;
    bool in_cell = false;  // then line.file is "cell [3]"
    Bytes each_step;
    std::string keeper;  // the name of what keeps it; empty if that is not known
    Nanos fills_in{};
};

// `fills_in`: when memory will be full at its present pace. Nothing unless one line is certain to
// leak, and to be the reason: the program may only be loading something.
std::optional<FillingLeak> leak_that_fills(const Evidence& evidence, Nanos fills_in);

// For the user's terminal. Made in words/.
std::string notice_of(const FillingLeak& leak);

}  // namespace holdfast
