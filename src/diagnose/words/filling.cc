#include "diagnose/growth/filling.h"

#include "base/format.h"

namespace holdfast {

std::string notice_of(const FillingLeak& leak) {
    const std::string where = leak.in_cell
                                  ? formatted("{}, line {}", leak.line.file, leak.line.line)
                                  : formatted("{}:{}", leak.line.file, leak.line.line);
    const std::string kept =
        leak.keeper.empty() ? std::string() : formatted(", kept by `{}`", leak.keeper);
    return formatted(
        "holdfast: {} keeps {} more with every step{}: memory is full in about {} at this pace "
        "(holdfast explain host-leak)",
        where, human(leak.each_step), kept, human(leak.fills_in));
}

}  // namespace holdfast
