#include "agent/launch/own_line.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/base/self_memory.h"
#include "agent/python/library.h"
#include "frames/text.h"
#include "frames/walk.h"

namespace holdfast::agent {
namespace {

// Some ten frames of a framework lie between a line that calls a model and the launch; a trainer
// around them has as many again.
constexpr int deepest = 48;

CodeOrigin learn(const PythonLibrary& python, std::uintptr_t code, std::uintptr_t file,
                 std::uint32_t& identity) {
    const KeepErrno keep;
    SelfMemory source;
    frames::CachedMemory<SelfMemory, 512, 4> memory(source);
    char text[512];
    if (!frames::is_code(memory, python.layout, code, python.code_type) ||
        !frames::load_identity(memory, python.layout, code, identity))
        return CodeOrigin::unknown;
    return origin_of(Text(text, frames::read_text(memory, python.layout, file, text, sizeof text)));
}

}  // namespace

constinit thread_local std::uintptr_t main_state __attribute__((tls_model("initial-exec"))) = 0;

std::uintptr_t top_of_other(const PythonLibrary& python) {
    const std::uintptr_t thread = own_thread_state(python);
    if (thread == 0 || !trusted(python, thread)) return 0;
    frames::TrustedMemory memory;
    return frames::current_frame(memory, python.layout, thread);
}

OwnLine own_line(const PythonLibrary& python, OriginCache& cache, std::uintptr_t top, RawFrame& out,
                 std::uintptr_t& at) {
    const frames::Layout& layout = python.layout;
    frames::TrustedMemory memory;
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
            origin = learn(python, code, file, identity);
            if (origin == CodeOrigin::unknown) return false;
            cache.put(code, file, identity, origin);
            if (origin == CodeOrigin::foreign) return --left > 0;
        }
        // Libraries run made-up source, too, so prefer a file of the program further out.
        if (origin == CodeOrigin::made_up && answer == OwnLine::found) return --left > 0;
        if (!frames::load_instruction(memory, layout, frame, code, out.instruction)) return false;
        out.code = code;
        out.first_line = identity;
        answer = OwnLine::found;
        at = origin == CodeOrigin::own ? frame : 0;
        return origin == CodeOrigin::made_up && --left > 0;
    });
    return answer;
}

void InnerFrames::read(const PythonLibrary& python, std::uintptr_t top, std::uintptr_t line_frame) {
    frames::TrustedMemory memory;
    count = unknown;
    std::uintptr_t frame = top;
    for (std::uint32_t i = 0; line_frame != 0; ++i) {
        if (frame == line_frame) {
            count = i;
            return;
        }
        if (i == most || frame == 0) return;
        frames::load(memory, frame + python.layout.frame_code, codes[i]);
        frames::load(memory, frame + python.layout.frame_previous, frame);
    }
}

void remember_main_thread(const PythonLibrary& python) {
    if (::getpid() == static_cast<pid_t>(::syscall(SYS_gettid)))
        main_state = own_thread_state(python);
}

}  // namespace holdfast::agent
