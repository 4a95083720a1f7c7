// Our own processes beside the program: what each does first, and those that must end with us.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <vector>

#include "base/child.h"

namespace holdfast {

// What every helper process of the supervisor does first: closes every descriptor but `keep` (an
// open pipe would keep its reader from ever seeing the end), leaves the working directory (it would
// keep a filesystem from being unmounted), and takes a name for `ps`.
void become_bystander(const char* name, std::initializer_list<int> keep);

// Short-lived processes of ours that look something up or print something while the program runs.
class Errands {
public:
    Errands() = default;
    Errands(Errands&&) = default;
    Errands& operator=(Errands&&) = default;

    // An empty Child (one that could not be started) is ignored.
    void add(Child child);
    // This process has ended and was reaped; it need not be an errand.
    void forget(pid_t pid);
    // Ends the errands that still run, and reaps them. Otherwise a process that inherits our
    // children, such as a sandbox's init, might take the status of one for the program's.
    void end_all();

private:
    std::vector<Child> running_;
};

}  // namespace holdfast
