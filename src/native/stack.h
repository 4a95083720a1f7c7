// The named native stack of a crash. Made later, outside the process, from what the record holds.
#pragma once

#include <functional>

#include "native/native_text.h"
#include "record/crash_box.h"

namespace holdfast {

inline constexpr std::size_t most_native_frames = 64;

struct UnwindOptions {
    // Gets the stack once before source lines are looked up, which may take long with large debug
    // information.
    std::function<void(const NativeStack&)> before_lines;
    bool only_fault = false;  // only the faulting place: nothing that takes time
};

NativeStack unwind(const CrashRecord& crash, const UnwindOptions& options = {});

// "at::native::add(at::Tensor const&)" for "_ZN2at..."; any other name unchanged.
std::string readable_symbol(const std::string& name);

}  // namespace holdfast
