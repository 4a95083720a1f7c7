// A file read by offset, in pages that are kept: names and headers lie close together.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>

#include "base/unique_fd.h"

namespace holdfast::check {

class PagedFile {
public:
    explicit PagedFile(UniqueFd file) : file_(std::move(file)) {}

    // False if the file does not have that many bytes there, or if too many pages were requested.
    bool operator()(std::uint64_t offset, void* into, std::size_t size) {
        char* out = static_cast<char*>(into);
        while (size > 0) {
            const std::string* bytes = page(offset / page_size);
            const std::size_t at = offset % page_size;
            if (bytes == nullptr || at >= bytes->size()) return false;
            const std::size_t take = std::min(size, bytes->size() - at);
            std::memcpy(out, bytes->data() + at, take);
            out += take;
            offset += take;
            size -= take;
        }
        return true;
    }

private:
    static constexpr std::size_t page_size = 4096;
    static constexpr std::size_t most_pages = 4096;

    const std::string* page(std::uint64_t number) {
        if (const auto known = pages_.find(number); known != pages_.end()) return &known->second;
        if (pages_.size() > most_pages || number > (1ULL << 40U)) return nullptr;
        std::string bytes(page_size, '\0');
        const ssize_t got =
            ::pread(file_.get(), bytes.data(), page_size, static_cast<off_t>(number * page_size));
        bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return &pages_.emplace(number, std::move(bytes)).first->second;
    }

    UniqueFd file_;
    std::map<std::uint64_t, std::string> pages_;
};

}  // namespace holdfast::check
