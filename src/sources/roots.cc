#include "sources/roots.h"

#include <fcntl.h>

namespace holdfast::sources {

Result<Roots> Roots::open(std::string root) {
    while (root.ends_with('/')) root.pop_back();
    const std::string path = root + "/proc";
    UniqueFd proc(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!proc) return Error::from_errno("cannot open " + path);
    return Roots(std::move(root), std::move(proc));
}

}  // namespace holdfast::sources
