#include "knowledge/places.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/text.h"
#include "knowledge/table.h"

namespace holdfast {
namespace {

using knowledge::KnowledgeRow;

bool fits(const KnowledgeRow& row, std::string_view file, std::string_view function) {
    const std::string& path = row.fields[1];
    if (row.fields[0] == "ends" ? !file.ends_with(path) : file.find(path) == std::string_view::npos)
        return false;
    std::string_view but = row.fields[2];
    while (!but.empty()) {
        const std::size_t comma = std::min(but.find(','), but.size());
        const std::string_view name = trim(but.substr(0, comma));
        if (!name.empty() && function.find(name) != std::string_view::npos) return false;
        but.remove_prefix(std::min(comma + 1, but.size()));
    }
    return true;
}

bool lies_in(std::string_view section, std::string_view file, std::string_view function = {}) {
    static const std::vector<KnowledgeRow> rows = knowledge::parse_table(knowledge::places_text);
    return std::any_of(rows.begin(), rows.end(), [&](const KnowledgeRow& row) {
        return row.section == section && fits(row, file, function);
    });
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

template <class Counts>
bool is_pause(std::string_view function, Counts counts) {
    static const std::vector<KnowledgeRow> rows = knowledge::parse_table(knowledge::pauses_text);
    const auto tells = [&](const std::string& word, bool of_class) {
        return std::any_of(rows.begin(), rows.end(), [&](const KnowledgeRow& row) {
            const std::string& known = row.fields[1];
            if (!counts(row) || (of_class && row.fields[2] == "method")) return false;
            return row.fields[0] == "is" ? word == known : word.starts_with(known);
        });
    };
    while (!function.empty()) {
        const std::size_t dot = std::min(function.find('.'), function.size());
        const auto words = words_of(function.substr(0, dot));
        function.remove_prefix(std::min(dot + 1, function.size()));
        const bool of_class = !function.empty() && !function.starts_with("<locals>");
        if (std::any_of(words.begin(), words.end(),
                        [&](const std::string& word) { return tells(word, of_class); }))
            return true;
    }
    return false;
}

}  // namespace

bool is_data_loading(std::string_view file, std::string_view function) {
    return lies_in("data-loading", file, function);
}

bool is_collective(std::string_view file) {
    return lies_in("collective", file) && !lies_in("launcher", file);
}

bool is_notice_wait(std::string_view file) { return lies_in("notice-wait", file); }

bool is_delivery_wait(std::string_view file) { return lies_in("delivery-wait", file); }

bool is_kernel_service(std::string_view file) { return lies_in("kernel-service", file); }

bool is_process_start(std::string_view file) { return lies_in("process-start", file); }

bool is_debugger(std::string_view file) { return lies_in("debugger", file); }

bool is_compiler(std::string_view file) { return lies_in("compiler", file); }

bool is_pause_between_steps(std::string_view function) {
    return is_pause(function, [](const KnowledgeRow&) { return true; });
}

bool is_pause_that_ends(std::string_view function) {
    return is_pause(function, [](const KnowledgeRow& row) { return row.fields[3] != "perhaps"; });
}

}  // namespace holdfast
