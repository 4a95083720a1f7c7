#include "model/library_name.h"

#include <initializer_list>

#include "base/text.h"

namespace holdfast {
namespace {

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> beginnings) {
    for (const std::string_view beginning : beginnings)
        if (name.starts_with(beginning)) return true;
    return false;
}

}  // namespace

bool is_everyones_library(std::string_view path) {
    const std::string_view name = base_name(path);
    return name.empty() ||
           begins_with_any(
               name, {"libc.so", "libc-2.", "ld-linux", "ld-2.", "ld-musl", "libm.so", "libpthread",
                      "libstdc++", "libgcc_s", "libpython", "python", "libholdfast", "["});
}

bool is_thread_pool_library(std::string_view path) {
    return begins_with_any(base_name(path), {"libgomp", "libomp", "libiomp", "libopenblas",
                                             "libmkl", "libtbb", "libtorch", "libcuda"});
}

}  // namespace holdfast
