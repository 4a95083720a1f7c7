// Everything the checks know of a machine and a Python environment. What could not be read is
// absent; a rule then says "not possible" and never guesses.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/gpu_answers.h"
#include "check/metadata.h"
#include "check/sight.h"
#include "sources/cgroup_reading.h"
#include "sources/meminfo.h"
#include "sources/pid_figures.h"
#include "sources/pressure.h"

namespace holdfast::check {

// A figure and the file it was read from.
template <class T>
struct Read {
    T value{};
    std::string file;
};

struct Cpu {
    std::string flags;  // " fpu sse avx ", a blank around every name
    std::string model;
    bool arm = false;    // the kernel runs on ARM
    int processors = 0;  // in the list; 0: none are listed
    bool has(const std::string& flag) const {
        return flags.find(' ' + flag + ' ') != std::string::npos;
    }
};

// A folder that a training program writes to.
struct WorkPlace {
    std::string role;  // "the working directory"
    std::string path;
    std::optional<Space> space;
    std::optional<bool> writable;
    std::string mount_type, mount_point;  // "nfs4", "/home"; may be empty
    bool network = false;
    bool missing = false;
};

struct Segment {
    std::string name;
    Bytes size;
    std::uint32_t uid = 0;
    std::optional<int> maker;  // the pid in its name: the process that made it
    bool maker_lives = true;
};

struct SharedMemory {
    bool missing = false;
    std::optional<Bytes> size, free;
    bool read_only = false;
    std::string file;
    std::vector<Segment> segments;
};

struct ThermalZone {
    std::string type, file;
    int celsius = 0;
    std::optional<int> passive, hot, critical;
};

struct HostHealth {
    bool edac_seen = false;
    std::vector<Read<std::uint64_t>> corrected, uncorrected;
    std::vector<ThermalZone> zones;
    bool alarms_seen = false;
    std::vector<std::string> alarms;  // files of hwmon that say 1
    std::vector<Read<std::uint64_t>> disk_errors;
    std::vector<Read<std::uint64_t>> degraded;
    bool disks_seen = false;
};

// Where a GPU is plugged in, as the kernel tells it.
struct GpuSlot {
    std::string bus;         // "0000:17:00.0"
    std::string processors;  // near it: "0-31,64-95"
    std::string file;
};

struct NvidiaDriver {
    std::optional<Read<std::string>> module;   // the version of the kernel's module
    std::vector<Read<std::string>> libraries;  // versions in the names of libcuda and libnvidia-ml
    bool device_nodes = false;                 // /dev/nvidia0 or WSL's /dev/dxg
    bool wsl = false;
    bool uvm_node = false, modprobe = false;
    std::vector<std::string> compat;     // each libcuda.so.1 of a cuda-compat package
    std::optional<std::string> libcuda;  // the libcuda that the loader would take
    std::vector<GpuSlot> slots;
    GpuPicture gpus;
    std::string no_answers_because;  // empty: the library answered

    bool present() const { return module || device_nodes || !gpus.gpus.empty(); }
};

struct Package {
    Metadata metadata;
    std::string folder;  // its dist-info, or the older egg-info
    std::string site;    // the folder that holds it
};

// A library that something needs, as the loader would look for it.
struct LibraryLookup {
    std::string by;       // the file that needs it
    std::string library;  // "libcudnn.so.9"
    std::string found;    // empty: nowhere
    std::string how;      // "RPATH", "LD_LIBRARY_PATH", ...
};

struct VersionGap {
    std::string by;       // the file that needs it
    std::string library;  // the file that lacks it
    std::string version;  // "GLIBCXX_3.4.32"
    std::string how;
};

// A module of the user's own, beside the script.
struct Extension {
    std::string file;
    std::string module;
    std::vector<std::string> missing;  // symbols that no library defines
};

struct Framework {
    std::string name;  // "torch", "tensorflow", "jax"
    std::string version;
    std::optional<std::string> cuda;  // "13.0"
    std::string cuda_file;
    bool cpu_only = false;              // the build says so
    std::vector<std::string> gpu_code;  // "sm_90", "compute_90"
    std::string gpu_code_file;
};

struct OpenMpCopy {
    std::string kind;  // "libiomp5", "libomp", "libgomp"
    std::string path, package;
};

struct Python {
    std::string program;  // as asked for
    std::string prefix;   // of the environment
    std::string version;  // "3.11"
    std::string machine;  // "x86_64"; of the ELF file
    std::vector<std::string> sites;
    std::vector<Package> packages;
    std::vector<Framework> frameworks;
    std::vector<LibraryLookup> lookups;
    std::vector<VersionGap> gaps;
    std::vector<Extension> extensions;  // those that could be judged
    std::vector<OpenMpCopy> openmp;
    std::optional<std::string> mkl_folder;  // the folder with libmkl_core
    std::vector<std::string> mkl_files;
    std::string shadow_folder;
    std::vector<std::string> shadows;  // files such as "torch.py" in the working directory
    std::string unknown_because;       // why its packages could not be read

    const Package* package(std::string_view name) const;
    const Framework* framework(std::string_view name) const;
};

struct Kernel {
    std::string name, file, program;
    bool python = false, watched = false, program_exists = false;
    bool of_environment = false;
    std::optional<bool> has_ipykernel;
};

struct ImportTry {
    std::string framework;
    bool done = false;  // false: it took too long
    bool well = false;
    std::string last_line;  // the last line of its output
    double seconds = 0;
};

struct Environment {
    std::optional<sources::Meminfo> memory;
    std::optional<sources::Pressure> pressure;
    sources::KernelSettings kernel;
    std::optional<sources::PidLimits> limits;
    std::optional<std::uint32_t> uid;
    bool cgroup_seen = false;
    std::vector<sources::CgroupMemoryLevel> memory_levels;  // own first; path is the directory
    std::vector<sources::CgroupPidsLevel> pids_levels;
    std::optional<Read<double>> cpu_quota;  // processors
    std::optional<int> affinity;
    std::string allowed_processors;  // "0-15"; may be empty
    std::optional<Cpu> cpu;
    std::optional<SharedMemory> shm;
    std::vector<WorkPlace> places;
    HostHealth health;
    bool rdma = false;
    NvidiaDriver nvidia;
    std::optional<std::vector<std::string>> log;
    std::optional<Python> python;
    std::string wanted;     // --for
    std::string directory;  // where the program works; may be empty
    std::vector<Kernel> kernels;
    std::vector<ImportTry> tries;
    std::map<std::string, std::string, std::less<>> variables;

    const std::string* variable(std::string_view name) const {
        const auto found = variables.find(name);
        return found == variables.end() || found->second.empty() ? nullptr : &found->second;
    }
};

}  // namespace holdfast::check
