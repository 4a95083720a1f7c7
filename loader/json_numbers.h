// The numbers of some members of a JSON object, found without building the rest of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::loader {

// A member whose value is a number, true or false, or (nested) lists of them, `count` in all.
struct WantedMember {
    std::string name;
    std::uint64_t count = 1;
    bool whole = false;  // int64, else float32
    std::byte* out = nullptr;
};

// Writes each member's numbers to its place. An error names a member that is missing or odd.
Status read_members(std::string_view line, std::span<const WantedMember> wanted);

// The form of a line's members, for the first line of a file.
struct SeenMember {
    std::string name;
    std::uint64_t count = 0;
    std::vector<std::uint64_t> shape;
    bool whole = true;
    bool numbers = true;
};
Result<std::vector<SeenMember>> look_at_members(std::string_view line);

}  // namespace holdfast::loader
