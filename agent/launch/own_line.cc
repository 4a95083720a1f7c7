#include "agent/launch/own_line.h"

#include "agent/base/self_memory.h"
#include "agent/python/library.h"
#include "frames/text.h"
#include "frames/walk.h"

namespace holdfast::agent {
namespace {

// Between a line that calls a model and the launch lie some ten frames of its framework; a trainer
// around it has as many again.
constexpr int deepest = 48;

using Memory = frames::TrustedMemory;

OriginCache::Known learn(const PythonLibrary& python, std::uintptr_t code, std::uintptr_t file,
                         std::uintptr_t lines) {
    const KeepErrno keep;
    SelfMemory source;
    frames::CachedMemory<SelfMemory, 512, 4> memory(source);
    OriginCache::Known known{code, file, lines, 0, CodeOrigin::foreign};
    char text[512];
    if (frames::load_identity(memory, python.layout, code, known.identity)) {
        const std::size_t size = frames::read_text(memory, python.layout, file, text, sizeof text);
        known.origin = origin_of(Text(text, size));
    }
    return known;
}

}  // namespace

OwnLine own_line(OriginCache& cache, RawFrame& out) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines) return OwnLine::none;
    const std::uintptr_t thread = own_thread_state(*python);
    if (thread == 0) return OwnLine::no_python;
    if (!trusted(*python, thread)) return OwnLine::none;
    const frames::Layout& layout = python->layout;
    Memory memory;
    const std::uintptr_t top = frames::current_frame(memory, layout, thread);
    if (top == 0) return OwnLine::no_python;
    OwnLine answer = OwnLine::none;
    int depth = 0;
    frames::walk_chain(memory, layout, top, [&](std::uintptr_t frame, std::uintptr_t code) {
        std::uintptr_t file = 0, lines = 0;
        load(memory, code + layout.code_file, file);
        load(memory, code + layout.code_lines, lines);
        std::uint32_t identity = 0;
        CodeOrigin origin = cache.find(code, file, lines, identity);
        if (origin == CodeOrigin::unknown) {
            if (!frames::is_code(memory, layout, code, python->code_type)) return false;
            const OriginCache::Known known = learn(*python, code, file, lines);
            cache.put(known);
            identity = known.identity;
            origin = known.origin;
        }
        if (origin == CodeOrigin::foreign ||
            (origin == CodeOrigin::made_up && answer == OwnLine::found))
            return ++depth < deepest;
        if (!frames::load_instruction(memory, layout, frame, code, out.instruction)) return false;
        out.code = code;
        out.first_line = identity;
        answer = OwnLine::found;
        // Libraries run made-up source, too: a file of the program further out is the better one.
        return origin == CodeOrigin::made_up && ++depth < deepest;
    });
    return answer;
}

}  // namespace holdfast::agent
