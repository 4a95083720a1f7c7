// A place in crash.box for one crash.
#pragma once

#include "record/agent_format.h"

namespace holdfast::agent {

// Maps the run's crash.box. At start-up: later the program may have no descriptor left, or have
// changed its root. The mapping is inherited by children, whose crashes go to the same file.
void map_crash_box();

// `own`: this process's earlier record, if it survived that crash; it is reused. Null if every
// place holds a crash that some process died of. The record's state is `writing`.
format::Crash* take_crash_slot(format::Crash* own);

void set_state(format::Crash& crash, format::CrashState state);  // only while recording
format::CrashState state_of(const format::Crash& crash);
// The program goes on. Cannot fault, whatever became of the file.
void mark_survived(format::Crash& crash);
// Every finished record of this process was of a crash it survived.
void mark_all_survived();

}  // namespace holdfast::agent
