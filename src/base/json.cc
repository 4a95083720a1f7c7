#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace holdfast {
namespace {

const Json& null_value() {
    static const Json value;
    return value;
}

void append_utf8(std::string& text, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
        put(0xC0U | code >> 6U);
    } else {
        if (code < 0x10000) {
            put(0xE0U | code >> 12U);
        } else {
            put(0xF0U | code >> 18U);
            put(0x80U | (code >> 12U & 0x3FU));
        }
        put(0x80U | (code >> 6U & 0x3FU));
    }
    put(0x80U | (code & 0x3FU));
}

class Parser {
public:
    Parser(std::string_view text, int deepest) : rest_(text), room_(deepest) {}

    Result<Json> document() {
        Json value;
        if (this->value(value)) {
            skip_blanks();
            if (rest_.empty()) return value;
        }
        return Error{too_deep_ ? "JSON nested too deep" : "not valid JSON"};
    }

private:
    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool take(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    bool value(Json& into) {
        skip_blanks();
        if (rest_.empty()) return false;
        switch (rest_[0]) {
        case '{': return nested([&] { return object(into); });
        case '[': return nested([&] { return list(into); });
        case '"': {
            std::string text;
            if (!string(text)) return false;
            into = Json(std::move(text));
            return true;
        }
        case 't': into = Json(true); return take("true");
        case 'f': into = Json(false); return take("false");
        case 'n': into = Json(); return take("null");
        default: return number(into);
        }
    }

    template <class Read>
    bool nested(Read read) {
        if (room_ == 0) {
            too_deep_ = true;
            return false;
        }
        --room_;
        rest_.remove_prefix(1);
        const bool good = read();
        ++room_;
        return good;
    }

    bool list(Json& into) {
        into = Json::list();
        skip_blanks();
        if (take(']')) return true;
        do {
            Json item;
            if (!value(item)) return false;
            into.push_back(std::move(item));
            skip_blanks();
        } while (take(','));
        return take(']');
    }

    bool object(Json& into) {
        Json::Object members;
        skip_blanks();
        if (!take('}')) {
            do {
                skip_blanks();
                Json::Member& member = members.emplace_back();
                if (!rest_.starts_with('"') || !string(member.key)) return false;
                skip_blanks();
                if (!take(':') || !value(member.value)) return false;
                skip_blanks();
            } while (take(','));
            if (!take('}')) return false;
        }
        into = Json::of_members(std::move(members));
        return true;
    }

    bool string(std::string& text) {
        rest_.remove_prefix(1);
        while (!rest_.empty()) {
            const char c = rest_[0];
            if (c == '"') {
                rest_.remove_prefix(1);
                return true;
            }
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c == '\\') {
                rest_.remove_prefix(1);
                if (!escape(text)) return false;
                continue;
            }
            const std::size_t length = utf8_length(rest_);
            if (length == 0) return false;
            text += rest_.substr(0, length);
            rest_.remove_prefix(length);
        }
        return false;
    }

    bool escape(std::string& text) {
        constexpr std::string_view names = "\"\\/bfnrt";
        constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
        if (rest_.empty()) return false;
        if (const auto at = names.find(rest_[0]); at != names.npos) {
            text += meant[at];
            rest_.remove_prefix(1);
            return true;
        }
        auto code = hex4();
        if (!code || (*code >= 0xDC00 && *code <= 0xDFFF)) return false;
        if (*code >= 0xD800 && *code <= 0xDBFF) {
            if (!take('\\')) return false;
            const auto low = hex4();
            if (!low || *low < 0xDC00 || *low > 0xDFFF) return false;
            code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
        }
        append_utf8(text, *code);
        return true;
    }

    std::optional<std::uint32_t> hex4() {
        if (!take('u') || rest_.size() < 4) return std::nullopt;
        std::uint32_t code = 0;
        const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
        if (failed != std::errc{} || end != rest_.data() + 4) return std::nullopt;
        rest_.remove_prefix(4);
        return code;
    }

    // Checks JSON's grammar first: from_chars also accepts "nan", "01" and "1.".
    bool number(Json& into) {
        const std::string_view from = rest_;
        const auto digits = [&] {
            const std::size_t before = rest_.size();
            while (!rest_.empty() && is_digit(rest_[0])) rest_.remove_prefix(1);
            return rest_.size() < before;
        };
        const bool negative = take('-');
        if (!take('0') && !digits()) return false;
        bool whole = true;
        if (take('.')) {
            whole = false;
            if (!digits()) return false;
        }
        bool tiny = false;
        if (take('e') || take('E')) {
            whole = false;
            tiny = rest_.starts_with('-');
            if (!take('+')) take('-');
            if (!digits()) return false;
        }
        const char* const first = from.data();
        const char* const last = first + (from.size() - rest_.size());
        if (whole && !negative) {
            std::uint64_t value = 0;
            if (std::from_chars(first, last, value).ec == std::errc{}) {
                into = Json(value);
                return true;
            }
        } else if (whole) {
            std::int64_t value = 0;
            if (std::from_chars(first, last, value).ec == std::errc{}) {
                into = Json(value);
                return true;
            }
        }
        double value = 0;
        const auto read = std::from_chars(first, last, value);
        if (read.ec == std::errc::result_out_of_range && tiny)
            value = 0;
        else if (read.ec != std::errc{})
            return false;
        into = Json(value);
        return true;
    }

    std::string_view rest_;
    int room_;
    bool too_deep_ = false;
};

class Printer {
public:
    explicit Printer(std::optional<int> indent) : indent_(indent) {}

