// Any bytes as a JSON line: what the first look finds must be readable in that form.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "loader/json_numbers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::loader;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto seen = look_at_members(text);
    if (!seen) return 0;
    for (const SeenMember& member : *seen) {
        if (!member.numbers || member.count > size) continue;
        std::vector<std::byte> out(member.count * 8 + 8);
        const WantedMember wanted[] = {{member.name, member.count, member.whole, out.data()}};
        static_cast<void>(read_members(text, wanted));
    }
    return 0;
}
