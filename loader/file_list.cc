#include "loader/file_list.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "loader/data_file.h"

namespace holdfast::loader {
namespace {

constexpr std::uint64_t most_keys = 1U << 15U;  // 512 KiB outside the arena
constexpr int deepest_folder = 40;              // links may lead in circles

bool ends_with_any(std::string_view name, const std::vector<std::string>& endings) {
    if (endings.empty()) return true;
    return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
        return name.size() > ending.size() &&
               std::equal(ending.rbegin(), ending.rend(), name.rbegin(), [](char a, char b) {
                   return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
               });
    });
}

enum class EntryKind { file, folder, other };

EntryKind kind_of(int directory, const dirent& entry) {
    if (entry.d_type == DT_REG) return EntryKind::file;
    if (entry.d_type == DT_DIR) return EntryKind::folder;
    if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return EntryKind::other;
    struct stat facts {};
    // A link that leads nowhere is listed: files must not disappear silently.
    if (::fstatat(directory, entry.d_name, &facts, 0) != 0) return EntryKind::file;
    return S_ISDIR(facts.st_mode)   ? EntryKind::folder
           : S_ISREG(facts.st_mode) ? EntryKind::file
                                    : EntryKind::other;
}

constexpr std::int64_t second = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * second + time.tv_nsec; }

}  // namespace

FileList::Walked FileList::Walked::now(const std::string& path) {
    struct stat facts {};
    if (::stat(path.empty() ? "." : path.c_str(), &facts) != 0) return {path, 0, 0};
    timespec clock{};
    ::clock_gettime(CLOCK_REALTIME, &clock);
    // The time would not show a change within the same clock tick as this look.
    const std::int64_t modified = nanoseconds(facts.st_mtim);
    const bool young = modified > nanoseconds(clock) - 2 * second;
    return {path, young ? 0 : modified, facts.st_ino};
}

FileList::FileList(Arena& arena)
    : arena_(arena),
      room_(arena.reserve(arena.left().count / cache_line * cache_line - cache_line)) {}

Error FileList::full() const {
    return Error{
        formatted("the names of the files alone take more than the budget, {}; so far {} were read",
                  human(arena_.budget()), count_)};
}

FileList::Entry* FileList::entry(std::uint64_t file) const {
    // While files are added the first one lies at the very end.
    if (!finished_)
        return reinterpret_cast<Entry*>(room_.data() +
                                        room_.size() / sizeof(Entry) * sizeof(Entry)) -
               1 - file;
    return reinterpret_cast<Entry*>(room_.data() + rounded_up(names_, sizeof(Entry))) + file;
}

bool FileList::add(std::string_view name, std::uint32_t folder) {
    const std::uint64_t after = names_ + name.size() + 1;
    if (after > 0xffffffffU || after + (count_ + 1) * sizeof(Entry) + sizeof(Entry) > room_.size())
        return false;
    std::memcpy(room_.data() + names_, name.data(), name.size());
    room_[names_ + name.size()] = std::byte{0};
    *entry(count_++) = {static_cast<std::uint32_t>(names_), folder};
    names_ = after;
    return true;
}

std::uint32_t FileList::folder_number(const std::string& path, const std::string& class_name) {
    if (folders_.empty() || folders_.back().path != path) folders_.push_back({path, class_name, 0});
    return static_cast<std::uint32_t>(folders_.size() - 1);
}

Status FileList::add_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder(slash == std::string_view::npos ? "" : path.substr(0, slash));
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    const std::uint32_t number = folder_number(folder, std::string(base_name(folder)));
    if (!add(name, number)) return full();
    return Done{};
}

Status FileList::add_matching(const std::string& root, const std::vector<std::string>& parts,
                              const std::vector<std::string>& endings, bool by_top) {
    return walk(root, parts, 0, endings, std::string(base_name(root)), by_top, 0);
}

Status FileList::walk(const std::string& folder, const std::vector<std::string>& parts,
                      std::size_t part, const std::vector<std::string>& endings,
                      const std::string& class_name, bool by_top, int depth) {
    if (depth > deepest_folder)
        return Error{folder + ": folders nested too deep, or links in a circle"};
    const bool any_depth = parts[part] == "**";
    const std::string& file_pattern = parts.back();
    const bool files_here = any_depth ? part + 2 == parts.size() : part + 1 == parts.size();
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(
        ::opendir(folder.empty() ? "." : folder.c_str()), ::closedir);
    if (!stream) return Error::from_errno(folder.empty() ? "." : folder);
    walked_.push_back(Walked::now(folder));
    std::vector<std::string> below;
    const std::uint64_t first = count_;
    while (const dirent* found = ::readdir(stream.get())) {
        const std::string_view name = found->d_name;
        // As in shells, patterns do not match names that begin with a dot.
        if (name.starts_with('.')) continue;
        const EntryKind kind = kind_of(::dirfd(stream.get()), *found);
        if (kind == EntryKind::file && files_here && ends_with_any(name, endings) &&
            (file_pattern == "*" || ::fnmatch(file_pattern.c_str(), found->d_name, 0) == 0)) {
            if (!add(name, folder_number(folder, class_name))) return full();
        } else if (kind == EntryKind::folder &&
                   (any_depth || (part + 1 < parts.size() &&
                                  ::fnmatch(parts[part].c_str(), found->d_name, 0) == 0))) {
            below.emplace_back(name);
        }
    }
    sort_from(first);
    std::sort(below.begin(), below.end());
    for (const std::string& name : below) {
        const std::string path = folder.empty()          ? name
                                 : folder.ends_with('/') ? folder + name
                                                         : folder + "/" + name;
        const std::string& its_class = by_top && depth > 0 ? class_name : name;
        if (auto done = walk(path, parts, any_depth ? part : part + 1, endings, its_class, by_top,
                             depth + 1);
            !done)
            return done;
    }
    return Done{};
}

