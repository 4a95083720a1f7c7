#include "present/headline.h"

#include <array>

#include "base/format.h"

namespace holdfast {
namespace {

struct Headline {
    CauseId cause;
    std::string_view text;
};

constexpr std::array headlines{
    Headline{"cgroup-oom"_cause, "Killed by the kernel at its container's memory limit"},
    Headline{"host-oom"_cause, "Killed by the kernel: the machine ran out of memory"},
    Headline{"oom-victim"_cause, "Killed by the kernel for memory another process had taken"},
    Headline{"worker-oom"_cause, "A worker was OOM-killed, and the program failed with it"},
    Headline{"alloc-refused"_cause, "One allocation was refused: too large for what was free"},
    Headline{"address-limit"_cause, "Stopped by its address-space limit while memory was free"},
    Headline{"overcommit-limit"_cause, "Memory refused by strict overcommit"},
    Headline{"map-count"_cause, "Too many memory mappings (vm.max_map_count)"},
    Headline{"userspace-oom"_cause, "Killed by a userspace out-of-memory daemon"},
    Headline{"host-leak"_cause, "A memory leak: one line keeps more with every step"},
    Headline{"dataset-in-ram"_cause, "One line loads more than fits in memory"},
    Headline{"swap-thrash"_cause, "Stalled by memory pressure: swapping instead of working"},
    Headline{"shm-full"_cause, "Shared memory (/dev/shm) was full"},
    Headline{"guard-refused"_cause, "Holdfast refused an allocation that would have killed it"},
    Headline{"worker-copies"_cause, "The workers' copies of the data filled the memory"},
    Headline{"cuda-oom"_cause, "The GPU ran out of memory"},
    Headline{"cuda-fragmentation"_cause, "GPU memory was free, but in pieces too small"},
    Headline{"gpu-leak"_cause, "A GPU memory leak: one line keeps more with every step"},
    Headline{"gpu-occupied"_cause, "Another process holds the GPU's memory"},
    Headline{"gpu-preallocated"_cause, "A framework had taken the whole GPU at its start"},
    Headline{"segfault"_cause, "Crashed in native code: invalid memory access"},
    Headline{"stack-overflow"_cause, "The C stack ran out: recursion too deep"},
    Headline{"heap-corruption"_cause, "Native code had damaged the heap"},
    Headline{"mapped-file-gone"_cause, "A memory-mapped file shrank or went away"},
    Headline{"disk-full-mapping"_cause, "The disk under a memory-mapped file was full"},
    Headline{"illegal-instruction"_cause, "A library uses an instruction this CPU does not have"},
    Headline{"native-abort"_cause, "Native code called abort"},
    Headline{"arithmetic-trap"_cause, "Native code divided by zero"},
    Headline{"native-race"_cause, "Crashed with several threads in the same native library"},
    Headline{"fatal-python-error"_cause, "The Python interpreter itself gave up"},
    Headline{"cuda-illegal-access"_cause, "A GPU kernel touched memory it must not"},
    Headline{"cuda-assert"_cause, "A GPU kernel's assertion failed: index or label out of range"},
    Headline{"openmp-duplicate"_cause, "Two OpenMP runtimes were loaded into one process"},
    Headline{"cuda-library-missing"_cause, "A CUDA library was not found"},
    Headline{"cuda-library-mismatch"_cause, "cuDNN is not the version this build needs"},
    Headline{"driver-too-old"_cause, "The NVIDIA driver does not suit this CUDA"},
    Headline{"gpu-unsupported"_cause, "This build has no code for this GPU"},
    Headline{"mkl-broken"_cause, "MKL could not load its kernels"},
    Headline{"protobuf-clash"_cause, "Two versions of protobuf collided"},
    Headline{"numpy-abi"_cause, "An extension was built for another NumPy"},
    Headline{"no-display"_cause, "A GUI library found no display"},
    Headline{"allocator-clash"_cause, "Two memory allocators disagreed in one process"},
    Headline{"library-missing"_cause, "A shared library, or a symbol in it, was not found"},
    Headline{"gpu-setup"_cause, "The GPU's driver or settings keep CUDA from using it"},
    Headline{"package-conflict"_cause, "Installed packages do not fit together"},
    Headline{"notebook-kernel"_cause, "The notebook kernel starts no Python, or another one"},
    Headline{"cpu-oversubscribed"_cause, "More threads than the CPUs that may be used"},
    Headline{"not-writable"_cause, "A folder that must be writable is not"},
    Headline{"locked-memory-limit"_cause, "Too little memory may be locked (RLIMIT_MEMLOCK)"},
    Headline{"emulated-cpu"_cause, "Failed under CPU emulation"},
    Headline{"runtime-clash"_cause, "Two native runtimes clashed in one process"},
    Headline{"thread-limit"_cause, "No further thread or process was allowed"},
    Headline{"fd-limit"_cause, "Too many open files"},
    Headline{"disk-full"_cause, "The disk was full"},
    Headline{"cpu-time-limit"_cause, "Its CPU time limit was used up"},
    Headline{"file-size-limit"_cause, "A file reached the file-size limit"},
    Headline{"nan-loss"_cause, "The loss stopped being a finite number"},
    Headline{"bad-label"_cause, "A label or index was out of range"},
    Headline{"shape-mismatch"_cause, "Tensor shapes or types did not agree"},
    Headline{"bad-input"_cause, "An input file was corrupt or unreadable"},
    Headline{"checkpoint-corrupt"_cause, "A checkpoint was truncated or unreadable"},
    Headline{"fork-deadlock"_cause, "A forked worker waits for a lock nobody will release"},
    Headline{"loader-stall"_cause, "Training waits for its data"},
    Headline{"no-progress"_cause, "Busy, but no step finishes"},
    Headline{"collective-timeout"_cause, "A rank did not join a collective operation"},
    Headline{"io-stall"_cause, "Blocked in the kernel on a disk or network filesystem"},
    Headline{"lock-deadlock"_cause, "It waits for a lock that nobody will release"},
    Headline{"peer-lost"_cause, "Another rank, or the ranks' store, went away"},
    Headline{"gpu-lost"_cause, "The GPU fell off the bus"},
    Headline{"gpu-ecc"_cause, "The GPU's memory had uncorrectable errors"},
    Headline{"gpu-throttled"_cause, "Heat or power slowed the GPU"},
    Headline{"ram-errors"_cause, "The machine's memory had errors"},
    Headline{"disk-errors"_cause, "The disk returned errors"},
    Headline{"uneven-steps"_cause, "Same work, very uneven step times"},
    Headline{"clean-exit"_cause, "Finished"},
    Headline{"exception"_cause, "Ended by an unhandled exception"},
    Headline{"killed"_cause, "Somebody killed it"},
    Headline{"interrupted"_cause, "Interrupted"},
    Headline{"hangup"_cause, "The terminal or SSH session went away"},
    Headline{"preempted"_cause, "Stopped by the scheduler"},
    Headline{"exit-called"_cause, "The program ended itself"},
    Headline{"shut-down"_cause, "The notebook server shut the kernel down"},
    Headline{"unknown-kill"_cause, "Killed, and nothing says by whom or why"},
    Headline{"stopped-by-launcher"_cause, "Its launcher stopped it"},
};

}  // namespace

std::string_view headline_of(CauseId cause) {
    for (const Headline& headline : headlines)
        if (headline.cause == cause) return headline.text;
    return cause->meaning;
}

std::string headline_of(const Statement& finding) {
    const std::string text(headline_of(finding.cause));
    // These two say themselves how much is known.
    if (finding.cause == "unknown-kill"_cause || finding.cause == "clean-exit"_cause) return text;
    switch (finding.confidence) {
    case Confidence::certain: return text;
    case Confidence::likely: return "Probably: " + text;
    case Confidence::unknown: return "Perhaps: " + text;
    }
    return text;
}

std::string headline_of_end(const Verdict& verdict) {
    const bool seen = verdict.exit.code || verdict.exit.signal;
    if (verdict.end.cause == "unknown-kill"_cause && !seen)
        return "Gone, and nobody saw how it ended";
    return headline_of(verdict.end);
}

std::string place_name(const std::string& file, std::optional<int> line) {
    if (!line) return file;
    return formatted("{}{}{}", file, file.starts_with("cell [") ? ", line " : ":", *line);
}

}  // namespace holdfast
