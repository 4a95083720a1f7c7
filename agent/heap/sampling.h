// Which allocations are counted: a thread's budget of bytes, spent on the fast path.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

// Zero for a new thread, so that its first allocation is a visit.
struct ThreadBudget {
    std::uint64_t left;          // bytes until the next visit
    std::uint64_t granted;       // what `left` began with
    std::uint64_t until_sample;  // bytes until the next sample, at the last visit
    std::uint64_t interval;      // the mean that was drawn from
    std::uint64_t random;
    std::uint32_t epoch;
    bool main_thread;
};
// constinit here too: without it every use asks whether there is a constructor to run.
extern constinit thread_local ThreadBudget thread_budget
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The budget does not cover `size` bytes. Returns how many bytes this block represents if it is a
// sample, else 0.
std::uint64_t visit(std::size_t size);

// Used instead of a visit where the stack has no room for one.
void let_pass();

// Spends `size`; false: the budget does not cover it, call visit().
inline bool spend(std::size_t size) {
    std::uint64_t left = 0;
    if (__builtin_expect(__builtin_sub_overflow(thread_budget.left, size, &left), 0)) return false;
    thread_budget.left = left;
    return true;
}

}  // namespace holdfast::agent
