// What to change when memory ran out, with the figures of this run.
#pragma once

#include <vector>

#include "diagnose/autopsy.h"
#include "model/statement.h"

namespace holdfast {

// How to raise one limit, spelled for whoever set it (Docker, Kubernetes, Slurm, systemd).
Fix raise_limit(const Death& death, const CgroupLevel& level);

// How to need less: fewer workers where they held much, else smaller pieces.
// In the words of the library that starts them; empty where it is not known.
std::string fewer_workers(const Death& death);

std::vector<Fix> need_less(const Death& death);

// Holdfast's own loader in place of the program's, with a budget that fits the limit seen. `call`
// is the call without its budget: "holdfast.Loader(path".
Fix load_within(const Death& death, std::string_view call);

}  // namespace holdfast
