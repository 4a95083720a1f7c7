// Any text as a workspace table or as allocator options.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "fit/replay/allocator_options.h"
#include "fit/workspace/workspaces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::fit;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(parse_allocator_options(text));
    static_cast<void>(holdfast::parse_size(text));
    auto table = WorkspaceTable::parse(text);
    if (!table) return 0;
    const Workspaces workspaces(*find_device("H200"), std::move(*table));
    const std::vector<std::int64_t> call{1,  0,  0, 0, 1, 2, 8, 64, 64, 56, 56,
                                         56, 56, 3, 3, 1, 1, 1, 1,  1,  1};
    workspaces.of(Fact::conv, call);
    for (const std::int64_t hidden : {1024, 192, 1000})
        workspaces.of(Fact::rnn_work,
                      std::vector<std::int64_t>{0, 3, 0, 16, 50, 512, hidden, 2, 1});
    return 0;
}
