// kernel.json: the description of a Jupyter kernel, and its watched form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace holdfast {

// Keeps unknown members: debugger, encryption, interrupt mode, environment.
class Kernelspec {
public:
    static Result<Kernelspec> parse(std::string_view text);

    std::string display_name() const;
    std::string language() const;
    std::vector<std::string> argv() const;
    void set_display_name(const std::string& name);

    bool is_watched() const;
    // The same kernel, watched; with another program and a guard mode if given. Keeps the original
    // description inside.
    Kernelspec watched(const std::string& holdfast, const std::string& program = "",
                       const std::string& guard = "") const;
    // The original description; nothing for a kernelspec that is not ours.
    std::optional<Kernelspec> unwatched() const;

    // Marks a watched kernelspec that replaced the one it wraps: removing it must bring that one
    // back.
    void set_in_place();
    bool is_in_place() const;

    std::string text() const;

private:
    explicit Kernelspec(Json json) : json_(std::move(json)) {}

    const Json* own() const;

    Json json_;
};

// "holdfast-python3": letters, digits, dots, dashes and underscores, as Jupyter allows.
bool is_kernel_name(std::string_view name);

}  // namespace holdfast
