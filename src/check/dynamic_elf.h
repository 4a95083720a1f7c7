// The parts of an ELF file that every reader of one needs: headers, loaded parts, the dynamic
// section, names. All reads are bounded, whatever the file claims.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/elf_facts.h"

namespace holdfast::check {

class DynamicElf {
public:
    // `read` must outlive this.
    explicit DynamicElf(const ReadAt& read) : read_(read) {}

    // 64-bit, little-endian; an error for any other file, and for one that was cut short.
    Status open();

    std::uint16_t machine() const { return machine_; }
    const std::string& interpreter() const { return interpreter_; }
    const std::vector<Elf64_Dyn>& dynamic() const { return dynamic_; }  // empty: a static program

    template <class T>
    bool get(std::uint64_t offset, T& value) const {
        return read_(offset, &value, sizeof value);
    }
    // The place of an address in the file.
    std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
    // A name from the dynamic section's string table.
    std::string name(std::uint64_t index) const;

private:
    std::string text_at(std::uint64_t offset) const;
    Status read_dynamic(const Elf64_Phdr& part);

    const ReadAt& read_;
    std::uint16_t machine_ = 0;
    std::string interpreter_;
    std::vector<Elf64_Phdr> loaded_;
    std::vector<Elf64_Dyn> dynamic_;
    std::optional<std::uint64_t> strings_;
};

}  // namespace holdfast::check
