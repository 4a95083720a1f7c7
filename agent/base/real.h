// The next definition of a function that we wrap, found once.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace holdfast::agent {

// constinit, so that it works before any constructor has run. `static constinit Real<decltype(&
// ::execve)> real{"execve"}; real()(...)`.
template <class Function>
class Real {
public:
    constexpr explicit Real(const char* name) : name_(name) {}
    Function operator()() {
        Function found = found_.load(std::memory_order_relaxed);
        if (found == nullptr) {
            found = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name_));
            found_.store(found, std::memory_order_relaxed);
        }
        return found;
    }

private:
    const char* name_;
    std::atomic<Function> found_{nullptr};
};

}  // namespace holdfast::agent
