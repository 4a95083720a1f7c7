// /proc/self/mountinfo: its paths are whatever somebody mounted.
#include <cstdlib>
#include <string_view>

#include "sources/mountinfo.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace holdfast::sources;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Mount& mount : parse_mountinfo(text)) {
        if (mount.type.empty()) std::abort();
        (void)mount.has_super_option("memory");
    }
    if (unescape_octal(text).size() > size) std::abort();
    return 0;
}
