// Memory that was granted a moment ago and is not yet touched. The kernel does not count it yet, so
// threads and workers that ask at the same time would each see the same free memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/guard/page.h"
#include "record/guard_format.h"

namespace holdfast::agent {

struct Promise {
    std::uint32_t number = format::guard_promises;  // none
    std::uint64_t ticket = 0;
};

// Announces what this thread is about to take. Its last one is replaced: who asks again has used
// what it got, or will not soon.
Promise make_promise(GuardState& state, format::GuardPage& page, std::uint64_t bytes,
                     std::int64_t now);
void take_back(format::GuardPage& page, const Promise& promise);

// This thread was promised something since the last promise_is_about().
bool awaits_block();
// The block that this thread's last promise was about; of it can be seen what is touched. Null: it
// may stay untouched for good, so that only time tells, as with allocators other than glibc's.
void promise_is_about(GuardState& state, const void* block, std::size_t size);

// What others were promised before and have not touched yet.
struct Promised {
    std::uint64_t all = 0;
    std::uint64_t here = 0;  // of that, in blocks of this process
    // Beside `all`: what is left of this process's older blocks, which may still be written to,
    // slowly, or never will be.
    std::uint64_t begun = 0;
};
// A damaged table promises nothing that lasts: the caller waits at most `longest_promise` for it.
Promised promised_before(GuardState& state, format::GuardPage& page, const Promise& own,
                         std::int64_t now);
inline constexpr std::int64_t longest_promise = 2'000'000'000;

}  // namespace holdfast::agent
