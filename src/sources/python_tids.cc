#include "sources/python_tids.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/read_file.h"
#include "base/text.h"
#include "sources/directory.h"

namespace holdfast::sources {

namespace {

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

// glibc keeps the number in the struct that pthread_self() points to, at a place that is its own
// affair: it is where every thread's struct holds the number of another thread of the process.
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

}  // namespace

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

}  // namespace holdfast::sources
