// Text about who waits, and for what.
#pragma once

#include <string>
#include <vector>

#include "diagnose/stall/standstill.h"
#include "diagnose/words/account.h"
#include "model/verdict.h"

namespace holdfast {

// "waits for a lock at train.py:12 in step"
std::string what_it_does(const WaitingThread& thread);
// "MainThread", "collect", or "thread 4243" if its name is only that of the program.
std::string thread_label(const WaitingThread& thread, const StalledProcess& process);
// "worker 4242", "rank 1 (pid 4242)", "python train.py (pid 4242)"
std::string name_of(const Death& death, const StalledProcess& process);
// "for 4 min 10 s"
std::string for_how_long(const Standstill& stand);

// The text that all accounts of a stall share: how long it lasts, the usual step time, who waits
// where.
Account account_of_stall(const Autopsy& death, const Standstill& stand, std::string summary);

// The stacks of everybody in the stall, the culprit's first.
std::vector<PythonStack> stall_stacks(const Autopsy& death, const Standstill& stand);

}  // namespace holdfast
