#include "present/place.h"

#include "base/format.h"

namespace holdfast {

std::string place_name(const std::string& file, std::optional<int> line) {
    if (!line) return file;
    return formatted("{}{}{}", file, file.starts_with("cell [") ? ", line " : ":", *line);
}

}  // namespace holdfast
