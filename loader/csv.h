// One line of a CSV file: its cells, and the numbers in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::loader {

// Takes the next cell off `rest`; nothing when the line is used up. A quoted cell comes without its
// outer quotes, and `quoted` says so.
class CsvLine {
public:
    CsvLine(std::string_view line, char separator) : rest_(line), separator_(separator) {}
    std::optional<std::string_view> next();
    // The next cell if it is only digits with at most one point, as most are; otherwise nothing,
    // and the cell stays in the line.
    std::optional<double> plain_number();

private:
    std::string_view rest_;
    char separator_;
    bool over_ = false;
};

std::vector<std::string> csv_cells(std::string_view line, char separator);
// A cell as a number. Empty cells, NA, null and None are missing values: NaN.
std::optional<double> csv_number(std::string_view cell);

}  // namespace holdfast::loader
