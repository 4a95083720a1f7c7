#include "sources/oom_table.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "sources/fields.h"

namespace holdfast::sources {

void OomTable::clear() {
    columns_.clear();
    tasks_.clear();
}

// "[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents
// oom_score_adj name"; the three rss_ columns are missing on older kernels.
bool OomTable::take(const KernelRecord& record) {
    if (record.facility != 0 || !record.text.starts_with('[')) return false;
    const std::string_view text = record.text;
    if (text.find(" tgid ") == std::string_view::npos) return take_row(record);
    clear();
    columns_ = record.text;
    kinds_apart_ = text.find(" rss_anon ") != std::string_view::npos;
    return true;
}

bool OomTable::take_row(const KernelRecord& record) {
    if (columns_.empty()) return false;
    std::string_view rest = record.text;
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return false;
    const auto thread = parse_number<int>(trim(rest.substr(1, close - 1)));
    rest.remove_prefix(close + 1);
    if (!thread || *thread <= 0) return false;

    std::array<std::int64_t, 10> numbers{};
    const std::size_t count = kinds_apart_ ? 10 : 7;
    for (std::size_t i = 0; i < count; ++i) {
        const auto word = next_word(rest);
        const auto number = word ? parse_number<std::int64_t>(*word) : std::nullopt;
        if (!number) return false;
        numbers[i] = *number;
    }
    // uid, tgid, total_vm, rss, rss_anon, rss_file, rss_shmem; counters can be short-lived
    // negatives.
    const auto in_bytes = [&](std::size_t column) {
        const auto count_of_pages =
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, numbers[column]));
        return pages(count_of_pages, page_).value_or(Bytes{});
    };
    OomTask task;
    if (numbers[1] <= 0 || numbers[1] > std::numeric_limits<int>::max()) return false;
    task.pid = static_cast<int>(numbers[1]);
    task.held = kinds_apart_ ? in_bytes(4) + in_bytes(6) : in_bytes(3);
    task.name = trim(rest);
    task.line = record.text;
    const auto place =
        std::upper_bound(tasks_.begin(), tasks_.end(), task,
                         [](const OomTask& a, const OomTask& b) { return a.held > b.held; });
    tasks_.insert(place, std::move(task));
    if (tasks_.size() > most) tasks_.pop_back();
    return true;
}

}  // namespace holdfast::sources
