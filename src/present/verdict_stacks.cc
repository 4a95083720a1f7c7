// Python and native stacks in a verdict's page: only the end nearest to the fault, with all of the
// user's own frames; runs of library frames are folded into one line.
#include <algorithm>

#include "base/format.h"
#include "model/own_code.h"
#include "present/verdict_sections.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

constexpr std::size_t most_frames = 12;
constexpr std::size_t most_threads = 2;
constexpr std::size_t most_stuck_threads = 8;  // in a deadlock every thread may matter
constexpr std::size_t least_folded = 3;

// One line per frame. If room is short, the end of a path tells more than its beginning.
std::string frame_line(const Page& page, const Frame& frame) {
    std::string tail = frame.line ? formatted(":{}", *frame.line) : "";
    if (!frame.function.empty()) tail += " in " + frame.function;
    tail = shorten(safe_line(tail, page.style()), page.body_width() - 22, page.style());
    const int room = page.body_width() - 2 - display_width(tail);
    return shorten_front(safe_line(frame.file, page.style()), room, page.style()) + tail;
}

void add_python_thread(Page& page, const PythonStack& stack) {
    page.section("python");
    page.text(stack.thread.empty() ? "a thread" : stack.thread, {&Paint::faint, 0, 2, 1});
    const std::vector<Frame>& frames = stack.frames;
    const std::size_t hidden = frames.size() > most_frames ? frames.size() - most_frames : 0;
    if (hidden > 0) page.text(formatted("({} outer frames)", hidden), {&Paint::faint, 2});
    for (std::size_t i = hidden; i < frames.size();) {
        if (is_own_code(frames[i].file)) {
            page.row("  " + page.paint().place(frame_line(page, frames[i++])));
            continue;
        }
        std::size_t end = i;
        while (end < frames.size() && !is_own_code(frames[end].file)) ++end;
        // Keeps the innermost frame, in any code: it is where the fault happened.
        const std::size_t folded = end == frames.size() ? end - 1 - i : end - i;
        if (folded >= least_folded) {
            page.text(formatted("({} library frames)", folded), {&Paint::faint, 2});
            i += folded;
        }
        for (; i < end; ++i) page.row("  " + page.paint().faint(frame_line(page, frames[i])));
    }
}

void add_native(Page& page, const NativeFrame& frame) {
    if (frame.library.empty() && frame.symbol.starts_with("... ("))  // stands for many frames
        return page.text(frame.symbol, {&Paint::faint, 0, 2, 1});
    const std::string& symbol = frame.symbol.empty() ? "(no symbol)" : frame.symbol;
    std::string place = formatted("{} +{:#x} in {}", symbol, frame.offset, frame.library);
    if (!frame.file.empty() && frame.line) place += formatted(", {}:{}", frame.file, *frame.line);
    page.text(place, {nullptr, 0, 2, 2});
}

}  // namespace

void add_stacks(Page& page, const Verdict& verdict) {
    const auto& threads = verdict.python_stack;
    const std::size_t most = verdict.outcome == Outcome::stuck ? most_stuck_threads : most_threads;
    for (std::size_t i = 0; i < std::min(most, threads.size()); ++i)
        add_python_thread(page, threads[i]);
    if (threads.size() > most)
        page.text(formatted("and {} more threads", threads.size() - most), {&Paint::faint});

    const auto& frames = verdict.native_stack;
    if (frames.empty()) return;
    page.section("native");
    for (std::size_t i = 0; i < std::min(most_frames, frames.size()); ++i)
        add_native(page, frames[i]);
    if (frames.size() > most_frames)
        page.text(formatted("({} outer frames)", frames.size() - most_frames), {&Paint::faint});
}

}  // namespace holdfast
