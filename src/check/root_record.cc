#include "check/root_record.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::check {
namespace {

constexpr std::string_view first_line = "# holdfast check root 1";
constexpr std::size_t most_entries = 200'000;

bool is_below(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) &&
           (path.size() == folder.size() || path[folder.size()] == '/' || folder.ends_with('/'));
}

std::string_view path_of(std::string_view key) {
    const std::size_t blank = key.find(' ');
    return blank == std::string_view::npos ? std::string_view() : key.substr(blank + 1);
}

}  // namespace

void RootRecord::add(const RootRecord& later) {
    for (const auto& [key, value] : later.entries) {
        if (!key.starts_with("gone ")) continue;
        const std::string_view gone = path_of(key);
        std::erase_if(entries, [&](const auto& entry) {
            return is_below(path_of(entry.first), gone) && !entry.first.starts_with("var ");
        });
        entries.erase("var " + std::string(gone));
        entries.erase("cached " + std::string(gone));
        if (gone == "gpus") gpus = {};
        if (gone == "log") log.reset();
    }
    for (const auto& [key, value] : later.entries)
        if (!key.starts_with("gone ")) entries[key] = value;
    for (const Edit& edit : later.edits) {
        std::string& text = entries["file " + edit.path];
        std::string changed;
        for (std::string_view rest = text; const auto line = next_line(rest);)
            changed += (line->starts_with(edit.from) ? edit.to : std::string(*line)) + '\n';
        text = std::move(changed);
    }
    if (later.gpus_asked) {
        gpus = later.gpus;
        gpus_asked = true;
    }
    if (later.log) log = later.log;
    expects.insert(expects.end(), later.expects.begin(), later.expects.end());
}

RootRecord parse_root(std::string_view text) {
    RootRecord record;
    std::string* body = nullptr;
    while (const auto line = next_line(text)) {
        if (line->starts_with('|')) {
            if (body == nullptr) continue;
            *body += line->substr(1);
            *body += '\n';
            continue;
        }
        body = nullptr;
        if (line->empty() || line->starts_with('#')) continue;
        std::string_view rest = *line;
        const std::string_view kind = next_piece(rest, ' ').value_or("");
        if (kind == "expect") {
            record.expects.emplace_back(rest);
        } else if (kind == "from") {
            record.from = std::string(rest);
        } else if (kind == "edit") {
            const std::size_t equals = rest.find(" = ");
            const std::size_t arrow = rest.find(" ==> ");
            if (equals < arrow && arrow != std::string_view::npos)
                record.edits.push_back({std::string(rest.substr(0, equals)),
                                        std::string(rest.substr(equals + 3, arrow - equals - 3)),
                                        std::string(rest.substr(arrow + 5))});
        } else if (kind == "gpu") {
            record.gpus.lines.emplace_back(rest);
            record.gpus_asked = true;
        } else if (kind == "nogpu") {
            record.gpus.absent_because = std::string(rest);
            record.gpus_asked = true;
        } else if (kind == "log") {
            if (!record.log) record.log.emplace();
            if (!rest.empty()) record.log->emplace_back(rest);
        } else if (record.entries.size() < most_entries) {
            // Either "kind PATH = value" on one line, or the value in the lines below, which begin
            // with '|'.
            const std::size_t equals = rest.find(" = ");
            std::string key = std::string(kind) + ' ' + std::string(rest.substr(0, equals));
            std::string& value = record.entries[key];
            value = equals == std::string_view::npos ? "" : std::string(rest.substr(equals + 3));
            body = &value;
        }
    }
    return record;
}

std::string to_text(const RootRecord& record) {
    std::string text = std::string(first_line) + '\n';
    if (!record.from.empty()) text += "from " + record.from + '\n';
    for (const std::string& line : record.expects) text += "expect " + line + '\n';
    for (const auto& [key, value] : record.entries) {
        const bool lines = key.starts_with("file ") || key.starts_with("elf ");
        text += key;
        if (!lines) {
            std::string one = value;
            std::replace(one.begin(), one.end(), '\n', ' ');
            text += " = " + one + '\n';
            continue;
        }
        text += '\n';
        for (std::string_view rest = value; const auto line = next_line(rest);)
            text += '|' + std::string(*line) + '\n';
    }
    for (const std::string& line : record.gpus.lines) text += "gpu " + line + '\n';
    if (record.gpus_asked && record.gpus.lines.empty())
        text += "nogpu " + record.gpus.absent_because + '\n';
    if (record.log) {
        text += "log\n";
        for (const std::string& line : *record.log) text += "log " + line + '\n';
    }
    return text;
}

RootRecord masked(const RootRecord& record, const Names& names) {
    struct Pair {
        std::string from, to;
    };
    std::vector<Pair> pairs;
    const auto add = [&](const std::string& from, const std::string& to) {
        if (from.size() >= 3) pairs.push_back({from, to});
    };
    const auto deep = [](const std::string& path) {
        return std::count(path.begin(), path.end(), '/') >= 2;
    };
    if (deep(names.directory)) add(names.directory, "/work");
    if (deep(names.home)) {
        add(names.home, "/home/user");
        const std::string user(base_name(names.home));
        if (user.size() >= 3) add('/' + user + '/', "/user/");
    }
    add(names.host, "host");
    const auto mask = [&](std::string text) {
        for (const Pair& pair : pairs)
            for (std::size_t at = 0; (at = text.find(pair.from, at)) != std::string::npos;
                 at += pair.to.size())
                text.replace(at, pair.from.size(), pair.to);
        return text;
    };
    RootRecord hidden = record;
    hidden.entries.clear();
    for (const auto& [key, value] : record.entries) hidden.entries[mask(key)] = mask(value);
    return hidden;
}

}  // namespace holdfast::check
