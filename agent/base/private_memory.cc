#include "agent/base/private_memory.h"

#include <sys/mman.h>

#include "agent/base/spin_lock.h"

namespace holdfast::agent {

constinit thread_local bool busy __attribute__((tls_model("initial-exec"))) = false;
constinit thread_local bool in_own_python __attribute__((tls_model("initial-exec"))) = false;

namespace {

void* map(std::size_t size) {
    // Through our own hook of mmap, which passes on whatever a busy thread asks for.
    const Busy inside;
    void* memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

void* wiped_on_fork(std::size_t size) {
    void* memory = map(size);
    // Linux before 4.14 cannot wipe. Without wiping, a child might wait for a lock that nobody
    // holds any more. So such kernels give no such memory, and its users stay switched off.
    if (memory != nullptr && ::madvise(memory, size, MADV_WIPEONFORK) != 0) return nullptr;
    return memory;
}

void* kept_on_fork(std::size_t size) { return map(size); }

}  // namespace holdfast::agent
