// Calls the NVIDIA library in a separate process, and writes its answers as lines that a record
// keeps and a stub library can replay.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/sight.h"
#include "sources/gpu_reader.h"

namespace holdfast::check {

// A driver that has lost its GPU may never answer, so it gets only this many milliseconds.
GpuAnswers ask_gpus(const char* library, int milliseconds);

struct GpuFacts {
    sources::GpuReading reading;
    sources::GpuHealth health;
};

struct GpuPicture {
    std::string driver;  // "580.159.04"; may be empty
    std::vector<GpuFacts> gpus;
};

std::vector<std::string> gpu_lines(const GpuPicture& picture);
// Leaves out lines that make no sense.
GpuPicture parse_gpu_lines(const std::vector<std::string>& lines);

}  // namespace holdfast::check
