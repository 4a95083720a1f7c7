// The functions that torch calls in place of the CUDA runtime's.
#include <iterator>

#include "agent/base/private_memory.h"
#include "agent/launch/launches.h"
#include "agent/launch/slots.h"
#include "agent/launch/state.h"
#include "agent/process/quiet.h"

namespace holdfast::agent {
namespace {

constinit std::atomic<LaunchState*> made{nullptr};
constinit NameSource names;
// CUDA's current device is the thread's own; 0 is what a thread begins with.
constinit thread_local int device __attribute__((tls_model("initial-exec"))) = 0;

struct Dim3 {
    unsigned x, y, z;
};
struct LaunchConfig {  // cudaLaunchConfig_t
    Dim3 grid, block;
    std::size_t shared_memory;
    void* stream;
};
static_assert(offsetof(LaunchConfig, stream) == 32);

using Launch = int (*)(const void*, Dim3, Dim3, void**, std::size_t, void*);
using LaunchByConfig = int (*)(const LaunchConfig*, const void*, void**);
using OnStream = int (*)(void*);
using OnDevice = int (*)();
using SetDevice = int (*)(int);
using LaunchGraph = int (*)(void*, void*);

// Found before the first call is led here.
struct Reals {
    std::uintptr_t launch, launch_stub, launch_by_config, launch_graph, wait_stream, wait_device,
        wait_event, set_device;
};
constinit Reals reals{};

template <class Function>
Function real(const std::uintptr_t& of) {
    return reinterpret_cast<Function>(of);
}

// Errors after which no call of this process works any more: an illegal access, a time-out, an
// assertion, and the ways in which a kernel breaks.
bool is_final(int error) {
    return error == 700 || error == 702 || error == 710 || (error >= 714 && error <= 719);
}

LaunchSite* site_of(LaunchState& state, const void* function, const void* stream) {
    RawFrame line{};
    const OwnLine answer = own_line(state.origins, line);
    const bool borrowed = answer == OwnLine::no_python;
    if (borrowed) {
        const LaunchSite* last = state.last.load(std::memory_order_acquire);
        if (last != nullptr) line = last->line;
    } else if (answer == OwnLine::none) {
        line = {};
    }
    LaunchStream* on = state.sites.stream(stream, device);
    if (on == nullptr) return nullptr;
    bool fresh = false;
    LaunchSite* site = state.sites.find(function, line, on, borrowed, fresh);
    if (fresh) state.names.learn(function, names);
    if (site != nullptr && !borrowed) state.last.store(site, std::memory_order_release);
    return site;
}

template <class Call>
[[gnu::always_inline]] inline int launched(const void* function, const void* stream, Call&& call) {
    LaunchState* state = made.load(std::memory_order_acquire);
    if (state == nullptr || busy || state->over.load(std::memory_order_relaxed)) return call();
    LaunchSite* site = site_of(*state, function, stream);
    const int error = call();
    if (error == 0 && site != nullptr) state->sites.launched(*site);
    if (is_final(error)) state->over.store(true, std::memory_order_relaxed);
    return error;
}

int launch(const void* function, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
           void* stream) {
    return launched(function, stream, [&] {
        return real<Launch>(reals.launch)(function, grid, block, arguments, shared, stream);
    });
}

int launch_stub(const void* function, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                void* stream) {
    return launched(function, stream, [&] {
        return real<Launch>(reals.launch_stub)(function, grid, block, arguments, shared, stream);
    });
}

int launch_by_config(const LaunchConfig* config, const void* function, void** arguments) {
    const void* stream = config == nullptr ? nullptr : config->stream;
    return launched(function, stream, [&] {
        return real<LaunchByConfig>(reals.launch_by_config)(config, function, arguments);
    });
}

int launch_graph(void* graph, void* stream) {
    if (LaunchState* state = made.load(std::memory_order_acquire))
        state->graphs.store(true, std::memory_order_relaxed);
    return real<LaunchGraph>(reals.launch_graph)(graph, stream);
}

int wait_stream(void* stream) {
    LaunchState* state = made.load(std::memory_order_acquire);
    LaunchStream* on = state == nullptr ? nullptr : state->sites.stream(stream, device);
    const std::uint32_t stretch = on == nullptr ? 0 : LaunchSites::begin_wait(*on);
    const int error = real<OnStream>(reals.wait_stream)(stream);
    if (error == 0 && on != nullptr) LaunchSites::end_wait(*on, stretch);
    if (is_final(error) && state != nullptr) state->over.store(true, std::memory_order_relaxed);
    return error;
}

int wait_device() {
    LaunchState* state = made.load(std::memory_order_acquire);
    std::uint32_t stretches[LaunchSites::most_streams] = {};
    LaunchStream* streams[LaunchSites::most_streams] = {};
    std::size_t count = 0;
    if (state != nullptr)
        state->sites.each_stream(device, [&](LaunchStream& stream) {
            streams[count] = &stream;
            stretches[count++] = LaunchSites::begin_wait(stream);
        });
    const int error = real<OnDevice>(reals.wait_device)();
    for (std::size_t i = 0; i < count && error == 0; ++i)
        LaunchSites::end_wait(*streams[i], stretches[i]);
    if (is_final(error) && state != nullptr) state->over.store(true, std::memory_order_relaxed);
    return error;
}

// What an event stands for was recorded at some time before: it settles nothing.
int wait_event(void* event) {
    const int error = real<OnStream>(reals.wait_event)(event);
    if (LaunchState* state = made.load(std::memory_order_acquire); is_final(error) && state)
        state->over.store(true, std::memory_order_relaxed);
    return error;
}

int set_device(int number) {
    const int error = real<SetDevice>(reals.set_device)(number);
    if (error == 0) device = number;
    return error;
}

// Launches last: whatever is seen to be launched, the wait for it is seen as well.
const WantedSlot wanted[] = {
    {"cudaSetDevice", reinterpret_cast<void*>(&set_device), &reals.set_device},
    {"cudaStreamSynchronize", reinterpret_cast<void*>(&wait_stream), &reals.wait_stream},
    {"cudaDeviceSynchronize", reinterpret_cast<void*>(&wait_device), &reals.wait_device},
    {"cudaEventSynchronize", reinterpret_cast<void*>(&wait_event), &reals.wait_event},
    {"cudaGraphLaunch", reinterpret_cast<void*>(&launch_graph), &reals.launch_graph},
    {"cudaLaunchKernel", reinterpret_cast<void*>(&launch), &reals.launch},
    {"__cudaLaunchKernel", reinterpret_cast<void*>(&launch_stub), &reals.launch_stub},
    {"cudaLaunchKernelExC", reinterpret_cast<void*>(&launch_by_config), &reals.launch_by_config},
};
constexpr const char* kernels = "libtorch_cuda.so";

template <class Function>
void find_name(const char* name, Function& into) {
    into = reinterpret_cast<Function>(found_by(kernels, name));
}

}  // namespace

LaunchState* launch_state() { return made.load(std::memory_order_acquire); }

void watch_launches() {
    const Busy inside;
    if (quiet() || !python_version().lines || launch_state() != nullptr) return;
    if (found_by(kernels, "cudaLaunchKernel") == nullptr) return;
    find_name("cudaFuncGetName", names.name);
    find_name("cudaPeekAtLastError", names.peek_error);
    find_name("cudaGetLastError", names.take_error);
    if (!names.complete()) return;  // a line without its kernel's name would be a guess
    auto* state = static_cast<LaunchState*>(wiped_on_fork(sizeof(LaunchState)));
    if (state == nullptr) return;
    for (const char* library : {"libc10_cuda.so", "libtorch_python.so", kernels})
        redirect(library, wanted, std::size(wanted));
    made.store(state, std::memory_order_release);
}

void note_backward() {
    LaunchState* state = launch_state();
    if (state == nullptr || state->over.load(std::memory_order_relaxed)) return;
    RawFrame line{};
    LaunchStream* on = state->sites.stream(nullptr, device);
    if (on == nullptr || own_line(state->origins, line) != OwnLine::found) return;
    bool fresh = false;
    // Launches nothing by itself, and so is never told.
    static const char backward = 0;
    if (LaunchSite* site = state->sites.find(&backward, line, on, false, fresh))
        state->last.store(site, std::memory_order_release);
}

}  // namespace holdfast::agent
