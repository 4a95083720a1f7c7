// Watches a program whose steps nobody counts: how often it writes, and whether its main thread is
// caught in a loop (stall/endless_loop.h).
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "stall/endless_loop.h"
#include "supervise/process_tree.h"
#include "supervise/stack_watch.h"

namespace holdfast {

class LoopWatch {
public:
    LoopWatch(const ProcessTree& tree, StackWatch& stacks) : tree_(&tree), stacks_(&stacks) {}

    // Call at every look of the observer. Reads one small file, and the stack once a second or
    // after something was written; takes at most a fifth of a percent of a core.
    void look(Nanos now);
    void forget();
    // The loop that the working process is caught in.
    const std::optional<EndlessLoop>& found() const { return found_; }

private:
    void look_at(Nanos now, const format::Process& working);
    const SourceLoops* source_of(const std::string& file);

    const ProcessTree* tree_;
    StackWatch* stacks_;
    Nanos next_look_{}, next_stack_{};
    pid_t pid_ = 0;
    timespec began_{};  // when this process was first looked at, by the wall clock
    std::uint64_t writes_ = 0;
    LoopHistory history_;
    std::map<std::string, std::optional<SourceLoops>> sources_;
    std::optional<EndlessLoop> found_;
};

}  // namespace holdfast
