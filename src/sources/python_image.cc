#include "sources/python_image.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/read_file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "frames/elf_symbols.h"
#include "frames/known_layouts.h"

namespace holdfast::sources {

namespace {

constexpr std::size_t maps_limit = std::size_t{32} << 20U;
constexpr std::size_t most_images = 16;

// A file as memory: its first byte has address 0.
struct FileMemory {
    int fd;
    bool read(std::uintptr_t at, void* into, std::size_t size) const {
        return ::pread(fd, into, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
    }
};

// "7f..-7f.. r--p 00000000 08:01 1234      /usr/lib/libpython3.11.so.1.0"; accepts only mappings of
// a file's first byte.
std::optional<MappedImage> first_mapping(std::string_view line) {
    const auto range = next_word(line), rights = next_word(line), offset = next_word(line);
    const auto device = next_word(line), inode = next_word(line);
    if (!range || !rights || !offset || !device || !inode) return std::nullopt;
    if (parse_number<std::uint64_t>(*offset, 16) != std::uint64_t{0} || *inode == "0")
        return std::nullopt;
    const auto start = parse_number<std::uintptr_t>(range->substr(0, range->find('-')), 16);
    const std::string_view path = trim(line);
    if (!start || path.empty()) return std::nullopt;
    return MappedImage{*start, std::string(path)};
}

std::string link_text(int directory, const char* name) {
    std::array<char, 4096> text{};
    const ssize_t size = ::readlinkat(directory, name, text.data(), text.size());
    return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

// "3.10" from a path such as ".../bin/python3.10" or "libpython3.10.so.1.0"; 0 if there is none.
std::uint32_t version_in_name(std::string_view path) {
    const auto at = path.rfind("python3.");
    if (at == std::string_view::npos) return 0;
    std::string_view digits = path.substr(at + 8);
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    const auto minor = parse_number<std::uint8_t>(digits);
    return minor ? 0x03000000U | std::uint32_t{*minor} << 16U : 0;
}

// Executables that export nothing still have the section, if nobody stripped its headers.
std::uintptr_t runtime_section(int process_dir, bool executable, const std::string& path) {
    UniqueFd file;
    if (executable) {
        file.reset(::openat(process_dir, "exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    } else {
        const std::string below_root = "root" + path;
        file.reset(::openat(process_dir, below_root.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    }
    if (!file) return 0;
    FileMemory memory{file.get()};
    return frames::find_section(memory, ".PyRuntime");
}

std::optional<PythonImage> look_into(const MappedImage& image, bool executable, int process_dir,
                                     ProcessMemory& source) {
    frames::CachedMemory<ProcessMemory, 1024, 16> memory(source, 100'000);
    frames::ElfSymbols symbols;
    PythonImage found;
    const bool exports = symbols.open(memory, image.start);
    if (exports) found.runtime = symbols.find(memory, "_PyRuntime");
    if (found.runtime != 0) {
        found.code_type = symbols.find(memory, "PyCode_Type");
    } else if (const auto section = runtime_section(process_dir, executable, image.path)) {
        found.runtime = symbols.bias() + section;
    } else if (exports && symbols.find(memory, "Py_IsInitialized") != 0) {
        found.exact = false;
        found.version = version_in_name(image.path);
        return found;
    } else {
        return std::nullopt;
    }
    found.version = frames::stated_version(memory, found.runtime);
    if (found.version != 0) return found;
    std::uint64_t number = 0;
    const std::uintptr_t at = exports ? symbols.find(memory, "Py_Version") : 0;
    if (at != 0 && frames::load(memory, at, number)) {
        found.version = static_cast<std::uint32_t>(number);
        return found;
    }
    // Up to 3.10 the version is stored nowhere: test for functions that each appeared in one
    // version.
    found.exact = false;
    const auto has = [&](const char* name) { return exports && symbols.find(memory, name) != 0; };
    if (has("PyIter_Send"))
        found.version = 0x030A0000;
    else if (has("PyObject_CallNoArgs"))
        found.version = 0x03090000;
    else if (has("PyCode_NewWithPosOnlyArgs"))
        found.version = 0x03080000;
    else
        found.version = version_in_name(image.path);
    return found;
}

}  // namespace

std::vector<MappedImage> python_images(std::string_view maps, std::string_view executable) {
    std::vector<MappedImage> found;
    bool has_executable = false;
    while (const auto line = next_line(maps)) {
        auto image = first_mapping(*line);
        if (!image) continue;
        const std::string_view path = image->path;
        const bool own = !has_executable && path == executable;
        const std::string_view name = path.substr(path.rfind('/') + 1);
        if (own) {
            has_executable = true;
            found.insert(found.begin(), std::move(*image));
        } else if (name.starts_with("libpython") && found.size() < most_images) {
            found.push_back(std::move(*image));
        }
    }
    return found;
}

Result<PythonImage> find_python_image(int process_dir, ProcessMemory& memory) {
    const auto maps = read_file_at(process_dir, "maps", maps_limit);
    if (!maps) return maps.error();
    const std::string executable = link_text(process_dir, "exe");
    for (const MappedImage& image : python_images(*maps, executable)) {
        if (const auto found = look_into(image, image.path == executable, process_dir, memory))
            return *found;
        if (memory.error() == EPERM || memory.error() == EACCES)
            return Error{"its memory may not be read (that takes the rights of a debugger)", EPERM};
        if (memory.error() == ESRCH) return Error{"it is gone", ESRCH};
    }
    return Error{"it runs no Python", ENOEXEC};
}

}  // namespace holdfast::sources
