// Whether a program that is about to be started can have the agent. Part of the supervisor and of
// the agent itself, so it needs nothing but libc.
#pragma once

#include <cstddef>

namespace holdfast {

enum class AgentTarget {
    cannot,    // loading us would hurt
    loads,     // surely has us from its first moment on
    hands_on,  // a static program, or one that cannot be read: those it starts may have us
};

// The same in one word: false where loading us would hurt: a 32-bit program or one of another C
// library (its loader would complain or give up), one linked to a sanitizer's runtime (which
// insists on being first). Static programs cannot load us but pass the environment on, so the
// answer is true for them, and also for files that cannot be read. Scripts are judged by their
// interpreter. Only system calls; safe in the child of a vfork.
bool can_take_agent(const char* path);
AgentTarget agent_target(const char* path);

// The same for a name that is looked up in PATH.
bool can_take_agent_by_name(const char* name);
AgentTarget agent_target_by_name(const char* name);

// How many seccomp filters this process is under; before Linux 5.9 at most 1. Opens and reads a
// file, which every filter under which a program can be loaded allows. -1: unknown.
int seccomp_filters();

// A sanitizer's runtime in an LD_PRELOAD list refuses to start unless it comes first.
bool names_sanitizer(const char* preload, std::size_t size);

}  // namespace holdfast
