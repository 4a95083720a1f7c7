#include "stall/source_loops.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "base/text.h"

namespace holdfast {
namespace {

constexpr int most_lines = 100'000;

// One statement, or the head of a compound one, which may go over several lines.
struct SourceStatement {
    int first = 0, last = 0;
    int indent = 0;
    std::string code;  // without strings and comments
};

bool in_word(char c) { return is_alnum(c) || c == '_'; }

class Statements {
public:
    explicit Statements(std::string_view text) : text_(text) {}

    std::optional<SourceStatement> next() {
        while (at_ < text_.size() && line_ <= most_lines) {
            SourceStatement statement;
            statement.indent = indent();
            statement.first = line_;
            take(statement.code);
            statement.last = line_ - 1;
            if (trim(statement.code).empty()) continue;
            statement.code = std::string(trim(statement.code));
            return statement;
        }
        return std::nullopt;
    }
    int lines() const { return line_; }

private:
    bool sees(std::string_view word) const { return text_.substr(at_).starts_with(word); }

    int indent() {
        int columns = 0;
        for (; at_ < text_.size(); ++at_) {
            if (text_[at_] == ' ')
                ++columns;
            else if (text_[at_] == '\t')
                columns = (columns / 8 + 1) * 8;
            else if (text_[at_] != '\f' && text_[at_] != '\r')
                break;
        }
        return columns;
    }

    // Up to the end of the statement, and of its last line.
    void take(std::string& code) {
        int open = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (c == '"' || c == '\'') {
                string(c);
                code += "''";
            } else if (c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
                at_ += 2;
                ++line_;
                code += ' ';
            } else if (c == '\n') {
                ++at_;
                ++line_;
                if (open == 0) return;
                code += ' ';
            } else {
                if (c == '(' || c == '[' || c == '{') ++open;
                if ((c == ')' || c == ']' || c == '}') && open > 0) --open;
                code += c == '\t' || c == '\r' ? ' ' : c;
                ++at_;
            }
        }
        ++line_;
    }

