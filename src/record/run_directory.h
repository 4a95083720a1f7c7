// One run on disk: <home>/runs/<id>/, held open by its descriptor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "record/run_facts.h"
#include "record/run_home.h"

namespace holdfast {

namespace run_file {
inline constexpr const char* facts = "run.json";
inline constexpr const char* lock = "run.lock";
inline constexpr const char* machine = "machine.box";
inline constexpr const char* output = "output.box";
inline constexpr const char* gpu = "gpu.box";
inline constexpr const char* agent = "agent.box";
inline constexpr const char* crash = "crash.box";
inline constexpr const char* cells = "cells.box";
inline constexpr const char* guard = "guard.box";
inline constexpr const char* verdict = "verdict.json";
inline constexpr const char* check = "check.json";
// While silent trouble lasts: its one line, for a notebook's running cell and its status bar.
inline constexpr const char* stall_told = "trouble-stall.txt";
inline constexpr const char* leak_told = "trouble-leak.txt";
// Whether a run leaves a file of this name, and whether it keeps it after a clean end.
bool is_one(std::string_view name);
bool is_kept(std::string_view name);
}  // namespace run_file

// "20261115-042447-123-4242": UTC to the millisecond, then the pid. Sorts by time.
std::string new_run_id(Nanos wall, int pid);
bool is_run_id(std::string_view text);

class RunDirectory {
public:
    // Makes `<home>/runs/<id>/` in the first home that will have it and takes the run's lock for
    // the calling process. A second run of the same id gets "-2" appended; see id().
    static Result<RunDirectory> create(const RunHome& home, const std::string& id);
    // Opens a run for reading. Another user's run is an error (EACCES), unless we are root.
    static Result<RunDirectory> open(const std::string& path);

    const std::string& path() const { return path_; }
    const std::string& id() const { return id_; }
    int fd() const { return fd_.get(); }

    // Shows that the supervisor lives: an fcntl lock, which ends with its process in any case. fork
    // does not pass it on, so a supervisor that forks itself away must take it again.
    Status lock();
    bool is_live() const;

    // Writes a temporary file and renames it: a reader sees the old file or the new one.
    Status write_file(const std::string& name, std::string_view text) const;
    Result<std::string> read_file(const std::string& name, std::size_t limit) const;
    bool has_file(const std::string& name) const;
    // The same for a JSON object with a checksum: see seal.h.
    Status write_sealed(const std::string& name, std::string_view json) const;
    Result<std::string> read_sealed(const std::string& name, std::size_t limit) const;

    Status write_facts(const RunFacts& facts) const;
    Result<RunFacts> read_facts() const;

    // After a clean end: removes the boxes and the notices, keeps the JSON files.
    Status shrink() const;

private:
    RunDirectory(UniqueFd fd, std::string path);

    UniqueFd fd_;
    UniqueFd lock_;
    std::string path_;
    std::string id_;
};

}  // namespace holdfast
