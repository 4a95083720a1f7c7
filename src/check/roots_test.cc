// Every check, on roots that must trigger it and on near misses that must not; and healthy
// machines, on which nothing may block. The roots are in roots/, and say what in them is
// reconstructed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"
#include "check/gather.h"
#include "check/root_record.h"
#include "check/rule.h"

namespace holdfast::check {
namespace {

// A file of roots may contain several, each begun by "root NAME".
std::map<std::string, RootRecord> all_roots() {
    std::map<std::string, RootRecord> roots;
    const std::filesystem::path folder =
        std::filesystem::path(HOLDFAST_FIXTURES).parent_path() / "roots";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        std::ifstream stream(file.path());
        std::stringstream text;
        text << stream.rdbuf();
        const std::string whole = text.str();
        std::string name = file.path().stem().string();
        std::string part;
        const auto finish = [&] {
            if (trim(part).empty()) return;
            EXPECT_TRUE(roots.emplace(name, parse_root(part)).second) << name << " is there twice";
        };
        for (std::string_view rest = whole; const auto line = next_line(rest);) {
            if (line->starts_with("root ")) {
                finish();
                name = std::string(line->substr(5));
                part = "# \n";
            } else {
                part += std::string(*line) + '\n';
            }
        }
        finish();
    }
    return roots;
}

const std::map<std::string, RootRecord>& roots() {
    static const std::map<std::string, RootRecord> all = all_roots();
    return all;
}

RootRecord whole(const std::string& name) {
    const RootRecord& own = roots().at(name);
    if (own.from.empty()) return own;
    RootRecord base = whole(own.from);
    base.expects.clear();
    base.add(own);
    return base;
}

CheckReport report_of(const std::string& name) {
    const auto sight = recorded_sight(whole(name));
    return judge(gather(*sight, {}));
}

const CheckFinding* finding_of(const CheckReport& report, std::string_view check) {
    for (const CheckFinding& finding : report.findings)
        if (finding.check == check) return &finding;
    return nullptr;
}

std::string why_impossible(const CheckReport& report, std::string_view check) {
    for (const ImpossibleCheck& one : report.impossible)
        if (one.check == check) return one.why;
    return {};
}

TEST(Roots, EveryExpectationHolds) {
    for (const auto& [name, root] : roots()) {
        if (root.expects.empty()) continue;
        const CheckReport report = report_of(name);
        for (const std::string& expected : root.expects) {
            const auto words = split(expected, ' ');
            if (words[0] == "healthy") continue;
            if (words[0] == "not") {
                const CheckFinding* finding = finding_of(report, words.at(1));
                EXPECT_EQ(finding, nullptr)
                    << name << ": " << (finding != nullptr ? finding->summary : "");
                // A near miss proves nothing if the check was not possible.
                EXPECT_EQ(why_impossible(report, words.at(1)), "") << name << ' ' << words.at(1);
                continue;
            }
            const CheckFinding* finding = finding_of(report, words.at(2));
            ASSERT_NE(finding, nullptr) << name << ": nothing from " << words.at(2) << "; "
                                        << why_impossible(report, words.at(2));
            EXPECT_EQ(finding->cause->code, words.at(0)) << name;
            EXPECT_EQ(name_of(finding->severity), words.at(1)) << name << ": " << finding->summary;
            EXPECT_FALSE(finding->evidence.empty()) << name;
            EXPECT_FALSE(finding->fixes.empty()) << name;
        }
    }
}

TEST(Roots, EveryCheckHasOneThatTriggersItAndANearMiss) {
    std::set<std::string> triggered, missed;
    for (const auto& [name, root] : roots())
        for (const std::string& expected : root.expects) {
            const auto words = split(expected, ' ');
            if (words[0] == "not")
                missed.emplace(words.at(1));
            else if (words.size() == 3)
                triggered.emplace(words[2]);
        }
    std::size_t both = 0;
    for (const CheckRule& check : all_checks()) {
        const std::string name(check.name);
        if (name == "framework-import") continue;  // needs a Python: see tests/test_check.py
        EXPECT_TRUE(triggered.contains(name)) << name << " is never triggered";
        EXPECT_TRUE(missed.contains(name)) << name << " has no near miss";
        both += triggered.contains(name) && missed.contains(name) ? 1U : 0U;
    }
    EXPECT_GE(both, 35U);
}

TEST(Roots, NothingBlocksOnHealthyMachines) {
    int healthy = 0;
    for (const auto& [name, root] : roots()) {
        if (root.expects.empty() || root.expects.front() != "healthy") continue;
        ++healthy;
        const CheckReport report = report_of(name);
        int hurting = 0;
        for (const CheckFinding& finding : report.findings) {
            EXPECT_NE(finding.severity, Severity::blocks) << name << ": " << finding.summary;
            if (finding.severity == Severity::will_hurt) {
                ++hurting;
                if (hurting > 1) ADD_FAILURE() << name << ": " << finding.summary;
            }
        }
    }
    EXPECT_GE(healthy, 10);
}

// The zoo's deaths that are caused by the environment, each with a root that has the same fault
// before the start. Limits, disks and shared memory are tested with real ones in
// tests/test_foretold.py.
struct Foretold {
    std::string_view program, root, code;
};
constexpr Foretold zoo_twins[] = {
    {"environment/openmp.py", "two-openmp", "HF401"},
    {"environment/openmp_two_runtimes.py", "intel-openmp-and-a-copy", "HF401"},
    {"environment/cudnn_abort.py", "torch-without-cudnn", "HF402"},
    {"environment/cudnn_missing.py", "torch-without-cudnn", "HF402"},
    {"environment/nccl_missing.py", "extension-without-nccl", "HF402"},
    {"environment/cudnn_mismatch.py", "older-cudnn", "HF403"},
    {"environment/driver_too_old.py", "driver-535-for-cuda-13", "HF404"},
    {"hardware/compat_driver.py", "module-and-library-differ", "HF404"},
    {"hardware/gpu_too_new.py", "torch-without-code", "HF405"},
    {"environment/mkl.py", "mkl-without-kernels", "HF406"},
    {"environment/protobuf_abort.py", "protobuf-too-new", "HF407"},
    {"environment/protobuf_descriptor.py", "protobuf-too-new", "HF407"},
    {"environment/numpy_abi.py", "pandas-of-numpy-1", "HF408"},
    {"environment/no_tk_display.py", "windows-without-a-display", "HF409"},
    {"environment/qt.py", "qt-without-a-display", "HF409"},
    {"environment/tcmalloc.py", "two-allocators", "HF410"},
    {"environment/library_missing.py", "extension-without-its-library", "HF411"},
    {"environment/symbol_missing.py", "extension-of-another-version", "HF411"},
    {"hardware/emulated.sh", "x86-python-on-arm", "HF412"},
    {"environment/clash_gnu_tasks.py", "old-intel-openmp", "HF413"},
    {"environment/clash_llvm_tasks.py", "old-intel-openmp", "HF413"},
};

TEST(Roots, TheZoosDeathsOfTheEnvironmentAreForetold) {
    for (const Foretold& twin : zoo_twins) {
        const CheckReport report = report_of(std::string(twin.root));
        const bool told = std::any_of(
            report.findings.begin(), report.findings.end(), [&](const CheckFinding& finding) {
                return finding.cause->code == twin.code && finding.severity != Severity::note;
            });
        EXPECT_TRUE(told) << twin.program << " by " << twin.root;
    }
}

TEST(Roots, ARecordSaysTheSameWhenItIsWrittenAndReadAgain) {
    for (const auto& [name, root] : roots()) {
        const RootRecord record = whole(name);
        const auto inner = recorded_sight(record);
        RootRecord again;
        const auto recorder = recording_sight(*inner, again);
        const CheckReport first = judge(gather(*recorder, {}));
        const auto replayed = recorded_sight(parse_root(to_text(again)));
        const CheckReport second = judge(gather(*replayed, {}));
        EXPECT_EQ(to_json(first), to_json(second)) << name;
    }
}

TEST(Roots, ARootWithNothingInItIsNotPossibleAndNeverBlocks) {
    const auto sight = recorded_sight({});
    const CheckReport report = judge(gather(*sight, {}));
    EXPECT_TRUE(report.findings.empty());
    EXPECT_GT(report.impossible.size(), 40U);
}

}  // namespace
}  // namespace holdfast::check
