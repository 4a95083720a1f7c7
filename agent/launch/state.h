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
    std::atomic<LaunchSite*> last;     // launched with a line; threads without Python take it over
    std::atomic<bool> over;            // the GPU has failed: what comes now belongs to the clean-up
    std::atomic<bool> graphs;          // one was launched
    std::atomic<bool> kept;            // told already
};

// Null: launches are not watched.
LaunchState* launch_state();

}  // namespace holdfast::agent
