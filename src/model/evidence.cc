#include "model/evidence.h"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast {
namespace {

struct Mark {
    std::string_view words;
    Missing::What what;
};

// The words that supervisors of every version have written.
constexpr std::array marks{
    Mark{"kernel log", Missing::What::kernel_log},
    Mark{"oom_kill", Missing::What::oom_count},
    Mark{"vmstat", Missing::What::host_counters},
    Mark{"exit status", Missing::What::exit_status},
    Mark{"supervisor was lost", Missing::What::supervisor},
    Mark{"stderr", Missing::What::stderr_text},
};

}  // namespace

Missing Missing::from_text(std::string text) {
    for (const Mark& mark : marks)
        if (text.find(mark.words) != std::string::npos) return {mark.what, std::move(text)};
    return {What::other, std::move(text)};
}

bool is_missing(const std::vector<Missing>& list, Missing::What what) {
    return std::any_of(list.begin(), list.end(),
                       [what](const Missing& entry) { return entry.what == what; });
}

std::vector<std::string> sentences(const std::vector<Missing>& list) {
    std::vector<std::string> texts;
    texts.reserve(list.size());
    for (const Missing& entry : list) texts.push_back(entry.detail);
    return texts;
}

std::vector<Missing> missing_from_texts(std::vector<std::string> texts) {
    std::vector<Missing> list;
    list.reserve(texts.size());
    for (std::string& text : texts) list.push_back(Missing::from_text(std::move(text)));
    return list;
}

const ProcessEvidence* Evidence::process(int pid) const {
    for (const ProcessEvidence& p : processes)
        if (p.pid == pid) return &p;
    return nullptr;
}

const ProcessEvidence* Evidence::main() const { return main_pid ? process(*main_pid) : nullptr; }

const CgroupEvidence* Evidence::cgroup_of(const ProcessEvidence& process) const {
    if (!process.cgroup || *process.cgroup < 0 ||
        static_cast<std::size_t>(*process.cgroup) >= cgroups.size())
        return nullptr;
    return &cgroups[static_cast<std::size_t>(*process.cgroup)];
}

}  // namespace holdfast
