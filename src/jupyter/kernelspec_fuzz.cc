// Any bytes as kernel.json: what is accepted must be the same after watched() and unwatched().
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "jupyter/kernelspec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto spec = holdfast::Kernelspec::parse(text);
    if (!spec) return 0;
    const auto watched = holdfast::Kernelspec::parse(spec->watched("/bin/holdfast").text());
    if (!watched || !watched->is_watched()) std::abort();
    const auto back = watched->unwatched();
    if (!back || back->argv() != spec->argv()) std::abort();
    return 0;
}
