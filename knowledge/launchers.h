// Programs that start the ranks of a job, and stop the others once one has failed.
#pragma once

#include <string_view>
#include <vector>

namespace holdfast {

// The name of the program that a command line, or the name that a process gave itself, begins with.
std::string_view program_in(std::string_view command);

// "torchrun", for "/usr/bin/python3 -m torch.distributed.run train.py"; empty: no launcher.
std::string_view launcher_in(std::string_view command);

// The environment variables in which launchers tell a process its rank.
const std::vector<std::string_view>& rank_variables();

}  // namespace holdfast
