#include "supervise/process_slots.h"

namespace holdfast {

std::optional<std::size_t> ProcessSlots::take() {
    for (const Use use : {Use::free, Use::ended_well, Use::ended_badly})
        if (const auto slot = oldest(use)) {
            rows_[*slot] = {Use::alive, 0};
            table_->clear(*slot);
            return slot;
        }
    return std::nullopt;
}

void ProcessSlots::put(std::size_t slot, const format::Process& record) {
    Row& row = rows_[slot];
    if (record.ended == format::never) row.use = Use::alive;
    // An end nobody could tell the status of counts as bad: it may be the one that matters.
    else
        row.use = record.wait_status == 0 ? Use::ended_well : Use::ended_badly;
    row.ended = record.ended;
    table_->put(slot, record);
}

std::optional<std::size_t> ProcessSlots::oldest(Use use) const {
    std::optional<std::size_t> found;
    for (std::size_t slot = 0; slot < rows_.size(); ++slot)
        if (rows_[slot].use == use && (!found || rows_[slot].ended < rows_[*found].ended))
            found = slot;
    return found;
}

}  // namespace holdfast
