// The last output in a pipe that only the process itself reads: a Jupyter kernel redirects stderr
// into one, and dies before its thread has passed the output on.
#pragma once

#include "record/agent_format.h"

namespace holdfast::agent {

void save_unread_stderr(format::Crash& crash);

}  // namespace holdfast::agent
