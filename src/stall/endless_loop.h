// Whether a program that counts no steps is caught in a loop of its own: it used to write something
// now and then, and since then it has written nothing and has never left one `while`. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/verdict.h"
#include "stall/source_loops.h"

namespace holdfast {

// One look at the main thread.
struct LoopLook {
    Nanos time{};
    std::uint64_t writes = 0;      // calls of write() and the like by the process, so far
    Nanos ran{};                   // how long the thread ran, or waited for a core to run on
    std::vector<Frame> frames;     // outermost first; empty: not read
    std::int32_t instruction = 0;  // of the innermost frame
};

struct EndlessLoop {
    Nanos since{};             // the last write
    Nanos usual{}, longest{};  // from one write to the next, as far as the looks show it
    std::string file, function;
    int first = 0, last = 0;  // its lines

    // The frame of the loop itself in a stack, counted from the innermost; nothing if the stack is
    // not within the loop.
    std::optional<int> frames_inside(const std::vector<Frame>& frames) const;
};

// The loops of a source file; null if it cannot be read, or is not what the program runs.
using SourceOf = std::function<const SourceLoops*(const std::string& file)>;

class LoopHistory {
public:
    void add(LoopLook look);
    // Nothing happened outside for so long that the loops are worth reading.
    bool is_silent(Nanos now) const;
    std::optional<EndlessLoop> judge(Nanos now, const SourceOf& source_of) const;
    void forget() { *this = {}; }

private:
    struct Pulse {
        LoopLook look;
        bool wrote = false;  // false: the last look before the next one's write
    };
    Nanos usual() const;
    bool is_torn(const LoopLook& look);

    std::uint64_t writes_ = 0, written_ = 0;
    bool begun_ = false;
    Frame begin_;               // the outermost one
    int torn_ = 0;              // stacks in a row that begin elsewhere
    std::uint64_t pulses_ = 0;  // looks that found something written
    Nanos first_pulse_{}, last_pulse_{}, longest_{};
    std::deque<Pulse> at_pulses_;   // the newest last
    std::vector<LoopLook> silent_;  // since the last pulse
};

}  // namespace holdfast
