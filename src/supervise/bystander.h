// Our own processes beside the program: what each does first, and those that must end with us.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <vector>

#include "base/child.h"

namespace holdfast {

// What every helper process of the supervisor does first: release the program's descriptors and
// working directory.
// Closes every descriptor but `keep` (a helper that held on to a pipe would keep its reader from
// ever seeing the end), leaves the working directory (it would keep a filesystem from being
// unmounted) and takes a name for `ps`.
void become_bystander(const char* name, std::initializer_list<int> keep);

// Our short-lived processes that look something up or print something while the program runs.
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
