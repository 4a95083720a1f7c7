#include "model/own_code.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

#include "knowledge/own_code.h"

namespace holdfast {

bool is_own_code(std::string_view file) { return is_users(home_of_code(file.data(), file.size())); }

const Frame* innermost_own_frame(const std::vector<Frame>& frames) {
    const Frame* without_file = nullptr;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        // Libraries run made-up source, too: it counts only if no frame has a file of the user's.
        const CodeHome home = home_of_code(frame->file.data(), frame->file.size());
        if (home == CodeHome::made_up && without_file == nullptr) without_file = &*frame;
        if (home == CodeHome::own) return &*frame;
    }
    return without_file;
}

namespace {

constexpr std::string_view loading[]{"load",       "loads",     "read",     "open",    "imread",
                                     "imdecode",   "parse",     "fromfile", "loadtxt", "fromtxt",
                                     "genfromtxt", "readlines", "ingest",   "unpickle"};
// Signs of preparing, in the user's own names only: libraries build and prepare all kinds of
// things.
constexpr std::string_view preparing[]{"init",     "dataset",   "prepare", "preprocess",
                                       "tokenize", "featurize", "build"};
constexpr std::string_view working[]{"fit", "train", "transform", "solve", "minimize", "optimize"};

bool any_word(const std::string& function, std::span<const std::string_view> words) {
    // Skip the class in "Corpus.read_all": a DataLoader does much besides loading.
    std::string_view rest = function;
    if (const std::size_t dot = rest.rfind('.'); dot != std::string_view::npos)
        rest.remove_prefix(dot + 1);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('_'), rest.size());
        std::string word(rest.substr(0, end));
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (std::find(words.begin(), words.end(), word) != words.end()) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

// A list that one expression is still making. Newer interpreters show no frame for it.
bool is_comprehension(const std::string& function) {
    for (const std::string_view name : {"<listcomp>", "<dictcomp>", "<setcomp>"})
        if (function.ends_with(name)) return true;
    return false;
}

}  // namespace

CallKind kind_of_call(const std::vector<Frame>& frames, std::size_t line) {
    if (line >= frames.size()) return CallKind::other;
    bool works = false;
    bool prepares = false;
    bool collects = false;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const bool own = is_own_code(frames[i].file);
        collects = collects || (own && i <= line && is_comprehension(frames[i].function));
        // Among the callers only the user's own names count: a library that calls back (such as a
        // loader of batches) does not say what the line does.
        if ((own || i > line) && any_word(frames[i].function, loading)) return CallKind::loads;
        prepares = prepares || (own && any_word(frames[i].function, preparing));
        // The user's own train() contains a loop; a library's is one call.
        works = works || (!own && i > line && any_word(frames[i].function, working));
    }
    if (prepares) return CallKind::prepares;
    if (collects) return CallKind::collects;
    return works ? CallKind::works : CallKind::other;
}

bool only_makes_objects(const std::vector<Frame>& frames, std::size_t line) {
    if (kind_of_call(frames, line) != CallKind::prepares) return false;
    return std::none_of(frames.begin(), frames.end(), [](const Frame& frame) {
        if (!is_own_code(frame.file)) return false;
        const bool makes = frame.function == "__init__" || frame.function.ends_with(".__init__");
        return is_comprehension(frame.function) || (!makes && any_word(frame.function, preparing));
    });
}

}  // namespace holdfast
