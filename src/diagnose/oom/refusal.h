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
    // No new thread could be started: its stack is memory, too, so an address limit shows up like
    // this.
    bool thread = false;
};

std::optional<Refusal> refusal_in(const Death& death);

// "Unable to allocate 74.5 GiB for an array", "you tried to allocate 4000000 bytes"
std::optional<Bytes> size_asked_for(std::string_view line);

// Whether one request ended it that would have failed without the `held` bytes as well: then they
// are not why.
bool too_large_without(const Death& death, Bytes held);

// The memory that was still available, by the tightest known figure.
std::optional<Bytes> free_memory(const Death& death);

}  // namespace holdfast
