// Signals the main thread of the process that the kernel would kill next, just before the kernel
// does.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/bytes.h"
#include "supervise/headroom_page.h"
#include "supervise/process_tree.h"

namespace holdfast {

class BrinkCaller {
public:
    explicit BrinkCaller(const ProcessTree& tree) : tree_(&tree) {}

    // The largest of the tree is called; where it cannot be, or an error there would reach nobody,
    // the nearest process above it that listens.
    void call(HeadroomPage& page) const;
    // Before it is certain: all who may be growing begin to look themselves. Nobody is disturbed
    // who sleeps in a system call and has no other thread.
    void announce(HeadroomPage& page) const;

private:
    struct Sized {
        pid_t pid;
        Bytes rss;
    };
    std::vector<Sized> by_size() const;
    bool signal(pid_t pid) const;

    const ProcessTree* tree_;
};

}  // namespace holdfast
