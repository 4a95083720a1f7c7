// What could not be seen: its kind, and the sentence about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

struct Missing {
    enum class What {
        other,
        kernel_log,
        oom_count,      // of the process's own cgroup
        host_counters,  // /proc/vmstat
        exit_status,
        supervisor,  // it was lost, nobody knows how
        stderr_text,
    };
    What what = What::other;
    std::string detail;  // the whole sentence

    // A sentence from a record or a recording, which have no kinds.
    static Missing from_text(std::string text);
    friend bool operator==(const Missing&, const Missing&) = default;
};

bool is_missing(const std::vector<Missing>& list, Missing::What what);
std::vector<std::string> sentences(const std::vector<Missing>& list);
std::vector<Missing> missing_from_texts(std::vector<std::string> texts);

}  // namespace holdfast
