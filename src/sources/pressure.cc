#include "sources/pressure.h"

#include <array>
#include <cmath>
#include <string>

#include "base/text.h"

namespace holdfast::sources {
namespace {

// "avg10=1.25", a percentage. Rejects "nan" and "inf", which from_chars accepts but the kernel
// never writes.
std::optional<double> percent(std::string_view word, std::string_view name) {
    if (!word.starts_with(name)) return std::nullopt;
    const auto number = parse_decimal(word.substr(name.size()));
    if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
    return number;
}

std::optional<PressureStall> parse_stall(std::string_view rest) {
    std::array<std::string_view, 4> words;
    for (std::string_view& word : words) {
        const auto next = next_word(rest);
        if (!next) return std::nullopt;
        word = *next;
    }
    const auto ten = percent(words[0], "avg10=");
    const auto sixty = percent(words[1], "avg60=");
    const auto three_hundred = percent(words[2], "avg300=");
    if (!ten || !sixty || !three_hundred || !words[3].starts_with("total=")) return std::nullopt;
    const auto micros = parse_number<std::int64_t>(words[3].substr(6));
    if (!micros || *micros < 0 || *micros > Nanos::max().count() / 1000) return std::nullopt;
    return PressureStall{*ten, *sixty, *three_hundred, Nanos(*micros * 1000)};
}

}  // namespace

Result<Pressure> parse_pressure(std::string_view text) {
    Pressure pressure;
    while (const auto line = next_line(text)) {
        std::string_view rest = *line;
        const auto kind = next_word(rest);
        if (kind == "some") pressure.some = parse_stall(rest);
        if (kind == "full") pressure.full = parse_stall(rest);
    }
    if (!pressure.some && !pressure.full) return Error{"a pressure file makes no sense", 0};
    return pressure;
}

Result<PressureReader> PressureReader::open(const Roots& roots, std::string_view resource) {
    return open_at(roots.proc(), ("pressure/" + std::string(resource)).c_str());
}

Result<PressureReader> PressureReader::open_at(int directory, const char* file) {
    auto opened = LiveFile::open(directory, file);
    if (!opened) return opened.error();
    return PressureReader(std::move(*opened));
}

Result<Pressure> PressureReader::read() const {
    std::array<char, 512> buffer;
    const auto text = file_.read(buffer);
    if (!text) return text.error();
    return parse_pressure(*text);
}

}  // namespace holdfast::sources
