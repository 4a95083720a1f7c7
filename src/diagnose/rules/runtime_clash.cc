// HF410 and HF413: two native runtimes in one process, of which there should be one, and a crash
// inside one of them.
#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "diagnose/crash_finding.h"
#include "diagnose/inside.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"
#include "model/library_name.h"

namespace holdfast::rules {
namespace {

using Names = std::vector<std::string_view>;

// Those that do the same work: one process has one of each kind, or trouble.
const Names openmp{"libgomp", "libiomp5", "libomp"};
const Names allocators{"libtcmalloc", "libjemalloc", "libmimalloc"};
const Names protobuf{"libprotobuf"};

bool of_kind(std::string_view library, const Names& kind) {
    const std::string_view name = base_name(library);
    return std::any_of(kind.begin(), kind.end(),
                       [name](std::string_view head) { return name.starts_with(head); });
}

std::vector<std::string> loaded(const CrashEvidence& crash, const Names& kind) {
    std::vector<std::string> found;
    for (const std::string& name : crash.runtimes)
        if (of_kind(name, kind)) found.push_back(name);
    return found;
}

// The innermost library that is not everybody's: a runtime further out only called what crashed, or
// started its thread.
const NativeFrame* crashed_in(const CrashEvidence& crash, const Names& kind) {
    for (const NativeFrame& frame : crash.native)
        if (!is_everyones_library(frame.library))
            return of_kind(frame.library, kind) ? &frame : nullptr;
    return nullptr;
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " and ") + name;
    return text;
}

bool a_crash(const Death& death) { return death.by(SIGSEGV) || death.by(SIGABRT); }

}  // namespace

// glibc's own complaint, or a crash in free, while another allocator is loaded: a block of the one
// was handed to the other.
std::optional<Finding> allocator_clash(const Death& death) {
    const CrashEvidence* crash = crash_of(death);
    if (crash == nullptr || !a_crash(death) || was_sent(*crash)) return std::nullopt;
    const std::vector<std::string> names = loaded(*crash, allocators);
    const bool in_one = crash->in_allocator || crashed_in(*crash, allocators) != nullptr;
    if (names.empty() || !in_one) return std::nullopt;
    Finding finding = crash_finding(death, "allocator-clash"_cause,
                                    "a block of one allocator was handed to another", false);
    finding.evidence.push_back({"mapped", listed(names) + ", beside glibc's own"});
    finding.fixes.push_back(
        {formatted("Start it without {}.", names.front()), "env -u LD_PRELOAD python train.py"});
    return finding;
}

std::optional<Finding> runtime_clash(const Death& death) {
    const CrashEvidence* crash = crash_of(death);
    if (crash == nullptr || !a_crash(death) || crash->code == 0 || was_sent(*crash))
        return std::nullopt;
    for (const Names& kind : {openmp, protobuf}) {
        const std::vector<std::string> names = loaded(*crash, kind);
        const NativeFrame* inside = crashed_in(*crash, kind);
        if (names.size() < 2 || inside == nullptr) continue;
        Finding finding = crash_finding(death, "runtime-clash"_cause,
                                        formatted("{} are loaded, and it crashed inside {}",
                                                  listed(names), base_name(inside->library)),
                                        false);
        finding.evidence.push_back({"mapped", listed(names)});
        finding.fixes.push_back(
            {"Import the packages in the other order, to see whether that is it; then take both "
             "from one source, so that they share one runtime.",
             "pip list | grep -i -E 'torch|scikit|lightgbm|xgboost|mkl'"});
        return finding;
    }
    return std::nullopt;
}

}  // namespace holdfast::rules
