#include "base/wrapper_program.h"

#include <algorithm>
#include <iterator>

namespace holdfast {

bool is_wrapper_program(std::string_view name) {
    // conda, poetry and uv are here although conda and poetry are Python themselves: what
    // `conda run` starts is the program, not a worker of it.
    static constexpr std::string_view names[] = {
        "sh",    "bash",   "dash",    "zsh",  "ksh",     "ash",      "fish",   "busybox", "make",
        "env",   "nice",   "ionice",  "time", "nohup",   "timeout",  "stdbuf", "numactl", "taskset",
        "sudo",  "su",     "setpriv", "tini", "srun",    "conda",    "mamba",  "uv",      "poetry",
        "xargs", "script", "unshare", "chrt", "runuser", "dumb-init"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace holdfast
