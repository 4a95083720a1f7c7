// Last words that the process wrote to a pipe only it itself would have read: a Jupyter kernel
// redirects stderr so, and dies before its thread has passed them on.
#pragma once

#include "record/agent_format.h"

namespace holdfast::agent {

void save_unread_stderr(format::Crash& crash);

}  // namespace holdfast::agent
