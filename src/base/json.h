// A JSON document as a value: read from untrusted bytes, changed, written. Members keep their
// order, so a user's file stays as it was.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace holdfast {

class Json {
public:
    struct Member;
    using List = std::vector<Json>;
    using Object = std::vector<Member>;

    Json();
    Json(std::nullptr_t) : Json() {}
    Json(bool value);
    // A non-negative integer has one form, whatever its source: 1 equals 1U.
    template <std::integral Int>
    Json(Int value)
        : Json(value < 0 ? negative(static_cast<std::int64_t>(value))
                         : natural(static_cast<std::uint64_t>(value))) {}
    Json(double value);
    Json(std::string text);
    Json(std::string_view text) : Json(std::string(text)) {}
    Json(const char* text) : Json(std::string(text)) {}
    Json(const std::vector<std::string>& texts);
    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(const Json& other);
    Json& operator=(Json&& other) noexcept;
    ~Json();

    static Json list(std::initializer_list<Json> items = {});
    static Json object(std::initializer_list<Member> members = {});
    static Json of_members(Object members);
    // The parser recurses, so nesting is bounded.
    static Result<Json> parse(std::string_view text, int deepest = 64);

    bool is_null() const { return value_.index() == 0; }
    bool is_boolean() const { return holds<bool>(); }
    bool is_string() const { return holds<std::string>(); }
    bool is_list() const { return holds<List>(); }
    bool is_object() const { return holds<Object>(); }
    bool is_number() const { return is_whole() || holds<double>(); }
    bool is_whole() const { return is_natural() || holds<std::int64_t>(); }
    bool is_natural() const { return holds<std::uint64_t>(); }  // whole and not negative

    // The value if it has that type and fits; otherwise nothing.
    const std::string* text() const { return std::get_if<std::string>(&value_); }
    std::optional<bool> truth() const;
    std::optional<std::uint64_t> natural() const;
    std::optional<std::int64_t> integer() const;
    std::optional<double> number() const;

    // The items of a list, the members of an object; empty for any other kind.
    const List& items() const;
    const Object& members() const;
    std::size_t size() const;

    // If two members have the same name, the last counts, as for most readers of JSON.
    const Json* find(std::string_view key) const;
    const Json& operator[](std::string_view key) const;  // null where there is none
    const Json& operator[](std::size_t index) const;     // null behind the end
    // Null becomes an object, and a missing member is made.
    Json& operator[](std::string_view key);
    Json& operator[](std::size_t index);  // the list must have it
    Json& operator[](int index) { return (*this)[static_cast<std::size_t>(index)]; }
    const Json& operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }
    const Json& operator[](const char* key) const { return (*this)[std::string_view(key)]; }
    Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
    void push_back(Json item);  // null becomes a list
    void erase(std::string_view key);

    // On one line, or `indent` blanks deeper with every level. Never fails: invalid UTF-8 is
    // replaced, and a number that is not finite becomes null.
    std::string dump(std::optional<int> indent = std::nullopt) const;

    friend bool operator==(const Json& a, const Json& b);

private:
    static Json negative(std::int64_t value);
    static Json natural(std::uint64_t value);
    template <class T>
    bool holds() const {
        return std::holds_alternative<T>(value_);
    }

    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List,
                 Object>
        value_;
};

struct Json::Member {
    std::string key;
    Json value;

    friend bool operator==(const Member& a, const Member& b) {
        return a.key == b.key && a.value == b.value;
    }
};

}  // namespace holdfast