    void value(const Json& json) {
        if (json.is_object())
            nested('{', json.members(), '}', [&](const Json::Member& member) {
                string(member.key);
                out_ += indent_ ? ": " : ":";
                value(member.value);
            });
        else if (json.is_list())
            nested('[', json.items(), ']', [&](const Json& item) { value(item); });
        else if (const std::string* text = json.text())
            string(*text);
        else if (json.is_natural())
            digits(*json.natural());
        else if (json.is_whole())
            digits(*json.integer());
        else if (json.is_number())
            real(*json.number());
        else if (const auto truth = json.truth())
            out_ += *truth ? "true" : "false";
        else
            out_ += "null";
    }
    std::string take() { return std::move(out_); }

private:
    template <class Items, class Print>
    void nested(char open, const Items& items, char close, Print print) {
        out_ += open;
        ++depth_;
        bool first = true;
        for (const auto& item : items) {
            if (!first) out_ += ',';
            first = false;
            line();
            print(item);
        }
        --depth_;
        if (!items.empty()) line();
        out_ += close;
    }
    void line() {
        if (!indent_) return;
        out_ += '\n';
        out_.append(depth_ * static_cast<std::size_t>(*indent_), ' ');
    }
    template <class Number>
    void digits(Number value) {
        std::array<char, 32> room{};
        const auto end = std::to_chars(room.data(), room.data() + room.size(), value).ptr;
        out_.append(room.data(), end);
    }
    void real(double value) {
        if (!std::isfinite(value)) {
            out_ += "null";
            return;
        }
        const std::size_t from = out_.size();
        digits(value);
        // Without a point, readers would take the number for an integer.
        if (out_.find_first_of(".e", from) == out_.npos) out_ += ".0";
    }
    void string(std::string_view text) {
        constexpr std::string_view meant = "\"\\\b\f\n\r\t";
        constexpr std::string_view names = "\"\\bfnrt";
        constexpr std::string_view hex = "0123456789abcdef";
        out_ += '"';
        while (!text.empty()) {
            const auto byte = static_cast<unsigned char>(text[0]);
            std::size_t length = 1;
            if (const auto at = meant.find(text[0]); at != meant.npos) {
                out_ += '\\';
                out_ += names[at];
            } else if (byte < 0x20) {
                out_ += "\\u00";
                out_ += hex[byte >> 4U];
                out_ += hex[byte & 15U];
            } else if (const std::size_t good = utf8_length(text); good > 0) {
                length = good;
                out_ += text.substr(0, good);
            } else {
                out_ += "\xEF\xBF\xBD";
            }
            text.remove_prefix(length);
        }
        out_ += '"';
    }

    std::optional<int> indent_;
    std::size_t depth_ = 0;
    std::string out_;
};

}  // namespace

Json::Json() = default;
Json::Json(bool value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(const std::vector<std::string>& texts) : value_(List(texts.begin(), texts.end())) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json Json::negative(std::int64_t value) {
    Json made;
    made.value_ = value;
    return made;
}

Json Json::natural(std::uint64_t value) {
    Json made;
    made.value_ = value;
    return made;
}

Json Json::list(std::initializer_list<Json> items) {
    Json made;
    made.value_ = List(items);
    return made;
}

Json Json::object(std::initializer_list<Member> members) {
    Json made;
    made.value_ = Object(members);
    return made;
}

Json Json::of_members(Object members) {
    Json made;
    made.value_ = std::move(members);
    return made;
}

Result<Json> Json::parse(std::string_view text, int deepest) {
    return Parser(text, deepest).document();
}

std::optional<bool> Json::truth() const {
    const bool* value = std::get_if<bool>(&value_);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::uint64_t> Json::natural() const {
    const auto* value = std::get_if<std::uint64_t>(&value_);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::int64_t> Json::integer() const {
    if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
    const auto value = natural();
    if (!value || *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

std::optional<double> Json::number() const {
    if (const auto* value = std::get_if<double>(&value_)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
    const auto value = natural();
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

const Json::List& Json::items() const {
    static const List none;
    const auto* found = std::get_if<List>(&value_);
    return found != nullptr ? *found : none;
}

const Json::Object& Json::members() const {
    static const Object none;
    const auto* found = std::get_if<Object>(&value_);
    return found != nullptr ? *found : none;
}

std::size_t Json::size() const { return is_object() ? members().size() : items().size(); }

const Json* Json::find(std::string_view key) const {
    const Object& all = members();
    const auto found = std::find_if(all.rbegin(), all.rend(),
                                    [&](const Member& member) { return member.key == key; });
    return found != all.rend() ? &found->value : nullptr;
}

const Json& Json::operator[](std::string_view key) const {
    const Json* found = find(key);
    return found != nullptr ? *found : null_value();
}

const Json& Json::operator[](std::size_t index) const {
    return index < items().size() ? items()[index] : null_value();
}

Json& Json::operator[](std::string_view key) {
    if (is_null()) value_ = Object();
    if (const Json* found = find(key)) return const_cast<Json&>(*found);
    return std::get<Object>(value_).emplace_back(Member{std::string(key), Json()}).value;
}

Json& Json::operator[](std::size_t index) { return std::get<List>(value_).at(index); }

void Json::push_back(Json item) {
    if (is_null()) value_ = List();
    std::get<List>(value_).push_back(std::move(item));
}

void Json::erase(std::string_view key) {
    if (is_object())
        std::erase_if(std::get<Object>(value_),
                      [&](const Member& member) { return member.key == key; });
}

std::string Json::dump(std::optional<int> indent) const {
    Printer printer(indent);
    printer.value(*this);
    return printer.take();
}

bool operator==(const Json& a, const Json& b) {
    if (a.is_number() && b.is_number() && a.value_.index() != b.value_.index())
        return a.number() == b.number();
    return a.value_ == b.value_;
}

}  // namespace holdfast
