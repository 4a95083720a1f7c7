#include "diagnose/death/launch_line.h"

#include <algorithm>
#include <string>
#include <vector>

#include "diagnose/death/witnesses.h"

namespace holdfast {
namespace {

const LaunchesEvidence* launches_of(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    return agent == nullptr || !agent->launches ? nullptr : &*agent->launches;
}

struct LaunchingLine {
    Where where;
    std::string kernel;  // the first kernel that this line launched
    std::uint64_t count = 0;
    int kernels = 0;
};

struct LaunchingLines {
    std::vector<LaunchingLine> lines;  // by their first launches
    bool sure = true;                  // false: a row has no line or name, or a borrowed line
};

template <class Fits>
LaunchingLines lines_of(const LaunchesEvidence& launches, Fits&& fits) {
    LaunchingLines found;
    found.sure = launches.all_seen;
    for (const LaunchEvidence& launch : launches.rows) {
        const bool unnamed = launch.kernel.empty();  // may be any kernel
        if (!unnamed && !fits(launch.kernel)) continue;
        std::optional<Where> where;
        if (launch.line) where = own_place({*launch.line});
        if (unnamed || !where || launch.borrowed) found.sure = false;
        if (unnamed || !where) continue;
        const auto known =
            std::find_if(found.lines.begin(), found.lines.end(), [&](const LaunchingLine& line) {
                return line.where.file == where->file && line.where.line == where->line;
            });
        const bool fresh = known == found.lines.end();
        LaunchingLine& line = fresh ? found.lines.emplace_back() : *known;
        if (fresh) {
            line.where = std::move(*where);
            line.kernel = launch.kernel;
        }
        line.count += launch.count;
        ++line.kernels;
    }
    return found;
}

std::optional<LaunchLine> first_of(const LaunchingLines& found) {
    constexpr std::size_t most_named = 3;
    if (found.lines.empty()) return std::nullopt;
    const LaunchingLine& first = found.lines.front();
    LaunchLine line{first.where,
                    found.sure && found.lines.size() == 1,
                    first.kernel,
                    first.kernels,
                    first.count,
                    {},
                    0};
    for (std::size_t i = 1; i < std::min(found.lines.size(), most_named); ++i)
        line.others.push_back(found.lines[i].where);
    if (found.lines.size() > most_named) line.more = found.lines.size() - most_named;
    return line;
}

}  // namespace

bool launches_watched(const Death& death) { return launches_of(death) != nullptr; }

std::optional<LaunchLine> line_of_assertion(const Death& death,
                                            const std::optional<DeviceAssertion>& assertion) {
    const LaunchesEvidence* launches = launches_of(death);
    // The kernels in a CUDA graph are launched unseen; the failed one may be among them.
    if (launches == nullptr || launches->graphs) return std::nullopt;
    if (assertion)
        return first_of(lines_of(
            *launches, [&](std::string_view kernel) { return fits_kernel(*assertion, kernel); }));
    std::optional<LaunchLine> guess = first_of(lines_of(*launches, kernel_asserts));
    if (!guess || !guess->only_one) return std::nullopt;
    guess->only_one = false;
    return guess;
}

std::optional<LaunchLine> line_of_access(const Death& death) {
    const LaunchesEvidence* launches = launches_of(death);
    if (launches == nullptr || launches->graphs || launches->elsewhere) return std::nullopt;
    std::optional<LaunchLine> line =
        first_of(lines_of(*launches, [](std::string_view) { return true; }));
    if (!line || !line->only_one) return std::nullopt;
    line->only_one = false;  // cuBLAS, cuDNN and NCCL launch kernels unseen
    return line;
}

}  // namespace holdfast