// Sorts the files of one folder by name. Entries grow downwards, so the first file must lie
// highest.
void FileList::sort_from(std::uint64_t first) {
    const std::uint64_t count = count_ - first;
    if (count < 2) return;
    Entry* const lowest = entry(first) + 1 - count;
    const auto* names = reinterpret_cast<const char*>(room_.data());
    const auto later = [names](const Entry& a, const Entry& b) {
        return std::strcmp(names + a.name, names + b.name) > 0;
    };
    if (count > most_keys) {
        std::sort(lowest, lowest + count, later);
        return;
    }
    // Names begin alike: compare first, eight bytes at once, where they differ.
    std::string_view alike = names + lowest->name;
    for (std::uint64_t i = 1; i < count && !alike.empty(); ++i) {
        const char* name = names + lowest[i].name;
        std::size_t same = 0;
        while (same < alike.size() && name[same] == alike[same]) ++same;
        alike = alike.substr(0, same);
    }
    struct Keyed {
        std::uint64_t key;
        Entry entry;
    };
    std::vector<Keyed> keyed(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t key = 0;
        const char* at = names + lowest[i].name + alike.size();
        for (int byte = 0; byte < 8; ++byte) {
            key = key << 8U | static_cast<unsigned char>(*at);
            if (*at != '\0') ++at;
        }
        keyed[i] = {key, lowest[i]};
    }
    std::sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
        return a.key != b.key ? a.key > b.key : later(a.entry, b.entry);
    });
    for (std::uint64_t i = 0; i < count; ++i) lowest[i] = keyed[i].entry;
}

void FileList::finish() {
    // The entries go right after the names, first file first; the rest is given back.
    const std::uint64_t names = rounded_up(names_, sizeof(Entry));
    const std::uint64_t entries = count_ * sizeof(Entry);
    if (count_ > 0) {
        Entry* lowest = entry(count_ - 1);
        std::reverse(lowest, lowest + count_);
        std::memmove(room_.data() + names, lowest, entries);
    }
    finished_ = true;
    arena_.shrink_last(room_, names + entries);
    room_ = room_.first(names + entries);
    number_classes();
    // Names only, without the path of the data: it differs on another machine.
    const auto* text = reinterpret_cast<const char*>(room_.data());
    fingerprint_ = text_hash({text, static_cast<std::size_t>(names_)}, count_);
    for (const std::string& name : classes_) fingerprint_ = text_hash(name, fingerprint_);
}

void FileList::number_classes() {
    for (const Folder& folder : folders_) classes_.push_back(folder.class_name);
    std::sort(classes_.begin(), classes_.end());
    classes_.erase(std::unique(classes_.begin(), classes_.end()), classes_.end());
    for (Folder& folder : folders_)
        folder.class_number = static_cast<std::uint32_t>(
            std::lower_bound(classes_.begin(), classes_.end(), folder.class_name) -
            classes_.begin());
}

std::span<std::byte> FileList::room_for(std::uint64_t bytes) const {
    return bytes <= room_.size() ? room_.first(bytes) : std::span<std::byte>();
}

bool FileList::take(Image image) {
    const std::uint64_t bytes = image_bytes(image.files, image.names);
    const auto* entries =
        reinterpret_cast<const Entry*>(room_.data() + rounded_up(image.names, sizeof(Entry)));
    if (image.names == 0 || room_[image.names - 1] != std::byte{0}) return false;
    for (std::uint64_t i = 0; i < image.files; ++i)
        if (entries[i].name >= image.names || entries[i].folder >= image.folders.size())
            return false;
    arena_.shrink_last(room_, bytes);
    room_ = room_.first(bytes);
    names_ = image.names;
    count_ = image.files;
    fingerprint_ = image.fingerprint;
    folders_ = std::move(image.folders);
    walked_ = std::move(image.walked);
    finished_ = true;
    number_classes();
    return true;
}

std::string_view FileList::name(std::uint64_t file) const {
    return reinterpret_cast<const char*>(room_.data()) + entry(file)->name;
}

std::string FileList::path(std::uint64_t file) const {
    const std::string& folder = folders_[entry(file)->folder].path;
    std::string path = folder;
    if (!folder.empty() && !folder.ends_with('/')) path += '/';
    path += name(file);
    return path;
}

std::uint32_t FileList::class_of(std::uint64_t file) const {
    return folders_[entry(file)->folder].class_number;
}

}  // namespace holdfast::loader
