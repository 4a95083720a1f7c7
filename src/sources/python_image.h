// Finds which of a process's mapped files is the interpreter, and where the needed symbols are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/process_memory.h"

namespace holdfast::sources {

struct MappedImage {
    std::uintptr_t start = 0;  // where the file's first byte is mapped
    std::string path;
};

// From the text of /proc/PID/maps: the executable, whose path is `executable`, then every
// libpython.
std::vector<MappedImage> python_images(std::string_view maps, std::string_view executable);

struct PythonImage {
    std::uintptr_t runtime = 0;    // _PyRuntime; 0 if older than 3.7, or hidden
    std::uintptr_t code_type = 0;  // PyCode_Type; 0 unknown
    std::uint32_t version = 0;     // like PY_VERSION_HEX; 0: older than 3.8
    bool exact = true;             // false: only major and minor of `version` are known
};

// The interpreter in the process; ENOEXEC if there is none.
Result<PythonImage> find_python_image(int process_dir, ProcessMemory& memory);

}  // namespace holdfast::sources
