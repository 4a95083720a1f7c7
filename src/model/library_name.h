// What the file name of a library says about the code in it.
#pragma once

#include <string_view>

namespace holdfast {

// The C library, the loader, the interpreter, ourselves: a crash in one does not show whose fault
// it is.
bool is_everyones_library(std::string_view path);

// A library that runs a thread pool: several threads are always inside it.
bool is_thread_pool_library(std::string_view path);

}  // namespace holdfast
