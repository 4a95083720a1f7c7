// A little memory that is kept, and freed when there is none left.
//
// A process that the OOM killer has chosen is no longer a candidate, but its memory still counts
// until the kernel has freed it, which takes a tenth of a second for a gigabyte. The next process
// that asks for a page in that time, even for the buffer of a /proc file, is killed, too. Next to a
// program that has just been killed, that is us. A container seldom lets us lower our own score.
#pragma once

#include <cstddef>
#include <optional>

#include "base/bytes.h"

namespace holdfast {

class MemoryReserve {
public:
    MemoryReserve();
    ~MemoryReserve();
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;

    // Frees it, as soon as somebody was killed or ended. Not earlier, or the program that climbs
    // would take it.
    void give();
    // Takes it again, if `room` below the tightest limit is plenty, or if there is no limit.
    void refill(std::optional<Bytes> room);

    bool held() const { return held_; }

private:
    void take();

    void* pages_ = nullptr;
    bool held_ = false;
};

}  // namespace holdfast
