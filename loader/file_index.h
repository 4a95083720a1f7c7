// A list of files on disk, so that a large folder is walked once and not at every start. It is used
// only as long as every walked folder has the same time as then: a file that is added, removed or
// renamed changes its folder's time.
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

// `key` stands for the request: an index of another pattern is stale. A file that is not an index
// is an error, because it would be overwritten.
Result<IndexState> load_index(const std::string& path, std::uint64_t key, FileList& files);
// Whole or not at all: on a full disk the old index stays, without a piece of the new one.
Status save_index(const std::string& path, std::uint64_t key, const FileList& files);
// Recomputes the sum of a whole index, for tests that change some bytes: whatever the sum would
// reject must be safe without it.
void seal_index(std::span<std::byte> whole);

}  // namespace holdfast::loader
