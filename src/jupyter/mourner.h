// The process that speaks for a dead kernel. It runs python/holdfast/jupyter/last_words.py
// (compiled in) with the kernel's own Python, because it needs that Python's pyzmq.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/child.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace holdfast {

extern const std::string_view last_words_script;

class Mourner {
public:
    // Start it early: it imports its modules while we make the verdict. Nothing if it cannot be
    // started.
    static std::optional<Mourner> start(const std::string& python);
    Mourner(Mourner&&) noexcept = default;
    Mourner& operator=(Mourner&&) = delete;
    ~Mourner();  // received nothing, so it ends silently

    pid_t pid() const { return child_.pid(); }

    // Hands over the words, and waits at most `patience` for the process to end. Returns whether a
    // front end got them.
    bool speak(std::string_view words, Nanos patience);

private:
    Mourner(Child child, UniqueFd in, UniqueFd out)
        : child_(std::move(child)), in_(std::move(in)), out_(std::move(out)) {}

    Child child_;
    UniqueFd in_, out_;
};

}  // namespace holdfast
