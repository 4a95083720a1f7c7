#include "record/crash_box.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/read_file.h"
#include "base/text.h"
#include "record/box_reader.h"
#include "record/fixed_fields.h"

namespace holdfast {
namespace {

using format::Crash;

template <std::size_t N>
std::string_view part(const char (&field)[N], std::uint32_t size) {
    return {field, std::min<std::size_t>(size, N)};
}

// The same for parts that consist of lines: the last line may be incomplete, if the process died or
// the field was full.
template <std::size_t N>
std::string lines(const char (&field)[N], std::uint32_t size, bool finished) {
    std::string text(part(field, size));
    if (finished && text.size() < N && !text.empty() && text.back() != '\n') text += '\n';
    return text;
}

std::optional<std::uint64_t> nonzero(std::uint64_t value) {
    if (value == 0) return std::nullopt;
    return value;
}

// siginfo is a union: its address is valid only for a fault that the processor reported and whose
// address the kernel knows. SI_KERNEL means a fault without an address (no processor accepts it).
bool has_address(const Crash& crash) {
    const bool fault = crash.signal == SIGSEGV || crash.signal == SIGBUS ||
                       crash.signal == SIGILL || crash.signal == SIGFPE;
    return fault && crash.code > 0 && crash.code != SI_KERNEL;
}

void take_registers(const Crash& crash, CrashRecord& record) {
    if (crash.machine != format::CrashMachine::x86_64 &&
        crash.machine != format::CrashMachine::aarch64)
        return;
    record.machine = crash.machine;
    const std::size_t count =
        std::min<std::size_t>(crash.register_count, std::size(crash.registers));
    record.registers.assign(crash.registers, crash.registers + count);
    // With registers, a pc of 0 is valid: a jump through a null pointer.
    if (count > 0) {
        record.pc = crash.pc;
        record.sp = crash.sp;
    }
    const std::size_t size =
        std::min<std::size_t>(crash.instruction_size, sizeof(crash.instruction));
    const auto bytes = std::as_bytes(std::span(crash.instruction)).first(size);
    record.instruction.assign(bytes.begin(), bytes.end());
}

void take_stack(const Crash& crash, CrashRecord& record) {
    if (crash.stack_low < crash.stack_high) {
        record.stack_low = nonzero(crash.stack_low);
        record.stack_high = nonzero(crash.stack_high);
    }
    const std::size_t size = std::min<std::size_t>(crash.stack_size, sizeof(crash.stack));
    record.stack_from = crash.stack_copy_from;
    if (record.stack_from > ~std::uint64_t{0} - size) return;
    const auto bytes = std::as_bytes(std::span(crash.stack)).first(size);
    record.stack.assign(bytes.begin(), bytes.end());
}

CrashRecord record_of(const Crash& crash, const format::FileHeader& header, std::size_t slot) {
    CrashRecord record;
    record.slot = slot;
    record.finished = crash.state != format::CrashState::writing;
    record.survived = crash.state == format::CrashState::survived;
    record.pid = crash.pid;
    record.tid = crash.tid;
    record.start_ticks = crash.start_ticks;
    record.thread = fixed_text(crash.thread);
    record.time = Nanos(crash.time);
    // Limits the times, because a sum of three figures from a file may overflow.
    constexpr std::int64_t far = std::int64_t{1} << 61U;
    const auto near = [](std::int64_t time) { return time > -far && time < far; };
    if (crash.time > 0 && near(crash.time) && near(header.created) && near(header.created_wall))
        record.wall = Nanos(header.created_wall) + (Nanos(crash.time) - Nanos(header.created));
    record.signal = crash.signal;
    record.code = crash.code;
    record.error = crash.error;
    // Only these codes have a sender; timers and the like have none.
    if (crash.code == SI_USER || crash.code == SI_QUEUE || crash.code == SI_TKILL) {
        record.sender_pid = crash.sender_pid;
        record.sender_uid = crash.sender_uid;
    }
    if (has_address(crash)) record.address = crash.address;
    take_registers(crash, record);
    take_stack(crash, record);
    record.exception_type = fixed_text(crash.exception_type);
    record.exception_what = fixed_text(crash.exception_what);
    record.abort_text = printable(part(crash.abort_text, crash.abort_size));
    record.unread = printable(part(crash.unread, crash.unread_size));
    const bool whole = record.finished;
    record.modules = parse_crash_modules(lines(crash.modules, crash.modules_size, whole));
    record.python = parse_crash_python(lines(crash.python, crash.python_size, whole));
    record.threads = parse_crash_threads(lines(crash.threads, crash.threads_size, whole));
    record.unwound = crash.unwound == 1;
    if (record.unwound) record.native = printable(part(crash.native, crash.native_size));
    return record;
}

bool is_state(format::CrashState state) {
    return state == format::CrashState::writing || state == format::CrashState::complete ||
           state == format::CrashState::survived;
}

}  // namespace

Result<CrashBox> CrashBox::create(const RunDirectory* directory, const BoxOrigin& origin) {
    Result<MappedFile> file = make_box(directory, run_file::crash, format::BoxKind::crash,
                                       format::crash_box_size, {}, origin);
    if (!file) return file.error();
    CrashBox box;
    box.file_ = std::move(*file);
    return box;
}

Result<std::vector<CrashRecord>> read_crashes(std::span<const std::byte> box) {
    const auto head = box.first(std::min(box.size(), format::header_space));
    const Result<BoxReader> reader =
        BoxReader::from_bytes({head.begin(), head.end()}, format::BoxKind::crash);
    if (!reader) return reader.error();
    std::vector<CrashRecord> records;
    const auto crash = std::make_unique<Crash>();
    for (std::size_t slot = 0; slot < format::crash_slots; ++slot) {
        const std::size_t at = format::crash_slots_offset + slot * format::crash_slot_space;
        if (at >= box.size()) break;
        // In a truncated file the rest of the record reads as zeros.
        const auto there = box.subspan(at, std::min(sizeof(Crash), box.size() - at));
        std::memset(crash.get(), 0, sizeof(Crash));
        std::memcpy(crash.get(), there.data(), there.size());
        if (is_state(crash->state)) records.push_back(record_of(*crash, reader->header(), slot));
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const CrashRecord& a, const CrashRecord& b) { return a.time < b.time; });
    return records;
}

Result<std::vector<CrashRecord>> read_crashes(int fd) {
    const Result<std::string> text = read_tail(fd, box_size_limit);
    if (!text) return text.error();
    return read_crashes(std::as_bytes(std::span(*text)));
}

Result<std::vector<CrashRecord>> read_crashes(const RunDirectory& directory) {
    const Result<std::string> text = directory.read_file(run_file::crash, box_size_limit);
    if (!text) return text.error();
    return read_crashes(std::as_bytes(std::span(*text))).context(run_file::crash);
}

// The parts of a crash record that are text: modules, Python stacks, threads.

namespace {

constexpr std::size_t most_modules = 4096;
constexpr std::size_t most_threads = 1024;
constexpr std::size_t most_frames = 4096;  // over all threads

std::optional<std::uint64_t> hex(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    return parse_number<std::uint64_t>(text, 16);
}

// A text may be cut anywhere: the last line counts only if its newline is there.
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
    // The kernel never maps two files at one address: an overlap is forged or damaged.
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
