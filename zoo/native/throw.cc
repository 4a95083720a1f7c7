// C++ code that ends in an exception nobody catches.
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <vector>

extern "C" void take_too_much() {
    std::vector<double> index;
    index.resize(std::size_t{1} << 45U);
}

extern "C" void give_up() { throw std::runtime_error("index is not trained"); }
