// A value or the reason why there is none. Exceptions stay at the Python edge.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace holdfast {

struct Error {
    std::string text;  // what failed, in words a user can act on
    int number = 0;    // errno, or 0 when the failure is not the kernel's

    // Reads errno at once: anything called in between may overwrite it.
    static Error from_errno(std::string_view what) {
        const int number = errno;
        return {std::string(what) + ": " + std::strerror(number), number};
    }
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const { return std::get<1>(state_); }

    // Puts the place in front of the reason: "run 2026...: machine.box: truncated".
    Result context(std::string_view where) && {
        if (ok()) return std::move(*this);
        return Error{std::string(where) + ": " + error().text, error().number};
    }

private:
    std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace holdfast
