// Records of /dev/kmsg: any program that has the right may write lines there.
#include <cstdlib>
#include <string_view>

#include "sources/kernel_message.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace holdfast::sources;
    const auto record = parse_kernel_record({reinterpret_cast<const char*>(data), size});
    if (!record) return 0;
    const auto kill = parse_oom_kill(*record);
    const auto fault = parse_fault(*record);
    const auto xid = parse_xid(*record);
    const auto io = parse_io_error(*record);
    const auto hardware = parse_hardware_error(*record);
    if (record->facility != 0 && (kill || fault || xid || io || hardware)) std::abort();
    if (kill && kill->pid <= 0) std::abort();
    OomTable table(holdfast::Bytes::kib(4));
    KernelRecord columns;
    columns.text = "[ pid ] uid tgid total_vm rss pgtables_bytes swapents oom_score_adj name";
    table.take(columns);
    if (table.take(*record) && record->facility != 0) std::abort();
    for (const OomTask& task : table.tasks())
        if (task.pid <= 0) std::abort();
    if (fault && fault->pid <= 0) std::abort();
    return 0;
}
