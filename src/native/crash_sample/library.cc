// The library whose functions crash. Code follows every call, so that none becomes a tail jump.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#if defined(__clang__)
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

extern "C" void sample_own_handler_stack() __attribute__((weak));

namespace sample {

volatile int sink = 0;
volatile std::uintptr_t nowhere = 0;  // the compiler must not know that it is null

template <class T>
struct Widget {
    KEEP int poke(T value);
};

template <class T>
KEEP int Widget<T>::poke(T value) {
    volatile T* place = reinterpret_cast<volatile T*>(nowhere);
    *place = value;  // HERE
    return ++sink;
}

KEEP int middle(const char* name, Widget<double>& widget) {
    const int result = widget.poke(static_cast<double>(std::strlen(name)));
    return result + ++sink;
}

KEEP int outer(int depth) {
    Widget<double> widget;
    char large[2000];
    std::memset(large, depth, sizeof(large));
    sink = large[depth];
    return middle("middle", widget) + ++sink;
}

KEEP int deep(int depth) {
    volatile char room[64] = {};
    room[depth % 64] = 1;
    return deep(depth + 1) + room[3];
}

KEEP int ping(int depth);
KEEP int pong(int depth) {
    volatile char room[100] = {};
    room[depth % 100] = 1;
    return ping(depth + 1) + room[3];
}
KEEP int ping(int depth) {
    volatile char room[200] = {};
    room[depth % 200] = 1;
    return pong(depth + 1) + room[5];
}

KEEP void in_handler(int) {
    outer(3);
    ++sink;
}

KEEP int interrupted() {
    ::signal(SIGUSR1, in_handler);
    ::raise(SIGUSR1);
    return ++sink;
}

KEEP void* in_thread(void*) {
    if (sample_own_handler_stack != nullptr) sample_own_handler_stack();
    outer(4);
    ++sink;
    return nullptr;
}

KEEP int threaded() {
    pthread_t thread;
    ::pthread_create(&thread, nullptr, in_thread, nullptr);
    ::pthread_join(thread, nullptr);
    return ++sink;
}

KEEP int call_nowhere() {
    const auto function = reinterpret_cast<int (*)()>(nowhere);
    return function() + ++sink;
}

KEEP int freed_twice() {
    // Too large for the thread's cache, where free() would only put the block on a list.
    void* volatile block = ::malloc(5000);
    void* volatile kept = ::malloc(16);
    ::free(block);
    ::free(block);
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(kept)) + ++sink;
}

KEEP int aborts() {
    ::abort();
    return ++sink;
}

// Code without unwind tables, as JIT compilers make it, that destroys the frame pointer.
KEEP int made_at_run_time() {
#if defined(__x86_64__)
    // push rbp; mov rbp, rsp; xor eax, eax; mov [rax], eax
    const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x31, 0xc0, 0x89, 0x00};
#else
    const unsigned char code[] = {0x1f, 0x00, 0x00, 0xb9};  // faults as well
#endif
    void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memcpy(page, code, sizeof(code));
    return reinterpret_cast<int (*)()>(page)() + ++sink;
}

}  // namespace sample

extern "C" __attribute__((visibility("default"))) int sample_run(const char* scenario) {
    using namespace sample;
    const auto is = [&](const char* name) { return std::strcmp(scenario, name) == 0; };
    if (is("plain")) return outer(1);
    if (is("recursion")) return deep(1);
    if (is("mutual")) return ping(1);
    if (is("handler")) return interrupted();
    if (is("thread")) return threaded();
    if (is("nowhere")) return call_nowhere();
    if (is("free")) return freed_twice();
    if (is("abort")) return aborts();
    if (is("jit")) return made_at_run_time();
    return 77;
}
