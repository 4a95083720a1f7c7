#include "supervise/injection.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <string_view>

#include "base/exec_target.h"
#include "base/format.h"

namespace holdfast {
namespace {

constexpr std::string_view preload_name = "LD_PRELOAD=";
constexpr std::string_view file_name = "libholdfast_agent.so";

std::string own_folder() {
    std::array<char, PATH_MAX> path{};
    const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
    if (size <= 0) return {};
    const std::string_view whole(path.data(), static_cast<std::size_t>(size));
    return std::string(whole.substr(0, whole.rfind('/')));
}

// The loader parts LD_PRELOAD at spaces and colons and expands $.
bool can_be_named(std::string_view path) { return path.find_first_of(" :$") == path.npos; }

}  // namespace

Result<Injection> Injection::find() {
    const std::string folder = own_folder();
    for (const std::string_view place : {"/../libexec/holdfast/", "/../agent/"}) {
        std::string path = formatted("{}{}{}", folder, place, file_name);
        UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (!file) continue;
        // With noexec, the loader would complain on stderr in every process.
        struct statvfs disk {};
        if (::fstatvfs(file.get(), &disk) == 0 && (disk.f_flag & ST_NOEXEC) != 0)
            return Error{"the agent's library lies on a file system that is mounted noexec"};
        std::array<char, PATH_MAX> real{};
        if (::realpath(path.c_str(), real.data()) != nullptr) path = real.data();
        if (can_be_named(path)) return Injection(std::move(path), UniqueFd());
        // Name it by our open file instead, which exists as long as we do: that is long enough.
        path = formatted("/proc/{}/fd/{}", ::getpid(), file.get());
        return Injection(std::move(path), std::move(file));
    }
    return Error{"the agent's library is not installed"};
}

std::vector<std::string> Injection::environment(const char* const* environment,
                                                const std::string& run_directory,
                                                const std::string& program) const {
    std::vector<std::string> entries;
    std::string theirs;
    const bool wanted = can_take_agent_by_name(program.c_str());
    for (; *environment != nullptr; ++environment) {
        const std::string_view entry = *environment;
        if (wanted && entry.starts_with(preload_name))
            theirs = entry.substr(preload_name.size());
        else
            entries.emplace_back(entry);
    }
    if (!wanted) return entries;
    if (theirs.empty())
        entries.push_back(formatted("{}{}", preload_name, library_));
    else if (names_sanitizer(theirs.data(), theirs.size()))
        entries.push_back(formatted("{}{}:{}", preload_name, theirs, library_));
    else
        entries.push_back(formatted("{}{}:{}", preload_name, library_, theirs));
    entries.push_back("HOLDFAST_RUN=" + run_directory);
    // In a process under more filters than now, the agent does nothing: see agent/process/quiet.h.
    entries.push_back(formatted("HOLDFAST_FILTERS={}", seccomp_filters()));
    return entries;
}

}  // namespace holdfast
