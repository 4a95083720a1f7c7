#include "agent/guard/lazy_line.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cstring>

#include "agent/base/raw_calls.h"
#include "agent/base/text.h"
#include "agent/box/slot.h"
#include "agent/guard/refusal.h"
#include "agent/python/own_path.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

// The line of that number, as far as it fits; empty where it cannot be read.
Text read_line(const char* path, std::uint32_t number, char* out, std::size_t room) {
    const int fd = raw_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return {};
    char piece[4096];
    std::uint32_t at = 1;
    std::size_t size = 0;
    for (int pieces = 0; pieces < 512 && at <= number; ++pieces) {
        const ssize_t got = raw_read(fd, piece, sizeof piece);
        if (got <= 0) break;
        for (ssize_t i = 0; i < got && at <= number; ++i) {
            if (piece[i] == '\n')
                ++at;
            else if (at == number && size < room)
                out[size++] = piece[i];
        }
    }
    raw_close(fd);
    return {out, size};
}

bool says_empty(const format::AgentSlot& slot, const RawFrame& frame) {
    const std::uint16_t number = frame_number(frame);
    if (number >= format::agent_frame_capacity) return false;
    const format::AgentFrame& known = slot.frames[number];
    const Text file = frame_file(slot, known);
    if (file.empty() || !is_own_path(file)) return false;
    char path[PATH_MAX];
    if (file.size >= sizeof path) return false;
    std::memcpy(path, file.data, file.size);
    path[file.size] = 0;
    char line[512];
    const Text text = read_line(path, known.line, line, sizeof line);
    return text.contains("empty(") || text.contains("empty_like(");
}

// A loop asks from the same place again and again, so one answer is remembered.
struct Answer {
    RawFrame frame;
    bool lazy, known;
};
constinit thread_local Answer last __attribute__((tls_model("initial-exec"))){};

bool same(const RawFrame& a, const RawFrame& b) {
    return a.code == b.code && a.instruction == b.instruction && a.first_line == b.first_line;
}

}  // namespace

bool asked_for_empty() {
    format::AgentSlot* slot = take_slot();
    RawFrame frame;
    if (slot == nullptr || own_frames(&frame, 1) != 1) return false;
    if (last.known && same(last.frame, frame)) return last.lazy;
    last = {frame, says_empty(*slot, frame), true};
    return last.lazy;
}

}  // namespace holdfast::agent
