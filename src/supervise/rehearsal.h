// Tries, in a child, the calls that watching needs: a seccomp filter that is already in force may
// kill for a call that it does not list, and a service's list was written for the program alone.
#pragma once

namespace holdfast {

// Whether our seccomp filters (if any) allow every call that watching makes, and every call that
// only the agent makes. A child tries the calls, with arguments that do nothing.
bool filters_allow_watching();
bool filters_allow_agent();

}  // namespace holdfast
