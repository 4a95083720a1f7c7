// What all hooks of launches share.
#pragma once

#include "agent/launch/kernel_names.h"
#include "agent/launch/own_line.h"
#include "agent/launch/sites.h"

namespace holdfast::agent {

struct LaunchState {
    OriginCache origins;
    LaunchSites sites;
    KernelNames names;
    std::atomic<LaunchSite*> last;  // launched with a line; threads without Python take it over
    const PythonLibrary* python;
    // False: the GPU has failed, and later launches belong to the clean-up; or Python has ended; or
    // this is the child of a fork.
    std::atomic<bool> watching;
    std::atomic<bool> graphs;  // one was launched
    std::atomic<bool> kept;    // recorded already
};

// Null: launches are not watched.
LaunchState* launch_state();

}  // namespace holdfast::agent
