// The machine itself, or a tree that looks like one.
#pragma once

#include <memory>
#include <string>

#include "check/sight.h"

namespace holdfast::check {

struct MachineOptions {
    std::string root;                        // empty: this machine
    const char* nvml = "libnvidia-ml.so.1";  // another one in tests
    int nvml_milliseconds = 1500;            // a driver that hangs is given up on
};

// Below a root that is not this machine's there are files alone: no variables, no NVML, no log, and
// links stay inside.
std::unique_ptr<Sight> machine_sight(const MachineOptions& options = {});

}  // namespace holdfast::check
