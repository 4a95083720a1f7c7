// Internal: turns values into JSON, one described field at a time. See fields.h for the
// descriptions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "model/verdict.h"

namespace holdfast::fields {

// contract: what other programs read; absent is null, times are RFC 3339.
// recording: what our tests replay; absent is left out, times are nanoseconds, nothing is lost.
enum class Form { contract, recording };

class JsonWriter {
public:
    static constexpr bool writes = true;
    explicit JsonWriter(Form form) : form_(form) {}

    bool contract() const { return form_ == Form::contract; }

    template <class T>
    void field(const char* key, const T& value) {
        object_[key] = encode(value);
    }
    template <class T>
    void field(const char* key, const std::optional<T>& value) {
        if (value)
            object_[key] = encode(*value);
        else
            absent(key);
    }
    void field_unless_empty(const char* key, const std::string& text) {
        if (!text.empty()) field(key, text);
    }
    template <class Enum>
    void choice(const char* key, Enum value, std::span<const std::string_view> names) {
        object_[key] = std::string(names[static_cast<std::size_t>(value)]);
    }
    void signal(const char* key, const std::optional<int>& number) {
        if (number)
            object_[key] = signal_name(*number);
        else
            absent(key);
    }
    void wall(const char* key, const std::optional<Nanos>& time) {
        if (!time)
            absent(key);
        else if (contract())
            object_[key] = rfc3339(*time);
        else
            object_[key] = time->count();
    }
    void seconds(const char* key, Nanos time) { object_[key] = holdfast::seconds(time); }
    void cause(CauseId cause) {
        object_["code"] = std::string(cause->code);
        object_["slug"] = std::string(cause->slug);
    }
    void schema() { object_["schema"] = verdict_schema; }
    void require(const char*) {}

    std::string text() const { return object_.dump(2) + '\n'; }

private:
    void absent(const char* key) {
        if (contract()) object_[key] = nullptr;
    }
    static Json encode(bool value) { return value; }
    static Json encode(char value) { return printable({&value, 1}); }
    static Json encode(const std::string& text) { return printable(text); }
    static Json encode(Bytes amount) { return amount.count; }
    static Json encode(Nanos time) { return time.count(); }
    template <class T>
    Json encode(const std::vector<T>& list) {
        Json array = Json::list();
        for (const T& item : list) array.push_back(encode(item));
        return array;
    }
    template <class T>
    Json encode(const T& value) {
        if constexpr (std::is_arithmetic_v<T>) {
            return value;
        } else {
            JsonWriter inner(form_);
            describe(inner, value);
            return std::move(inner.object_);
        }
    }

    Form form_;
    Json object_ = Json::object();
};

}  // namespace holdfast::fields
