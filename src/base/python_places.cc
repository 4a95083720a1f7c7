#include "base/python_places.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <vector>

namespace holdfast {
namespace {

bool holds_one_of(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
        return text.find(part) != std::string_view::npos;
    });
}

bool ends_with_one_of(std::string_view text, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(),
                       [text](std::string_view end) { return text.ends_with(end); });
}

bool begins_with_one_of(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [text](std::string_view part) { return text.starts_with(part); });
}

// "Trainer.runTest_epoch" has the words trainer, run, test, epoch.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    bool after_lower = false;
    for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        const bool is_upper = std::isupper(letter) != 0;
        const bool part = std::isalnum(letter) != 0;
        if ((!part || (is_upper && after_lower)) && !words.back().empty()) words.emplace_back();
        if (part) words.back() += static_cast<char>(std::tolower(letter));
        after_lower = std::islower(letter) != 0;
    }
    return words;
}

}  // namespace

bool is_data_loading(std::string_view file, std::string_view function) {
    if (file.ends_with("/torch/utils/data/dataloader.py"))
        // A worker's own loop lies in another file; what is here runs where the batches are used.
        return !holds_one_of(function, {"__init__", "__del__", "_shutdown"});
    return holds_one_of(file,
                        {"/torch/utils/data/_utils/fetch.py", "/keras/src/trainers/data_adapters/",
                         "/engine/data_adapter.py", "/tensorflow/python/data/ops/iterator_ops.py",
                         "/torch/utils/data/_utils/pin_memory.py"});
}

bool is_collective(std::string_view file) {
    return holds_one_of(file, {"/torch/distributed/", "/torch/nn/parallel/distributed.py"}) &&
           !holds_one_of(file, {"/torch/distributed/run.py", "/torch/distributed/elastic/",
                                "/torch/distributed/launcher/"});
}

bool is_notice_wait(std::string_view file) { return ends_with_one_of(file, {"/threading.py"}); }

bool is_delivery_wait(std::string_view file) {
    return ends_with_one_of(
        file, {"/queue.py", "/multiprocessing/queues.py", "/multiprocessing/connection.py",
               "/multiprocessing/pool.py", "/concurrent/futures/_base.py",
               "/concurrent/futures/thread.py", "/joblib/parallel.py"});
}

bool is_debugger(std::string_view file) {
    return ends_with_one_of(file, {"/pdb.py", "/bdb.py", "/code.py"}) ||
           holds_one_of(file,
                        {"/debugpy/", "/pydevd", "/ipdb/", "/pudb/", "/IPython/core/debugger"});
}

bool is_compiler(std::string_view file) {
    return holds_one_of(
        file, {"/torch/_dynamo/", "/torch/_inductor/", "/torch/_functorch/",
               "/torch/utils/cpp_extension.py", "/triton/", "/numba/", "/jax/_src/", "/jaxlib/",
               "/cython/", "/Cython/", "/tensorflow/python/eager/polymorphic"});
}

bool is_pause_between_steps(std::string_view function) {
    // "test" begins a word of test_epoch and runTest, but none of fastest_step.
    const auto words = words_of(function);
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "load" ||
               begins_with_one_of(word, {"valid", "eval", "test", "predict", "infer", "generat",
                                         "sampl", "checkpoint", "save", "saving", "export",
                                         "upload", "download", "compil", "build", "prepar"});
    });
}

}  // namespace holdfast
