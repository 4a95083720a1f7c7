// Containers of C++ that grow beyond the limit, by name: std::bad_alloc is caught and survived.
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

void vector_doubles() {
    std::vector<double> grown;
    for (;;) grown.push_back(1.0);
}

void vector_of_vectors() {
    std::vector<std::vector<char>> kept;
    for (;;) kept.emplace_back(100'000, 'x');
}

void map_nodes() {
    std::map<int, std::string> kept;
    for (int i = 0;; ++i) kept[i] = "a string long enough to live on the heap";
}

void list_strings() {
    std::list<std::string> kept;
    for (;;) kept.emplace_back(200, 'x');
}

void hash_table() {
    std::unordered_map<long, long> kept;
    for (long i = 0;; ++i) kept[i] = i;
}

void plain_new() {
    std::vector<std::unique_ptr<char[]>> kept;
    for (;;) {
        kept.emplace_back(new char[3 << 20]);
        std::memset(kept.back().get(), 1, 3 << 20);
    }
}

struct Program {
    const char* name;
    void (*run)();
};
constexpr Program programs[] = {
    {"vector_doubles", &vector_doubles}, {"vector_of_vectors", &vector_of_vectors},
    {"map_nodes", &map_nodes},           {"list_strings", &list_strings},
    {"hash_table", &hash_table},         {"plain_new", &plain_new},
};

}  // namespace

int main(int count, char** words) {
    for (const Program& program : programs) {
        if (count < 2 || std::strcmp(words[1], program.name) != 0) continue;
        try {
            program.run();
        } catch (const std::bad_alloc& error) {
            std::printf("SURVIVED %s\n", error.what());
            return 0;
        }
    }
    return 3;
}
