// Looks for a library as the dynamic loader does: DT_RPATH of the object and of the program (unless
// the object has a DT_RUNPATH), LD_LIBRARY_PATH, DT_RUNPATH, the cache, the usual folders.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "check/environment.h"
#include "check/sight.h"

namespace holdfast::check {

struct FoundLibrary {
    std::string path;
    std::string how;
};

class LibraryFinder {
public:
    // `program`: the interpreter's own file, with links resolved.
    LibraryFinder(Sight& sight, const Environment& environment, const std::string& program);

    std::optional<FoundLibrary> find(const std::string& soname, const std::string& by,
                                     const ElfFacts& facts);
    // Parses each file once.
    const ElfFacts* elf(const std::string& path);

private:
    std::optional<std::string> in_paths(std::string_view paths, const std::string& origin,
                                        const std::string& soname);

    Sight& sight_;
    std::vector<std::string> library_path_;
    std::string program_;
    std::string program_rpath_;
    std::map<std::string, std::optional<ElfFacts>> known_;
};

}  // namespace holdfast::check