    void string(char quote) {
        const std::string three(3, quote);
        const bool is_long = sees(three);
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            if (text_[at_] == '\\') {
                if (at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++line_;
                at_ = std::min(at_ + 2, text_.size());
                continue;
            }
            if (is_long ? sees(three) : text_[at_] == quote) {
                at_ += is_long ? 3 : 1;
                return;
            }
            if (text_[at_] == '\n') {
                if (!is_long) return;
                ++line_;
            }
            ++at_;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
};

// ---- what one statement says ----

std::string_view first_word(std::string_view code) {
    std::size_t end = 0;
    while (end < code.size() && in_word(code[end])) ++end;
    return code.substr(0, end);
}

// Without "async".
std::string_view opening(std::string_view code) {
    std::string_view word = first_word(code);
    if (word == "async") word = first_word(trim(code.substr(word.size())));
    return word;
}

// The names in it; `called`: only those that are followed by a bracket.
template <class Visit>
void each_name(std::string_view code, bool called, Visit visit) {
    for (std::size_t at = 0; at < code.size();) {
        if (!in_word(code[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < code.size() && in_word(code[end])) ++end;
        std::size_t behind = end;
        while (behind < code.size() && code[behind] == ' ') ++behind;
        if (!is_digit(code[at]) && (!called || (behind < code.size() && code[behind] == '(')))
            visit(code.substr(at, end - at));
        at = end;
    }
}

template <std::size_t n>
bool calls(std::string_view code, const std::array<std::string_view, n>& beginnings) {
    bool any = false;
    each_name(code, true, [&](std::string_view name) {
        while (!name.empty() && name.front() == '_') name.remove_prefix(1);
        any = any || std::any_of(beginnings.begin(), beginnings.end(),
                                 [&](std::string_view b) { return name.starts_with(b); });
    });
    return any;
}

bool shows_progress(std::string_view code) {
    static constexpr std::array<std::string_view, 22> beginnings{
        "print", "log",  "info",     "debug",  "warn",    "error",     "critical", "write",
        "save",  "dump", "tqdm",     "trange", "track",   "progress",  "report",   "show",
        "echo",  "emit", "add_scal", "to_csv", "display", "update_bar"};
    return calls(code, beginnings);
}

bool depends_on_others(std::string_view code) {
    static constexpr std::array<std::string_view, 26> names{
        "sleep",      "wait",   "poll",      "join",         "acquire", "select", "recv",
        "recvfrom",   "accept", "send",      "is_alive",     "is_set",  "done",   "next",
        "anext",      "read",   "readline",  "readinto",     "fetch",   "input",  "exists",
        "get_nowait", "time",   "monotonic", "perf_counter", "now"};
    bool depends = first_word(code) == "await" || first_word(code) == "async";
    each_name(code, false, [&](std::string_view name) {
        depends = depends || name == "yield" || name == "await";
    });
    each_name(code, true, [&](std::string_view name) {
        depends = depends || std::find(names.begin(), names.end(), name) != names.end();
    });
    return depends;
}

// "i += 1", "left -= size", "low = low + 1": the name that it moves on by a fixed amount.
struct Advance {
    std::string name;
    bool whole = false;  // by a whole number
};

std::optional<Advance> advance_of(std::string_view code) {
    const std::string_view name = first_word(code);
    std::string_view rest = trim(code.substr(name.size()));
    if (name.empty() || rest.empty()) return std::nullopt;
    const std::size_t sign = rest.find('=');
    if (sign == std::string_view::npos || sign > 2) return std::nullopt;
    std::string_view by = trim(rest.substr(sign + 1));
    if (by.find('(') != std::string_view::npos || by.starts_with("=")) return std::nullopt;
    if (sign == 0) {
        if (first_word(by) != name) return std::nullopt;
        by = trim(by.substr(name.size()));
        if (by.empty() || std::string_view("+-*/><").find(by.front()) == std::string_view::npos)
            return std::nullopt;
        by = trim(by.substr(1));
    } else if (std::string_view("+-*/><").find(rest.front()) == std::string_view::npos) {
        return std::nullopt;
    }
    return Advance{std::string(name),
                   !by.empty() && is_digit(by.front()) && by.find('.') == std::string_view::npos};
}

// "queue.pop()", "heappop(queue)", "todo.discard(x)": what becomes smaller.
std::set<std::string> used_up(std::string_view code) {
    std::set<std::string> names;
    for (const std::string_view taking : {".pop", ".remove(", ".discard(", ".get("})
        for (std::size_t at = code.find(taking); at != std::string_view::npos;
             at = code.find(taking, at + 1)) {
            std::size_t begin = at;
            while (begin > 0 && in_word(code[begin - 1])) --begin;
            names.emplace(code.substr(begin, at - begin));
        }
    if (const std::size_t at = code.find("heappop("); at != std::string_view::npos)
        names.emplace(first_word(code.substr(at + 8)));
    return names;
}

// ---- a loop, while its lines are read ----

struct Reading {
    bool is_while = false;
    bool exact = false;  // ends at one single value: a counter may step over it
    bool for_ever = false;
    bool depends = false;
    std::optional<int> body;  // the column of the statements right below it
    std::set<std::string> names;
    std::vector<Advance> advances;
    std::set<std::string> used;
    std::string before;  // the statement before

    void take_condition(std::string_view code) {
        each_name(code, false, [this](std::string_view name) { names.emplace(name); });
        exact = exact || code.find("!=") != std::string_view::npos;
    }
};

void begin_while(Reading& reading, std::string_view code) {
    reading.is_while = true;
    // Behind the colon there may be the whole body.
    std::string_view condition = code.substr(5);
    int open = 0;
    for (std::size_t at = 0; at < condition.size(); ++at) {
        const char c = condition[at];
        if (c == '(' || c == '[' || c == '{') ++open;
        if (c == ')' || c == ']' || c == '}') --open;
        if (c == ':' && open == 0 && !(at + 1 < condition.size() && condition[at + 1] == '=')) {
            condition = condition.substr(0, at);
            break;
        }
    }
    condition = trim(condition);
    reading.for_ever = condition == "True" || condition == "1" || condition == "(True)";
    if (!reading.for_ever) reading.take_condition(condition);
    reading.depends = depends_on_others(code);
}

void take_line(Reading& reading, const SourceStatement& statement) {
    const std::string& code = statement.code;
    if (!reading.body) reading.body = statement.indent;
    reading.depends = reading.depends || depends_on_others(code);
    // The way out of `while True`.
    const std::string_view word = first_word(code);
    const bool leaves = word == "break" || word == "return" || word == "raise";
    if (reading.for_ever && leaves) reading.take_condition(reading.before);
    if (reading.for_ever && (word == "if" || word == "elif") &&
        (code.find(": break") != std::string::npos || code.find(": return") != std::string::npos))
        reading.take_condition(code);
    reading.before = word == "if" || word == "elif" || word == "else" ? code : reading.before;
    if (statement.indent == *reading.body)
        if (auto advance = advance_of(code)) reading.advances.push_back(*std::move(advance));
    reading.used.merge(used_up(code));
}

bool may_turn_for_ever(const Reading& reading) {
    if (!reading.is_while || reading.depends) return false;
    const bool counted =
        std::any_of(reading.advances.begin(), reading.advances.end(), [&](const Advance& advance) {
            return reading.names.contains(advance.name) && (!reading.exact || advance.whole);
        });
    const bool emptied =
        std::any_of(reading.used.begin(), reading.used.end(),
                    [&](const std::string& name) { return reading.names.contains(name); });
    return !counted && !emptied;
}

}  // namespace

SourceLoops loops_of(std::string_view text) {
    struct Block {
        int indent = 0;
        int loop = -1;  // -1: a function or a class
    };
    SourceLoops found;
    std::vector<Reading> readings;
    std::vector<Block> blocks;
    Statements statements(text);
    found.lines.resize(1);
    while (const auto statement = statements.next()) {
        while (!blocks.empty() && blocks.back().indent >= statement->indent) blocks.pop_back();
        int loop = -1;
        for (auto block = blocks.rbegin(); block != blocks.rend() && block->loop >= 0; ++block)
            loop = std::max(loop, block->loop);
        for (const Block& block : blocks) {
            if (block.loop < 0) continue;
            SourceLoop& around = found.loops[static_cast<std::size_t>(block.loop)];
            around.last = statement->last;
            around.writes = around.writes || shows_progress(statement->code);
            take_line(readings[static_cast<std::size_t>(block.loop)], *statement);
        }
        const std::string_view word = opening(statement->code);
        if (word == "def" || word == "class") {
            blocks.push_back({statement->indent, -1});
        } else if (word == "while" || word == "for") {
            SourceLoop& inner = found.loops.emplace_back();
            inner.first = statement->first;
            inner.last = statement->last;
            inner.parent = loop;
            inner.writes = shows_progress(statement->code);
            loop = static_cast<int>(found.loops.size()) - 1;
            blocks.push_back({statement->indent, loop});
            Reading& reading = readings.emplace_back();
            if (first_word(statement->code) == "while") begin_while(reading, statement->code);
        }
        found.lines.resize(static_cast<std::size_t>(statement->last) + 1);
        const bool repeats = word != "for" && statement->code.find(" for ") != std::string::npos;
        for (int line = statement->first; line <= statement->last; ++line)
            found.lines[static_cast<std::size_t>(line)] = {loop, statement->first, repeats};
    }
    for (std::size_t i = 0; i < found.loops.size(); ++i)
        found.loops[i].open = !found.loops[i].writes && may_turn_for_ever(readings[i]);
    return found;
}

}  // namespace holdfast
