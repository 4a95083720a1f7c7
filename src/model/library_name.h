// What the file name of a library says about the code in it.
#pragma once

#include <string_view>

namespace holdfast {

// The C library, the loader, the interpreter, ourselves: tells nothing about whose fault it is.
bool is_everyones_library(std::string_view path);

// A library that runs a pool of threads always has several of them inside.
bool is_thread_pool_library(std::string_view path);

}  // namespace holdfast
