// METADATA, its markers and versions.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check/metadata.h"
#include "check/version.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::check;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Metadata metadata = parse_metadata(text, {"3.11", "x86_64"});
    for (const Requirement& requirement : metadata.requires_) {
        (void)fits(requirement.specifiers, metadata.version);
        (void)fits(requirement.specifiers, "2.1.0");
    }
    (void)marker_holds(text, {"3.11", "x86_64"});
    return 0;
}
