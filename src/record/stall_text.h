// The threads of a stalled process as lines of text, for the black box and back.
//
// "T tid name" begins a thread, the main one first. "W" says what it waits for: state, wait,
// flags, call, wait channel, target, owner, parted by tabs. "N" is a native frame and "F
// line\tfile\tfunction" a Python one, both innermost first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/wait_kind.h"

namespace holdfast {

struct StallFrame {
    std::string file, function;
    std::optional<int> line;
};

struct StallThread {
    int tid = 0;
    std::string name;
    char state = '?';
    WaitKind wait = WaitKind::unknown;
    bool timed = false;     // the wait ends by itself
    bool inside = false;    // only a process of the tree can end it
    bool own_lock = false;  // only a thread of this process can end it
    bool holds_gil = false;
    std::string call;          // "futex"
    std::string wait_channel;  // "futex_wait_queue"
    std::string target;        // what the descriptor leads to: "pipe:[123]"
    std::optional<int> owner;  // the thread that holds the lock, if the lock records it
    std::vector<std::string> native;
    std::vector<StallFrame> frames;  // Python's, innermost first
};

// Writes only whole lines, at most `limit` bytes.
std::string stall_text(const std::vector<StallThread>& threads, std::size_t limit);
// Accepts anything: leaves out what makes no sense, and makes every text printable.
std::vector<StallThread> parse_stall_text(std::string_view text);

}  // namespace holdfast
