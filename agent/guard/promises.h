// Memory granted a moment ago and not yet touched: the kernel does not count it yet, so threads and
// workers that ask at the same time would each be shown the same room.
#pragma once

#include <cstdint>

#include "record/guard_format.h"

namespace holdfast::agent {

struct Promise {
    std::uint32_t number = format::guard_promises;  // none
    std::uint64_t ticket = 0;
};

// Announces what this thread is about to take. Its last one is replaced: who asks again has used
// what it got, or will not soon.
Promise make_promise(format::GuardPage& page, std::uint64_t bytes, std::int64_t now);
void take_back(format::GuardPage& page, const Promise& promise);

// What others were promised before, as far as that is not over. A damaged table promises nothing
// that lasts: the caller waits at most `longest_promise` for it.
std::uint64_t promised_before(format::GuardPage& page, const Promise& own, std::int64_t now);
inline constexpr std::int64_t longest_promise = 2'000'000'000;

}  // namespace holdfast::agent
