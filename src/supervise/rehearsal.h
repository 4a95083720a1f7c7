// A seccomp filter that is in force already may kill whoever makes a call it does not list, and a
// service's list was written for the program alone.
#pragma once

namespace holdfast {

// Whether the filters we are under, if any, let us make every call that watching takes; and those
// that only the agent makes. A child tries them, with arguments that do nothing.
bool filters_allow_watching();
bool filters_allow_agent();

}  // namespace holdfast
