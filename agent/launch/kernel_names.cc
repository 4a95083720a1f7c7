#include "agent/launch/kernel_names.h"

namespace holdfast::agent {

void KernelNames::learn(const void* function, const NameSource& source) {
    if (!source.complete() || !of(function).empty()) return;
    // The runtime keeps a thread's last error for the program to read. The program's error must
    // stay there, and ours must not be left there.
    if (source.peek_error() != 0) return;
    const char* mangled = nullptr;
    if (source.name(&mangled, function) != 0) {
        source.take_error();
        return;
    }
    char name[longest_kernel_name];
    const std::size_t size = short_kernel_name(Text::of(mangled), name);
    if (size == 0) return;
    const Busy inside;
    lock_.lock();
    for (std::size_t i = 0; i < most_tries; ++i) {
        Entry& entry = entries_[(start_of(function) + i) % most];
        const void* there = entry.function.load(std::memory_order_relaxed);
        if (there == function) break;
        if (there != nullptr) continue;
        std::memcpy(entry.name, name, size);
        entry.size = size;
        entry.function.store(function, std::memory_order_release);
        break;
    }
    lock_.unlock();
}

Text KernelNames::of(const void* function) const {
    for (std::size_t i = 0; i < most_tries; ++i) {
        const Entry& entry = entries_[(start_of(function) + i) % most];
        const void* there = entry.function.load(std::memory_order_acquire);
        if (there == function) return {entry.name, entry.size};
        if (there == nullptr) break;
    }
    return {};
}

}  // namespace holdfast::agent
