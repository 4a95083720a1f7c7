// Memory that was granted a moment ago and is not yet touched. The kernel does not count it yet, so
// threads and workers that ask at the same time would each see the same free memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/guard/guard_page.h"
#include "record/guard_format.h"

namespace holdfast::agent {

struct Promise {
    std::uint32_t number = format::guard_promises;  // none
    std::uint64_t ticket = 0;
};

// Announces what this thread is about to take, and replaces its last promise: a thread that asks
// again has used what it got, or will not use it soon.
Promise make_promise(GuardState& state, format::GuardPage& page, std::uint64_t bytes,
                     std::int64_t now);
void take_back(format::GuardPage& page, const Promise& promise);

// This thread got a promise since the last promise_is_about().
bool awaits_block();
// Names the block of this thread's last promise, so that its touched pages can be counted. Null:
// the block may stay untouched for good, or comes from an allocator other than glibc's; then the
// promise ends only by time.
void promise_is_about(GuardState& state, const void* block, std::size_t size);

// What others were promised before and have not touched yet.
struct Promised {
    std::uint64_t all = 0;
    std::uint64_t here = 0;  // of that, in blocks of this process
    // Not part of `all`: the untouched rest of this process's older blocks, which may still be
    // written to slowly, or never.
    std::uint64_t begun = 0;
};
// A damaged table delays the caller by at most `longest_promise`.
Promised promised_before(GuardState& state, format::GuardPage& page, const Promise& own,
                         std::int64_t now);
inline constexpr std::int64_t longest_promise = 2'000'000'000;

}  // namespace holdfast::agent
