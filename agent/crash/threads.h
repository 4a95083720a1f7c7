// The process's threads and where each was, as the crash record lists them.
#pragma once

#include "record/agent_format.h"

namespace holdfast::agent {

void list_threads(format::Crash& crash);

}  // namespace holdfast::agent
