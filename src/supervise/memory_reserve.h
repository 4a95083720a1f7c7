// A little memory kept to be given back when there is none: the fire brigade's own water.
//
// A process the OOM killer has taken is no longer a candidate, but its memory is still counted for
// as long as the kernel takes to free it, a tenth of a second for a gigabyte. Whoever asks for one
// more page in that time, if only for the buffer of a /proc file, is killed next; and beside a
// program that has just gone, that is us. A container seldom lets us lower our own score.
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

    // Back to the machine, at once: somebody was killed or ended. Given any earlier, the program
    // that climbs would eat it.
    void give();
    // Again, where `room` below the tightest limit is plenty or there is none.
    void refill(std::optional<Bytes> room);

    bool held() const { return held_; }

private:
    void take();

    void* pages_ = nullptr;
    bool held_ = false;
};

}  // namespace holdfast
