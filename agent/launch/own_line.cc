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

CodeOrigin learn(const PythonLibrary& python, std::uintptr_t code, std::uintptr_t file,
                 std::uint32_t& identity) {
    const KeepErrno keep;
    SelfMemory source;
    frames::CachedMemory<SelfMemory, 512, 4> memory(source);
    char text[512];
    if (!frames::is_code(memory, python.layout, code, python.code_type) ||
        !frames::load_identity(memory, python.layout, code, identity))
        return CodeOrigin::unknown;
    return origin_of(
        Text(text, frames::read_text(memory, python.layout, file, text, sizeof text)));
}

}  // namespace

OwnLine own_line(OriginCache& cache, RawFrame& out) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines) return OwnLine::none;
    const std::uintptr_t thread = own_thread_state(*python);
    if (thread == 0) return OwnLine::no_python;
    if (!python->settled() && !trusted(*python, thread)) return OwnLine::none;
    const frames::Layout& layout = python->layout;
    Memory memory;
    const std::uintptr_t top = frames::current_frame(memory, layout, thread);
    if (top == 0) return OwnLine::no_python;
    OwnLine answer = OwnLine::none;
    int left = deepest;
    frames::walk_chain(memory, layout, top, [&](std::uintptr_t frame, std::uintptr_t code) {
        std::uintptr_t file = 0;
        load(memory, code + layout.code_file, file);
        std::uint32_t identity = 0;
        CodeOrigin origin = cache.find(code, file, identity);
        if (origin == CodeOrigin::foreign) [[likely]]
            return --left > 0;
        if (origin == CodeOrigin::unknown) {
            origin = learn(*python, code, file, identity);
            if (origin == CodeOrigin::unknown) return false;
            cache.put(code, file, identity, origin);
            if (origin == CodeOrigin::foreign) return --left > 0;
        }
        // Libraries run made-up source, too: a file of the program further out is the better one.
        if (origin == CodeOrigin::made_up && answer == OwnLine::found) return --left > 0;
        if (!frames::load_instruction(memory, layout, frame, code, out.instruction)) return false;
        out.code = code;
        out.first_line = identity;
        answer = OwnLine::found;
        return origin == CodeOrigin::made_up && --left > 0;
    });
    return answer;
}

}  // namespace holdfast::agent
