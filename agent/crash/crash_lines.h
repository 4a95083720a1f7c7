// Text for the crash record, line by line into a fixed field. A line that does not fit whole is
// left out; the size in the record counts finished lines only.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

class CrashLines {
public:
    template <std::size_t N>
    CrashLines(char (&field)[N], std::uint32_t& size) : out_(field), room_(N), size_(size) {}

    CrashLines& add(Text text) {
        if (text.size > room_ - at_) {
            full_ = true;
            return *this;
        }
        // No memcpy into the box's text: a fault there is caught, and the line then does not count.
        for (std::size_t i = 0; i < text.size; ++i) out_[at_ + i] = text.data[i];
        at_ += text.size;
        return *this;
    }
    CrashLines& number(std::uint64_t value, unsigned base = 10) {
        char digits[24];
        std::size_t at = sizeof digits;
        do {
            digits[--at] = "0123456789abcdef"[value % base];
            value /= base;
        } while (value != 0);
        return add({digits + at, sizeof digits - at});
    }
    // False when the line had no room.
    bool end() {
        add("\n");
        if (full_) {
            at_ = done_;
            full_ = false;
            return false;
        }
        done_ = at_;
        std::atomic_ref(size_).store(static_cast<std::uint32_t>(at_), std::memory_order_release);
        return true;
    }

private:
    char* out_;
    std::size_t room_;
    std::uint32_t& size_;
    std::size_t at_ = 0, done_ = 0;  // not read back from the box, which others may write to
    bool full_ = false;
};

}  // namespace holdfast::agent
