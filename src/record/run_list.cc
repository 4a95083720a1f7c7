#include "record/run_list.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "record/run_files.h"

namespace holdfast {
namespace {

constexpr int open_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

struct Contents {
    std::vector<std::string> names;
    Bytes size;
    Nanos changed{};
    bool ended_well = false;  // only its summary is left
};

// What a run directory holds; nothing if it contains a file that no run has.
std::optional<Contents> contents_of_run(int directory) {
    struct stat self {};
    if (::fstat(directory, &self) != 0 || self.st_uid != ::geteuid()) return std::nullopt;
    Result<std::vector<std::string>> names = entry_names(directory);
    if (!names) return std::nullopt;
    Contents contents;
    contents.changed = std::chrono::seconds(self.st_mtim.tv_sec) + Nanos(self.st_mtim.tv_nsec);
    for (const std::string& name : *names) {
        struct stat file {};
        if (!run_file::is_one(name) ||
            ::fstatat(directory, name.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(file.st_mode))
            return std::nullopt;
        contents.size += Bytes{static_cast<std::uint64_t>(file.st_blocks) * 512U};
    }
    const auto is_box = [](const std::string& name) { return name.ends_with(".box"); };
    contents.ended_well =
        std::find(names->begin(), names->end(), run_file::verdict) != names->end() &&
        std::none_of(names->begin(), names->end(), is_box);
    contents.names = std::move(*names);
    return contents;
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

Status remove_run(int parent, int directory, const Contents& contents, const RunEntry& run) {
    // Another supervisor may be removing the same run.
    for (const std::string& name : contents.names)
        if (::unlinkat(directory, name.c_str(), 0) != 0 && errno != ENOENT)
            return Error::from_errno("cannot remove " + run.path + "/" + name);
    if (::unlinkat(parent, run.id.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
        return Error::from_errno("cannot remove " + run.path);
    return Done{};
}

Error no_run(std::string_view word) {
    return {"no run '" + std::string(word) + "'; `holdfast runs` lists them", ENOENT};
}

}  // namespace

std::vector<RunEntry> list_runs(const std::vector<std::string>& homes) {
    std::vector<RunEntry> runs;
    for (const std::string& home : homes) {
        const std::string parent = home + "/runs";
        const UniqueFd fd(::open(parent.c_str(), open_folder));
        if (!fd) continue;
        const Result<std::vector<std::string>> names = entry_names(fd.get());
        if (!names) continue;
        for (const std::string& name : *names) {
            struct stat info {};
            if (is_run_id(name) &&
                ::fstatat(fd.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                S_ISDIR(info.st_mode))
                runs.push_back({name, parent + "/" + name});
        }
    }
    std::sort(runs.begin(), runs.end(),
              [](const RunEntry& a, const RunEntry& b) { return a.id > b.id; });
    return runs;
}

Result<RunDirectory> find_run(const std::vector<std::string>& homes, std::string_view word) {
    if (word.find('/') != std::string_view::npos) return RunDirectory::open(std::string(word));
    const std::vector<RunEntry> runs = list_runs(homes);
    if (runs.empty())
        return Error{"no runs recorded yet; start one with `holdfast run -- CMD`", ENOENT};
    if (word.empty() || word == "last") return RunDirectory::open(runs.front().path);

    std::vector<RunEntry> beginning;
    for (const RunEntry& run : runs) {
        if (run.id == word) return RunDirectory::open(run.path);
        if (run.id.starts_with(word)) beginning.push_back(run);
    }
    if (beginning.size() == 1) return RunDirectory::open(beginning.front().path);
    for (const RunEntry& run : runs) {
        Result<RunDirectory> directory = RunDirectory::open(run.path);
        if (!directory) continue;
        const Result<RunFacts> facts = directory->read_facts();
        if (facts && facts->name == word) return directory;
    }
    if (beginning.empty()) return no_run(word);
    return Error{std::to_string(beginning.size()) + " runs begin with '" + std::string(word) +
                     "' (" + beginning[0].id + ", " + beginning[1].id +
                     (beginning.size() > 2 ? ", ..." : "") + "); give more of the id",
                 ENOTUNIQ};
}

Pruned prune(const std::vector<std::string>& homes, const PruneOptions& options) {
    Pruned pruned;
    std::size_t kept_good = 0;
    std::size_t kept_other = 0;
    Bytes total;
    for (const RunEntry& run : list_runs(homes)) {
        const Result<RunDirectory> directory = RunDirectory::open(run.path);
        const UniqueFd parent(::open(parent_of(run.path).c_str(), open_folder));
        const UniqueFd fd(::openat(parent.get(), run.id.c_str(), open_folder));
        const std::optional<Contents> contents = fd ? contents_of_run(fd.get()) : std::nullopt;
        if (!contents) continue;
        std::size_t& kept = contents->ended_well ? kept_good : kept_other;
        const bool fits = kept < options.keep && total + contents->size <= options.max_total;
        const bool young = options.now - contents->changed < options.settle;
        if (fits || young || (directory && directory->is_live())) {
            ++kept;
            total += contents->size;
            continue;
        }
        if (const Status removed = remove_run(parent.get(), fd.get(), *contents, run); !removed) {
            pruned.failures.push_back(removed.error().text);
            continue;
        }
        ++pruned.removed;
        pruned.freed += contents->size;
    }
    return pruned;
}

}  // namespace holdfast
