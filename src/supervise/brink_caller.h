// Calls the main thread of the process that the kernel would kill, just before it would.
#pragma once

#include "supervise/headroom_page.h"
#include "supervise/process_tree.h"

namespace holdfast {

class BrinkCaller {
public:
    explicit BrinkCaller(const ProcessTree& tree) : tree_(&tree) {}

    // The largest of the tree is called; where it cannot be, or an error there would reach nobody,
    // the nearest process above it that listens.
    // Before it is certain, nobody is disturbed who sleeps in a system call.
    void call(HeadroomPage& page, bool certain) const;

private:
    pid_t largest() const;

    const ProcessTree* tree_;
};

}  // namespace holdfast
