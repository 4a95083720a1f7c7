// Language runtimes that want all signals for themselves.
#pragma once

namespace holdfast::agent {

// Go's runtime takes a handler it finds at its start for one of the program's, and hands it every
// crash in C code instead of printing its own report.
bool is_go_program();

}  // namespace holdfast::agent
