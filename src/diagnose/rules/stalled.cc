// HF702, HF703 and HF705: no data, no step, no answer from a disk.
#include <array>

#include "base/format.h"
#include "base/python_places.h"
#include "diagnose/exception_text.h"
#include "diagnose/inside.h"
#include "diagnose/rules/rules.h"
#include "diagnose/stall_finding.h"
#include "diagnose/waits.h"
#include "diagnose/words.h"

namespace holdfast::rules {

std::optional<Finding> loader_stall(const Death& death) {
    const std::optional<Standstill> stand = standstill_of(death);
    if (!stand || stand->kind != StandstillKind::loader_stall) return std::nullopt;
    const bool has_worker = stand->culprit != stand->waiting;
    const bool stopped = stand->thread->wait == WaitKind::stopped;
    const std::string who = name_of(death, *stand->waiting);
    std::string summary =
        has_worker
            ? formatted("{} has waited {} for data from {}, which {}.", who, for_how_long(*stand),
                        name_of(death, *stand->culprit), what_it_does(*stand->thread))
            : formatted("{} has waited {} for the next batch: it {}.", who, for_how_long(*stand),
                        what_it_does(*stand->thread));
    const bool decisive = stopped || stand->stall->inside_only || steps_overdue(*stand) ||
                          stand->stall->told.has_value();
    Finding finding =
        stall_finding(death, *stand, "loader-stall"_cause,
                      decisive ? Confidence::certain : Confidence::likely, std::move(summary));
    if (stopped) {
        finding.fixes.push_back(
            {"Let the worker go on.", formatted("kill -CONT {}", stand->culprit->pid)});
        return finding;
    }
    finding.fixes.push_back(
        {"Give the loader a time limit: a hang becomes an exception that "
         "names the worker.",
         "DataLoader(..., timeout=120)"});
    if (stand->thread->wait == WaitKind::read || stand->thread->wait == WaitKind::poll)
        finding.fixes.push_back({"Give network and pipe reads a time limit of their own.", ""});
    return finding;
}

// By the loader's own time limit.
std::optional<Finding> loader_timeout(const Death& death) {
    static constexpr std::array table{
        ExceptionWords{"RuntimeError", "DataLoader timed out after", "", "", Confidence::certain}};
    const std::optional<ExceptionSaid> said = exception_said(death, table);
    if (!said) return std::nullopt;
    const std::optional<long> limit = number_after(said->message, "timed out after");
    Finding finding = finding_of(death, "loader-stall"_cause, *said,
                                 formatted("{} waited for data until the loader's time limit{}.",
                                           who(death), limit ? formatted(" of {} s", *limit) : ""));
    finding.fixes.push_back(
        {"See what one sample costs, without workers.", "DataLoader(..., num_workers=0)"});
    finding.fixes.push_back(
        {"If some samples may take that long, allow for it, or let more workers work ahead.",
         "DataLoader(..., timeout=600, num_workers=8, prefetch_factor=4)"});
    return finding;
}

std::optional<Finding> no_progress(const Death& death) {
    const std::optional<Standstill> stand = standstill_of(death);
    if (!stand || stand->kind != StandstillKind::no_progress) return std::nullopt;
    const StallEvidence& stall = *stand->stall;
    const std::optional<Where> where = own_place(stand->thread->frames);
    const std::string usual =
        stall.usual ? formatted(", where one usually takes {}", human(*stall.usual)) : "";
    Finding finding = stall_finding(
        death, *stand, "no-progress"_cause, stall.told ? Confidence::certain : Confidence::likely,
        formatted("{} is busy, but no step has ended {}{}{}.", name_of(death, *stand->culprit),
                  for_how_long(*stand), usual,
                  where ? "; it was last seen at " + file_and_line(*where) : ""));
    finding.fixes.push_back(
        {"Look at the loop around this line: its condition may never be met.", ""});
    finding.fixes.push_back(
        {"If it is meant to take that long, tell Holdfast of its progress.", "holdfast.step()"});
    return finding;
}

std::optional<Finding> io_stall(const Death& death) {
    const std::optional<Standstill> stand = standstill_of(death);
    if (!stand || stand->kind != StandstillKind::io_stall) return std::nullopt;
    const WaitingThread& thread = *stand->thread;
    const std::string on = thread.target.empty() ? std::string() : " on " + thread.target;
    const std::optional<Where> where = own_place(thread.frames);
    const bool named = !thread.wait_channel.empty();
    Finding finding = stall_finding(
        death, *stand, "io-stall"_cause, named ? Confidence::certain : Confidence::likely,
        formatted("{} has been blocked in the kernel {}{}{}{}.", name_of(death, *stand->culprit),
                  for_how_long(*stand), on, where ? ", called from " + file_and_line(*where) : "",
                  named ? formatted(" ({})", thread.wait_channel) : ""));
    finding.fixes.push_back({"See whether the filesystem answers anybody.",
                             "timeout 5 ls DIRECTORY; dmesg | tail; nfsstat -c"});
    finding.fixes.push_back({"Copy the data to a local disk before training.", ""});
    return finding;
}

}  // namespace holdfast::rules
