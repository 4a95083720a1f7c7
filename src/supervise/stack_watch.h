// Python stacks of the tree's processes, read from outside now and then: for runs that hang, and
// for those that die without a message.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <vector>

#include "base/time.h"
#include "record/section_writer.h"
#include "sources/python_process.h"

namespace holdfast {

class StackWatch {
public:
    explicit StackWatch(TableWriter<format::Stacks>& table) : table_(&table) {}

    // The main process first; processes for which the table has no room are left out.
    void look(Nanos now, const std::vector<pid_t>& processes);
    // The threads of one process at this moment; empty if it has no Python, or cannot be read.
    std::vector<sources::PythonThread> threads_of(Nanos now, pid_t pid);
    // Why no stacks can be read, once; empty if they can, or if it was asked before.
    std::string take_complaint() { return std::exchange(complaint_, {}); }

private:
    // Finding the interpreter in a process costs more than reading its stacks.
    struct Known {
        std::optional<sources::PythonProcess> python;
        Nanos asked{};
    };
    Known& know(Nanos now, pid_t pid);

    TableWriter<format::Stacks>* table_;
    std::map<pid_t, Known> known_;
    std::string complaint_;
    bool complained_ = false;
};

}  // namespace holdfast
