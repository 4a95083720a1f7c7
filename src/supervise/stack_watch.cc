#include "supervise/stack_watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace holdfast {
namespace {

// Too early, between exec and the interpreter's start, there is no interpreter to find yet.
constexpr Nanos ask_again = std::chrono::seconds(5);

format::Stacks record_of(Nanos now, pid_t pid, const std::string& text) {
    format::Stacks record{};
    record.time = now.count();
    record.pid = pid;
    record.text_size = static_cast<std::uint32_t>(std::min(text.size(), sizeof record.text));
    std::memcpy(record.text, text.data(), record.text_size);
    return record;
}

}  // namespace

StackWatch::Known& StackWatch::know(Nanos now, pid_t pid) {
    Known& known = known_[pid];
    if (known.python || (known.asked != Nanos{} && now - known.asked < ask_again)) return known;
    known.asked = now;
    auto python = sources::PythonProcess::open(pid);
    if (python)
        known.python.emplace(std::move(python).value());
    else if (python.error().number == EPERM && !complained_) {
        complained_ = true;
        complaint_ = python.error().text;
    }
    return known;
}

void StackWatch::look(Nanos now, const std::vector<pid_t>& processes) {
    std::erase_if(known_, [&](const auto& entry) {
        return std::find(processes.begin(), processes.end(), entry.first) == processes.end();
    });
    std::size_t slot = 0;
    for (const pid_t pid : processes) {
        if (slot == table_->capacity()) return;
        Known& known = know(now, pid);
        if (!known.python) continue;
        const auto threads = known.python->stacks();
        // After exec the process is another program: find its interpreter again.
        if (!threads) {
            known.python.reset();
            continue;
        }
        if (threads->empty()) continue;
        table_->put(slot++, record_of(now, pid, as_text(*threads, sizeof format::Stacks::text)));
    }
}

std::vector<sources::PythonThread> StackWatch::threads_of(Nanos now, pid_t pid) {
    Known& known = know(now, pid);
    if (!known.python) return {};
    auto threads = known.python->stacks();
    if (!threads) return {};
    return std::move(*threads);
}

}  // namespace holdfast
