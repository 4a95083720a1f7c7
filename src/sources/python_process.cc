#include "sources/python_process.h"

#include <fcntl.h>

#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/read_file.h"
#include "base/text.h"
#include "frames/describe.h"
#include "frames/known_layouts.h"
#include "frames/stack_text.h"
#include "frames/walk.h"
#include "sources/directory.h"
#include "sources/process_memory.h"
#include "sources/python_image.h"

namespace holdfast::sources {

namespace {

constexpr std::size_t most_shown_threads = 1024;
constexpr std::size_t most_shown_frames = 1024;
constexpr std::size_t most_reads = 4'000'000;  // a thousand honest threads take a million

using Memory = frames::CachedMemory<ProcessMemory, 4096, 64>;

constexpr std::size_t most_tasks = 4096;

std::set<int> tasks_of(int process_dir) {
    std::set<int> tasks;
    auto list = Directory::open(process_dir, "task");
    if (!list) return tasks;
    while (const auto tid = list->next_number()) {
        if (tasks.size() == most_tasks) break;
        tasks.insert(*tid);
    }
    return tasks;
}

// "NSpid:	4711	12": our number first, the one inside last.
std::map<int, int> by_number_inside(int process_dir, const std::set<int>& tasks) {
    std::map<int, int> outside;
    for (const int tid : tasks) {
        const auto status = read_file_at(process_dir, "task/" + std::to_string(tid) + "/status");
        if (!status) continue;
        std::string_view rest = *status;
        while (auto line = next_line(rest)) {
            if (!line->starts_with("NSpid:")) continue;
            std::optional<std::string_view> last;
            while (const auto word = next_word(*line)) last = word;
            if (last)
                if (const auto inside = parse_number<int>(*last)) outside[*inside] = tid;
        }
    }
    return outside;
}

// glibc keeps the thread id at an undocumented place in the struct to which pthread_self() points.
// It is the place where every thread's struct has the id of a different thread of the process.
std::optional<std::size_t> place_of_tid(Memory& memory,
                                        const std::vector<frames::ThreadState>& states,
                                        const std::set<int>& tasks) {
    const auto fits = [&](std::size_t place) {
        std::set<int> seen;
        for (const auto& state : states) {
            std::int32_t tid = 0;
            if (!frames::load(memory, state.pthread + place, tid) || !tasks.contains(tid))
                return false;
            seen.insert(tid);
        }
        return !seen.empty();
    };
    for (const std::size_t place : {720U, 208U})  // x86_64, aarch64
        if (fits(place)) return place;
    for (std::size_t place = 0; place < 1024; place += 4)
        if (fits(place)) return place;
    return std::nullopt;
}

// One thread id per state; 0 if unknown. Python's own figure counts only if the process has such a
// thread: a child of fork may still have its parent's figure, 3.10 has none, and in a container the
// ids differ from ours.
std::vector<int> tids_of(Memory& memory, int process_dir,
                         const std::vector<frames::ThreadState>& states) {
    const std::set<int> tasks = tasks_of(process_dir);
    std::vector<int> tids(states.size(), 0);
    bool all = true;
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (states[i].tid <= 0x7FFFFFFF && tasks.contains(static_cast<int>(states[i].tid)))
            tids[i] = static_cast<int>(states[i].tid);
        all = all && tids[i] != 0;
    }
    if (all) return tids;
    const auto outside = by_number_inside(process_dir, tasks);
    const auto place = place_of_tid(memory, states, tasks);
    for (std::size_t i = 0; i < states.size(); ++i) {
        std::int32_t tid = 0;
        if (tids[i] != 0) continue;
        if (states[i].tid <= 0x7FFFFFFF)
            if (const auto found = outside.find(static_cast<int>(states[i].tid));
                found != outside.end())
                tids[i] = found->second;
        if (tids[i] == 0 && place && frames::load(memory, states[i].pthread + *place, tid))
            tids[i] = tid;
    }
    return tids;
}

std::string name_of(int process_dir, int pid, int tid) {
    if (tid == pid) return "MainThread";
    auto name = read_file_at(process_dir, "task/" + std::to_string(tid) + "/comm", 64);
    return name ? printable(trim(*name)) : std::string();
}

class StackReader {
public:
    StackReader(Memory& memory, const frames::Layout& layout, std::uintptr_t code_type)
        : memory_(memory), layout_(layout), code_type_(code_type) {}

