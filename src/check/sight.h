// The only access to the machine: every file, link, size and answer that a check uses comes through
// here, so that it can be recorded and checked again elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "check/elf_facts.h"

namespace holdfast::check {

struct FileStatus {
    enum class Kind { file, directory, device, other };
    Kind kind = Kind::other;
    Bytes size;
    std::uint32_t uid = 0;
};

struct Space {
    std::string type;
    Bytes size, free;
    std::optional<std::uint64_t> inodes, inodes_free;
    bool read_only = false;
};

// Numbers that are in no file.
enum class Figure { uid, affinity };

// The NVIDIA library's answers: lines "0 name=NVIDIA H200", or why there are none.
struct GpuAnswers {
    std::vector<std::string> lines;
    std::string absent_because;  // may be empty
};

class Sight {
public:
    virtual ~Sight() = default;

    // The first `limit` bytes. An error for anything but a regular file.
    virtual Result<std::string> read(const std::string& path, std::size_t limit = 1U << 20U) = 0;
    // The names in a directory that `wanted` accepts, sorted; nothing if there is no such
    // directory. Other names are private, and must not get into the record.
    using Wanted = bool (*)(std::string_view name);
    virtual std::optional<std::vector<std::string>> list(const std::string& path,
                                                         Wanted wanted) = 0;
    virtual std::optional<std::string> link(const std::string& path) = 0;
    virtual std::optional<FileStatus> status(const std::string& path) = 0;
    virtual std::optional<bool> writable(const std::string& path) = 0;
    // Never ask about a network file system: a dead one would not answer.
    virtual std::optional<Space> space(const std::string& path) = 0;
    virtual Result<ElfFacts> elf(const std::string& path) = 0;
    // Symbols that a file needs and that none of the libraries defines; nothing if one of them
    // cannot be read, because then it is not known.
    virtual std::optional<std::vector<std::string>> missing_symbols(
        const std::string& path, const std::vector<std::string>& libraries) = 0;
    virtual std::optional<bool> defines(const std::string& path, const std::string& symbol) = 0;
    // "sm_80 sm_90": the list of GPU code that a build left in one of its libraries.
    virtual std::optional<std::string> gpu_code(const std::string& path) = 0;
    // The path that the loader's cache has for a library.
    virtual std::optional<std::string> cached(const std::string& soname) = 0;
    virtual std::optional<std::string> variable(const std::string& name) = 0;
    virtual std::optional<std::uint64_t> figure(Figure figure) = 0;
    virtual GpuAnswers gpus() = 0;
    // Lines of the kernel log about GPUs and hardware; nothing if it is not readable.
    virtual std::optional<std::vector<std::string>> hardware_log() = 0;

    bool exists(const std::string& path) { return status(path).has_value(); }
};

}  // namespace holdfast::check
