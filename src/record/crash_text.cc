// The text parts of a crash record: modules, Python stacks, threads.
#include <algorithm>

#include "base/text.h"
#include "record/crash_box.h"

namespace holdfast {
namespace {

constexpr std::size_t most_modules = 4096;
constexpr std::size_t most_threads = 1024;
constexpr std::size_t most_frames = 4096;  // over all threads

std::optional<std::uint64_t> hex(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    return parse_number<std::uint64_t>(text, 16);
}

// A text may be cut anywhere: the last line counts only with its end.
std::string_view whole_lines(std::string_view text) {
    const std::size_t last = text.rfind('\n');
    return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

std::optional<CrashModule> parse_module(std::string_view line) {
    std::string_view rest = line;
    const auto range = next_piece(rest, ' ');
    const auto offset = next_piece(rest, ' ');
    const auto inode = next_piece(rest, ' ');
    if (!range || !offset || !inode) return std::nullopt;
    const std::size_t dash = range->find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto start = hex(range->substr(0, dash));
    const auto end = hex(range->substr(dash + 1));
    const auto at = hex(*offset);
    const auto number = parse_number<std::uint64_t>(*inode);
    if (!start || !end || !at || !number || *start >= *end) return std::nullopt;
    CrashModule module{*start, *end, *at, std::nullopt, printable(trim(rest))};
    if (*number != 0) module.inode = *number;
    return module;
}

}  // namespace

std::vector<CrashModule> parse_crash_modules(std::string_view text) {
    std::vector<CrashModule> modules;
    text = whole_lines(text);
    while (const auto line = next_line(text)) {
        if (modules.size() == most_modules) break;
        if (auto module = parse_module(*line)) modules.push_back(std::move(*module));
    }
    std::stable_sort(modules.begin(), modules.end(),
                     [](const CrashModule& a, const CrashModule& b) { return a.start < b.start; });
    // The kernel never maps two things at one address: what overlaps is forged or torn.
    std::uint64_t end = 0;
    std::erase_if(modules, [&](const CrashModule& module) {
        if (module.start < end) return true;
        end = module.end;
        return false;
    });
    return modules;
}

std::vector<CrashPythonThread> parse_crash_python(std::string_view text) {
    std::vector<CrashPythonThread> threads;
    std::size_t frames = 0;
    text = whole_lines(text);
    while (const auto line = next_line(text)) {
        std::string_view rest = *line;
        const auto kind = next_piece(rest, ' ');
        if (kind == "T") {
            const auto tid = next_piece(rest, ' ');
            if (threads.size() == most_threads) break;
            CrashPythonThread& thread = threads.emplace_back();
            thread.tid = tid ? parse_number<int>(*tid).value_or(0) : 0;
            thread.name = printable(rest);
        } else if (kind == "F" && !threads.empty()) {
            const auto number = next_piece(rest, '\t');
            const auto file = next_piece(rest, '\t');
            if (!number || !file) continue;
            if (++frames > most_frames) break;
            CrashPythonFrame& frame = threads.back().frames.emplace_back();
            frame.line = parse_number<int>(*number);
            if (frame.line && *frame.line <= 0) frame.line.reset();
            frame.file = printable(*file);
            frame.function = printable(rest);
        }
    }
    return threads;
}

std::vector<CrashThread> parse_crash_threads(std::string_view text) {
    std::vector<CrashThread> threads;
    text = whole_lines(text);
    while (const auto line = next_line(text)) {
        std::string_view rest = *line;
        const auto tid = next_piece(rest, ' ');
        const auto pc = next_piece(rest, ' ');
        const auto number = tid ? parse_number<int>(*tid) : std::nullopt;
        if (!number || *number <= 0 || !pc) continue;
        if (threads.size() == most_threads) break;
        threads.push_back({*number, hex(*pc), printable(rest)});
    }
    return threads;
}

}  // namespace holdfast
