// What to change when memory ran out, with the figures of this run.
#pragma once

#include <vector>

#include "diagnose/autopsy.h"
#include "model/statement.h"

namespace holdfast {

// How to raise one limit, spelled for the tool that set it (Docker, Kubernetes, Slurm, systemd).
Fix raise_limit(const Death& death, const CgroupLevel& level);

// The option for fewer workers, spelled for the library that starts them; empty if that is not
// known.
std::string fewer_workers(const Death& death);

// How to need less memory: fewer workers if they held much, and smaller pieces.
std::vector<Fix> need_less(const Death& death);

// Holdfast's own loader in place of the program's, with a budget that fits the limit seen. `call`
// is the call without its budget: "holdfast.Loader(path".
Fix load_within(const Death& death, std::string_view call);

}  // namespace holdfast
