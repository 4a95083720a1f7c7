// Symbols that the user's own extensions need and that no library defines: the extensions were
// built for another version of a library, and importing them fails.
#include <deque>
#include <set>

#include "base/text.h"
#include "check/gather.h"
#include "check/library_finder.h"
#include "check/paths.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_extensions = 32;
constexpr std::size_t most_libraries = 128;

bool is_shared_object(std::string_view name) { return name.ends_with(".so"); }

// "codec.cpython-311-x86_64-linux-gnu.so" -> "codec", where this Python would import it.
std::optional<std::string> module_of(std::string_view file, const std::string& version) {
    const auto parts = split(file, '.');
    if (parts.size() == 2 || (parts.size() == 3 && parts[1] == "abi3"))
        return std::string(parts[0]);
    if (parts.size() != 3) return std::nullopt;
    std::string tag = "cpython-";
    for (const char c : version)
        if (c != '.') tag += c;
    return parts[1].starts_with(tag + '-') ? std::optional(std::string(parts[0])) : std::nullopt;
}

// The file and all libraries that it needs, and the program with its libraries. Nothing if one is
// not found: torch and others load libraries by path, and then nobody can know.
std::optional<std::vector<std::string>> loaded_with(LibraryFinder& finder, const std::string& file,
                                                    const std::string& program) {
    std::vector<std::string> libraries;
    std::set<std::string> seen{file};
    std::deque<std::string> open{file, program};
    while (!open.empty()) {
        const std::string path = open.front();
        open.pop_front();
        const ElfFacts* facts = finder.elf(path);
        if (facts == nullptr || libraries.size() >= most_libraries) return std::nullopt;
        if (path != file) libraries.push_back(path);
        for (const std::string& soname : facts->needed) {
            const auto found = finder.find(soname, path, *facts);
            if (!found) return std::nullopt;
            if (seen.insert(found->path).second) open.push_back(found->path);
        }
    }
    return libraries;
}

}  // namespace

void gather_symbols(Sight& sight, Environment& environment) {
    if (!environment.python || !environment.python->unknown_because.empty()) return;
    Python& python = *environment.python;
    // With LD_PRELOAD, a library may define anything.
    if (python.shadow_folder.empty() || environment.variable("LD_PRELOAD") != nullptr) return;
    const std::string program = followed(sight, python.program);
    LibraryFinder finder(sight, environment, program);
    for (const std::string& name :
         sight.list(python.shadow_folder, is_shared_object).value_or(std::vector<std::string>())) {
        if (python.extensions.size() >= most_extensions) return;
        const auto module = module_of(name, python.version);
        const std::string file = joined(python.shadow_folder, name);
        if (!module || sight.defines(file, "PyInit_" + *module) != true) continue;
        const auto libraries = loaded_with(finder, file, program);
        if (!libraries) continue;
        if (auto missing = sight.missing_symbols(file, *libraries))
            python.extensions.push_back({file, *module, std::move(*missing)});
    }
}

}  // namespace holdfast::check
