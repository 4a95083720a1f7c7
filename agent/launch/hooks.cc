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

struct LaunchConfig {  // cudaLaunchConfig_t
    unsigned grid[3], block[3];
    std::size_t shared_memory;
    void* stream;
};
static_assert(offsetof(LaunchConfig, stream) == 32);

// The two sizes are structs of three unsigned numbers, which come in two registers each; so they
// are passed on as they are.
using Half = std::uint64_t;
using Launch = int (*)(const void*, Half, Half, Half, Half, void**, std::size_t, void*);
using LaunchByConfig = int (*)(const LaunchConfig*, const void*, void**);
using OnStream = int (*)(void*);
using OnDevice = int (*)();
using SetDevice = int (*)(int);
using LaunchGraph = int (*)(void*, void*);

// Set before the first call is redirected here.
struct Reals {
    std::uintptr_t launch, launch_stub, launch_by_config, launch_graph, wait_stream, wait_device,
        wait_event, set_device;
};
constinit Reals reals{};

template <class Function>
Function real(const std::uintptr_t& of) {
    return reinterpret_cast<Function>(of);
}

// Errors after which no CUDA call of this process works any more: an illegal access, a time-out, an
// assertion, and the ways in which a kernel fails.
bool is_final(int error) {
    return error == 700 || error == 702 || error == 710 || (error >= 714 && error <= 719);
}

[[gnu::always_inline]] inline std::uintptr_t code_of(const PythonLibrary& python,
                                                     std::uintptr_t frame) {
    frames::TrustedMemory memory;
    std::uintptr_t code = 0;
    frames::load(memory, frame + python.layout.frame_code, code);
    return code;
}

[[gnu::noinline]] LaunchSite* look_for_site(LaunchState& state, const PythonLibrary& python,
                                            std::uintptr_t top, const void* function,
                                            const void* stream) {
    RawFrame line{};
    std::uintptr_t at = 0;
    const bool borrowed = top == 0;
    if (borrowed) {
        const LaunchSite* last = state.last.load(std::memory_order_acquire);
        if (last != nullptr) line = last->line;
    } else if (own_line(python, state.origins, top, line, at) != OwnLine::found) {
        line = {};
    }
    InnerFrames inner{};
    inner.read(python, top, at);
    LaunchStream* on = state.sites.stream(stream, device);
    if (on == nullptr) return nullptr;
    bool fresh = false;
    LaunchSite* site = state.sites.find(function, line, inner, on, borrowed, fresh);
    if (fresh) state.names.learn(function, names);
    if (site != nullptr && site->inner.count != InnerFrames::unknown)
        state.sites.keep_met(site, code_of(python, top));
    return site;
}

[[gnu::always_inline]] inline LaunchSite* site_of(LaunchState& state, const void* function,
                                                  const void* stream) {
    const PythonLibrary& python = *state.python;
    const std::uintptr_t top = own_top(python);
    LaunchSite* site = top == 0 ? nullptr : state.sites.last_met(function, code_of(python, top));
    if (site != nullptr && (site->stream_key != LaunchSites::key_of(stream, device) ||
                            !site->inner.lead_to(python, top, site->line)))
        site = nullptr;
    if (site == nullptr) site = look_for_site(state, python, top, function, stream);
    if (top != 0 && site != nullptr) state.last.store(site, std::memory_order_relaxed);
    return site;
}

template <class Call>
[[gnu::always_inline]] inline int launched(const void* function, const void* stream, Call&& call) {
    LaunchState* state = made.load(std::memory_order_acquire);
    if (state == nullptr || !state->watching.load(std::memory_order_relaxed)) return call();
    LaunchSite* site = site_of(*state, function, stream);
    const int error = call();
    if (error == 0) [[likely]] {
        if (site != nullptr) state->sites.launched(*site);
        return error;
    }
    if (is_final(error)) state->watching.store(false, std::memory_order_relaxed);
    return error;
}

int launch(const void* function, Half grid, Half grid_z, Half block, Half block_z, void** arguments,
           std::size_t shared, void* stream) {
    return launched(function, stream, [=] {
        return real<Launch>(reals.launch)(function, grid, grid_z, block, block_z, arguments, shared,
                                          stream);
    });
}

int launch_stub(const void* function, Half grid, Half grid_z, Half block, Half block_z,
                void** arguments, std::size_t shared, void* stream) {
    return launched(function, stream, [=] {
        return real<Launch>(reals.launch_stub)(function, grid, grid_z, block, block_z, arguments,
                                               shared, stream);
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
    if (is_final(error) && state != nullptr)
        state->watching.store(false, std::memory_order_relaxed);
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
    if (is_final(error) && state != nullptr)
        state->watching.store(false, std::memory_order_relaxed);
    return error;
}

// An event was recorded at some earlier time, so it settles nothing.
int wait_event(void* event) {
    const int error = real<OnStream>(reals.wait_event)(event);
    if (LaunchState* state = made.load(std::memory_order_acquire); is_final(error) && state)
        state->watching.store(false, std::memory_order_relaxed);
    return error;
}

int set_device(int number) {
    const int error = real<SetDevice>(reals.set_device)(number);
    if (error == 0) device = number;
    return error;
}

// Launch functions come last: once a launch is seen, its wait is seen, too.
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
    const PythonLibrary* python = python_library();
    if (quiet() || launch_state() != nullptr || python == nullptr || !python->version.lines) return;
    if (found_by(kernels, "cudaLaunchKernel") == nullptr) return;
    find_name("cudaFuncGetName", names.name);
    find_name("cudaPeekAtLastError", names.peek_error);
    find_name("cudaGetLastError", names.take_error);
    if (!names.complete()) return;  // a line without its kernel's name would be a guess
    auto* state = static_cast<LaunchState*>(wiped_on_fork(sizeof(LaunchState)));
    if (state == nullptr) return;
    state->python = python;
    remember_main_thread(*python);
    for (const char* library : {"libc10_cuda.so", "libtorch_python.so", kernels})
        redirect(library, wanted, std::size(wanted));
    state->watching.store(true, std::memory_order_release);
    made.store(state, std::memory_order_release);
}

void leave_launches() {
    if (LaunchState* state = launch_state())
        state->watching.store(false, std::memory_order_release);
}

void note_backward() {
    LaunchState* state = launch_state();
    if (state == nullptr || !state->watching.load(std::memory_order_relaxed)) return;
    RawFrame line{};
    std::uintptr_t at = 0;
    const std::uintptr_t top = own_top(*state->python);
    LaunchStream* on = state->sites.stream(nullptr, device);
    if (on == nullptr || top == 0 ||
        own_line(*state->python, state->origins, top, line, at) != OwnLine::found)
        return;
    bool fresh = false;
    // This launches nothing itself, so it is never reported.
    static const char backward = 0;
    InnerFrames none{};
    none.count = InnerFrames::unknown;
    if (LaunchSite* site = state->sites.find(&backward, line, none, on, false, fresh))
        state->last.store(site, std::memory_order_release);
}

}  // namespace holdfast::agent
