// Threads of C++: a pool that cannot have them, and two that fight over one table.
#include <chrono>
#include <thread>
#include <vector>

extern "C" void start_threads(int count) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([] { std::this_thread::sleep_for(std::chrono::seconds(20)); });
    for (auto& thread : threads) thread.join();
}

namespace {
std::vector<int>* volatile table = nullptr;
}

extern "C" void race(int rounds) {
    table = new std::vector<int>(16);
    auto grow = [rounds] {
        for (int i = 0; i < rounds; ++i) {
            std::vector<int>* old = table;
            table = new std::vector<int>(static_cast<std::size_t>(16 + i % 1000));
            delete old;
        }
    };
    std::thread a(grow), b(grow);
    a.join();
    b.join();
}
