#include "jupyter/untold.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <filesystem>

#include "base/json.h"
#include "base/unique_fd.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t longest_wait = 24 * 3600;

// Nobody came for them: the session was not started again.
void remove_old(const fs::path& folder) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        struct stat info {};
        if (::lstat(entry.path().c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
            info.st_mtime < std::time(nullptr) - longest_wait)
            fs::remove(entry.path(), failed);
    }
}

}  // namespace

Status leave_untold(const RunDirectory& run, const std::string& connection_file,
                    const NotebookMessage& words) {
    const fs::path folder = fs::path(run.path()).parent_path().parent_path() / "kernels";
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return Error::from_errno("cannot make " + folder.string());
    remove_old(folder);
    const std::string name = fs::path(connection_file).filename().string();
    const std::string path = folder / name;
    const UniqueFd file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return Error::from_errno("cannot write " + path);
    const Json data = Json::object(
        {{"text/plain", "The previous kernel died between two cells. " + words.headline},
         {"text/html", "<b>The previous kernel died between two cells.</b>" + words.html}});
    const std::string text = data.dump();
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return Error::from_errno("cannot write " + path);
    return Done{};
}

}  // namespace holdfast
