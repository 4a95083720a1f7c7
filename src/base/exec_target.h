// Whether a program that is about to be started can have the agent. Part of the supervisor and of
// the agent itself, so it needs nothing but libc.
#pragma once

#include <cstddef>

namespace holdfast {

// False where loading us would hurt: a 32-bit program or one of another C library (its loader would
// complain or give up), one linked to a sanitizer's runtime (which insists on being first). Static
// programs cannot load us but hand the environment on, so they are fine, and so is what cannot be
// read. Scripts are judged by their interpreter. Only system calls; safe in the child of a vfork.
bool can_take_agent(const char* path);

// The same for a name that is looked up in PATH.
bool can_take_agent_by_name(const char* name);

// A sanitizer's runtime in an LD_PRELOAD list refuses to start unless it comes first.
bool names_sanitizer(const char* preload, std::size_t size);

}  // namespace holdfast
