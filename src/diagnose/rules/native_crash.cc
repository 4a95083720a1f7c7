// HF301, HF306, HF308 and SIGBUS: the process broke a rule of the CPU, told by the signal, the
// kernel log's line about it and faulthandler's dump.
#include <fmt/format.h>

#include <csignal>

#include "diagnose/last_text.h"
#include "diagnose/moment.h"
#include "diagnose/python_dump.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

constexpr Nanos clock_slack{5'000'000'000};

// "python[4242]: segfault at 0 ip ... in libfoo.so[7f..+1000]", "traps: ... trap divide error"
const KernelLogEntry* crash_line(const Death& death) {
    if (!death.all.host.in_first_pid_namespace || death.pid <= 0) return nullptr;
    for (const KernelLogEntry& entry : death.all.kernel_log) {
        if (entry.pid != death.pid || entry.kind == KernelLogEntry::Kind::oom_kill) continue;
        const bool trap = entry.text.find(" trap ") != std::string::npos ||
                          entry.text.find("general protection") != std::string::npos;
        if (entry.kind != KernelLogEntry::Kind::segfault && !trap) continue;
        if (death.time && entry.time > later(*death.time, clock_slack)) continue;
        return &entry;
    }
    return nullptr;
}

// "libfoo.so" of "... error 4 in libfoo.so[7f00+1000] likely on CPU 0"
std::string library_in(const KernelLogEntry* entry) {
    if (entry == nullptr) return {};
    const std::size_t at = entry->text.rfind(" in ");
    if (at == std::string::npos) return {};
    const std::size_t end = entry->text.find('[', at);
    return end == std::string::npos ? "" : entry->text.substr(at + 4, end - at - 4);
}

// faulthandler wrote its dump for a fatal signal: the process raised it itself, or was sent it.
bool dump_seen(const Death& death) {
    if (!death.decides) return false;
    const std::optional<PythonDump> dump = python_dump_at_end(death.all.stderr_tail);
    return dump && dump->names_signal;
}

Finding crash(const Death& death, CauseId cause, std::string_view what, bool decided) {
    const KernelLogEntry* entry = crash_line(death);
    const std::string library = library_in(entry);
    const std::string place = library.empty() ? "" : fmt::format(" in {}", library);
    const Confidence confidence =
        decided && death.sure_of_exit() ? Confidence::certain : Confidence::likely;
    Finding finding = finding_about(death, cause, confidence,
                                    fmt::format("{} was stopped by {}: {}{}.", who(death),
                                                signal_name(*death.exit.signal), what, place));
    if (entry != nullptr) finding.evidence.push_back({"kernel log", shortened(entry->text)});
    if (dump_seen(death)) finding.evidence.push_back({"stderr", "faulthandler's dump"});
    return finding;
}

void add_place_fixes(Finding& finding, const Death& death) {
    const std::string library = library_in(crash_line(death));
    // The C library crashes on what others hand it; no newer one would help.
    const bool innocent = library.starts_with("libc.so") || library.starts_with("libc-") ||
                          library.starts_with("ld-") || library.starts_with("libpthread");
    if (!library.empty() && !innocent)
        finding.fixes.push_back(
            {fmt::format("Update or pin the package that brings {}.", library), {}});
    if (death.python() && !dump_seen(death))
        finding.fixes.push_back(
            {"Run it again with faulthandler: it prints the Python line that was "
             "running.",
             "PYTHONFAULTHANDLER=1"});
    else if (!death.python())
        finding.fixes.push_back(
            {"Run it in a debugger to see the call that failed.",
             "gdb --args " + (death.process != nullptr ? short_command(death.process->command)
                                                       : std::string("CMD"))});
}

}  // namespace

std::optional<Finding> segfault(const Death& death) {
    if (!death.by(SIGSEGV)) return std::nullopt;
    // The status alone does not tell a fault from a `kill -SEGV`; the log or the dump does.
    const bool decided = crash_line(death) != nullptr || dump_seen(death);
    Finding finding =
        crash(death, "segfault"_cause, "native code touched memory it does not have", decided);
    add_place_fixes(finding, death);
    return finding;
}

std::optional<Finding> bus_error(const Death& death) {
    if (!death.by(SIGBUS)) return std::nullopt;
    // Without the fault's address a shrunken file, a full disk and broken memory look alike.
    for (const DiskEvidence& disk : death.all.disks) {
        if (disk.path == "/dev/shm" || !disk.free_least || *disk.free_least >= Bytes::mib(1))
            continue;
        Finding finding = crash(death, "disk-full-mapping"_cause,
                                "a page of a mapped file could not be had", false);
        finding.evidence.push_back({"statvfs " + disk.path, human(*disk.free_least) + " free"});
        finding.fixes.push_back({"Free some space in " + disk.path + ".", "df -h " + disk.path});
        return finding;
    }
    Finding finding =
        crash(death, "mapped-file-gone"_cause,
              "a mapped page could not be had, most often because its file became shorter", false);
    finding.confidence = Confidence::unknown;
    finding.fixes.push_back(
        {"Do not change or truncate a file while a program has it mapped; write "
         "a new one and rename it.",
         {}});
    return finding;
}

std::optional<Finding> illegal_instruction(const Death& death) {
    if (!death.by(SIGILL)) return std::nullopt;
    // A compiler's trap for "cannot happen" is an illegal instruction as well: never certain here.
    Finding finding = crash(death, "illegal-instruction"_cause,
                            "an instruction this CPU does not have, or a deliberate trap", false);
    finding.fixes.push_back(
        {"Compare what the library was built for with what this CPU has; take a "
         "build for older CPUs.",
         "grep -m1 flags /proc/cpuinfo"});
    add_place_fixes(finding, death);
    return finding;
}

std::optional<Finding> arithmetic_trap(const Death& death) {
    if (!death.by(SIGFPE)) return std::nullopt;
    const KernelLogEntry* entry = crash_line(death);
    const bool decided =
        (entry != nullptr && entry->text.find("divide") != std::string::npos) || dump_seen(death);
    Finding finding =
        crash(death, "arithmetic-trap"_cause,
              "native code divided an integer by zero or overflowed a division", decided);
    add_place_fixes(finding, death);
    return finding;
}

}  // namespace holdfast::rules
