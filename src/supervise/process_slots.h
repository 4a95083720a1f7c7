// Gives the rows of the process table to processes: a fixed number, however many come and go.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "record/format.h"
#include "record/section_writer.h"

namespace holdfast {

class ProcessSlots {
public:
    explicit ProcessSlots(TableWriter<format::Process>& table)
        : table_(&table), rows_(table.capacity()) {}

    // A free row; else the row of the process that ended well the longest ago; else of one that
    // ended badly. Nothing while all belong to the living.
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

}  // namespace holdfast
