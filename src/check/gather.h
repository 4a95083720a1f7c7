// Fills an Environment by what a Sight sees.
#pragma once

#include <string>

#include "check/environment.h"
#include "check/sight.h"

namespace holdfast::check {

struct GatherOptions {
    std::string python;   // empty: that of the environment, else python3
    std::string wanted;   // one framework
    bool packages = true;  // read the Python environment
    bool gpus = true;     // ask the NVIDIA library
    bool notebooks = true;
};

Environment gather(Sight& sight, const GatherOptions& options);

// The parts, one file each.
void gather_host(Sight& sight, Environment& environment);
void gather_places(Sight& sight, Environment& environment);
void gather_health(Sight& sight, Environment& environment);
void gather_nvidia(Sight& sight, Environment& environment, bool ask);
void gather_python(Sight& sight, Environment& environment, const std::string& program);
void gather_libraries(Sight& sight, Environment& environment);
void gather_kernels(Sight& sight, Environment& environment);

}  // namespace holdfast::check
