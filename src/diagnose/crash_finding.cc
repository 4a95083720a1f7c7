#include "diagnose/crash_finding.h"

#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/moment.h"
#include "diagnose/python_dump.h"
#include "diagnose/words.h"

namespace holdfast {
namespace {

constexpr Nanos clock_slack{5'000'000'000};

// "libfoo.so" of "... error 4 in libfoo.so[7f00+1000] likely on CPU 0"
std::string library_in(const KernelLogEntry* entry) {
    if (entry == nullptr) return {};
    const std::size_t at = entry->text.rfind(" in ");
    if (at == std::string::npos) return {};
    const std::size_t end = entry->text.find('[', at);
    return end == std::string::npos ? "" : entry->text.substr(at + 4, end - at - 4);
}

std::string library_of(const Death& death) {
    const CrashEvidence* crash = crash_of(death);
    if (crash == nullptr) return library_in(crash_line(death));
    const std::string place = native_place(*crash);
    const std::size_t in = place.rfind(" in ");
    return in == std::string::npos ? place : place.substr(in + 4);
}

}  // namespace

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

bool faulthandler_spoke(const Death& death) {
    if (!death.decides) return false;
    const std::optional<PythonDump> dump = python_dump_at_end(death.all.stderr_tail);
    return dump && dump->names_signal;
}

Finding crash_finding(const Death& death, CauseId cause, std::string_view what, bool decided) {
    const CrashEvidence* crash = crash_of(death);
    const KernelLogEntry* entry = crash_line(death);
    const std::string where = crash != nullptr ? native_place(*crash) : library_in(entry);
    const std::string place = where.empty() ? "" : formatted(" in {}", shortened(where));
    Finding finding = finding_about(
        death, cause, decided && death.sure_of_exit() ? Confidence::certain : Confidence::likely,
        formatted("{} was stopped by {}: {}{}.", who(death), signal_name(*death.exit.signal), what,
                  place));
    if (crash != nullptr) {
        finding.evidence.push_back(
            {"siginfo", crash->address
                            ? formatted("code {}, address {:#x}", crash->code, *crash->address)
                            : formatted("code {}", crash->code)});
        if (!where.empty()) finding.evidence.push_back({"native stack", shortened(where)});
        if (!crash->thread.empty()) finding.evidence.push_back({"thread", crash->thread});
    }
    if (entry != nullptr) finding.evidence.push_back({"kernel log", shortened(entry->text)});
    if (faulthandler_spoke(death)) finding.evidence.push_back({"stderr", "faulthandler's dump"});
    return finding;
}

void add_crash_fixes(Finding& finding, const Death& death) {
    const std::string library = library_of(death);
    // The C library crashes on what others hand it; no newer one would help.
    const bool innocent = library.starts_with("libc.so") || library.starts_with("libc-") ||
                          library.starts_with("ld-") || library.starts_with("libpthread");
    if (library.starts_with("_ctypes.") || library.starts_with("libffi"))
        finding.fixes.push_back(
            {"Check what is passed to ctypes: argtypes and restype of the function, and pointers "
             "that are null, too short or already freed.",
             {}});
    else if (!library.empty() && !innocent)
        finding.fixes.push_back(
            {formatted("Update or pin the package that brings {}.", library), {}});
    const bool line_known = finding.where.has_value() || faulthandler_spoke(death);
    if (death.python() && !line_known)
        finding.fixes.push_back(
            {"Run it again with faulthandler: it prints the Python line that was "
             "running.",
             "PYTHONFAULTHANDLER=1"});
    else if (!death.python() && crash_of(death) == nullptr)
        finding.fixes.push_back({"Run it in a debugger to see the call that failed.",
                                 "gdb --args " + (death.process != nullptr ? death.process->command
                                                                           : std::string("CMD"))});
}

}  // namespace holdfast
