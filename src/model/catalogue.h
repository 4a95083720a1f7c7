// The catalogue: the only list of causes. Codes and slugs are stable, programs match on them; a new
// cause gets a new number and a page in causes/. Order is by code.
#pragma once

#include <array>
#include <string_view>

namespace holdfast {

struct Cause {
    std::string_view code;     // "HF101"
    std::string_view slug;     // "cgroup-oom"
    std::string_view meaning;  // one line, lower case, no full stop
};

inline constexpr std::array catalogue{
    Cause{"HF101", "cgroup-oom", "the kernel's OOM killer ended it at a container/cgroup limit"},
    Cause{"HF102", "host-oom", "the machine ran out of memory, this process was the large one"},
    Cause{"HF103", "oom-victim",
          "the OOM killer took it, but another process had eaten the memory"},
    Cause{
        "HF104", "worker-oom",
        "a child (data-loader or pool worker) was OOM-killed and the parent failed because of it"},
    Cause{"HF105", "alloc-refused",
          "one allocation was refused: MemoryError, bad_alloc, \"DefaultCPUAllocator: can't "
          "allocate\""},
    Cause{"HF106", "address-limit", "RLIMIT_AS or RLIMIT_DATA, while RAM was free"},
    Cause{"HF107", "overcommit-limit", "strict overcommit refused it"},
    Cause{"HF108", "map-count", "vm.max_map_count reached"},
    Cause{"HF109", "userspace-oom", "earlyoom, systemd-oomd or a kubelet eviction ended it"},
    Cause{"HF110", "host-leak", "live memory grew with every step/epoch from one line"},
    Cause{"HF111", "dataset-in-ram", "one line loads far more than fits, all at once"},
    Cause{"HF112", "swap-thrash", "memory pressure stalled it (swap, reclaim) before the end"},
    Cause{"HF113", "shm-full", "/dev/shm (or a tmpfs) was full"},
    Cause{"HF114", "guard-refused",
          "Holdfast refused an allocation that would have ended the process"},
    Cause{"HF115", "worker-copies", "workers' copies of the parent's memory added up to the limit"},
    Cause{"HF201", "cuda-oom", "the GPU ran out of memory for this job"},
    Cause{"HF202", "cuda-fragmentation",
          "reserved but unallocated memory was larger than the request"},
    Cause{"HF203", "gpu-leak", "allocated GPU memory grew with every step from one line"},
    Cause{"HF204", "gpu-occupied", "another process holds the GPU's memory"},
    Cause{"HF205", "gpu-preallocated",
          "a framework took the whole GPU at start (TensorFlow without memory growth)"},
    Cause{"HF301", "segfault", "invalid memory access in native code; names library and function"},
    Cause{"HF302", "stack-overflow", "the C stack ran out (deep recursion)"},
    Cause{"HF303", "heap-corruption",
          "malloc found its heap damaged (overrun, double free, invalid pointer)"},
    Cause{"HF304", "mapped-file-gone", "a file under mmap was truncated or lost"},
    Cause{"HF305", "disk-full-mapping", "the filesystem under an mmap was full"},
    Cause{"HF306", "illegal-instruction", "the CPU lacks an instruction the library uses"},
    Cause{"HF307", "native-abort",
          "native code gave up: uncaught C++ exception, failed assertion, fatal check"},
    Cause{"HF308", "arithmetic-trap", "integer division by zero and the like"},
    Cause{"HF309", "native-race", "crash with several threads inside the same native library"},
    Cause{"HF310", "fatal-python-error", "the interpreter itself gave up"},
    Cause{"HF311", "cuda-illegal-access", "a kernel touched memory it must not"},
    Cause{"HF312", "cuda-assert", "device-side assert (label or index out of range)"},
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
    Cause{"HF501", "thread-limit", "no new thread or process: ulimit -u, pids.max"},
    Cause{"HF502", "fd-limit", "no new file descriptor"},
    Cause{"HF503", "disk-full", "no space on the device"},
    Cause{"HF504", "cpu-time-limit", "RLIMIT_CPU"},
    Cause{"HF505", "file-size-limit", "RLIMIT_FSIZE"},
    Cause{"HF601", "nan-loss", "loss or parameters stopped being finite"},
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
    Cause{"HF801", "gpu-lost", "GPU fell off the bus"},
    Cause{"HF802", "gpu-ecc", "uncorrectable GPU memory errors"},
    Cause{"HF803", "gpu-throttled", "heat or power slowed the GPU"},
    Cause{"HF804", "ram-errors", "host memory errors"},
    Cause{"HF805", "disk-errors", "I/O errors from the device"},
    Cause{"HF806", "uneven-steps", "same work, very uneven step times"},
    Cause{"HF901", "clean-exit", "it finished"},
    Cause{"HF902", "exception", "an unhandled Python exception, none of the above"},
    Cause{"HF903", "killed", "somebody sent SIGKILL/SIGTERM; names the sender when known"},
    Cause{"HF904", "interrupted", "Ctrl-C / kernel interrupt"},
    Cause{"HF905", "hangup", "terminal or SSH session went away"},
    Cause{"HF906", "preempted", "scheduler time limit or pre-emption"},
    Cause{"HF907", "exit-called", "the program or a notebook cell called exit()/os._exit"},
    Cause{"HF908", "shut-down", "the notebook server stopped or restarted the kernel on request"},
    Cause{"HF909", "unknown-kill",
          "SIGKILL with no trace of who or why; says what could not be read"},
};

}  // namespace holdfast
