// A whole root from anywhere: read, judged, written and read again. This covers the files of /proc,
// of cgroups, of Python's build information and of kernels.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check/gather.h"
#include "check/root_record.h"
#include "check/rule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::check;
    const auto record = parse_root({reinterpret_cast<const char*>(data), size});
    (void)parse_root(to_text(record));
    // Judging takes a thousand times as long as parsing, so judge only one input in eight.
    if (size % 8 != 0) return 0;
    const auto sight = recorded_sight(record);
    const auto report = judge(gather(*sight, {}));
    if (!holdfast::check_report_from_json(holdfast::to_json(report)).ok()) std::abort();
    return 0;
}
