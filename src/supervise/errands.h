// Our short-lived processes that look something up or print something while the program runs.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/child.h"

namespace holdfast {

class Errands {
public:
    Errands() = default;
    Errands(Errands&&) = default;
    Errands& operator=(Errands&&) = default;

    // One that could not be started is nothing to remember.
    void add(Child child);
    // This process has ended and was waited for; it need not be one of ours.
    void forget(pid_t pid);
    // Ends those that are still running and waits for them. Otherwise a process that inherits our
    // child, such as a sandbox's init, would see it end and might take its status for the
    // program's.
    void end_all();

private:
    std::vector<Child> running_;
};

}  // namespace holdfast
