#include "native/modules.h"

#include <algorithm>
#include <cstring>

#include "base/format.h"

namespace holdfast {
namespace {

constexpr std::string_view deleted = " (deleted)";
constexpr std::size_t most_files = 256;

std::string hex_of(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) text += formatted("{:02x}", static_cast<unsigned char>(c));
    return text;
}

}  // namespace

std::string library_name(const CrashModule& mapping) {
    if (mapping.path.empty()) return "[anonymous]";
    std::string_view path = mapping.path;
    if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
    return std::string(path.substr(path.rfind('/') + 1));
}

NativeModules::NativeModules(const CrashRecord& crash)
    : crash_(crash), file_of_(crash.modules.size()), notes_(crash.modules.size()) {
    std::vector<bool> wanted(crash.modules.size());
    const auto want = [&](std::uint64_t address) {
        // The return address of a call that never returns may lie one past the end of the code.
        for (const std::uint64_t at : {address, address - 1})
            if (const CrashModule* found = mapping(at))
                wanted[static_cast<std::size_t>(found - crash.modules.data())] = true;
    };
    if (crash.pc) want(*crash.pc);
    for (const std::uint64_t value : crash.registers) want(value);
    // Return addresses on the stack are aligned.
    const std::size_t skip = (8 - crash.stack_from % 8) % 8;
    for (std::size_t at = skip; at + 8 <= crash.stack.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, crash.stack.data() + at, sizeof(word));
        want(word);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i]) open(i);
}

const CrashModule* NativeModules::mapping(std::uint64_t address) const {
    const auto after = std::upper_bound(
        crash_.modules.begin(), crash_.modules.end(), address,
        [](std::uint64_t at, const CrashModule& module) { return at < module.start; });
    if (after == crash_.modules.begin()) return nullptr;
    const CrashModule& found = *(after - 1);
    return found.holds(address) ? &found : nullptr;
}

const NativeModule* NativeModules::file(std::uint64_t address) const {
    const CrashModule* found = mapping(address);
    if (found == nullptr) return nullptr;
    const auto& index = file_of_[static_cast<std::size_t>(found - crash_.modules.data())];
    return index ? &files_[*index] : nullptr;
}

std::string NativeModules::note(std::uint64_t address) const {
    const CrashModule* found = mapping(address);
    return found == nullptr ? "" : notes_[static_cast<std::size_t>(found - crash_.modules.data())];
}

void NativeModules::open(std::size_t mapping) {
    const CrashModule& module = crash_.modules[mapping];
    if (!module.inode || !module.path.starts_with('/')) return;
    const std::string name = library_name(module);
    const auto pass_over = [&](std::string_view why) {
        notes_[mapping] = formatted("native frames in {}: {}", name, why);
    };
    if (module.path.ends_with(deleted)) return pass_over("the file was removed before the crash");
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (files_[i].file.path() != module.path) continue;
        // The same file at the same bias: another mapping of it. If the bias differs, it was loaded
        // twice.
        if (files_[i].file.bias(module.start, module.offset) == files_[i].bias) {
            file_of_[mapping] = i;
            return;
        }
    }
    if (files_.size() == most_files) return;
    Result<ElfFile> file = ElfFile::open(module.path);
    if (!file)
        return pass_over(file.error().number == ENOENT ? "the file is gone" : file.error().text);
    const bool newer = crash_.wall && file->modified_ns() > crash_.wall->count();
    if (file->inode() != *module.inode || newer)
        return pass_over("the file is not the one that was running");
    const auto bias = file->bias(module.start, module.offset);
    if (!bias) return pass_over("the file has no code at the mapped place");
    file_of_[mapping] = files_.size();
    files_.push_back({std::move(*file), *bias});
}

std::optional<std::string> debug_file(const ElfFile& file) {
    const std::string id = file.build_id();
    if (id.size() < 2) return std::nullopt;
    const std::string hex = hex_of(id);
    const std::string folder = file.path().substr(0, file.path().rfind('/'));
    std::vector<std::string> places{"/usr/lib/debug/.build-id/" + hex.substr(0, 2) + "/" +
                                    hex.substr(2) + ".debug"};
    if (const std::string link = file.debug_link(); !link.empty())
        for (const std::string& where : {folder, folder + "/.debug", "/usr/lib/debug" + folder})
            places.push_back(where + "/" + link);
    for (const std::string& place : places) {
        const Result<ElfFile> found = ElfFile::open(place);
        if (found && found->inode() != file.inode() && found->build_id() == id) return place;
    }
    return std::nullopt;
}

}  // namespace holdfast
