// A root as text: every file and answer that was read of a machine, in one file that people can
// read and edit. `--record` writes it, `--root` checks it again, and the tests use it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/sight.h"

namespace holdfast::check {

// There are two more kinds of lines, only for tests: `from NAME` (another root whose entries come
// first) and `expect ...`.
struct RootRecord {
    // "file /proc/meminfo" -> its bytes; "link P", "status P", "space P", "elf P", "code P",
    // "cached NAME", "writable P", "var NAME", "figure NAME" alike.
    std::map<std::string, std::string, std::less<>> entries;
    GpuAnswers gpus;
    bool gpus_asked = false;
    std::optional<std::vector<std::string>> log;
    std::vector<std::string> expects;
    // "edit PATH = OLD ==> NEW": in that file, the line that begins with OLD becomes NEW.
    struct Edit {
        std::string path, from, to;
    };
    std::vector<Edit> edits;
    std::string from;

    // Puts `later` on top of this record; "gone P" in `later` removes P and everything below it.
    void add(const RootRecord& later);
};

inline constexpr std::string_view root_file = "check.root";

RootRecord parse_root(std::string_view text);
std::string to_text(const RootRecord& record);

std::unique_ptr<Sight> recorded_sight(RootRecord record);

// Passes on what `inner` sees, and records it.
class RecordingSight;
std::unique_ptr<Sight> recording_sight(Sight& inner, RootRecord& into);

// What to replace by "user", "host" and "work": names of people, machines and projects.
struct Names {
    std::string home, host, directory;
};
RootRecord masked(const RootRecord& record, const Names& names);

}  // namespace holdfast::check
