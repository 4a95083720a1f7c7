// HF410 and HF413: two native runtimes in one process, where there should be one, and a crash
// inside one of them.
#include <algorithm>
#include <array>
#include <csignal>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/crash.h"
#include "diagnose/rules/rules.h"
#include "model/library_name.h"

namespace holdfast::rules {
namespace {

using Names = std::span<const std::string_view>;

// Libraries that do the same work: a process should have only one of each kind.
// Not vectors: those would ask for memory before main() could do anything about a refusal.
constexpr std::array<std::string_view, 3> openmp{"libgomp", "libiomp5", "libomp"};
constexpr std::array<std::string_view, 3> allocators{"libtcmalloc", "libjemalloc", "libmimalloc"};
constexpr std::array<std::string_view, 1> protobuf{"libprotobuf"};

bool of_kind(std::string_view library, Names kind) {
    const std::string_view name = base_name(library);
    return std::any_of(kind.begin(), kind.end(),
                       [name](std::string_view head) { return name.starts_with(head); });
}

std::vector<std::string> loaded(const CrashEvidence& crash, Names kind) {
    std::vector<std::string> found;
    for (const std::string& name : crash.runtimes)
        if (of_kind(name, kind)) found.push_back(name);
    return found;
}

// The crash counts for the innermost library that can be blamed: a runtime further out only called
// it or started its thread.
const NativeFrame* crashed_in(const CrashEvidence& crash, Names kind) {
    for (const NativeFrame& frame : crash.native)
        if (!is_everyones_library(frame.library))
            return of_kind(frame.library, kind) ? &frame : nullptr;
    return nullptr;
}

bool a_crash(const Autopsy& death) { return death.by(SIGSEGV) || death.by(SIGABRT); }

}  // namespace

// glibc's own complaint, or a crash in free, while another allocator is loaded: a block from one
// allocator was freed by the other.
std::optional<Finding> allocator_clash(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    if (crash == nullptr || !a_crash(death) || was_sent(*crash)) return std::nullopt;
    const std::vector<std::string> names = loaded(*crash, allocators);
    const bool in_one = crash->in_allocator || crashed_in(*crash, allocators) != nullptr;
    if (names.empty() || !in_one) return std::nullopt;
    return finding_about(death, "allocator-clash"_cause, sure_of_crash(death, false),
                         facts::AllocatorClash{names});
}

std::optional<Finding> runtime_clash(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    if (crash == nullptr || !a_crash(death) || crash->code == 0 || was_sent(*crash))
        return std::nullopt;
    for (const Names kind : {Names(openmp), Names(protobuf)}) {
        const std::vector<std::string> names = loaded(*crash, kind);
        const NativeFrame* inside = crashed_in(*crash, kind);
        if (names.size() < 2 || inside == nullptr) continue;
        return finding_about(death, "runtime-clash"_cause, sure_of_crash(death, false),
                             facts::RuntimeClash{names, inside});
    }
    return std::nullopt;
}

}  // namespace holdfast::rules
