#include "kernel_end.h"

#include <sys/wait.h>
#include <unistd.h>

#include "jupyter/last_words.h"
#include "jupyter/leftovers.h"
#include "present/notebook_message.h"

namespace holdfast::cli {
namespace {

// The script has deadlines of its own; this one is for a Python that hangs.
constexpr Nanos patience = std::chrono::seconds(9);

bool ended_well(int wait_status) { return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0; }

}  // namespace

KernelEnd::KernelEnd(std::string connection_file)
    : connection_file_(std::move(connection_file)), launcher_(::getppid()) {}

void KernelEnd::prepare(const FinishedRun& finished) {
    if (!finished.directory) return;
    const auto cells = read_cells(*finished.directory);
    if (!cells || cells->python.empty()) return;
    if (ended_well(finished.wait_status) && waiting_cells(cells).empty()) return;
    if (auto mourner = Mourner::start(cells->python)) mourner_.emplace(std::move(*mourner));
}

KernelEnd::Said KernelEnd::speak(const FinishedRun& finished, const RunRecord& record,
                                 const Verdict& verdict) {
    const bool deserted = ::getppid() != launcher_;
    if (deserted || was_asked_for(verdict, record.events, launcher_)) return Said::nothing;
    const bool nobody_waits = waiting_cells(record.cells).empty();
    if (nobody_waits && ended_well(finished.wait_status)) return Said::nothing;
    if (!record.cells || !mourner_) return Said::later;
    if (const auto roots = sources::Roots::open()) end_leftovers(*roots, mourner_->pid());
    const NotebookMessage words = notebook_message(verdict);
    if (mourner_->speak(words_json(connection_file_, words, *record.cells), patience))
        return Said::in_the_cell;
    if (finished.directory) (void)leave_untold(*finished.directory, connection_file_, words);
    return Said::later;
}

}  // namespace holdfast::cli
