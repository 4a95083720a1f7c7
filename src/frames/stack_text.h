// Stacks as lines of text, in the form of crash.box: "T tid name" begins a thread, then "F
// line\tfile\tfunction" for each frame, innermost first. Writes only whole lines, into a fixed
// buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace holdfast::frames {

class LineWriter {
public:
    LineWriter(char* out, std::size_t room) : out_(out), room_(room) {}

    void add(const char* text, std::size_t size) {
        full_ = full_ || size > room_ - size_;
        if (full_) return;
        std::memcpy(out_ + size_, text, size);
        size_ += size;
    }
    // A name may contain anything: a newline or a tab in it would forge a frame.
    void add_clean(const char* text, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            add(byte < 0x20 || byte == 0x7F ? "?" : text + i, 1);
        }
    }
    void add_number(std::uint32_t number) {
        char digits[10];
        std::size_t at = sizeof digits;
        do digits[--at] = static_cast<char>('0' + number % 10);
        while ((number /= 10) != 0);
        add(digits + at, sizeof digits - at);
    }
    std::size_t size() const { return size_; }
    bool full() const { return full_; }

private:
    char* out_;
    std::size_t room_;
    std::size_t size_ = 0;
    bool full_ = false;  // something did not fit: accepts nothing more
};

class StackText {
public:
    StackText(char* out, std::size_t room) : writer_(out, room) {}

    // Both return whether there was room.
    bool thread(int tid, const char* name, std::size_t name_size) {
        writer_.add("T ", 2);
        writer_.add_number(tid > 0 ? static_cast<std::uint32_t>(tid) : 0);
        writer_.add(" ", 1);
        writer_.add_clean(name, name_size);
        return end_line();
    }
    bool frame(std::uint32_t line, const char* file, std::size_t file_size, const char* function,
               std::size_t function_size) {
        writer_.add("F ", 2);
        writer_.add_number(line);
        writer_.add("\t", 1);
        writer_.add_clean(file, file_size);
        writer_.add("\t", 1);
        writer_.add_clean(function, function_size);
        return end_line();
    }
    std::size_t size() const { return whole_; }

private:
    bool end_line() {
        writer_.add("\n", 1);
        if (writer_.full()) return false;
        whole_ = writer_.size();
        return true;
    }

    LineWriter writer_;
    std::size_t whole_ = 0;
};

}  // namespace holdfast::frames
