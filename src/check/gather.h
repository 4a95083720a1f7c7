// Fills an Environment from what a Sight reads.
#pragma once

#include <optional>
#include <string>

#include "check/environment.h"
#include "check/sight.h"

namespace holdfast::check {

struct GatherOptions {
    std::string python;      // empty: the environment's, else python3
    std::string wanted;      // only this framework
    std::string directory;   // where the program works; empty: where we do
    std::optional<int> pid;  // whose limits; nothing: our own
    bool packages = true;    // read the Python environment
    // Leaves out what takes long, or is useless while a program starts: the NVIDIA library, the
    // kernel log, sensors, notebooks.
    bool quick = false;
};

Environment gather(Sight& sight, const GatherOptions& options);

// The parts, one file each.
void gather_host(Sight& sight, Environment& environment, std::optional<int> pid);
void gather_places(Sight& sight, Environment& environment);
void gather_health(Sight& sight, Environment& environment);
void gather_nvidia(Sight& sight, Environment& environment, bool ask);
void gather_python(Sight& sight, Environment& environment, const GatherOptions& options);
void gather_libraries(Sight& sight, Environment& environment);
void gather_symbols(Sight& sight, Environment& environment);
void gather_kernels(Sight& sight, Environment& environment);

}  // namespace holdfast::check
