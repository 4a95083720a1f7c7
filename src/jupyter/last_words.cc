#include "jupyter/last_words.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <optional>

#include "base/json.h"
#include "base/unique_fd.h"

namespace holdfast {
namespace {

Json parsed(const std::string& text) {
    const auto value = Json::parse(text);
    return value && value->is_object() ? *value : Json::object();
}

}  // namespace

bool was_asked_for(const Verdict& verdict, const std::vector<format::Event>& events,
                   int launcher_pid) {
    if (verdict.end.cause == "shut-down"_cause || verdict.root.cause == "shut-down"_cause)
        return true;
    // The server interrupts a kernel before it shuts it down, and R's kernel then exits with a
    // status.
    const bool interrupted = verdict.end.cause == "interrupted"_cause;
    const auto signal = interrupted ? std::optional(SIGINT) : verdict.exit.signal;
    return signal && std::any_of(events.begin(), events.end(), [&](const format::Event& event) {
               return event.kind == format::EventKind::signal && event.a == *signal &&
                      event.b == launcher_pid;
           });
}

std::vector<CellRecord> waiting_cells(const std::optional<CellsRead>& cells) {
    std::vector<CellRecord> waiting;
    if (!cells) return waiting;
    for (const CellRecord& cell : cells->cells)
        if (cell.running && !cell.request.empty()) waiting.push_back(cell);
    return waiting;
}

std::string words_json(const std::string& connection_file, const NotebookMessage& words,
                       const CellsRead& kernel) {
    Json requests = Json::list();
    std::int64_t last = 0;
    for (const CellRecord& cell : kernel.cells) last = std::max(last, cell.count);
    for (const CellRecord& cell : waiting_cells(kernel))
        requests.push_back(Json::object(
            {{"header", parsed(cell.request)}, {"ident", cell.ident}, {"count", cell.count}}));
    const Json all = Json::object({{"connection_file", connection_file},
                                   {"ename", kernel_died},
                                   {"evalue", words.headline},
                                   {"error", words.error},
                                   {"traceback", words.lines},
                                   {"html", words.html},
                                   {"plain", words.plain},
                                   {"kernel_info", parsed(kernel.kernel_info)},
                                   {"requests", requests},
                                   {"count", last}});
    return all.dump();
}

namespace {

namespace fs = std::filesystem;

constexpr std::time_t longest_wait = 24 * 3600;

// Removes messages that no kernel showed, because the session was not started again.
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
