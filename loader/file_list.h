// The names of a folder's files, in an order that does not depend on the file system; kept in the
// arena, because a million names take memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loader/arena.h"

namespace holdfast::loader {

class FileList {
public:
    struct Folder {
        std::string path;
        std::string class_name;
        std::uint32_t class_number = 0;
    };
    // A folder that was walked, and how to tell whether it has changed since. A time of 0: it may
    // have changed while it was read.
    struct Walked {
        std::string path;
        std::int64_t modified = 0;
        std::uint64_t inode = 0;
        bool operator==(const Walked&) const = default;
        static Walked now(const std::string& path);
    };
    // Everything of a finished list but names and entries.
    struct Image {
        std::uint64_t files = 0;
        std::uint64_t names = 0;
        std::uint64_t fingerprint = 0;
        std::vector<Folder> folders;
        std::vector<Walked> walked;
    };

    // Takes what is left of the arena until finish().
    explicit FileList(Arena& arena);

    // Adds files below `root` that match a pattern of path parts: `*`, `?`, `[a-z]`, and `**` for
    // any number of folders. With `endings`, only names with one of them (any case). `by_top`: a
    // file's class is the first folder below the root, else the folder that contains it.
    Status add_matching(const std::string& root, const std::vector<std::string>& parts,
                        const std::vector<std::string>& endings, bool by_top);
    Status add_path(std::string_view path);
    // Room for names and entries that were kept elsewhere, and the list that they belong to; false
    // if they do not fit together.
    std::span<std::byte> room_for(std::uint64_t bytes) const;
    bool take(Image image);
    // Gives back what was not needed, and numbers the classes in alphabetical order.
    void finish();

    std::uint64_t count() const { return count_; }
    std::string path(std::uint64_t file) const;
    std::string_view name(std::uint64_t file) const;
    std::uint32_t class_of(std::uint64_t file) const;
    const std::vector<std::string>& classes() const { return classes_; }
    std::uint64_t fingerprint() const { return fingerprint_; }
    std::uint64_t bytes() const { return room_.size(); }
    std::uint64_t names() const { return names_; }
    const std::vector<Folder>& folders() const { return folders_; }
    const std::vector<Walked>& walked() const { return walked_; }
    // Names and entries of a finished list.
    std::span<const std::byte> image() const { return room_; }
    static std::uint64_t image_bytes(std::uint64_t files, std::uint64_t names) {
        return rounded_up(names, sizeof(Entry)) + files * sizeof(Entry);
    }
    Error full() const;

private:
    struct Entry {
        std::uint32_t name;  // where it begins
        std::uint32_t folder;
    };

    Status walk(const std::string& folder, const std::vector<std::string>& parts, std::size_t part,
                const std::vector<std::string>& endings, const std::string& class_name, bool by_top,
                int depth);
    bool add(std::string_view name, std::uint32_t folder);
    std::uint32_t folder_number(const std::string& path, const std::string& class_name);
    Entry* entry(std::uint64_t file) const;
    void number_classes();
    void sort_from(std::uint64_t first);

    Arena& arena_;
    std::span<std::byte> room_;
    std::uint64_t names_ = 0;  // bytes of names, from the front; entries grow from the back
    std::uint64_t count_ = 0;
    bool finished_ = false;
    std::uint64_t fingerprint_ = 0;
    std::vector<Folder> folders_;
    std::vector<Walked> walked_;
    std::vector<std::string> classes_;
};

}  // namespace holdfast::loader
