// New threads begin in our function, which gives them a signal stack and then calls the program's
// own.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "agent/base/export.h"
#include "agent/base/real.h"
#include "agent/base/self_memory.h"
#include "agent/signals/signal_stack.h"

namespace holdfast::agent {
namespace {

using Routine = void* (*)(void*);
struct Start {
    Routine routine;
    void* argument;
    SignalStack* stack;
    std::size_t size;  // of its stack; 0: the usual
};
static_assert(sizeof(Start) <= sizeof(SignalStack::note));

using Create = int (*)(pthread_t*, const pthread_attr_t*, Routine, void*);
constinit Real<Create> real_pthread_create{"pthread_create"};
// Not linked: before glibc 2.34 it is in a library that need not be there.
constinit Real<int (*)(const pthread_attr_t*, std::size_t*)> real_stack_size{
    "pthread_attr_getstacksize"};

constexpr std::size_t little = 64U << 10U;

std::size_t wanted_size(const pthread_attr_t* attributes) {
    std::size_t size = 0;
    const bool known = attributes != nullptr && real_stack_size() != nullptr &&
                       real_stack_size()(attributes, &size) == 0;
    return known ? size : 0;
}

Create find_pthread_create() {
    if (Create found = real_pthread_create()) return found;
    // Before glibc 2.34 it is in a library that dlopen may have loaded outside the global scope.
    void* library = ::dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    return reinterpret_cast<Create>(::dlsym(library, "pthread_create"));
}

void end(void* stack) { give_signal_stack_back(static_cast<SignalStack*>(stack)); }

void* begin(void* argument) {
    const Start start = *static_cast<Start*>(argument);
    use_signal_stack(start.stack);
    note_stack_begin(start.size);
    if (start.size != 0 && start.size < little) note_small_stack();
    void* result = nullptr;
    // Also by pthread_exit and by cancellation.
    pthread_cleanup_push(end, start.stack);
    result = start.routine(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast::agent;

HOLDFAST_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   Routine routine, void* argument) noexcept {
    const Create create = find_pthread_create();
    if (create == nullptr) return EAGAIN;
    SignalStack* stack = nullptr;
    {
        const KeepErrno keep;
        stack = take_signal_stack();
    }
    if (stack == nullptr) return create(thread, attributes, routine, argument);
    auto* start = reinterpret_cast<Start*>(stack->note);
    *start = {routine, argument, stack, wanted_size(attributes)};
    const int result = create(thread, attributes, begin, start);
    if (result != 0) keep_for_later(stack);
    return result;
}
