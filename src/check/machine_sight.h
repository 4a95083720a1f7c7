// This machine, or a tree that looks like one.
#pragma once

#include <memory>
#include <string>

#include "check/sight.h"

namespace holdfast::check {

struct MachineOptions {
    std::string root;                        // empty: this machine
    const char* nvml = "libnvidia-ml.so.1";  // tests use another one
    int nvml_milliseconds = 1500;            // gives up on a driver that hangs
};

// Below another root there are only files: no variables, no NVML, no log; and links stay inside the
// root.
std::unique_ptr<Sight> machine_sight(const MachineOptions& options = {});

}  // namespace holdfast::check
