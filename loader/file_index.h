// A list of files on disk, so that a large folder is walked once and not at every start. It is
// believed only while every folder that was walked is as old as it was then: a file that comes,
// goes or is renamed changes its folder's time.
//
//   head | table: folders with files (path, class), folders walked (path, time, inode) | names and
//   entries, as they lie in the arena
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "loader/file_list.h"

namespace holdfast::loader {

enum class IndexState { used, absent, stale };

// `key` stands for what was asked for: an index of another pattern is stale. A file that is not
// ours is an error, because it would be overwritten.
Result<IndexState> load_index(const std::string& path, std::uint64_t key, FileList& files);
// Whole or not at all: a full disk leaves the old one, and no piece of the new one.
Status save_index(const std::string& path, std::uint64_t key, const FileList& files);
// Makes the sum in a whole index that of its bytes, for tests that change some: what a sum keeps
// out must be safe without it.
void seal_index(std::span<std::byte> whole);

}  // namespace holdfast::loader
