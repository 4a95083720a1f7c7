// The measured tables that come with Holdfast, as text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace holdfast::fit {

struct ShippedTable {
    std::uint32_t sm;
    const char* begin;
    const char* end;

    std::string_view text() const { return {begin, end}; }
};

std::span<const ShippedTable> shipped_tables();

}  // namespace holdfast::fit
