#include "check/library_finder.h"

#include <array>

#include "base/text.h"
#include "check/paths.h"

namespace holdfast::check {
namespace {

constexpr std::array usual_folders{"/lib/x86_64-linux-gnu",
                                   "/usr/lib/x86_64-linux-gnu",
                                   "/lib/aarch64-linux-gnu",
                                   "/usr/lib/aarch64-linux-gnu",
                                   "/lib64",
                                   "/usr/lib64",
                                   "/lib",
                                   "/usr/lib"};

std::string with_origin(std::string text, const std::string& origin) {
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"})
        for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;
             at += origin.size())
            text.replace(at, name.size(), origin);
    return text;
}

}  // namespace

LibraryFinder::LibraryFinder(Sight& sight, const Environment& environment,
                             const std::string& program)
    : sight_(sight),
      library_path_(folders_in(environment.variable("LD_LIBRARY_PATH"))),
      program_(program) {
    const ElfFacts* facts = program.empty() ? nullptr : elf(program);
    if (facts != nullptr && facts->runpath.empty()) program_rpath_ = facts->rpath;
}

const ElfFacts* LibraryFinder::elf(const std::string& path) {
    const auto [at, first] = known_.try_emplace(path);
    if (first)
        if (auto facts = sight_.elf(path)) at->second = std::move(*facts);
    return at->second ? &*at->second : nullptr;
}

std::optional<std::string> LibraryFinder::in_paths(std::string_view paths,
                                                   const std::string& origin,
                                                   const std::string& soname) {
    for (const std::string_view path : split(paths, ':')) {
        if (path.empty()) continue;
        std::string file = tidy(joined(with_origin(std::string(path), origin), soname));
        if (sight_.exists(file)) return file;
    }
    return std::nullopt;
}

std::optional<FoundLibrary> LibraryFinder::find(const std::string& soname, const std::string& by,
                                                const ElfFacts& facts) {
    if (soname.find('/') != std::string::npos) return FoundLibrary{soname, "by its path"};
    const std::string origin = folder_of(by);
    if (facts.runpath.empty()) {
        if (auto file = in_paths(facts.rpath, origin, soname)) return FoundLibrary{*file, "RPATH"};
        if (auto file = in_paths(program_rpath_, folder_of(program_), soname))
            return FoundLibrary{*file, "RPATH of " + program_};
    }
    for (const std::string& folder : library_path_)
        if (std::string file = joined(folder, soname); sight_.exists(file))
            return FoundLibrary{file, "LD_LIBRARY_PATH"};
    if (auto file = in_paths(facts.runpath, origin, soname)) return FoundLibrary{*file, "RUNPATH"};
    if (auto file = sight_.cached(soname)) return FoundLibrary{*file, "/etc/ld.so.cache"};
    for (const std::string_view folder : usual_folders)
        if (std::string file = joined(folder, soname); sight_.exists(file))
            return FoundLibrary{file, "the usual folders"};
    return std::nullopt;
}

}  // namespace holdfast::check
