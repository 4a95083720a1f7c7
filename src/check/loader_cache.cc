#include "check/loader_cache.h"

#include <cstdint>
#include <cstring>

namespace holdfast::check {
namespace {

constexpr std::string_view new_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t header_size = 48;
constexpr std::size_t entry_size = 24;
// The second byte is the kind of machine; the first one, 3, means an ELF library of glibc.
#if defined(__aarch64__)
constexpr std::uint32_t own_kind = 0x0a03;
#else
constexpr std::uint32_t own_kind = 0x0303;
#endif

std::uint32_t word(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

std::string text_of(std::string_view bytes, std::uint32_t at) {
    if (at >= bytes.size()) return {};
    const std::string_view rest = bytes.substr(at, 4096);
    const std::size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string() : std::string(rest.substr(0, end));
}

bool is_code_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_' || c == ' ';
}

}  // namespace

LoaderCache parse_loader_cache(std::string_view bytes) {
    LoaderCache cache;
    const std::size_t start = bytes.find(new_magic);
    if (start == std::string_view::npos) return cache;
    bytes.remove_prefix(start);  // offsets of texts count from here
    const std::uint32_t count = word(bytes, new_magic.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = header_size + i * entry_size;
        if (at + entry_size > bytes.size()) break;
        if (word(bytes, at) != own_kind) continue;
        std::string name = text_of(bytes, word(bytes, at + 4));
        std::string path = text_of(bytes, word(bytes, at + 8));
        if (!name.empty() && path.starts_with('/')) cache.emplace(std::move(name), std::move(path));
    }
    return cache;
}

std::optional<std::string> find_gpu_code(std::string_view bytes) {
    for (std::size_t at = 0; (at = bytes.find("sm_", at)) != std::string_view::npos; ++at) {
        std::size_t end = at;
        while (end < bytes.size() && is_code_character(bytes[end])) ++end;
        const std::string_view text = bytes.substr(at, end - at);
        // A single name may mean anything; two names with a blank between them are the list.
        const bool list = end < bytes.size() && text.size() < 512 && text.size() > 6 &&
                          text[3] >= '0' && text[3] <= '9' &&
                          (text.find(" sm_") != std::string_view::npos ||
                           text.find(" compute_") != std::string_view::npos);
        if (list) return std::string(text);
        at = end > at ? end - 1 : at;
    }
    return std::nullopt;
}

}  // namespace holdfast::check
