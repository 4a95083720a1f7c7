// Internal: fills values from untrusted JSON. Remembers the first error with its place
// ("cgroups[0].levels[1].limit: expected a number") and reads nothing after it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "model/json_writer.h"

namespace holdfast::fields {

// Bounds size and nesting before the parser sees a byte.
Result<Json> parse_bounded(std::string_view text);
std::optional<Nanos> parse_rfc3339(std::string_view text);

// The current place, and the first error.
struct ReadState {
    Form form = Form::contract;
    std::string path;
    std::optional<std::string> error;

    void fail(std::string_view reason);
};

class JsonReader {
public:
    static constexpr bool writes = false;
    JsonReader(const Json& node, ReadState& state);

    bool contract() const { return state_.form == Form::contract; }

    template <class T>
    void field(const char* key, T& value) {
        if (const auto* node = find(key)) at(key, [&] { decode(*node, value); });
    }
    template <class T>
    void field(const char* key, std::optional<T>& value) {
        const auto* node = find(key);
        if (node == nullptr || node->is_null()) return;
        at(key, [&] { decode(*node, value.emplace()); });
    }
    void field_unless_empty(const char* key, std::string& text) { field(key, text); }
    template <class Enum>
    void choice(const char* key, Enum& value, std::span<const std::string_view> names) {
        if (const auto* node = find(key))
            at(key, [&] { value = static_cast<Enum>(decode_name(*node, names)); });
    }
    void signal(const char* key, std::optional<int>& number);
    void wall(const char* key, Nanos& time);
    void wall(const char* key, std::optional<Nanos>& time);
    void seconds(const char* key, Nanos& time);
    void cause(CauseId& cause);
    void schema();
    void require(const char* key);

    // A mistyped key in a recording would read as "could not be seen" and a test would pass for the
    // wrong reason; in the contract's form unknown keys come from newer versions and are skipped.
    void reject_unknown();

private:
    const Json* find(const char* key);
    template <class Read>
    void at(const std::string& step, Read read) {
        if (state_.error) return;
        const std::size_t before = state_.path.size();
        if (step[0] != '[' && before > 0) state_.path += '.';
        state_.path += step;
        read();
        state_.path.resize(before);
    }

    void decode(const Json& node, bool& value);
    void decode(const Json& node, char& value);
    void decode(const Json& node, double& value);
    void decode(const Json& node, std::string& text);
    void decode(const Json& node, Bytes& amount) { decode(node, amount.count); }
    void decode(const Json& node, Nanos& time);
    std::size_t decode_name(const Json& node, std::span<const std::string_view> names);

    template <class Int>
    void decode_integer(const Json& node, Int& value) {
        if (!node.is_number()) return state_.fail("expected a number");
        if (!node.is_whole()) return state_.fail("expected a whole number");
        const auto fits = [](auto number) { return number && std::in_range<Int>(*number); };
        if (const auto natural = node.natural(); fits(natural))
            value = static_cast<Int>(*natural);
        else if (const auto integer = node.integer(); fits(integer))
            value = static_cast<Int>(*integer);
        else
            state_.fail("number out of range");
    }
    template <class T>
    void decode(const Json& node, std::vector<T>& list) {
        if (!node.is_list()) return state_.fail("expected a list");
        for (std::size_t i = 0; i < node.size() && !state_.error; ++i)
            at('[' + std::to_string(i) + ']', [&] { decode(node[i], append(list)); });
    }
    template <class T>
    void decode(const Json& node, T& value) {
        if constexpr (std::is_integral_v<T>) {
            decode_integer(node, value);
        } else {
            if constexpr (requires { T::from_text(std::string()); })
                if (node.is_string()) return void(value = T::from_text(printable(*node.text())));
            JsonReader inner(node, state_);
            describe(inner, value);
            inner.reject_unknown();
        }
    }
    template <class T>
    static T& append(std::vector<T>& list) {
        return list.emplace_back();
    }

    const Json& node_;
    ReadState& state_;
    std::vector<std::string_view> known_;
};

// Reads a whole document into `value`.
template <class T>
Result<T> read_document(std::string_view text, Form form) {
    auto parsed = parse_bounded(text);
    if (!parsed) return parsed.error();
    ReadState state{form, {}, {}};
    T value;
    JsonReader reader(*parsed, state);
    describe(reader, value);
    reader.reject_unknown();
    if (state.error) return Error{*state.error};
    return value;
}

}  // namespace holdfast::fields
