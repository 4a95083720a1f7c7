#include "diagnose/words/phrases.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "diagnose/death/disk_room.h"
#include "diagnose/words/account.h"

namespace holdfast {

namespace {

constexpr std::size_t most_of_a_command = 60;

// Keeps the end of a long path, which says which script it was; the beginning only says whose
// machine.
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
    if (death.told == Death::Told::wrapper) text += ", passed on by its parent";
    if (death.told == Death::Told::text) text += ", reported by its parent";
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

std::string shortened(std::string_view line) {
    constexpr std::size_t most = 160;
    line = trim(line.substr(0, line.find('\n')));
    if (line.size() <= most) return std::string(line);
    // Not in the middle of a UTF-8 character.
    std::size_t cut = most;
    while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xC0U) == 0x80U) --cut;
    return std::string(line.substr(0, cut)) + "...";
}

std::string short_place(const Where& where) {
    return where.line ? formatted("{}:{}", where.file, *where.line) : where.file;
}

std::string file_and_line(Where where) {
    where.file = where.file.substr(where.file.rfind('/') + 1);
    return short_place(where);
}

std::string sender_of(const SignalSeen& signal) {
    if (signal.from_kernel) return "the terminal";
    if (!signal.sender_pid) return "an unknown sender";
    if (*signal.sender_pid == 0) return "a process outside this container";
    const std::string name = short_command(signal.sender);
    const std::string uid = signal.sender_uid ? formatted(", uid {}", *signal.sender_uid) : "";
    if (name.empty()) return formatted("pid {}{}", *signal.sender_pid, uid);
    return formatted("{} (pid {}{})", name, *signal.sender_pid, uid);
}

std::string room_on(const DiskEvidence& disk) {
    const std::optional<Bytes> free = least_free(disk);
    std::string figures = free ? human(*free) + " free" : "";
    if (free && disk.size) figures += " of " + human(*disk.size);
    if (disk.inodes_free == 0U) figures += figures.empty() ? "no inodes left" : ", no inodes left";
    return figures;
}

std::string spelled(const NativePlace& place) {
    return place.symbol.empty() ? place.library
                                : formatted("{} in {}", place.symbol, place.library);
}

Account account_of(const Autopsy& death, std::string summary) {
    return {std::move(summary), {status_of(death)}};
}

}  // namespace holdfast
