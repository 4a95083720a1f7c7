#include "loader/npy.h"

#include <limits>

#include "base/format.h"
#include "base/text.h"

namespace holdfast::loader {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

// The text after `'key':` and blanks.
std::optional<std::string_view> npy_value(std::string_view header, std::string_view key) {
    for (const char quote : {'\'', '"'}) {
        const std::string wanted = quote + std::string(key) + quote;
        const std::size_t at = header.find(wanted);
        if (at == std::string_view::npos) continue;
        std::string_view rest = header.substr(at + wanted.size());
        const std::size_t colon = rest.find(':');
        if (colon == std::string_view::npos) return std::nullopt;
        return trim(rest.substr(colon + 1));
    }
    return std::nullopt;
}

}  // namespace

Result<std::uint64_t> dtype_bytes(std::string_view dtype) {
    const Error odd{formatted("dtype {} is not a plain number", printable(dtype))};
    if (dtype.size() < 3 || std::string_view("<>|=").find(dtype[0]) == std::string_view::npos)
        return odd;
    if (std::string_view("biufcSV").find(dtype[1]) == std::string_view::npos) return odd;
    const auto size = parse_number<std::uint32_t>(dtype.substr(2));
    if (!size || *size == 0 || *size > (1U << 20U)) return odd;
    return std::uint64_t{*size};
}

Result<NpyHeader> parse_npy(std::string_view front) {
    if (!front.starts_with(npy_magic) || front.size() < 10) return Error{"not a .npy file"};
    const auto byte = [&](std::size_t at) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(front[at]));
    };
    std::uint64_t length = byte(8) | byte(9) << 8U;
    std::uint64_t start = 10;
    if (byte(6) >= 2) {
        if (front.size() < 12) return Error{"the .npy header is cut off"};
        length |= byte(10) << 16U | byte(11) << 24U;
        start = 12;
    }
    if (length > front.size() - start) return Error{"the .npy header is cut off"};
    const std::string_view header = front.substr(start, length);

    NpyHeader npy;
    npy.data_offset = start + length;
    const auto descr = npy_value(header, "descr");
    if (!descr || descr->size() < 2 || ((*descr)[0] != '\'' && (*descr)[0] != '"'))
        return Error{"an array of records; only plain numbers can be read"};
    const std::size_t end = descr->find((*descr)[0], 1);
    if (end == std::string_view::npos) return Error{"the .npy header has no dtype"};
    npy.dtype = std::string(descr->substr(1, end - 1));
    if (npy.dtype.size() >= 2 && npy.dtype[1] == 'O')
        return Error{"an array of Python objects; save it as numbers"};
    const auto bytes = dtype_bytes(npy.dtype);
    if (!bytes) return bytes.error();
    npy.item_bytes = *bytes;

    const auto fortran = npy_value(header, "fortran_order");
    if (!fortran) return Error{"the .npy header does not say its order"};
    const bool by_columns = fortran->starts_with("True");
    const auto shape = npy_value(header, "shape");
    if (!shape || !shape->starts_with('(')) return Error{"the .npy header has no shape"};
    const std::size_t close = shape->find(')');
    if (close == std::string_view::npos) return Error{"the .npy header has no shape"};
    std::string_view numbers = shape->substr(1, close - 1);
    while (const auto piece = next_piece(numbers, ',')) {
        const std::string_view text = trim(*piece);
        if (text.empty()) continue;
        const auto number = parse_number<std::uint64_t>(text);
        if (!number) return Error{"the .npy header has a shape that is no list of numbers"};
        npy.shape.push_back(*number);
        if (npy.shape.size() > 32) return Error{"the .npy header has more than 32 dimensions"};
    }
    if (by_columns && npy.shape.size() > 1)
        return Error{
            "stored by columns (Fortran order), so a sample is not in one piece; save "
            "np.ascontiguousarray of it"};
    std::uint64_t all = npy.item_bytes;
    for (const std::uint64_t n : npy.shape) {
        if (n != 0 && all > std::numeric_limits<std::uint64_t>::max() / 2 / n)
            return Error{"the .npy header tells of more bytes than there can be"};
        all *= n;
    }
    return npy;
}

}  // namespace holdfast::loader
