// What is known of a run before the first sample: the machine, the scheduler, the supervisor.
#pragma once

#include "record/run_facts.h"
#include "sources/roots.h"

namespace holdfast {

RunFacts facts_at_start(const sources::Roots& roots);

// Slurm, Kubernetes or none, by the variables that they set (knowledge/schedulers.txt).
SchedulerFacts scheduler_of(const char* (*get)(const char* name));

}  // namespace holdfast
