// The messages with which a refused allocation ends a program.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "diagnose/text/last_text.h"

namespace holdfast {

struct Refusal {
    Said said;
    std::optional<Bytes> asked;
    // A new thread could not be started: its stack is memory, too, so an address limit may be why.
    bool thread = false;
};

std::optional<Refusal> refusal_in(const Death& death);

// "Unable to allocate 74.5 GiB for an array", "you tried to allocate 4000000 bytes"
std::optional<Bytes> size_asked_for(std::string_view line);

// Whether the request would have failed even without the `held` bytes: then those are not the
// reason.
bool too_large_without(const Death& death, Bytes held);

// The process whose allocation the guard refused, so that this death's refusal is the guard's: the
// process itself, or the worker that was refused last and handed the error on; null if none was.
const AgentEvidence* refused_by_guard(const Death& death);

// How much memory was still available, by the tightest limit that is known.
std::optional<Bytes> free_memory(const Death& death);

}  // namespace holdfast
