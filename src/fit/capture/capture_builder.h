// For tests: writes the bytes of a capture as the Python side does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fit/capture/capture_format.h"

namespace holdfast::fit::testing {

class CaptureBuilder {
public:
    explicit CaptureBuilder(std::uint64_t batch = 8) : batch_(batch) {}

    std::uint32_t alloc(std::uint64_t size, StorageRole role = StorageRole::activation,
                        std::uint64_t site = 0) {
        body_ += static_cast<char>(CaptureEventKind::alloc);
        number(site);
        body_ += static_cast<char>(role);
        number(size);
        return births_++;
    }
    void free(std::uint32_t storage) {
        body_ += static_cast<char>(CaptureEventKind::free);
        number(births_ - storage);
    }
    void mark(std::uint64_t label) {
        body_ += static_cast<char>(CaptureEventKind::mark);
        number(label);
    }
    void step_ends() { mark(0); }
    void scratch(Fact fact, const std::vector<std::int64_t>& values) {
        body_ += static_cast<char>(CaptureEventKind::scratch);
        number(0);
        body_ += static_cast<char>(fact);
        number(values.size());
        for (const std::int64_t value : values)
            number(value >= 0 ? static_cast<std::uint64_t>(value) << 1U
                              : (static_cast<std::uint64_t>(-value) << 1U) - 1);
    }

    std::string bytes() const {
        std::string header = R"({"torch":"2.11.0","sm":90,"batch":)" + std::to_string(batch_) +
                             R"(,"marks":["step","optimizer"],"missing":[],"sites":)" +
                             R"([["layer1","train.py",3],["backward of Mm",")" + R"(",0]]})";
        CaptureBuilder head;
        head.number(header.size());
        const std::string body = head.body_ + header + body_;
        std::string file(capture_magic);
        file += static_cast<char>(capture_version);
        file += '\0';
        const std::uint32_t sum = crc32(body);
        for (unsigned shift = 0; shift < 32; shift += 8)
            file += static_cast<char>(sum >> shift & 0xFFU);
        return file + body;
    }

private:
    void number(std::uint64_t value) {
        for (; value > 0x7F; value >>= 7U) body_ += static_cast<char>((value & 0x7FU) | 0x80U);
        body_ += static_cast<char>(value);
    }

    std::uint64_t batch_;
    std::string body_;
    std::uint32_t births_ = 0;
};

}  // namespace holdfast::fit::testing
