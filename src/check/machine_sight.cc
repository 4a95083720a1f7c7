#include "check/machine_sight.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>

#include "base/read_file.h"
#include "base/unique_fd.h"
#include "check/elf_symbols.h"
#include "check/gpu_answers.h"
#include "check/loader_cache.h"
#include "check/paged_file.h"
#include "sources/filesystem_space.h"
#include "sources/kernel_message.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_names = 20'000;
constexpr std::size_t most_log_lines = 64;
constexpr std::size_t longest_scan = 256U << 20U;

class MachineSight final : public Sight {
public:
    explicit MachineSight(MachineOptions options) : options_(std::move(options)) {
        while (options_.root.ends_with('/')) options_.root.pop_back();
        if (!options_.root.empty())
            root_.reset(::open(options_.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }

    Result<std::string> read(const std::string& path, std::size_t limit) override {
        const UniqueFd file = open_regular(path);
        if (!file) return Error::from_errno("cannot read " + path);
        std::string text(std::min<std::size_t>(limit, 64U << 10U), '\0');
        std::size_t length = 0;
        while (length < limit) {
            if (length == text.size()) text.resize(std::min(limit, text.size() * 2));
            const ssize_t got = ::read(file.get(), text.data() + length, text.size() - length);
            if (got < 0) return Error::from_errno("cannot read " + path);
            if (got == 0) break;
            length += static_cast<std::size_t>(got);
        }
        text.resize(length);
        return text;
    }

    std::optional<std::vector<std::string>> list(const std::string& path, Wanted wanted) override {
        UniqueFd directory = open_below(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
        if (!directory) return std::nullopt;
        DIR* stream = ::fdopendir(directory.get());
        if (stream == nullptr) return std::nullopt;
        (void)directory.release();
        std::vector<std::string> names;
        for (std::size_t seen = 0; seen < most_names; ++seen) {
            const dirent* entry = ::readdir(stream);
            if (entry == nullptr) break;
            const std::string_view name = entry->d_name;
            if (name != "." && name != ".." && wanted(name)) names.emplace_back(name);
        }
        ::closedir(stream);
        std::sort(names.begin(), names.end());
        return names;
    }

    std::optional<std::string> link(const std::string& path) override {
        const UniqueFd file = open_below(path, O_PATH | O_NOFOLLOW);
        std::string target(4096, '\0');
        const ssize_t length =
            file ? ::readlinkat(file.get(), "", target.data(), target.size()) : -1;
        if (length <= 0) return std::nullopt;
        target.resize(static_cast<std::size_t>(length));
        return target;
    }

    std::optional<FileStatus> status(const std::string& path) override {
        const UniqueFd file = open_below(path, O_PATH);
        struct stat found {};
        if (!file || ::fstat(file.get(), &found) != 0) return std::nullopt;
        FileStatus status{FileStatus::Kind::other, Bytes{static_cast<std::uint64_t>(found.st_size)},
                          found.st_uid};
        if (S_ISREG(found.st_mode)) status.kind = FileStatus::Kind::file;
        if (S_ISDIR(found.st_mode)) status.kind = FileStatus::Kind::directory;
        if (S_ISCHR(found.st_mode)) status.kind = FileStatus::Kind::device;
        return status;
    }

    std::optional<bool> writable(const std::string& path) override {
        if (!live()) return std::nullopt;
        if (::access(path.c_str(), W_OK) == 0) return true;
        return errno == EACCES || errno == EROFS ? std::optional(false) : std::nullopt;
    }

    std::optional<Space> space(const std::string& path) override {
        if (!live()) return std::nullopt;
        const auto found = sources::read_filesystem_space(path);
        if (!found) return std::nullopt;
        Space space{found->type, found->size, found->free, found->inodes, found->inodes_free};
        struct statvfs flags {};
        space.read_only = ::statvfs(path.c_str(), &flags) == 0 && (flags.f_flag & ST_RDONLY) != 0;
        return space;
    }

    Result<ElfFacts> elf(const std::string& path) override {
        UniqueFd file = open_regular(path);
        if (!file) return Error::from_errno("cannot read " + path);
        PagedFile pages(std::move(file));
        return parse_elf(std::ref(pages));
    }

    std::optional<std::vector<std::string>> missing_symbols(
        const std::string& path, const std::vector<std::string>& libraries) override {
        UniqueFd file = open_regular(path);
        if (!file) return std::nullopt;
        PagedFile pages(std::move(file));
        auto missing = wanted_symbols(std::ref(pages));
        if (!missing) return std::nullopt;
        for (const std::string& library : libraries) {
            if (missing->empty()) break;
            UniqueFd other = open_regular(library);
            if (!other) return std::nullopt;
            PagedFile other_pages(std::move(other));
            const auto defined = defined_symbols(std::ref(other_pages), *missing);
            if (!defined) return std::nullopt;
            std::erase_if(*missing, [&](const std::string& name) {
                return std::find(defined->begin(), defined->end(), name) != defined->end();
            });
        }
        return std::move(*missing);
    }

    std::optional<bool> defines(const std::string& path, const std::string& symbol) override {
        UniqueFd file = open_regular(path);
        if (!file) return std::nullopt;
        PagedFile pages(std::move(file));
        const auto defined = defined_symbols(std::ref(pages), {symbol});
        return defined ? std::optional(!defined->empty()) : std::nullopt;
    }

    std::optional<std::string> gpu_code(const std::string& path) override {
        const UniqueFd file = open_regular(path);
        struct stat found {};
        if (!file || ::fstat(file.get(), &found) != 0 || found.st_size <= 0) return std::nullopt;
        // Reads instead of mapping: if a mapped file shrank, we would get a SIGBUS.
        std::string piece(1U << 20U, '\0');
        constexpr std::size_t overlap = 512;
        for (std::uint64_t at = 0; at < longest_scan; at += piece.size() - overlap) {
            const ssize_t got =
                ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(at));
            if (got <= 0) return std::nullopt;
            const auto code = find_gpu_code({piece.data(), static_cast<std::size_t>(got)});
            if (code) return code;
            if (static_cast<std::size_t>(got) < piece.size()) return std::nullopt;
        }
        return std::nullopt;
    }

    std::optional<std::string> cached(const std::string& soname) override {
        if (!cache_) {
            const auto text = read("/etc/ld.so.cache", 8U << 20U);
            cache_ = text ? parse_loader_cache(*text) : LoaderCache{};
        }
        const auto found = cache_->find(soname);
        return found == cache_->end() ? std::nullopt : std::optional(found->second);
    }

    std::optional<std::string> variable(const std::string& name) override {
        const char* value = live() ? std::getenv(name.c_str()) : nullptr;
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    }

    std::optional<std::uint64_t> figure(Figure figure) override {
        if (!live()) return std::nullopt;
        if (figure == Figure::uid) return ::geteuid();
        cpu_set_t set;
        if (::sched_getaffinity(0, sizeof set, &set) != 0) return std::nullopt;
        return static_cast<std::uint64_t>(CPU_COUNT(&set));
    }

    GpuAnswers gpus() override {
        if (!live()) return {{}, "a root has no NVIDIA library to ask"};
        return ask_gpus(options_.nvml, options_.nvml_milliseconds);
    }

    std::optional<std::vector<std::string>> hardware_log() override {
        if (!live()) return std::nullopt;
        const auto roots = sources::Roots::open();
        if (!roots) return std::nullopt;
        auto log = sources::KernelLog::open(*roots, sources::KernelLog::From::oldest);
        if (!log) return std::nullopt;
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < 100'000 && lines.size() < most_log_lines; ++i) {
            const auto record = log->next();
            if (!record || !*record) break;
            const sources::KernelRecord& seen = **record;
            if (const auto xid = sources::parse_xid(seen))
                lines.push_back("xid " + std::to_string(xid->xid) + ' ' + xid->device);
            else if (const auto error = sources::parse_hardware_error(seen))
                lines.emplace_back(*error == sources::HardwareError::uncorrected_memory
                                       ? "memory uncorrected"
                                       : "memory other");
            else if (const auto io = sources::parse_io_error(seen))
                lines.push_back("io " + io->device);
        }
        return lines;
    }

private:
    bool live() const { return options_.root.empty(); }

    UniqueFd open_below(const std::string& path, int flags) const {
        // openat2 refuses flags that mean nothing together with O_PATH.
        flags |= (flags & O_PATH) != 0 ? O_CLOEXEC : O_CLOEXEC | O_NOCTTY;
        if (live()) return UniqueFd(::open(path.c_str(), flags));
        open_how how{};
        how.flags = static_cast<unsigned>(flags);
        how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
        return UniqueFd(
            static_cast<int>(::syscall(SYS_openat2, root_.get(), path.c_str(), &how, sizeof how)));
    }

    // O_NONBLOCK: opening a FIFO would block for ever.
    UniqueFd open_regular(const std::string& path) const {
        UniqueFd file = open_below(path, O_RDONLY | O_NONBLOCK);
        struct stat found {};
        if (file && (::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode))) {
            file.reset();
            errno = EINVAL;
        }
        return file;
    }

    MachineOptions options_;
    UniqueFd root_;
    std::optional<LoaderCache> cache_;
};

}  // namespace

std::unique_ptr<Sight> machine_sight(const MachineOptions& options) {
    return std::make_unique<MachineSight>(options);
}

}  // namespace holdfast::check
