// The pages of causes/, compiled into the program: `explain` works on a machine without the
// sources.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace holdfast {

// One file of the folder: causes/HF101-cgroup-oom.md.
struct CausePage {
    std::string_view code;
    std::string_view slug;
    std::string_view text;  // the whole page, Markdown
};

// All pages, by code.
std::span<const CausePage> cause_pages();

// `code` as the catalogue writes it; CauseId::find() accepts what a person types.
std::optional<std::string_view> cause_page(std::string_view code);

}  // namespace holdfast
