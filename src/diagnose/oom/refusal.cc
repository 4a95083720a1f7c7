#include "diagnose/oom/refusal.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "base/text.h"
#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/oom/tensor_refusal.h"

namespace holdfast {
namespace {

bool is_memory_error(const TracebackText& traceback) {
    const std::size_t dot = traceback.type.rfind('.');
    const std::string_view type =
        std::string_view(traceback.type).substr(dot == std::string::npos ? 0 : dot + 1);
    // torch.OutOfMemoryError does not belong here: it is about GPU memory.
    return type == "MemoryError" || type == "_ArrayMemoryError" || type == "ArrowMemoryError" ||
           type == "BrinkError";
}

bool about_gpu(std::string_view line) {
    for (const std::string_view word : {"CUDA", "HIP", "cuda", "OutOfMemoryError"})
        if (line.find(word) != std::string_view::npos) return true;
    return false;
}

}  // namespace

std::optional<Bytes> size_asked_for(std::string_view line) {
    for (const std::string_view mark :
         {"Unable to allocate ", "tried to allocate ", "to allocate "}) {
        const std::size_t at = line.find(mark);
        if (at == std::string_view::npos) continue;
        std::string_view rest = line.substr(at + mark.size());
        const std::optional<std::string_view> number = next_word(rest);
        std::optional<std::string_view> unit = next_word(rest);
        const std::optional<double> value = number ? parse_decimal(*number) : std::nullopt;
        if (!value || !unit || *value < 0) continue;
        const std::string_view word = unit->substr(0, unit->find_first_of(".,"));
        static constexpr std::array<std::pair<std::string_view, double>, 7> units{
            {{"bytes", 1.0},
             {"B", 1.0},
             {"KiB", 0x1p10},
             {"MiB", 0x1p20},
             {"GiB", 0x1p30},
             {"TiB", 0x1p40},
             {"PiB", 0x1p50}}};
        for (const auto& known : units)
            if (word == known.first && *value * known.second < 0x1p63)
                return Bytes{static_cast<std::uint64_t>(*value * known.second)};
    }
    return std::nullopt;
}

std::optional<Refusal> refusal_in(const Death& death) {
    if (const TracebackText* traceback = final_exception(death);
        traceback != nullptr && is_memory_error(*traceback)) {
        const std::string line = exception_line(*traceback);
        return Refusal{{line, true, source_of(*traceback)}, size_asked_for(line)};
    }
    if (const std::optional<TensorRefusal> tensor = tensor_refused(death);
        tensor && !tensor->on_gpu)
        return Refusal{{tensor->line, true, source_of(*final_exception(death))}, tensor->asked};
    if (const CrashEvidence* crash = crash_of(death);
        crash != nullptr && crash->exception_type.find("bad_alloc") != std::string::npos)
        return Refusal{{crash->exception_type, true, "uncaught C++ exception"}, std::nullopt};
    if (std::optional<Said> thread = system_said_last(death, {"can't start new thread"}))
        return Refusal{std::move(*thread), std::nullopt, true};
    std::optional<Said> said = system_said_last(
        death, {"DefaultCPUAllocator: can't allocate memory", "std::bad_alloc",
                "DefaultCPUAllocator: not enough memory", "Cannot allocate memory"});
    if (!said || about_gpu(without_paths(said->line))) return std::nullopt;
    // An uncaught bad_alloc aborts. Before any other fatal signal, the words are not about the end.
    if (death.exit.signal && !death.by(SIGABRT)) return std::nullopt;
    const std::optional<Bytes> asked = size_asked_for(said->line);
    return Refusal{std::move(*said), asked};
}

bool too_large_without(const Death& death, Bytes held) {
    const std::optional<Refusal> refusal = refusal_in(death);
    if (!refusal || !refusal->asked || death.process == nullptr) return false;
    const ProcessEvidence& process = *death.process;
    const auto fails_at = [&](std::optional<Bytes> limit, std::optional<Bytes> used) {
        if (!limit) return false;
        const Bytes others = used ? *used - std::min(*used, held) : Bytes{};
        return others + *refusal->asked > *limit;
    };
    return fails_at(process.limits.address_space, process.virtual_size) ||
           fails_at(process.limits.data, process.anon) || fails_at(death.all.host.total, {});
}

const AgentEvidence* refused_by_guard(const Death& death) {
    // An error may wander through a queue, handlers and a traceback before it ends the program.
    constexpr Nanos long_way{30'000'000'000};
    const auto refused = [](const AgentEvidence* agent) {
        return agent != nullptr && agent->guard && agent->guard->refused > 0;
    };
    const AgentEvidence* own = agent_of(death);
    if (refused(own) || !death.decides) return refused(own) ? own : nullptr;
    const AgentEvidence* found = nullptr;
    for (const AgentEvidence& agent : death.all.agents) {
        if (!refused(&agent)) continue;
        const RunTime time = agent.guard->last.time;
        if (death.time && later(time, long_way) < *death.time) continue;
        if (found == nullptr || time > found->guard->last.time) found = &agent;
    }
    return found;
}

std::optional<Bytes> free_memory(const Death& death) {
    std::optional<Bytes> least;
    const auto consider = [&least](Bytes amount) {
        least = least ? std::min(*least, amount) : amount;
    };
    const HostEvidence& host = death.all.host;
    if (host.available_last) consider(*host.available_last + host.swap_free_last.value_or(Bytes{}));
    if (host.overcommit_mode == 2 && host.commit_limit && host.committed)
        consider(*host.commit_limit - *host.committed);
    if (death.process != nullptr) {
        const ProcessEvidence& process = *death.process;
        if (process.limits.address_space && process.virtual_size)
            consider(*process.limits.address_space - *process.virtual_size);
    }
    return least;
}

}  // namespace holdfast
