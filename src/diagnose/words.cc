#include "diagnose/words.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "diagnose/place.h"

namespace holdfast {

namespace {

constexpr std::size_t most_of_a_command = 60;

// Of a long path the end says which script it was, the beginning whose machine.
std::string without_folders(std::string_view arguments) {
    std::string text;
    while (const std::optional<std::string_view> word = next_word(arguments)) {
        if (!text.empty()) text += ' ';
        text.append(word->starts_with('/') ? "…/" : "");
        text.append(word->starts_with('/') ? base_name(*word) : *word);
    }
    return text;
}

}  // namespace

std::string short_command(std::string_view command) {
    constexpr std::size_t most = most_of_a_command;
    std::string_view rest = command;
    const std::optional<std::string_view> program = next_word(rest);
    if (!program) return {};
    const std::string name(base_name(*program));
    const std::string_view arguments = trim(rest);
    if (arguments.empty()) return name;
    std::string text = name + " ";
    const bool fits = text.size() + arguments.size() <= most;
    text.append(fits ? std::string(arguments) : without_folders(arguments));
    if (text.size() > most) {
        std::size_t cut = most;
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
        text = text.substr(0, cut) + "...";
    }
    return text;
}

std::string who(const Death& death) {
    std::string name;
    if (death.process != nullptr) {
        name = short_command(death.process->command);
        if (name.empty()) name = death.process->name;
    }
    if (name.empty()) name = death.decides ? "the program" : "a process";
    return death.pid > 0 ? formatted("{} (pid {})", name, death.pid) : name;
}

std::string part_of(Bytes part, Bytes whole) {
    return formatted("{} of {} ({:.0f} %)", human(part), human(whole),
                     100.0 * part.share_of(whole));
}

std::string moved(std::string_view name, std::uint64_t from, std::uint64_t to) {
    return formatted("{} {} -> {}", name, from, to);
}

Observation status_of(const Death& death) {
    std::string text = "not seen";
    if (death.exit.signal) text = signal_name(*death.exit.signal);
    if (death.exit.code) text = std::to_string(*death.exit.code);
    if (death.told == Death::Told::wrapper) text += ", as its parent passed it on";
    if (death.told == Death::Told::text) text += ", as its parent said";
    return {"exit status", text};
}

std::string limit_name(const CgroupLevel& level) {
    return level.path.empty() || level.path == "/" ? "the container's limit"
                                                   : "the limit of " + level.path;
}

Bytes roomier(Bytes limit) {
    const Bytes wanted{limit.count + limit.count / 2};
    const Bytes step = wanted < Bytes::gib(1)   ? Bytes::mib(64)
                       : wanted < Bytes::gib(8) ? Bytes::mib(512)
                                                : Bytes::gib(1);
    return {(wanted.count + step.count - 1) / step.count * step.count};
}

Confidence at_most(Confidence confidence, Confidence bound) { return std::min(confidence, bound); }

Finding finding_about(const Death& death, CauseId cause, Confidence confidence,
                      std::string summary) {
    Finding finding{
        cause, confidence, std::move(summary), where_it_died(death), {status_of(death)}, {}, {},
        {},    {}};
    if (death.pid > 0) finding.pid = death.pid;
    return finding;
}

}  // namespace holdfast
