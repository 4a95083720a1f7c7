#include "knowledge/own_code.h"

#include <cstring>

namespace holdfast {
namespace {

enum class NameFits : std::uint8_t { is, begins, holds, relative };

struct NameRow {
    NameFits how;
    CodeHome home;
    std::uint8_t size;
    char text[32];
};

#include "knowledge/own_code_rows.h"

bool name_fits(const NameRow& row, const char* file, std::size_t size) {
    if (size < row.size) return false;
    switch (row.how) {
    case NameFits::is: return size == row.size && std::memcmp(file, row.text, size) == 0;
    case NameFits::begins: return std::memcmp(file, row.text, row.size) == 0;
    case NameFits::holds: return ::memmem(file, size, row.text, row.size) != nullptr;
    case NameFits::relative:
        return file[0] != '/' && std::memcmp(file + size - row.size, row.text, row.size) == 0;
    }
    return false;
}

}  // namespace

CodeHome home_of_code(const char* file, std::size_t size) {
    if (size == 0) return CodeHome::generated;
    for (const NameRow& row : name_rows)
        if (name_fits(row, file, size)) return row.home;
    return CodeHome::own;
}

}  // namespace holdfast
