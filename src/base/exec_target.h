// Whether a program that is about to be started can have the agent. Part of the supervisor and of
// the agent itself, so it needs nothing but libc.
#pragma once

#include <cstddef>

namespace holdfast {

enum class AgentTarget {
    cannot,    // loading the agent would break it
    loads,     // has the agent from its first moment on
    hands_on,  // static or unreadable: does not load the agent, but its children may
};

// False where loading the agent would break the program: a 32-bit program or one of another C
// library (its loader would complain or give up), or one linked to a sanitizer's runtime (which
// insists on being first). True for a static program, which cannot load the agent but passes the
// environment on, and for a file that cannot be read. A script is judged by its interpreter. Makes
// only system calls; safe in the child of a vfork.
bool can_take_agent(const char* path);
AgentTarget agent_target(const char* path);

// The same for a name that is looked up in PATH.
bool can_take_agent_by_name(const char* name);
AgentTarget agent_target_by_name(const char* name);

// How many seccomp filters this process is under; at most 1 before Linux 5.9, -1 if unknown. Only
// opens and reads a file: a filter that lets programs load allows that.
int seccomp_filters();

// Whether an LD_PRELOAD list names a sanitizer's runtime, which refuses to start unless it comes
// first.
bool names_sanitizer(const char* preload, std::size_t size);

}  // namespace holdfast
