#include "agent/process/own_variables.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/exec_target.h"

namespace holdfast::agent {
namespace {

constexpr Text preload_name{"LD_PRELOAD="};
constexpr Text run_name{"HOLDFAST_RUN="};
constexpr Text filters_name{"HOLDFAST_FILTERS="};
constexpr std::size_t filters_room = filters_name.size + 12;

char own_path[PATH_MAX];  // as LD_PRELOAD named us
char run_entry[PATH_MAX + sizeof run_variable + 1];
int filters = -1;

bool is_separator(char letter) { return letter == ':' || letter == ' '; }

// The entry of an LD_PRELOAD list that is `path`.
Text entry_of(Text list, Text path) {
    for (std::size_t begin = 0; begin < list.size;) {
        std::size_t end = begin;
        while (end < list.size && !is_separator(list.data[end])) ++end;
        const Text entry(list.data + begin, end - begin);
        if (entry == path) return entry;
        begin = end + 1;
    }
    return {};
}

// The one that is this library: whose file name is ours.
Text own_entry(Text list) {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<void*>(&hide_from_environment), &info) == 0) return {};
    return entry_of(list, Text::of(info.dli_fname));
}

// Cuts `part` and one separator out of the variable's value, in place: a shorter text always fits.
void cut(char* list, Text part) {
    char* from = list + (part.data - list);
    char* to = from + part.size;
    if (is_separator(*to))
        ++to;
    else if (from > list && is_separator(from[-1]))
        --from;
    std::memmove(from, to, std::strlen(to) + 1);
}

void remove_entry(char** place) {
    do place[0] = place[1];
    while (*place++ != nullptr);
}

// "LD_PRELOAD=..." as a child must have it, given the program's own value. The program may have
// copied its environment while our entry was still there: then its list is right as it is.
void write_preload(Text theirs, char* out) {
    const Text own = Text::of(own_path);
    const bool there = !entry_of(theirs, own).empty();
    const bool yield = there || names_sanitizer(theirs.data, theirs.size);
    const Text first = yield ? theirs : own;
    const Text second = there ? Text() : yield ? own : theirs;
    const auto put = [&out](Text text) {
        std::memcpy(out, text.data, text.size);
        out += text.size;
    };
    put(preload_name);
    put(first);
    if (!second.empty()) {
        put(":");
        put(second);
    }
    *out = 0;
}

void write_filters(int number, char* out) {
    std::memcpy(out, filters_name.data, filters_name.size);
    out += filters_name.size;
    char digits[12];
    std::size_t count = 0;
    for (auto rest = static_cast<unsigned>(number < 0 ? 0 : number); rest > 0 || count == 0;
         rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    while (count > 0) *out++ = digits[--count];
    *out = 0;
}

// The child is switched off (HOLDFAST=0), or another `holdfast run` watches it.
bool leave_alone(char* const* environment) {
    for (; *environment != nullptr; ++environment) {
        const Text entry = Text::of(*environment);
        if (entry == Text("HOLDFAST=0") || entry.starts_with(run_name)) return true;
    }
    return false;
}

}  // namespace

void hide_from_environment() {
    if (environ == nullptr) return;
    for (char** place = environ; *place != nullptr;) {
        const Text entry = Text::of(*place);
        if (entry.starts_with(run_name) && entry.size < sizeof run_entry) {
            copy_text(run_entry, entry);
            remove_entry(place);
            continue;
        }
        if (entry.starts_with(filters_name)) {
            filters = ::atoi(entry.data + filters_name.size);
            remove_entry(place);
            continue;
        }
        if (entry.starts_with(preload_name)) {
            char* list = *place + preload_name.size;
            const Text own = own_entry(Text::of(list));
            if (!own.empty() && own.size < sizeof own_path) {
                copy_text(own_path, own);
                cut(list, own);
                if (*list == 0) {
                    remove_entry(place);
                    continue;
                }
            }
        }
        ++place;
    }
}

Text supervised_run() {
    const Text entry = Text::of(run_entry);
    if (entry.size <= run_name.size || own_path[0] == 0) return {};
    return {entry.data + run_name.size, entry.size - run_name.size};
}

int filters_before() { return filters; }

std::size_t restored_size(char* const* environment) {
    std::size_t entries = 4;
    std::size_t bytes = preload_name.size + std::strlen(own_path) + 2 + filters_room;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        ++entries;
        const Text entry = Text::of(*environment);
        if (entry.starts_with(preload_name)) bytes += entry.size;
    }
    return entries * sizeof(char*) + bytes;
}

char* const* restore_environment(char* const* environment, void* memory, bool with_filters) {
    static char* nothing[] = {nullptr};
    if (environment == nullptr) environment = nothing;
    // If the library is gone by now (an upgrade), the loader would complain on stderr.
    if (leave_alone(environment) || ::access(own_path, R_OK) != 0) return nullptr;
    char** const first = static_cast<char**>(memory);
    char** next = first;
    Text theirs;
    for (; *environment != nullptr; ++environment) {
        const Text entry = Text::of(*environment);
        if (entry.starts_with(preload_name))
            theirs = {entry.data + preload_name.size, entry.size - preload_name.size};
        else
            *next++ = *environment;
    }
    char* count = reinterpret_cast<char*>(next + 4);
    char* preload = count + filters_room;
    *next++ = preload;
    *next++ = run_entry;
    if (with_filters) *next++ = count;
    *next = nullptr;
    write_preload(theirs, preload);
    if (with_filters) write_filters(seccomp_filters(), count);
    return first;
}

}  // namespace holdfast::agent
