#include "diagnose/shutdown_request.h"

#include <csignal>

#include "base/time.h"
#include "diagnose/text/last_text.h"

namespace holdfast {

const NoteEvidence* shutdown_request(const Autopsy& death) {
    if (death.agent == nullptr) return nullptr;
    constexpr Nanos within{60'000'000'000};
    const NoteEvidence* request = nullptr;
    for (const NoteEvidence& note : death.agent->notes) {
        if (note.kind != NoteEvidence::Kind::shutdown_request) continue;
        if (death.time && (note.time > *death.time || note.time < earlier(*death.time, within)))
            continue;
        request = &note;
    }
    return request;
}

bool gave_up_at_shutdown(const Autopsy& death) {
    return death.by(SIGABRT) && shutdown_request(death) != nullptr &&
           said_last(death, {"(src/signaler.cpp:"}).has_value();
}

}  // namespace holdfast
