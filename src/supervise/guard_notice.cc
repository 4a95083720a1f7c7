#include "supervise/guard_notice.h"

#include "base/format.h"

namespace holdfast {

std::string stuck_words(Nanos lasted, const std::string& place, std::optional<Nanos> grace) {
    const std::string where = place.empty() ? std::string() : " at " + place;
    std::string text =
        formatted("guard: the program has been stuck for {} since memory was refused{}",
                  human(lasted), where);
    if (grace) text += formatted("; SIGTERM follows in {} (--guard-grace)", human(*grace));
    return text;
}

std::string words_about(const GuardCrossing& crossing, format::GuardMode mode) {
    using Kind = format::GuardEventKind;
    const bool on = mode == format::GuardMode::on;
    const std::string who =
        crossing.place.empty() ? formatted("process {}", crossing.pid) : crossing.place;
    const std::string did = on ? "refused" : "would have refused";
    std::string text;
    switch (crossing.kind) {
    case Kind::nothing_left:
        text = formatted("guard: {} memory at {}: {} of {} are left", did, who,
                         human(crossing.room), human(crossing.limit));
        break;
    case Kind::brink:
        text = formatted("guard: memory was about to run out at {}: {} of {} are left", who,
                         human(crossing.room), human(crossing.limit));
        break;
    case Kind::refused:
    case Kind::too_large:  // of an older agent
    case Kind::none:
        text = formatted("guard: {} {} at {}: {} of {} are left", did, human(crossing.asked), who,
                         human(crossing.room), human(crossing.limit));
        break;
    }
    return on ? text : text + "; --guard=on turns this into a MemoryError";
}

}  // namespace holdfast
