// HF3xx, HF410, HF413 and HF804 in words: how native code failed, and where.
#include <csignal>

#include "base/format.h"
#include "base/text.h"
#include "diagnose/death/disk_room.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/crash.h"
#include "diagnose/words/account.h"
#include "diagnose/words/phrases.h"

namespace holdfast::facts {
namespace {

// "libfoo.so" of "... error 4 in libfoo.so[7f00+1000] likely on CPU 0"
std::string library_in(const KernelLogEntry* entry) {
    if (entry == nullptr) return {};
    const std::size_t at = entry->text.rfind(" in ");
    if (at == std::string::npos) return {};
    const std::size_t end = entry->text.find('[', at);
    return end == std::string::npos ? "" : entry->text.substr(at + 4, end - at - 4);
}

std::string library_of(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    return crash == nullptr ? library_in(crash_line(death)) : native_place(*crash).library;
}

// Everything known about a crash: the handler's record, the kernel's line, faulthandler's dump.
Account crashed(const Autopsy& death, std::string_view what) {
    const CrashEvidence* crash = death.crash;
    const KernelLogEntry* entry = crash_line(death);
    const std::string where = crash != nullptr ? spelled(native_place(*crash)) : library_in(entry);
    const std::string place = where.empty() ? "" : formatted(" in {}", shortened(where));
    Account account = account_of(death, formatted("{} was stopped by {}: {}{}.", who(death),
                                                  signal_name(*death.exit.signal), what, place));
    if (crash != nullptr) {
        account.saw("siginfo", crash->address ? formatted("code {}, address {:#x}", crash->code,
                                                          *crash->address)
                                              : formatted("code {}", crash->code));
        if (!where.empty()) account.saw("native stack", shortened(where));
        if (!crash->thread.empty()) account.saw("thread", crash->thread);
    }
    if (entry != nullptr) account.saw("kernel log", shortened(entry->text));
    if (faulthandler_spoke(death)) account.saw("stderr", "faulthandler's dump");
    return account;
}

void add_crash_fixes(Account& account, const Autopsy& death) {
    const std::string library = library_of(death);
    // The C library crashes on what others pass to it, so a newer one would not help.
    const bool innocent = library.starts_with("libc.so") || library.starts_with("libc-") ||
                          library.starts_with("ld-") || library.starts_with("libpthread");
    if (library.starts_with("_ctypes.") || library.starts_with("libffi"))
        account.fixes.push_back(
            {"Check what is passed to ctypes: argtypes and restype of the function, and pointers "
             "that are null, too short or already freed.",
             {}});
    else if (!library.empty() && !innocent)
        account.fixes.push_back(
            {formatted("Update or pin the package that brings {}.", library), {}});
    const bool line_known = death.died_at.has_value() || faulthandler_spoke(death);
    if (death.python() && !line_known)
        account.fixes.push_back(
            {"Run it again with faulthandler: it prints the Python line that was "
             "running.",
             "PYTHONFAULTHANDLER=1"});
    else if (!death.python() && death.crash == nullptr)
        account.fixes.push_back({"Run it in a debugger to see the call that failed.",
                                 "gdb --args " + (death.process != nullptr ? death.process->command
                                                                           : std::string("CMD"))});
}

// By its first bytes: EVEX and VEX are the prefixes of AVX-512 and of AVX.
std::string_view instruction_set(const CrashEvidence& crash) {
    if (crash.instruction.starts_with("62 ")) return "AVX-512";
    if (crash.instruction.starts_with("c4 ") || crash.instruction.starts_with("c5 "))
        return "AVX or AVX2";
    return {};
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " and ") + name;
    return text;
}

std::string_view spelled(Fault fault) {
    switch (fault) {
    case Fault::bad_access: return "native code touched memory that is not its own";
    case Fault::null_pointer: return "native code followed a null pointer";
    // A handler passed the fault on, or the program gave up this way: it is a fault's signal, but
    // no fault was seen.
    case Fault::raised_itself: return "it raised the signal itself";
    case Fault::unknown_instruction: return "an instruction this CPU does not have";
    case Fault::instruction_or_trap:
        return "an instruction this CPU does not have, or a deliberate trap";
    case Fault::deliberate_trap:
        return "a trap instruction (ud2), placed where the code must never get to";
    case Fault::bad_division:
        return "native code divided an integer by zero or overflowed a division";
    }
    return {};
}

std::string mapped_file(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    return crash != nullptr ? crash->mapped_file : std::string();
}

}  // namespace

void tell(const CpuFault& facts, const Autopsy& death, Account& account) {
    account = crashed(death, spelled(facts.fault));
    if (death.by(SIGILL)) {
        if (facts.decided) {
            const CrashEvidence& crash = *death.crash;
            const std::string_view set = instruction_set(crash);
            account.saw("instruction", set.empty() ? crash.instruction
                                                   : formatted("{} ({})", crash.instruction, set));
        }
        account.advise(
            "Compare what the library was built for with what this CPU has; take a "
            "build for older CPUs.",
            "grep -m1 flags /proc/cpuinfo");
    }
    add_crash_fixes(account, death);
}

void tell(const StackOverflow& facts, const Autopsy& death, Account& account) {
    account = crashed(death, facts.repeats ? "recursion used up the thread's C stack"
                                           : "the thread's C stack was used up");
    account.saw("fault address", "in the guard below the thread's stack");
    if (facts.repeats) account.saw("native stack", "the same frames repeat");
    account.advise("Bound the recursion, or turn it into a loop.");
    account.advise("Give the thread a larger stack.",
                   "ulimit -s unlimited   # threads: threading.stack_size(512 << 20)");
}

