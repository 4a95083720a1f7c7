#include "record/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/format.h"
#include "base/pipe.h"
#include "base/read_file.h"
#include "record/run_files.h"
#include "record/seal.h"

namespace holdfast {
namespace {

constexpr int open_directory = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

// "20261115-042447-123-4242" has groups of 8, 6, 3 and up to 10 digits, and perhaps a last one.
std::size_t digits_at(std::string_view text) {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    return count;
}

Error foreign(const std::string& path, uid_t owner) {
    return {path + ": run belongs to user " + std::to_string(owner) + "; ask them or use sudo",
            EACCES};
}

struct flock whole_file(short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

}  // namespace

bool run_file::is_kept(std::string_view name) { return name == lock || name.ends_with(".json"); }

bool run_file::is_one(std::string_view name) {
    const bool trouble = name == stall_told || name == leak_told;
    return is_kept(name) || name.ends_with(".box") || name.ends_with(".tmp") || trouble;
}

std::string new_run_id(Nanos wall, int pid) {
    const std::int64_t milliseconds = wall.count() / 1'000'000;
    const std::time_t seconds_part = milliseconds / 1000;
    struct tm utc {};
    ::gmtime_r(&seconds_part, &utc);
    return formatted("{:04}{:02}{:02}-{:02}{:02}{:02}-{:03}-{}", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, milliseconds % 1000, pid);
}

bool is_run_id(std::string_view text) {
    for (const std::size_t want : {8U, 6U, 3U}) {
        if (digits_at(text) != want || text.size() == want || text[want] != '-') return false;
        text.remove_prefix(want + 1);
    }
    const std::size_t pid = digits_at(text);
    if (pid == 0 || pid > 10) return false;
    text.remove_prefix(pid);
    if (text.empty()) return true;
    text.remove_prefix(1);
    const std::size_t again = digits_at(text);
    return again > 0 && again < 4 && again == text.size();
}

RunDirectory::RunDirectory(UniqueFd fd, std::string path)
    : fd_(std::move(fd)), path_(std::move(path)), id_(path_.substr(path_.rfind('/') + 1)) {}

Result<RunDirectory> RunDirectory::create(const RunHome& home, const std::string& id) {
    if (!is_run_id(id)) return Error{"'" + id + "' is not a run id", EINVAL};
    std::string reasons;
    const auto pass_over = [&reasons](const std::string& reason) {
        reasons += (reasons.empty() ? "" : "; ") + reason;
    };
    for (const HomeCandidate& candidate : home.candidates) {
        const Result<UniqueFd> runs = open_home(candidate, ::geteuid());
        if (!runs) {
            pass_over(runs.error().text);
            continue;
        }
        std::string name = id;
        int made = ::mkdirat(runs->get(), name.c_str(), 0700);
        // Two containers that share a home may both have pid 1 in the same millisecond.
        for (int again = 2; made != 0 && errno == EEXIST && again < 100; ++again) {
            name = id + "-" + std::to_string(again);
            made = ::mkdirat(runs->get(), name.c_str(), 0700);
        }
        UniqueFd fd(made == 0 ? ::openat(runs->get(), name.c_str(), open_directory) : -1);
        if (!fd) {
            pass_over(Error::from_errno("cannot create a run in " + candidate.path + "/runs").text);
            continue;
        }
        if (const Status ours = check_own(fd.get(), candidate.path + "/runs/" + name, ::geteuid());
            !ours) {
            pass_over(ours.error().text);
            continue;
        }
        RunDirectory directory(std::move(fd), candidate.path + "/runs/" + name);
        // May fail on a filesystem without locks: then readers take the run for one whose
        // supervisor is gone.
        static_cast<void>(directory.lock());
        return directory;
    }
    return Error{"no place to keep the run: " + reasons};
}

Result<RunDirectory> RunDirectory::open(const std::string& path) {
    // With a trailing slash, O_NOFOLLOW would follow the link.
    std::string plain = path;
    while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
    UniqueFd fd(::open(plain.c_str(), open_directory));
    const Error failed = fd ? Error{} : Error::from_errno("cannot open run " + plain);
    struct stat info {};
    const bool seen = fd ? ::fstat(fd.get(), &info) == 0 : ::lstat(plain.c_str(), &info) == 0;
    if (seen && S_ISDIR(info.st_mode) && ::geteuid() != 0 && info.st_uid != ::geteuid())
        return foreign(plain, info.st_uid);
    if (!fd && failed.number == ENOTDIR) return Error{plain + " is not a run directory", ENOENT};
    if (!fd && failed.number == ELOOP) return Error{plain + " is a link, not a run", ENOENT};
    if (!fd) return failed;
    if ((info.st_mode & S_IWOTH) != 0)
        return Error{plain + " can be written to by every user: not read as a run", EPERM};
    const auto has = [&](const char* name) {
        struct stat entry {};
        return ::fstatat(fd.get(), name, &entry, AT_SYMLINK_NOFOLLOW) == 0;
    };
    if (!has(run_file::facts) && !has(run_file::machine) && !has(run_file::lock))
        return Error{plain + " is not a run directory", ENOENT};
    return RunDirectory(std::move(fd), plain);
}

Status RunDirectory::lock() {
    UniqueFd file;
    if (!lock_) {
        file.reset(::openat(fd(), run_file::lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file) return Error::from_errno("cannot create run.lock");
        lock_ = std::move(file);
    }
    struct flock wanted = whole_file(F_WRLCK);
    if (::fcntl(lock_.get(), F_SETLK, &wanted) != 0)
        return Error::from_errno("cannot lock the run");
    return Done{};
}

bool RunDirectory::is_live() const {
    if (lock_) return true;
    struct stat file {};
    if (::fstatat(fd(), run_file::lock, &file, AT_SYMLINK_NOFOLLOW) != 0) return false;
    // Closing any descriptor of a file releases all locks that the process has on it. So the
    // process that holds the lock must not open the file again.
    if (has_open(file.st_dev, file.st_ino)) return true;
    const UniqueFd probe(
        ::openat(fd(), run_file::lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!probe) return false;
    struct flock held = whole_file(F_WRLCK);
    return ::fcntl(probe.get(), F_GETLK, &held) == 0 && held.l_type != F_UNLCK;
}

Status RunDirectory::write_file(const std::string& name, std::string_view text) const {
    const std::string beside = name + "." + std::to_string(::getpid()) + ".tmp";
    ::unlinkat(fd(), beside.c_str(), 0);
    const UniqueFd file(
        ::openat(fd(), beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return Error::from_errno("cannot create " + beside);
    Status wrote = Done{};
    if (!write_all(file.get(), text)) wrote = Error::from_errno("cannot write " + name);
    if (wrote && ::renameat(fd(), beside.c_str(), fd(), name.c_str()) != 0)
        wrote = Error::from_errno("cannot rename " + beside);
    if (!wrote) ::unlinkat(fd(), beside.c_str(), 0);
    return wrote;
}

Result<std::string> RunDirectory::read_file(const std::string& name, std::size_t limit) const {
    const Result<UniqueFd> opened = open_run_file(fd(), name);
    if (!opened) return opened.error();
    const UniqueFd& file = *opened;
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return Error::from_errno("cannot examine " + name);
    if (static_cast<std::uint64_t>(info.st_size) > limit)
        return Error{name + " is larger than expected", EFBIG};
    return read_tail(file.get(), limit).context(name);
}

bool RunDirectory::has_file(const std::string& name) const {
    struct stat info {};
    return ::fstatat(fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

Status RunDirectory::write_sealed(const std::string& name, std::string_view json) const {
    return write_file(name, seal(json));
}

Result<std::string> RunDirectory::read_sealed(const std::string& name, std::size_t limit) const {
    const Result<std::string> text = read_file(name, limit);
    if (!text) return text.error();
    return unseal(*text).context(name);
}

Status RunDirectory::write_facts(const RunFacts& facts) const {
    return write_sealed(run_file::facts, to_json(facts));
}

Result<RunFacts> RunDirectory::read_facts() const {
    // 64 bytes more for the line of the seal.
    const Result<std::string> text = read_sealed(run_file::facts, run_facts_limit + 64);
    if (!text) return text.error();
    return run_facts_from_json(*text).context(run_file::facts);
}

Status RunDirectory::shrink() const {
    const Result<std::vector<std::string>> names = entry_names(fd());
    if (!names) return names.error();
    Status removed = Done{};
    for (const std::string& name : *names) {
        if (!run_file::is_one(name) || run_file::is_kept(name)) continue;
        // It may be gone: a temporary file that has been renamed since.
        if (::unlinkat(fd(), name.c_str(), 0) != 0 && errno != ENOENT)
            removed = Error::from_errno("cannot remove " + name);
    }
    return removed;
}

}  // namespace holdfast
