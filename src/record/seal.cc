#include "record/seal.h"

#include <span>

#include "base/checksum.h"
#include "base/format.h"
#include "base/text.h"

namespace holdfast {
namespace {

constexpr std::string_view member = ",\n  \"crc32c\": \"";

std::string sum_of(std::string_view text) {
    return formatted("{:08x}", crc32c(std::as_bytes(std::span(text.data(), text.size()))));
}

}  // namespace

std::string seal(std::string_view json) {
    std::string_view body = trim(json);
    if (body.ends_with('}')) body.remove_suffix(1);
    body = body.substr(0, body.find_last_not_of(" \n\t\r") + 1);
    return formatted("{}{}{}\"\n}}\n", body, member, sum_of(body));
}

Result<std::string> unseal(std::string_view sealed) {
    const std::size_t at = sealed.rfind(member);
    if (at == std::string_view::npos) return Error{"damaged: its checksum is missing"};
    const std::string_view body = sealed.substr(0, at);
    if (sealed.substr(at + member.size()) != sum_of(body) + "\"\n}\n")
        return Error{"damaged: its checksum does not hold"};
    return std::string(body) + "\n}\n";
}

}  // namespace holdfast
