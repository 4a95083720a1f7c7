// The filesystems a training program is likely to fill: where it works, where temporary files and
// shared memory go, and where it writes.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "record/section_writer.h"

namespace holdfast {

class DiskWatch {
public:
    explicit DiskWatch(TableWriter<format::Disk>& table) : table_(&table) {}

    // Watches the filesystem below `path` unless it is known already. Network filesystems are left
    // alone: asking a dead one for its space would block the supervisor.
    void add(Nanos now, const std::string& use, const std::string& path);
    // The directories of files the process has open for writing: checkpoints, logs, caches.
    void add_written_by(Nanos now, int process_dir);
    // After a bad end: whatever else is mounted here and has no room left. A checkpoint is open for
    // a moment only, and what fills a disk seldom names it.
    void add_full(Nanos now);
    // The space of all of them now.
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
