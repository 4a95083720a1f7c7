// Which child's death made its parent fail, judged by the order of their ends and the parent's
// message.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/death/death.h"

namespace holdfast {

// What a parent says about a worker it lost.
struct WorkerText {
    std::vector<int> pids;
    std::optional<int> signal;
    std::string line;
};

// The last such words in `text`: DataLoader's, joblib's, concurrent.futures', subprocess's.
std::optional<WorkerText> worker_text(std::string_view text);

// The rank whose exception torch's spawn raised again, so that the parent's traceback ends with the
// child's.
std::optional<int> rank_that_raised(const Death& death);

struct Autopsy;

struct FatalChild {
    std::shared_ptr<const Autopsy> death;  // never null
    // The parent's last message names the child; otherwise only the order of the two ends points to
    // it.
    bool named = false;
    std::string line;
};

// Nothing when the parent finished, was itself signalled or asked to stop, or failed with an
// exception that has nothing to do with a lost child: a worker OOM-killed and the parent then
// killed by hand are two deaths, not one.
std::optional<FatalChild> child_that_felled(const Death& parent);

}  // namespace holdfast
