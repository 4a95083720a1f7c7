// /proc/PID/stat and statm: the program chooses the bytes of its name.
#include <cstdlib>
#include <string_view>

#include "sources/pid_stat.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace holdfast;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto stat = sources::parse_pid_stat(text, Bytes{4096})) {
        if (stat->pid < 0 || stat->cpu_time < Nanos{} || stat->comm.size() > size) std::abort();
    }
    if (const auto statm = sources::parse_pid_statm(text, Bytes{65536})) {
        if (statm->rss.count % 65536 != 0) std::abort();
    }
    return 0;
}
