#include "model/json_reader.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"

namespace holdfast::fields {
namespace {

constexpr std::size_t size_limit = 16U << 20U;
constexpr int deepest = 32;

// Digits of a fraction of a second: "120" is 120 ms, and so is "12".
std::optional<Nanos> parse_fraction(std::string_view digits) {
    if (digits.size() > 9) return std::nullopt;
    auto count = parse_number<std::uint32_t>(digits);
    if (!count) return std::nullopt;
    std::int64_t nanos = *count;
    for (std::size_t i = digits.size(); i < 9; ++i) nanos *= 10;
    return Nanos(nanos);
}

}  // namespace

Result<Json> parse_bounded(std::string_view text) {
    if (text.size() > size_limit) return Error{"JSON of more than 16 MiB"};
    return Json::parse(text, deepest);
}

// Only what rfc3339() writes: UTC, a four-digit year that nanoseconds can hold.
std::optional<Nanos> parse_rfc3339(std::string_view text) {
    if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
        text[13] != ':' || text[16] != ':' || text.back() != 'Z')
        return std::nullopt;
    const auto number = [&](std::size_t from, std::size_t size) {
        return parse_number<unsigned>(text.substr(from, size)).value_or(9999);
    };
    const unsigned hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
    const unsigned year = number(0, 4);
    const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(year)),
                                          std::chrono::month(number(5, 2)),
                                          std::chrono::day(number(8, 2))};
    if (!day.ok() || year < 1678 || year > 2261 || hour > 23 || minute > 59 || second > 59)
        return std::nullopt;
    std::optional<Nanos> fraction{Nanos{}};
    if (text[19] == '.') fraction = parse_fraction(text.substr(20, text.size() - 21));
    if (!fraction || (text[19] != '.' && text.size() != 20)) return std::nullopt;
    return std::chrono::sys_days(day).time_since_epoch() + std::chrono::hours(hour) +
           std::chrono::minutes(minute) + std::chrono::seconds(second) + *fraction;
}

void ReadState::fail(std::string_view reason) {
    if (error) return;
    error = path.empty() ? std::string(reason) : path + ": " + std::string(reason);
}

JsonReader::JsonReader(const Json& node, ReadState& state) : node_(node), state_(state) {
    if (!node.is_object()) state_.fail("expected an object");
}

const Json* JsonReader::find(const char* key) {
    known_.emplace_back(key);
    return node_.find(key);
}

void JsonReader::reject_unknown() {
    if (contract() || state_.error || !node_.is_object()) return;
    for (const auto& [key, value] : node_.members())
        if (std::find(known_.begin(), known_.end(), key) == known_.end())
            return at(printable(key).substr(0, 60), [&] { state_.fail("unknown field"); });
}

void JsonReader::require(const char* key) {
    if (find(key) == nullptr) at(key, [&] { state_.fail("missing"); });
}

void JsonReader::schema() {
    require("schema");
    int version = 0;
    field("schema", version);
    if (version != verdict_schema)
        at("schema", [&] { state_.fail(formatted("expected {}", verdict_schema)); });
}

void JsonReader::decode(const Json& node, bool& value) {
    if (!node.is_boolean()) return state_.fail("expected true or false");
    value = *node.truth();
}

void JsonReader::decode(const Json& node, char& value) {
    const std::string* text = node.text();
    if (text == nullptr || text->size() != 1) return state_.fail("expected one character");
    value = text->front();
}

void JsonReader::decode(const Json& node, double& value) {
    if (!node.is_number()) return state_.fail("expected a number");
    value = *node.number();
}

void JsonReader::decode(const Json& node, std::string& text) {
    if (!node.is_string()) return state_.fail("expected text");
    text = printable(*node.text());
}

void JsonReader::decode(const Json& node, Nanos& time) {
    std::int64_t count = 0;
    decode_integer(node, count);
    time = Nanos(count);
}

std::size_t JsonReader::decode_name(const Json& node, std::span<const std::string_view> names) {
    if (const std::string* text = node.text())
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == *text) return i;
    std::string expected;
    for (std::string_view name : names) expected.append(expected.empty() ? "" : ", ").append(name);
    state_.fail("expected one of " + expected);
    return 0;
}

void JsonReader::signal(const char* key, std::optional<int>& number) {
    std::optional<std::string> name;
    field(key, name);
    if (!name) return;
    number = signal_number(*name);
    if (!number && name->starts_with("signal ")) number = parse_number<int>(name->substr(7));
    if (!number) at(key, [&] { state_.fail("expected the name of a signal"); });
}

void JsonReader::wall(const char* key, std::optional<Nanos>& time) {
    if (!contract()) return field(key, time);
    std::optional<std::string> text;
    field(key, text);
    if (!text) return;
    time = parse_rfc3339(*text);
    if (!time) at(key, [&] { state_.fail("expected a time like 2026-11-15T04:24:47.120Z"); });
}

void JsonReader::wall(const char* key, Nanos& time) {
    std::optional<Nanos> read;
    wall(key, read);
    time = read.value_or(time);
}

void JsonReader::seconds(const char* key, Nanos& time) {
    double value = 0;
    field(key, value);
    if (!(std::abs(value) < 9e9)) return at(key, [&] { state_.fail("number out of range"); });
    time = Nanos(std::llround(value * 1e9));
}

void JsonReader::cause(CauseId& cause) {
    require("slug");
    std::string slug, code;
    field("slug", slug);
    field("code", code);
    if (state_.error) return;
    const auto known = CauseId::find(slug);
    if (!known || known->get().slug != slug)
        return at("slug", [&] { state_.fail("no such cause"); });
    if (!code.empty() && known->get().code != code)
        return at("code", [&] { state_.fail("does not belong to " + slug); });
    cause = *known;
}

}  // namespace holdfast::fields
