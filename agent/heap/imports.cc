#include "agent/heap/imports.h"

#include "agent/base/self_memory.h"
#include "agent/base/text.h"
#include "agent/python/library.h"
#include "agent/python/own_path.h"
#include "frames/describe.h"

namespace holdfast::agent {

ImportCache::Kind ImportCache::read_kind(const RawFrame& frame) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines) return Kind::library;
    SelfMemory source;
    frames::CachedMemory<SelfMemory, 512, 4> memory(source);
    std::uintptr_t file = 0;
    char text[512];
    if (!frames::load(memory, frame.code + python->layout.code_file, file)) return Kind::library;
    const std::size_t size = frames::read_text(memory, python->layout, file, text, sizeof text);
    const Text path(text, size);
    if (path.starts_with("<frozen importlib._bootstrap")) return Kind::machinery;
    return is_own_path(path) ? Kind::own : Kind::library;
}

ImportCache::Kind ImportCache::kind_of(const RawFrame& frame) {
    Known& known = known_[((frame.code >> 4U) * 0x9E3779B97F4A7C15ULL >> 32U) % size];
    if (known.kind == Kind::unknown || known.code != frame.code ||
        known.first_line != frame.first_line)
        known = {frame.code, frame.first_line, read_kind(frame)};
    return known.kind;
}

std::size_t ImportCache::frames_inside(const RawFrame* frames, std::size_t count) {
    for (std::size_t i = count; i > 0; --i)
        if (is_machinery(frames[i - 1])) return i;
    return 0;
}

}  // namespace holdfast::agent