void tell(const NativeRace& facts, const Autopsy& death, Account& account) {
    account =
        crashed(death, formatted("{} threads were inside the same library", facts.use->threads));
    account.saw("threads", formatted("{} inside {}", facts.use->threads, facts.use->library));
    account.advise(
        "Do not share what this library works on between threads: one "
        "handle per thread, or a lock around every call.");
}

void tell(const RamErrors&, const Autopsy& death, Account& account) {
    account = crashed(death, "the hardware reported that this memory is broken");
    account.advise("Test the machine's memory, and run nothing on it until then.",
                   "journalctl -k | grep -i -E 'mce|edac'");
}

void tell(const DiskFullMapping& facts, const Autopsy& death, Account& account) {
    account = crashed(death, "the kernel could not provide a page of a mapped file");
    const std::string file = mapped_file(death);
    if (!file.empty()) account.saw("mapped file", file);
    account.saw("statvfs " + facts.disk->path, room_on(*facts.disk));
    account.advise("Free some space in " + facts.disk->path + ".", "df -h " + facts.disk->path);
}

void tell(const MappedFileGone& facts, const Autopsy& death, Account& account) {
    account = crashed(death, facts.page_lost ? "the kernel could not provide a page of a mapped "
                                               "file: the file became shorter, or its disk failed"
                                             : "the kernel could not provide a mapped page, most "
                                               "often because its file became shorter");
    const std::string file = mapped_file(death);
    if (!file.empty()) account.saw("mapped file", file);
    account.advise(
        "Do not change or truncate a file while a program has it mapped; write "
        "a new one and rename it.");
}

void tell(const HeapCorruption& facts, const Autopsy& death, Account& account) {
    const CrashEvidence* crash = death.crash;
    account = account_of(
        death,
        facts.said
            ? formatted("glibc found the heap of {} damaged and stopped it: {}.", who(death),
                        shortened(facts.said->line))
            : formatted("{} crashed inside the allocator itself: its heap was damaged before.",
                        who(death)));
    if (facts.said) account.saw(facts.said->source, shortened(facts.said->line));
    if (crash != nullptr && native_place(*crash).known())
        account.saw("noticed in", shortened(spelled(native_place(*crash))));
    account.advise(
        "The damage was done earlier, by native code that wrote beyond a block "
        "or freed it twice. Find the write itself.",
        "valgrind --tool=memcheck CMD");
    if (death.python())
        account.advise("Turn on more checks in glibc and Python, to stop nearer to the damage.",
                       "PYTHONMALLOC=debug MALLOC_CHECK_=3");
}

void tell(const NativeAbort& facts, const Autopsy& death, Account& account) {
    const CrashEvidence* crash = death.crash;
    const std::string place = crash != nullptr ? spelled(native_place(*crash)) : std::string();
    const std::string in = place.empty() ? "" : formatted(" in {}", shortened(place));
    const std::string signal = signal_name(*death.exit.signal);
    account =
        account_of(death, facts.said ? formatted("{} gave up with {}{}: {}", who(death), signal, in,
                                                 shortened(facts.said->line))
                                     : formatted("{} gave up with {}{}; what it said was not seen.",
                                                 who(death), signal, in));
    if (facts.said) account.saw(facts.said->source, shortened(facts.said->line));
    if (!place.empty()) account.saw("native stack", shortened(place));
    if (crash == nullptr)
        account.advise("See which call gave up.", death.python()
                                                      ? "PYTHONFAULTHANDLER=1"
                                                      : "gdb --args CMD   # then: run, bt");
}

void tell(const FatalPython& facts, const Autopsy& death, Account& account) {
    account = account_of(death, formatted("The Python interpreter of {} gave up: {}", who(death),
                                          shortened(facts.headline)));
    account.saw("stderr", "Fatal Python error: " + shortened(facts.headline));
    const auto speaks_of = [&](std::string_view word) {
        return facts.headline.find(word) != std::string::npos;
    };
    if (speaks_of("recursion") || speaks_of("stack overflow"))
        account.advise("Something recurses without end: look at the frames that repeat.");
    else if (speaks_of("init"))
        account.advise("Python could not start: check PYTHONHOME and PYTHONPATH.",
                       "env -u PYTHONHOME -u PYTHONPATH python -c 'import sys'");
    else
        account.advise(
            "Most often an extension module misused the interpreter (its lock, a "
            "reference count): update the extension in the stack above.",
            "python -X dev ...");
}

void tell(const AllocatorClash& facts, const Autopsy& death, Account& account) {
    account = crashed(death, "a block of one allocator was handed to another");
    account.saw("mapped", listed(facts.loaded) + ", beside glibc's own");
    account.advise(formatted("Start it without {}.", facts.loaded.front()),
                   "env -u LD_PRELOAD python train.py");
}

void tell(const RuntimeClash& facts, const Autopsy& death, Account& account) {
    account = crashed(death, formatted("{} are loaded, and it crashed inside {}",
                                       listed(facts.loaded), base_name(facts.inside->library)));
    account.saw("mapped", listed(facts.loaded));
    account.advise(
        "Import the packages in the other order, to see whether that is the cause. Then install "
        "both from one source, so that they share one runtime.",
        "pip list | grep -i -E 'torch|scikit|lightgbm|xgboost|mkl'");
}

}  // namespace holdfast::facts
