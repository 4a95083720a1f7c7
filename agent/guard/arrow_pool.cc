// Arrow (and with it pandas' text columns and parquet files) brings an allocator that maps memory
// in bulk and hands it out unseen. Where the guard is to refuse, Arrow is told to use malloc, as
// its own variable would; the program's environment stays as it is.
#include <stdlib.h>

#include <cstring>

#include "agent/base/clock.h"
#include "agent/base/export.h"
#include "agent/base/real.h"
#include "agent/base/self_memory.h"
#include "agent/guard/page.h"

namespace holdfast::agent {
namespace {

constexpr char pool_name[] = "ARROW_DEFAULT_MEMORY_POOL";

bool guard_is_on() {
    const KeepErrno keep;
    format::GuardSettings settings{};
    return guard_state() != nullptr && guard_settings(settings, now()) &&
           settings.mode == format::GuardMode::on;
}

constinit Real<char* (*)(const char*)> next_getenv{"getenv"};
char system_pool[] = "system";

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast::agent;

HOLDFAST_EXPORT char* getenv(const char* name) noexcept {
    char* found = next_getenv()(name);
    if (found != nullptr || name[0] != 'A' || std::strcmp(name, pool_name) != 0) return found;
    return guard_is_on() ? system_pool : nullptr;
}
