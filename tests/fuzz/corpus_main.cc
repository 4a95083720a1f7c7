// Runs a fuzz target without a fuzzer: over every file of its corpus, then over a fixed number of
// mutations of them, the same in every run.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

std::size_t most_runs = 20'000;
std::size_t most_bytes = std::size_t{256} << 20U;  // large inputs get fewer mutations
constexpr std::size_t small = 512;                 // up to this size an input is cut at every byte

std::size_t runs = 0;
std::size_t bytes = 0;

bool enough() { return runs >= most_runs || bytes >= most_bytes; }

void run(const Input& input) {
    // A buffer of the exact size: reading one byte too many is then seen by a sanitizer.
    const Input exact(input);
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    ++runs;
    bytes += exact.size();
}

std::vector<Input> read_corpus(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());  // directories have no fixed order
    std::vector<Input> corpus;
    for (const auto& path : files) {
        std::ifstream file(path, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return corpus;
}

class Mutator {
public:
    Mutator(const std::vector<Input>& corpus, std::uint64_t seed)
        : corpus_(corpus), random_(seed) {}

    Input next() {
        Input input = corpus_[below(corpus_.size())];
        for (std::size_t times = 1 + below(4); times > 0; --times) change(input);
        return input;
    }

private:
    // Not std::uniform_int_distribution: its numbers differ between standard libraries.
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

    void change(Input& input) {
        const auto at = [&] { return static_cast<std::ptrdiff_t>(below(input.size())); };
        switch (below(7)) {
        case 0:  // a bit
            if (!input.empty())
                input[below(input.size())] ^= static_cast<std::uint8_t>(1U << below(8));
            break;
        case 1:  // a byte
            if (!input.empty()) input[below(input.size())] = static_cast<std::uint8_t>(random_());
            break;
        case 2:  // an end
            input.resize(below(input.size() + 1));
            break;
        case 3: {  // a hole
            if (input.empty()) break;
            const std::ptrdiff_t from = at();
            const auto left =
                static_cast<std::size_t>(std::distance(input.begin() + from, input.end()));
            const auto length = static_cast<std::ptrdiff_t>(below(left + 1));
            input.erase(input.begin() + from, input.begin() + from + length);
            break;
        }
        case 4: {  // the head of one, the tail of another
            const Input& other = corpus_[below(corpus_.size())];
            input.resize(below(input.size() + 1));
            const auto from = static_cast<std::ptrdiff_t>(below(other.size() + 1));
            input.insert(input.end(), other.begin() + from, other.end());
            break;
        }
        case 5: {  // a binary number that readers get wrong
            static constexpr std::uint64_t numbers[] = {
                0,          1,           0x7f,       0x80,
                0xff,       0x7fff,      0xffff,     0x7fffffff,
                0x80000000, 0xffffffffU, 1ULL << 32, std::numeric_limits<std::int64_t>::max(),
                1ULL << 63, ~0ULL};
            const std::uint64_t number = numbers[below(std::size(numbers))];
            const std::size_t width = std::size_t{1} << below(4);
            if (input.size() < width) break;
            const std::size_t from = below(input.size() - width + 1);
            for (std::size_t i = 0; i < width; ++i)
                input[from + i] = static_cast<std::uint8_t>(number >> (8 * i));
            break;
        }
        default: {  // the same in text
            static const std::string texts[] = {"0",
                                                "-1",
                                                "4294967296",
                                                "9223372036854775807",
                                                "18446744073709551615",
                                                "99999999999999999999999",
                                                "max",
                                                "nan",
                                                "\n",
                                                ":",
                                                " ",
                                                "/..",
                                                std::string(1, '\0')};
            const std::string& text = texts[below(std::size(texts))];
            const auto from = static_cast<std::ptrdiff_t>(below(input.size() + 1));
            input.insert(input.begin() + from, text.begin(), text.end());
            break;
        }
        }
    }

    const std::vector<Input>& corpus_;
    std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 4) {
        std::fprintf(stderr, "usage: %s CORPUS_DIR [RUNS [SEED]]\n", argv[0]);
        return 2;
    }
    if (argc > 2) {  // this many, however long they take
        most_runs = std::strtoull(argv[2], nullptr, 10);
        most_bytes = std::numeric_limits<std::size_t>::max();
    }
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 20'000;
    const std::vector<Input> corpus = read_corpus(argv[1]);
    if (corpus.empty()) {
        std::fprintf(stderr, "%s: no files: nothing was tested\n", argv[1]);
        return 1;
    }
    run({});
    for (const Input& input : corpus) run(input);
    for (const Input& input : corpus)
        for (std::size_t length = 0; input.size() <= small && length < input.size(); ++length)
            if (!enough())
                run(Input(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(length)));
    Mutator mutator(corpus, seed);
    while (!enough()) run(mutator.next());
    std::printf("%zu inputs from a corpus of %zu\n", runs, corpus.size());
    return 0;
}
