// Which of the watched filesystems were full.
#pragma once

#include <optional>
#include <string>

#include "diagnose/death/death.h"
#include "model/evidence.h"

namespace holdfast {

// A watched filesystem that was full: for an absolute path the one that holds it, else any except
// shared memory. Null if there was room.
const DiskEvidence* full_disk(const Evidence& all, const std::string& path);

// Whether the program is known to use it. If not, it was only found full afterwards.
bool is_used(const DiskEvidence& disk);

// Whether /dev/shm was full and no other filesystem was. The error of a file there looks like any
// other file's, and names no path.
bool only_shared_memory_full(const Evidence& all);

// The least that was seen to be free on it.
std::optional<Bytes> least_free(const DiskEvidence& disk);

// The kernel could not provide a page of a file in /dev/shm, and the process held most of what fits
// there: filesystems are sampled seconds apart, and a process that dies frees its space.
bool filled_shared_memory(const Death& death);

}  // namespace holdfast