    void read(const frames::ThreadState& thread, PythonThread& out) {
        std::uintptr_t frame = frames::current_frame(memory_, layout_, thread.address);
        frames::walk_frames(memory_, layout_, code_type_, frame, [&](const frames::Place& place) {
            if (out.frames.size() == most_shown_frames) {
                out.complete = false;
                return false;
            }
            const PythonFrame* known = describe(place);
            if (known == nullptr) return false;
            out.frames.push_back(*known);
            return true;
        });
    }

private:
    // Recursion and waiting pools show the same place again and again.
    const PythonFrame* describe(const frames::Place& place) {
        const auto [at, is_new] = known_.try_emplace({place.code, place.instruction});
        if (!is_new) return &at->second;
        if (!frames::describe(memory_, layout_, code_type_, place, words_)) {
            known_.erase(at);
            return nullptr;
        }
        PythonFrame& frame = at->second;
        frame.file = printable({words_.file, words_.file_size});
        frame.function = printable({words_.function, words_.function_size});
        if (words_.line != 0) frame.line = words_.line;
        frame.instruction = place.instruction;
        return &frame;
    }

    Memory& memory_;
    const frames::Layout& layout_;
    std::uintptr_t code_type_;
    frames::Description words_;
    std::map<std::pair<std::uintptr_t, std::int32_t>, PythonFrame> known_;
};

Error about(int pid, const Error& error) {
    return {"process " + std::to_string(pid) + ": " + error.text, error.number};
}

}  // namespace

Result<PythonProcess> PythonProcess::open(int pid) {
    const std::string path = "/proc/" + std::to_string(pid);
    UniqueFd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!dir) return about(pid, {"it is gone", ESRCH});
    PythonProcess process(pid, std::move(dir));
    ProcessMemory memory(pid, process.dir_.get());
    const auto image = find_python_image(process.dir_.get(), memory);
    if (!image) return about(pid, image.error());
    const unsigned minor = (image->version >> 16U) & 0xFFU;
    process.version_.major = 3;
    process.version_.minor = minor;
    if (image->exact) process.version_.micro = (image->version >> 8U) & 0xFFU;
    process.runtime_ = image->runtime;
    process.code_type_ = image->code_type;
    if (image->runtime == 0 ||
        !frames::find_layout(memory, image->runtime, image->version, process.layout_)) {
        const std::string name = minor != 0 ? "Python 3." + std::to_string(minor) : "an old Python";
        return about(pid, {"the stacks of " + name + " cannot be read", ENOTSUP});
    }
    process.version_.free_threaded = process.layout_.free_threaded;
    return process;
}

Result<std::vector<PythonThread>> PythonProcess::stacks() const {
    ProcessMemory source(pid_, dir_.get());
    const auto memory = std::make_unique<Memory>(source, most_reads);
    std::vector<frames::ThreadState> states;
    frames::each_thread(*memory, layout_, runtime_, [&](const frames::ThreadState& state) {
        states.push_back(state);
        return states.size() < most_shown_threads;
    });
    const std::vector<int> tids = tids_of(*memory, dir_.get(), states);
    StackReader reader(*memory, layout_, code_type_);
    std::vector<PythonThread> threads;
    for (std::size_t i = 0; i < states.size(); ++i) {
        PythonThread& thread = threads.emplace_back();
        thread.tid = tids[i];
        thread.name = name_of(dir_.get(), pid_, thread.tid);
        thread.holds_gil = frames::holds_gil(*memory, layout_, runtime_, states[i]);
        reader.read(states[i], thread);
    }
    // Checked last: the pid may belong to another process by now, but its directory never does.
    const auto alive = read_file_at(dir_.get(), "stat");
    if (!alive) return about(pid_, {"it is gone", ESRCH});
    if (threads.empty() && (source.error() == EPERM || source.error() == EACCES))
        return about(pid_, {"its memory may not be read", EPERM});
    return threads;
}

std::string as_text(const std::vector<PythonThread>& threads, std::size_t limit) {
    std::string text(limit, '\0');
    frames::StackText writer(text.data(), text.size());
    for (const PythonThread& thread : threads) {
        if (!writer.thread(thread.tid, thread.name.data(), thread.name.size())) break;
        for (const PythonFrame& frame : thread.frames)
            if (!writer.frame(frame.line.value_or(0), frame.file.data(), frame.file.size(),
                              frame.function.data(), frame.function.size()))
                break;
    }
    text.resize(writer.size());
    return text;
}

}  // namespace holdfast::sources
