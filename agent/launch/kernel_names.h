// The names of kernels by their function pointers. After an error on the GPU the runtime no longer
// answers, so each name is asked for at the kernel's first launch.
#pragma once

#include <atomic>
#include <cstddef>

#include "agent/base/spin_lock.h"
#include "agent/base/text.h"
#include "agent/launch/kernel_name.h"

namespace holdfast::agent {

// The runtime's functions; null where it has none (before CUDA 12.3).
struct NameSource {
    int (*name)(const char** name, const void* function) = nullptr;
    int (*peek_error)() = nullptr;
    int (*take_error)() = nullptr;
    bool complete() const { return name && peek_error && take_error; }
};

// Zeroed is empty; in memory that fork wipes.
class KernelNames {
public:
    void learn(const void* function, const NameSource& source);
    // Empty: not known.
    Text of(const void* function) const;

private:
    static constexpr std::size_t most = 2048;
    static constexpr std::size_t most_tries = 32;
    struct Entry {
        std::atomic<const void*> function;
        std::size_t size;
        char name[longest_kernel_name];
    };
    static std::size_t start_of(const void* function) {
        return reinterpret_cast<std::uintptr_t>(function) / 16 * 0x9E3779B97F4A7C15U >> 53U;
    }
    static_assert(most == 1U << (64U - 53U));

    SpinLock lock_;
    Entry entries_[most];
};

}  // namespace holdfast::agent
