#include "agent/guard/promises.h"

#include <unistd.h>

#include <atomic>

#include "agent/process/own_process.h"

namespace holdfast::agent {
namespace {

using format::GuardPage;
using format::GuardPromise;

constexpr std::int64_t shortest_promise = 400'000'000;

std::uint64_t own_name() {
    return static_cast<std::uint64_t>(::getpid()) << 32U |
           static_cast<std::uint32_t>(own_thread_id());
}

// Touching goes at a gigabyte a second, on a busy machine at a quarter of that.
std::int64_t time_to_touch(std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(longest_promise) / 5) return longest_promise;
    return shortest_promise + static_cast<std::int64_t>(bytes) * 4;
}

bool over(const GuardPromise& promise, std::int64_t now) {
    const std::int64_t until =
        std::atomic_ref(const_cast<std::int64_t&>(promise.until)).load(std::memory_order_relaxed);
    return until <= now || until - now > longest_promise;
}

// The thread's own place, else one that is free or over.
std::uint32_t find(GuardPage& page, std::uint64_t name, std::int64_t now) {
    for (std::uint32_t i = 0; i < format::guard_promises; ++i)
        if (std::atomic_ref(page.promises[i].owner).load(std::memory_order_relaxed) == name)
            return i;
    for (std::uint32_t i = 0; i < format::guard_promises; ++i) {
        std::uint64_t owner = std::atomic_ref(page.promises[i].owner).load();
        if (owner != 0 && !over(page.promises[i], now)) continue;
        if (std::atomic_ref(page.promises[i].owner).compare_exchange_strong(owner, name)) return i;
    }
    return format::guard_promises;
}

}  // namespace

Promise make_promise(GuardPage& page, std::uint64_t bytes, std::int64_t now) {
    Promise own;
    own.ticket = std::atomic_ref(page.next_ticket).fetch_add(1) + 1;
    own.number = find(page, own_name(), now);
    if (own.number == format::guard_promises) return own;
    GuardPromise& promise = page.promises[own.number];
    std::atomic_ref(promise.bytes).store(bytes, std::memory_order_relaxed);
    std::atomic_ref(promise.ticket).store(own.ticket, std::memory_order_relaxed);
    std::atomic_ref(promise.until).store(now + time_to_touch(bytes), std::memory_order_release);
    return own;
}

void take_back(GuardPage& page, const Promise& promise) {
    if (promise.number >= format::guard_promises) return;
    std::atomic_ref(page.promises[promise.number].until).store(0, std::memory_order_release);
    std::atomic_ref(page.promises[promise.number].owner).store(0, std::memory_order_release);
}

std::uint64_t promised_before(GuardPage& page, const Promise& own, std::int64_t now) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < format::guard_promises; ++i) {
        GuardPromise& promise = page.promises[i];
        if (i == own.number || over(promise, now)) continue;
        if (std::atomic_ref(promise.ticket).load(std::memory_order_relaxed) >= own.ticket) continue;
        std::uint64_t more = 0;
        if (__builtin_add_overflow(sum, std::atomic_ref(promise.bytes).load(), &more)) return ~0ULL;
        sum = more;
    }
    return sum;
}

}  // namespace holdfast::agent
