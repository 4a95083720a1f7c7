// The rows in the black box's table of processes: which process gets one, and what is written
// there.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "record/format.h"
#include "record/section_writer.h"
#include "sources/pid_stat.h"

namespace holdfast {

// Assigns rows of the process table: their number is fixed, however many processes come and go.
class ProcessSlots {
public:
    explicit ProcessSlots(TableWriter<format::Process>& table)
        : table_(&table), rows_(table.capacity()) {}

    // A free row; else the row of the process that ended well the longest ago; else of one that
    // ended badly. Nothing while every row belongs to a living process.
    std::optional<std::size_t> take();
    void put(std::size_t slot, const format::Process& record);

private:
    enum class Use { free, alive, ended_well, ended_badly };
    struct Row {
        Use use = Use::free;
        std::int64_t ended = 0;
    };
    std::optional<std::size_t> oldest(Use use) const;

    TableWriter<format::Process>* table_;
    std::vector<Row> rows_;
};

// Fills a process's row of the black box from its /proc directory.

// A row in which every figure is unknown.
format::Process unseen_process();

// Fills in who it is: executable, command line (masked), name. Returns the rank that its
// environment names.
std::optional<int> identify_process(int process_dir, format::Process& record);

// For a process that ran another program unseen: all that is left is its new name.
void note_new_name(const std::string& name, format::Process& record);

void note_figures(const sources::PidStat& stat, format::Process& record);
void note_open_files(int process_dir, format::Process& record);
// Those of a zombie can still be read.
void note_limits(int process_dir, format::Process& record);
// Memory by kind, descriptors, limits, I/O, wait channel: several small files.
void note_details(int process_dir, format::Process& record);
// Counts mappings. Expensive: the kernel walks all of them.
void note_mappings(int process_dir, format::Process& record);

}  // namespace holdfast
