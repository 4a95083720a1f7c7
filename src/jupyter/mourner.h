// The process that speaks for a dead kernel: the kernel's own Python, for its pyzmq, running
// python/holdfast/jupyter/last_words.py, which is compiled in.
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
    // Starts it at once: it imports while we think. Nothing when it cannot be started.
    static std::optional<Mourner> start(const std::string& python);
    Mourner(Mourner&&) noexcept = default;
    Mourner& operator=(Mourner&&) = delete;
    ~Mourner();  // it received nothing and ends silently

    pid_t pid() const { return child_.pid(); }

    // Hands it the words and waits for its end, no longer than that; whether somebody heard them.
    bool speak(std::string_view words, Nanos patience);

private:
    Mourner(Child child, UniqueFd in, UniqueFd out)
        : child_(std::move(child)), in_(std::move(in)), out_(std::move(out)) {}

    Child child_;
    UniqueFd in_, out_;
};

}  // namespace holdfast
