// This process's slot in the run's agent.box.
#pragma once

#include "record/agent_format.h"

namespace holdfast::agent {

// Null: not supervised, no free slot, or not taken yet. One load and a test; safe anywhere: in
// allocation hooks, in signal handlers, and in a child of fork or raw clone, where the parent's
// mapping is gone (the answer is null there until the child takes its own).
format::AgentSlot* slot();

// The same, but takes one first where this process has none. A few system calls the first time;
// async-signal-safe; never allocates.
format::AgentSlot* take_slot();

// A clean end: another process may use the slot. Not called by a process that dies.
void give_slot_back();

// Brings all pages of the slot into memory before the guard compares with what is left. They may
// have been dropped, and then our own store could cause the OOM kill.
void bring_slot_back();

// Nothing is written any more; what is there stays.
void leave_slot();

// The run's directory ("/home/u/.local/state/holdfast/runs/<id>"), or null when not supervised.
const char* run_directory();

}  // namespace holdfast::agent
