// Source files and lines of native code, if there is debug information and libdw is installed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "native/modules.h"

namespace holdfast {

struct SourcePlace {
    std::string file;
    int line = 0;
};

class SourceLines {
public:
    virtual ~SourceLines() = default;
    // Null where there is no libdw.
    static std::unique_ptr<SourceLines> of(const NativeModules& modules);
    virtual std::optional<SourcePlace> place(std::uint64_t address) = 0;
};

}  // namespace holdfast
