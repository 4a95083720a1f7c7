// Python and native stacks in a verdict's page: the end of each that is nearest to the fault.
#include <fmt/format.h>

#include <algorithm>

#include "present/display_width.h"
#include "present/verdict_sections.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

constexpr std::size_t most_frames = 12;
constexpr std::size_t most_threads = 2;

void add_python_thread(Page& page, const PythonStack& stack) {
    page.section("python");
    page.text(stack.thread.empty() ? "a thread" : stack.thread, {&Paint::faint, 0, 2, 1});
    const std::size_t hidden =
        stack.frames.size() > most_frames ? stack.frames.size() - most_frames : 0;
    if (hidden > 0) page.text(fmt::format("({} outer frames)", hidden), {&Paint::faint, 2});
    for (std::size_t i = hidden; i < stack.frames.size(); ++i) {
        const Frame& frame = stack.frames[i];
        std::string tail = frame.line ? fmt::format(":{}", *frame.line) : "";
        if (!frame.function.empty()) tail += " in " + frame.function;
        // One line a frame; the end of a path tells more than its beginning.
        tail = shorten(safe_line(tail, page.style()), page.body_width() - 22, page.style());
        const int room = page.body_width() - 2 - display_width(tail);
        page.row("  " + shorten_front(safe_line(frame.file, page.style()), room, page.style()) +
                 tail);
    }
}

}  // namespace

void add_stacks(Page& page, const Verdict& verdict) {
    const auto& threads = verdict.python_stack;
    for (std::size_t i = 0; i < std::min(most_threads, threads.size()); ++i)
        add_python_thread(page, threads[i]);
    if (threads.size() > most_threads)
        page.text(fmt::format("and {} more threads", threads.size() - most_threads),
                  {&Paint::faint});

    const auto& frames = verdict.native_stack;
    if (frames.empty()) return;
    page.section("native");
    for (std::size_t i = 0; i < std::min(most_frames, frames.size()); ++i) {
        const NativeFrame& frame = frames[i];
        const std::string& symbol = frame.symbol.empty() ? "(no symbol)" : frame.symbol;
        page.text(fmt::format("{} +{:#x} in {}", symbol, frame.offset, frame.library),
                  {nullptr, 0, 2, 2});
    }
    if (frames.size() > most_frames)
        page.text(fmt::format("({} outer frames)", frames.size() - most_frames), {&Paint::faint});
}

}  // namespace holdfast
