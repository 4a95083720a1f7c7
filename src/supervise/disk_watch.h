// The filesystems that a training program is likely to fill: of its working directory, of temporary
// files and shared memory, and of files that it writes.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "record/section_writer.h"

namespace holdfast {

class DiskWatch {
public:
    explicit DiskWatch(TableWriter<format::Disk>& table) : table_(&table) {}

    // Watches the filesystem of `path`, unless it is watched already. Leaves out network
    // filesystems: asking a dead one for its space would block the supervisor.
    void add(Nanos now, const std::string& use, const std::string& path);
    // The directories of files the process has open for writing: checkpoints, logs, caches.
    void add_written_by(Nanos now, int process_dir);
    // Call after a bad end: adds every other mounted filesystem that is full. A checkpoint is open
    // only for a moment, and an error about a full disk seldom names it.
    void add_full(Nanos now);
    // Reads the space of all of them.
    void look(Nanos now);

private:
    struct Watched {
        std::string path;
        unsigned long filesystem = 0;
        format::Disk record{};
    };
    TableWriter<format::Disk>* table_;
    std::vector<Watched> watched_;
    std::vector<std::string> refused_;
};

}  // namespace holdfast
