#include "sources/pid_stat.h"

#include <array>
#include <limits>

#include "base/text.h"
#include "sources/figures.h"
#include "sources/live_file.h"

namespace holdfast::sources {
namespace {

Error malformed() { return {"/proc/PID/stat makes no sense", 0}; }

// Reads numbers of a line from left to right; remembers whether one was missing or too large.
class Numbers {
public:
    explicit Numbers(std::string_view rest) : rest_(rest) {}

    template <class Int>
    Int next() {
        const auto word = next_word(rest_);
        const auto number = word ? parse_number<Int>(*word) : std::nullopt;
        if (!number) good_ = false;
        return number.value_or(Int{});
    }
    void skip(int count) {
        while (count-- > 0)
            if (!next_word(rest_)) good_ = false;
    }
    bool good() const { return good_; }

private:
    std::string_view rest_;
    bool good_ = true;
};

}  // namespace

Result<PidStat> parse_pid_stat(std::string_view text, Bytes page) {
    // The name may contain blanks and parentheses, such as "(a) b)". Only the last ')' ends it,
    // because after the name there are only numbers and the state.
    const std::size_t open = text.find(" (");
    const std::size_t close = text.rfind(") ");
    if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2)
        return malformed();
    PidStat stat;
    const auto pid = parse_number<int>(text.substr(0, open));
    if (!pid || *pid < 0) return malformed();
    stat.pid = *pid;
    stat.comm = std::string(text.substr(open + 2, close - open - 2));
    std::string_view rest = text.substr(close + 2);
    const auto state = next_word(rest);
    if (!state || state->size() != 1) return malformed();
    stat.state = state->front();

    Numbers numbers(rest);
    stat.ppid = numbers.next<int>();
    stat.pgrp = numbers.next<int>();
    stat.session = numbers.next<int>();
    stat.tty = numbers.next<int>();
    numbers.skip(1);  // terminal's foreground group
    stat.flags = numbers.next<std::uint64_t>();
    stat.minor_faults = numbers.next<std::uint64_t>();
    numbers.skip(1);
    stat.major_faults = numbers.next<std::uint64_t>();
    numbers.skip(1);
    const auto user = numbers.next<std::uint64_t>();
    const auto system = numbers.next<std::uint64_t>();
    numbers.skip(4);  // children's times, priority, nice
    stat.threads = numbers.next<std::uint64_t>();
    numbers.skip(1);
    stat.start_ticks = numbers.next<std::uint64_t>();
    stat.virtual_size = {numbers.next<std::uint64_t>()};
    // Signed in the kernel: shortly after a large unmapping its inexact counters may be negative.
    const auto rss = numbers.next<std::int64_t>();
    if (!numbers.good()) return malformed();

    constexpr auto most_ticks =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / tick.count());
    if (user > most_ticks || system > most_ticks - user) return malformed();
    stat.cpu_time = tick * static_cast<std::int64_t>(user + system);
    const auto resident = pages(rss > 0 ? static_cast<std::uint64_t>(rss) : 0, page);
    if (!resident) return malformed();
    stat.rss = *resident;

    numbers.skip(27);
    const int exit_code = numbers.next<int>();
    if (numbers.good()) stat.exit_code = exit_code;
    return stat;
}

Result<PidStat> read_pid_stat(int process_dir) {
    const auto file = LiveFile::open(process_dir, "stat");
    if (!file) return file.error();
    std::array<char, 2048> buffer;
    const auto text = file->read(buffer);
    if (!text) return text.error();
    return parse_pid_stat(*text);
}

Result<PidStatm> parse_pid_statm(std::string_view text, Bytes page) {
    std::array<Bytes, 3> sizes;
    for (Bytes& size : sizes) {
        const auto word = next_word(text);
        const auto number = word ? parse_number<std::uint64_t>(*word) : std::nullopt;
        const auto bytes = number ? pages(*number, page) : std::nullopt;
        if (!bytes) return Error{"/proc/PID/statm makes no sense", 0};
        size = *bytes;
    }
    return PidStatm{sizes[0], sizes[1], sizes[2]};
}

Result<PidStatm> read_pid_statm(int process_dir) {
    const auto file = LiveFile::open(process_dir, "statm");
    if (!file) return file.error();
    std::array<char, 256> buffer;
    const auto text = file->read(buffer);
    if (!text) return text.error();
    return parse_pid_statm(*text);
}

}  // namespace holdfast::sources
