#include "diagnose/death/worker_place.h"

#include <vector>

#include "base/text.h"
#include "diagnose/death/witnesses.h"

namespace holdfast {
namespace {

// `File "train.py", line 20, in __getitem__`
std::optional<Frame> frame_in(std::string_view line) {
    line = trim(line);
    constexpr std::string_view begin = "File \"";
    if (!line.starts_with(begin)) return std::nullopt;
    const std::size_t end = line.find("\", line ", begin.size());
    const std::size_t in = line.find(", in ", end);
    if (end == std::string_view::npos || in == std::string_view::npos) return std::nullopt;
    const auto number = parse_number<int>(line.substr(end + 8, in - end - 8));
    if (!number) return std::nullopt;
    return Frame{std::string(line.substr(begin.size(), end - begin.size())), *number,
                 std::string(line.substr(in + 5))};
}

std::optional<Where> last_own_place(std::string_view text) {
    std::vector<Frame> frames;
    while (const auto line = next_line(text))
        if (std::optional<Frame> frame = frame_in(*line)) frames.push_back(std::move(*frame));
    return own_place(frames);
}

// The text between the last RemoteTraceback's triple quotes.
std::string_view remote_text(std::string_view text) {
    const std::size_t name = text.rfind("RemoteTraceback:");
    if (name == std::string_view::npos) return {};
    const std::size_t open = text.find("\"\"\"", name);
    if (open == std::string_view::npos) return {};
    return text.substr(open, text.find("\n\"\"\"", open + 3) - open);
}

}  // namespace

std::optional<Where> place_in_worker(const Death& death, const TracebackText& traceback) {
    constexpr std::string_view original = "Original Traceback (most recent call last)";
    if (const std::size_t at = traceback.message.find(original); at != std::string::npos)
        return last_own_place(std::string_view(traceback.message).substr(at));
    // The parent was asking a pool for its result.
    for (const Frame& frame : traceback.frames)
        for (const std::string_view file :
             {"multiprocessing/pool.py", "concurrent/futures/_base.py", "joblib/parallel.py"})
            if (frame.file.ends_with(file))
                return last_own_place(remote_text(death.all.stderr_tail));
    return std::nullopt;
}

}  // namespace holdfast
