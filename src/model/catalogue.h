// The catalogue: the only list of causes. Codes and slugs are stable, because programs match on
// them; a new cause gets a new number and a page in causes/. Order is by code.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace holdfast {

struct Cause {
    using Slugs = std::span<const std::string_view>;
    // How a process ended; why it came to that, but never the end itself; or what it suffered from,
    // which is a reason only where somebody lost patience.
    enum class Kind { end, reason, circumstance };
    // Whether somebody or something outside ended the program.
    enum class Stopped { no, by_somebody, from_outside };

    std::string_view code;     // "HF101"
    std::string_view slug;     // "cgroup-oom"
    std::string_view meaning;  // one line, lower case, no full stop

    // Read by ranking. The defaults suit an end that has a message or a mark of its own.
    Kind kind = Kind::end;
    int generality = 0;    // of several ends, the least general one is named
    Slugs explained_by{};  // the reasons that may lead to this end
    Slugs yields_to{};     // even if certain, it gives way to these if they are only likely
    Stopped stopped = Stopped::no;
    bool told_alone = true;  // false: a reason is dropped if it explains nothing

    constexpr Cause reason() {
        kind = Kind::reason;
        return *this;
    }
    constexpr Cause quiet_reason() {
        kind = Kind::reason;
        told_alone = false;
        return *this;
    }
    constexpr Cause circumstance() {
        kind = Kind::circumstance;
        return *this;
    }
    constexpr Cause general(int order) {
        generality = order;
        return *this;
    }
    constexpr Cause explained(Slugs by) {
        explained_by = by;
        return *this;
    }
    constexpr Cause yields(Slugs to) {
        yields_to = to;
        return *this;
    }
    constexpr Cause stops(Stopped how) {
        stopped = how;
        return *this;
    }
};

namespace catalogue_columns {

using Slugs = std::string_view[];
inline constexpr Slugs of_host_memory{"host-leak", "dataset-in-ram", "worker-copies"};
// A ulimit may be far below the machine's memory: data that exceeds it need not be too large.
inline constexpr Slugs of_address_space{"host-leak", "worker-copies"};
// Its workers held at least half of the limit.
inline constexpr Slugs copies{"worker-copies"};
inline constexpr Slugs of_refused_memory{"host-leak", "dataset-in-ram", "worker-copies",
                                         "oom-victim"};
inline constexpr Slugs of_gpu_memory{"gpu-leak"};
inline constexpr Slugs of_assertion{"bad-label"};
// Only if the exception is about such a number, or about GPU memory.
inline constexpr Slugs of_exception{"gpu-leak", "nan-loss"};
// Only if the program looked at its loss and exited.
inline constexpr Slugs of_exit{"nan-loss"};
// "exception" means "none of the others": even a merely likely cause replaces it.
inline constexpr Slugs anything{"*"};
// An uncaught std::bad_alloc aborts: the abort only shows the refusal.
inline constexpr Slugs refusals{"alloc-refused", "address-limit", "overcommit-limit", "map-count",
                                "thread-limit"};
// A program chose its exit status because it was asked to stop.
inline constexpr Slugs requests{"killed", "interrupted",   "preempted",
                                "hangup", "userspace-oom", "stopped-by-launcher"};

}  // namespace catalogue_columns

