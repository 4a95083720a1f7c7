#include "agent/guard/growing_threads.h"

#include <cstring>

#include "agent/base/text.h"
#include "agent/guard/headroom.h"
#include "agent/guard/raise_place.h"
#include "agent/guard/recipient.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

constexpr std::size_t deepest_call = 128;

// "417 (name) R ...": the name may contain anything, so the last bracket ends it.
bool runs(int tid) {
    char path[64] = "/proc/self/task/";
    std::size_t at = std::strlen(path);
    char digits[12];
    std::size_t count = 0;
    for (auto rest = static_cast<unsigned>(tid); rest != 0 || count == 0; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    while (count > 0) path[at++] = digits[--count];
    std::memcpy(path + at, "/stat", sizeof "/stat");
    char text[512];
    const std::size_t size = read_small_file(path, text, sizeof text);
    const auto* end = static_cast<const char*>(::memrchr(text, ')', size));
    return end != nullptr && end + 2 < text + size && end[2] == 'R';
}

bool may_get_error(const CalledFunction* stack, std::size_t count) {
    if (count == 0 || may_raise_in(stack, count) != Here::yes) return false;
    return error_is_carried(stack, count) || is_thread_of_program(stack, count);
}

}  // namespace

std::size_t growing_threads(unsigned long* out, std::size_t most) {
    constexpr std::size_t most_looked_at = 256;
    OtherThread threads[most_looked_at];
    const std::size_t all = other_threads(threads, most_looked_at);
    std::size_t count = 0;
    for (std::size_t i = 0; i < all && count < most; ++i) {
        if (threads[i].tid == 0 || !runs(threads[i].tid)) continue;
        CalledFunction stack[deepest_call];
        if (may_get_error(stack, stack_of(threads[i], stack, deepest_call)))
            out[count++] = threads[i].pthread;
    }
    return count;
}

}  // namespace holdfast::agent
