#include "evidence/comprehensions.h"

#include <cctype>
#include <map>
#include <string>

#include "base/text.h"
#include "model/own_code.h"

namespace holdfast {
namespace {

struct Bracket {
    char opens = 0;
    int line = 0;
    bool repeats = false;  // a `for` stands directly in it
};

class Scan {
public:
    explicit Scan(std::string_view text) : rest_(text) {}

    std::vector<LineRange> all() {
        while (!rest_.empty()) {
            const char c = rest_.front();
            if (c == '#')
                skip_comment();
            else if (c == '\'' || c == '"')
                skip_string();
            else if (is_name(c))
                take_name();
            else
                take_sign(c);
        }
        return std::move(found_);
    }

private:
    static bool is_name(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    }

    void skip(std::size_t count) {
        for (const char c : rest_.substr(0, count)) line_ += c == '\n' ? 1 : 0;
        rest_.remove_prefix(std::min(count, rest_.size()));
    }

    void skip_comment() { skip(std::min(rest_.find('\n'), rest_.size())); }

    void skip_string() {
        const std::string triple(3, rest_.front());
        const bool is_triple = rest_.starts_with(triple);
        const std::string_view quote = rest_.substr(0, is_triple ? 3 : 1);
        std::size_t at = quote.size();
        while (at < rest_.size() && rest_.substr(at, quote.size()) != quote) {
            if (rest_[at] == '\n' && !is_triple) break;  // not closed
            at += rest_[at] == '\\' ? 2 : 1;
        }
        skip(at + quote.size());
    }

    void take_name() {
        std::size_t size = 0;
        while (size < rest_.size() && is_name(rest_[size])) ++size;
        if (rest_.substr(0, size) == "for" && !open_.empty()) open_.back().repeats = true;
        skip(size);
    }

    void take_sign(char c) {
        if (c == '(' || c == '[' || c == '{') open_.push_back({c, line_});
        if ((c == ')' || c == ']' || c == '}') && !open_.empty()) {
            const Bracket bracket = open_.back();
            open_.pop_back();
            if (bracket.repeats && bracket.opens != '(') found_.push_back({bracket.line, line_});
        }
        skip(1);
    }

    std::string_view rest_;
    int line_ = 1;
    std::vector<Bracket> open_;
    std::vector<LineRange> found_;
};

// "3.12.1", "3.14.3"
bool hides_comprehensions(std::string_view python) {
    if (!python.starts_with("3.")) return false;
    python.remove_prefix(2);
    const auto minor = parse_number<int>(python.substr(0, python.find('.')));
    return minor && *minor >= 12;
}

// What stands in brackets, and is a function of its own in every version.
bool has_own_frame(std::string_view function) {
    return function.ends_with("<lambda>") || function.ends_with("<genexpr>");
}

}  // namespace

std::vector<LineRange> comprehensions_in(std::string_view source) { return Scan(source).all(); }

void name_comprehensions(AgentEvidence& agent, const SourceReader& read) {
    if (!agent.memory || !hides_comprehensions(agent.python)) return;
    std::map<std::string, std::vector<LineRange>> known;
    for (Frame& frame : agent.memory->frames) {
        if (!frame.line || !is_own_code(frame.file) || has_own_frame(frame.function)) continue;
        const auto [file, is_new] = known.try_emplace(frame.file);
        if (is_new)
            if (const auto source = read(frame.file)) file->second = comprehensions_in(*source);
        for (const LineRange& lines : file->second)
            if (*frame.line >= lines.first && *frame.line <= lines.last)
                frame.function = "<listcomp>";
    }
}

}  // namespace holdfast