inline constexpr std::array catalogue{
    Cause{"HF101", "cgroup-oom", "the kernel's OOM killer ended it at a container/cgroup limit"}
        .general(3)
        .explained(catalogue_columns::of_host_memory),
    Cause{"HF102", "host-oom", "the machine ran out of memory, this process was the large one"}
        .general(4)
        .explained(catalogue_columns::of_host_memory),
    Cause{"HF103", "oom-victim", "the OOM killer took it, but another process had eaten the memory"}
        .general(1),
    Cause{"HF104", "worker-oom",
          "a child (data-loader or pool worker) was OOM-killed and the parent failed because of it"}
        .explained(catalogue_columns::of_host_memory),
    Cause{"HF105", "alloc-refused",
          "one allocation was refused: MemoryError, bad_alloc, \"DefaultCPUAllocator: can't "
          "allocate\""}
        .general(7)
        .explained(catalogue_columns::of_host_memory),
    Cause{"HF106", "address-limit", "RLIMIT_AS or RLIMIT_DATA, while RAM was free"}.explained(
        catalogue_columns::of_address_space),
    Cause{"HF107", "overcommit-limit", "strict overcommit refused it"}.explained(
        catalogue_columns::of_host_memory),
    Cause{"HF108", "map-count", "vm.max_map_count reached"},
    Cause{"HF109", "userspace-oom", "earlyoom, systemd-oomd or a kubelet eviction ended it"}
        .general(2)
        .explained(catalogue_columns::of_host_memory),
    Cause{"HF110", "host-leak", "live memory grew with every step/epoch from one line"}.reason(),
    Cause{"HF111", "dataset-in-ram", "one line loads far more than fits, all at once"}
        .quiet_reason()
        .yields(catalogue_columns::copies),
    Cause{"HF112", "swap-thrash", "memory pressure stalled it (swap, reclaim) before the end"}
        .circumstance(),
    Cause{"HF113", "shm-full", "/dev/shm (or a tmpfs) was full"},
    Cause{"HF114", "guard-refused",
          "Holdfast refused an allocation that would have ended the process"}
        .explained(catalogue_columns::of_refused_memory),
    Cause{"HF115", "worker-copies", "workers' copies of the parent's memory added up to the limit"}
        .quiet_reason(),
    Cause{"HF201", "cuda-oom", "the GPU ran out of memory for this job"}.explained(
        catalogue_columns::of_gpu_memory),
    Cause{"HF202", "cuda-fragmentation",
          "reserved but unallocated memory was larger than the request"}
        .explained(catalogue_columns::of_gpu_memory),
    Cause{"HF203", "gpu-leak", "allocated GPU memory grew with every step from one line"}.reason(),
    Cause{"HF204", "gpu-occupied", "another process holds the GPU's memory"},
    Cause{"HF205", "gpu-preallocated",
          "a framework took the whole GPU at start (TensorFlow without memory growth)"},
    Cause{"HF301", "segfault", "invalid memory access in native code; names library and function"}
        .general(9),
    Cause{"HF302", "stack-overflow", "the C stack ran out (deep recursion)"},
    Cause{"HF303", "heap-corruption",
          "malloc found its heap damaged (overrun, double free, invalid pointer)"}
        .general(5),
    Cause{"HF304", "mapped-file-gone", "a file under mmap was truncated or lost"}.general(14),
    Cause{"HF305", "disk-full-mapping", "the filesystem under an mmap was full"}.general(8),
    Cause{"HF306", "illegal-instruction", "the CPU lacks an instruction the library uses"}.general(
        10),
    Cause{"HF307", "native-abort",
          "native code gave up: uncaught C++ exception, failed assertion, fatal check"}
        .general(12)
        .yields(catalogue_columns::refusals),
    Cause{"HF308", "arithmetic-trap", "integer division by zero and the like"}.general(13),
    Cause{"HF309", "native-race", "crash with several threads inside the same native library"},
    Cause{"HF310", "fatal-python-error", "the interpreter itself gave up"}.general(6),
    Cause{"HF311", "cuda-illegal-access", "a kernel touched memory it must not"},
    Cause{"HF312", "cuda-assert", "device-side assert (label or index out of range)"}.explained(
        catalogue_columns::of_assertion),
    Cause{"HF401", "openmp-duplicate", "two OpenMP runtimes in one process"},
    Cause{"HF402", "cuda-library-missing", "cuDNN/cuBLAS/NCCL shared library not found"},
    Cause{"HF403", "cuda-library-mismatch", "loaded cuDNN differs from the one compiled against"},
    Cause{"HF404", "driver-too-old", "NVIDIA driver too old / mismatched for this CUDA"},
    Cause{"HF405", "gpu-unsupported", "the build has no code for this GPU"},
    Cause{"HF406", "mkl-broken", "MKL cannot load its kernels"},
    Cause{"HF407", "protobuf-clash", "protobuf versions collide"},
    Cause{"HF408", "numpy-abi", "extension built for another NumPy"},
    Cause{"HF409", "no-display", "a GUI library wants a display"},
    Cause{"HF410", "allocator-clash", "another preloaded allocator disagrees"},
    Cause{"HF411", "library-missing", "ImportError for a shared object or a symbol version"},
    Cause{"HF412", "emulated-cpu", "running under emulation"},
    Cause{"HF413", "runtime-clash", "two native runtimes clash by load order"},
    Cause{"HF414", "gpu-setup", "the GPU's driver or settings keep CUDA from it"},
    Cause{"HF415", "package-conflict", "installed packages do not fit together"},
    Cause{"HF416", "notebook-kernel", "a notebook kernel starts no Python, or another one"},
    Cause{"HF501", "thread-limit", "no new thread or process: ulimit -u, pids.max"},
    Cause{"HF502", "fd-limit", "no new file descriptor"},
    Cause{"HF503", "disk-full", "no space on the device"},
    Cause{"HF504", "cpu-time-limit", "RLIMIT_CPU"},
    Cause{"HF505", "file-size-limit", "RLIMIT_FSIZE"},
    Cause{"HF506", "cpu-oversubscribed", "more threads than processors that may be used"},
    Cause{"HF507", "not-writable", "a folder that must be written to cannot be"},
    Cause{"HF508", "locked-memory-limit", "RLIMIT_MEMLOCK is too small for RDMA"},
    Cause{"HF601", "nan-loss", "loss or parameters stopped being finite"}.reason(),
    Cause{"HF602", "bad-label", "label/index out of range"},
    Cause{"HF603", "shape-mismatch", "tensor shapes or dtypes do not agree"},
    Cause{"HF604", "bad-input", "an input file is corrupt or unreadable"},
    Cause{"HF605", "checkpoint-corrupt", "a checkpoint is truncated or unreadable"},
    Cause{"HF701", "fork-deadlock", "a forked worker waits for a lock nobody in it will release"},
    Cause{"HF702", "loader-stall", "the training loop waits for data"},
    Cause{"HF703", "no-progress", "code runs but no step finishes"},
    Cause{"HF704", "collective-timeout", "a rank did not join a collective"},
    Cause{"HF705", "io-stall", "blocked in the kernel on a disk or network filesystem"},
    Cause{"HF706", "lock-deadlock", "threads of one process wait for each other"},
    // More general than whatever else ends a process, but not than the abort and the exception by
    // which it shows.
    Cause{"HF707", "peer-lost",
          "a rank ended because another rank, or the store they share, went away"}
        .general(11),
    Cause{"HF801", "gpu-lost", "GPU fell off the bus"},
    Cause{"HF802", "gpu-ecc", "uncorrectable GPU memory errors"},
    Cause{"HF803", "gpu-throttled", "heat or power slowed the GPU"}.reason(),
    Cause{"HF804", "ram-errors", "host memory errors"},
    Cause{"HF805", "disk-errors", "I/O errors from the device"},
    Cause{"HF806", "uneven-steps", "same work, very uneven step times"},
    Cause{"HF901", "clean-exit", "it finished"}.general(23),
    Cause{"HF902", "exception", "an unhandled Python exception, none of the above"}
        .general(20)
        .explained(catalogue_columns::of_exception)
        .yields(catalogue_columns::anything),
    Cause{"HF903", "killed", "somebody sent SIGKILL/SIGTERM; names the sender when known"}
        .general(19)
        .stops(Cause::Stopped::by_somebody),
    Cause{"HF904", "interrupted", "Ctrl-C / kernel interrupt"}.general(17).stops(
        Cause::Stopped::by_somebody),
    Cause{"HF905", "hangup", "terminal or SSH session went away"}.general(18).stops(
        Cause::Stopped::from_outside),
    Cause{"HF906", "preempted", "scheduler time limit or pre-emption"}.general(15).stops(
        Cause::Stopped::by_somebody),
    Cause{"HF907", "exit-called", "the program or a notebook cell called exit()/os._exit"}
        .general(21)
        .explained(catalogue_columns::of_exit)
        .yields(catalogue_columns::requests),
    Cause{"HF908", "shut-down", "the notebook server stopped or restarted the kernel on request"}
        .stops(Cause::Stopped::from_outside),
    Cause{"HF909", "unknown-kill",
          "SIGKILL with no trace of who or why; says what could not be read"}
        .general(22)
        .stops(Cause::Stopped::from_outside),
    Cause{"HF910", "stopped-by-launcher",
          "its launcher (torchrun, mpirun, slurmstepd) stopped it after something else failed"}
        .general(16)
        .stops(Cause::Stopped::by_somebody),
};

}  // namespace holdfast
