// The kernel's own list of who held what at an OOM kill, printed just before the line of the kill:
// the only picture of that moment, because the process that took the memory may be gone at the next
// look.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "sources/kernel_log.h"

namespace holdfast::sources {

struct OomTask {
    int pid = 0;  // of the process, as the first pid namespace numbers it
    std::string name;
    Bytes held;        // anonymous and shared memory; on older kernels with the pages of files
    std::string line;  // as the kernel printed it
};

// Fed with the log line by line. A machine-wide kill lists every process, so only the largest stay.
class OomTable {
public:
    explicit OomTable(Bytes page) : page_(page) {}

    static constexpr std::size_t most = 6;

    // False when the line is no part of such a table.
    bool take(const KernelRecord& record);
    // Largest first.
    const std::vector<OomTask>& tasks() const { return tasks_; }
    // The line with the column names: without it rows cannot be read.
    const std::string& columns() const { return columns_; }
    void clear();

private:
    bool take_row(const KernelRecord& record);

    Bytes page_;
    bool kinds_apart_ = false;  // Linux 6.8 and later have rss_anon, rss_file and rss_shmem
    std::string columns_;
    std::vector<OomTask> tasks_;
};

}  // namespace holdfast::sources
