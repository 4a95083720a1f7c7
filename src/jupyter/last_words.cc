#include "jupyter/last_words.h"

#include <algorithm>
#include <csignal>
#include <optional>

#include "base/json.h"

namespace holdfast {
namespace {

Json parsed(const std::string& text) {
    const auto value = Json::parse(text);
    return value && value->is_object() ? *value : Json::object();
}

}  // namespace

bool was_asked_for(const Verdict& verdict, const std::vector<format::Event>& events,
                   int launcher_pid) {
    if (verdict.end.cause == "shut-down"_cause || verdict.root.cause == "shut-down"_cause)
        return true;
    // A shutdown interrupts the kernel first, and R's kernel then exits with a status.
    const bool interrupted = verdict.end.cause == "interrupted"_cause;
    const auto signal = interrupted ? std::optional(SIGINT) : verdict.exit.signal;
    return signal && std::any_of(events.begin(), events.end(), [&](const format::Event& event) {
               return event.kind == format::EventKind::signal && event.a == *signal &&
                      event.b == launcher_pid;
           });
}

std::vector<CellRecord> waiting_cells(const std::optional<CellsRead>& cells) {
    std::vector<CellRecord> waiting;
    if (!cells) return waiting;
    for (const CellRecord& cell : cells->cells)
        if (cell.running && !cell.request.empty()) waiting.push_back(cell);
    return waiting;
}

std::string words_json(const std::string& connection_file, const NotebookMessage& words,
                       const CellsRead& kernel) {
    Json requests = Json::list();
    std::int64_t last = 0;
    for (const CellRecord& cell : kernel.cells) last = std::max(last, cell.count);
    for (const CellRecord& cell : waiting_cells(kernel))
        requests.push_back(Json::object(
            {{"header", parsed(cell.request)}, {"ident", cell.ident}, {"count", cell.count}}));
    const Json all = Json::object({{"connection_file", connection_file},
                                   {"ename", "KernelDied"},
                                   {"evalue", words.headline},
                                   {"error", words.error},
                                   {"traceback", words.lines},
                                   {"html", words.html},
                                   {"plain", words.plain},
                                   {"kernel_info", parsed(kernel.kernel_info)},
                                   {"requests", requests},
                                   {"count", last}});
    return all.dump();
}

}  // namespace holdfast
