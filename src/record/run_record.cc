#include "record/run_record.h"

#include <optional>
#include <utility>

namespace holdfast {
namespace {

using format::BoxKind;
using format::SectionId;

constexpr std::size_t verdict_limit = 1U << 20U;

void note_damage(RunRecord& record, const char* name, const BoxReader& box) {
    if (box.truncated()) record.damage.push_back(std::string(name) + ": truncated");
    if (box.damaged() != 0)
        record.damage.push_back(std::string(name) + ": " + std::to_string(box.damaged()) +
                                (box.damaged() == 1 ? " record" : " records") +
                                " not whole, passed over");
}

void take_machine(RunRecord& record, BoxReader box) {
    record.machine_header = box.header();
    record.samples = box.records<format::Sample>(SectionId::samples);
    record.history = box.records<format::Sample>(SectionId::history);
    record.processes = box.records<format::Process>(SectionId::processes);
    record.cgroups = box.rows<format::Cgroup>(SectionId::cgroups);
    record.events = box.records<format::Event>(SectionId::events);
    record.disks = box.records<format::Disk>(SectionId::disks);
    record.neighbours = box.records<format::Neighbour>(SectionId::neighbours);
    record.stacks = box.records<format::Stacks>(SectionId::stacks);
    record.stalls = box.records<format::Stall>(SectionId::stalls);
    record.stalled = box.records<format::StalledProcess>(SectionId::stalled);
    const auto ends = box.records<format::End>(SectionId::end);
    if (!ends.empty()) record.end = ends.front();
    note_damage(record, run_file::machine, box);
}

void take_output(RunRecord& record, const BoxReader& box) {
    record.output = box.output();
    note_damage(record, run_file::output, box);
}

void take_gpu(RunRecord& record, BoxReader box) {
    record.gpus = box.records<format::Gpu>(SectionId::gpus);
    note_damage(record, run_file::gpu, box);
}

void take_agents(RunRecord& record, AgentsRead read) {
    record.agents = std::move(read.agents);
    record.agents_refused = read.refused;
    if (read.truncated) record.damage.push_back(std::string(run_file::agent) + ": truncated");
}

// A missing box is not damage: the run had no relay or no GPU, or it was clean and was shrunk.
template <class Box>
bool present(RunRecord& record, const Result<Box>& box) {
    if (box) return true;
    if (box.error().number != ENOENT) record.damage.push_back(box.error().text);
    return false;
}

}  // namespace

Result<RunRecord> read_run(const RunDirectory& directory) {
    RunRecord record;
    record.id = directory.id();
    record.path = directory.path();
    record.live = directory.is_live();

    Result<RunFacts> facts = directory.read_facts();
    Result<BoxReader> machine =
        BoxReader::open(directory.fd(), run_file::machine, BoxKind::machine);
    if (!facts && !machine)
        return Error{"run " + record.id + " cannot be read (" + facts.error().text + "; " +
                         machine.error().text + ")",
                     facts.error().number};
    if (facts)
        record.facts = std::move(*facts);
    else
        record.damage.push_back(facts.error().text);
    Result<std::string> verdict = directory.read_sealed(run_file::verdict, verdict_limit);
    if (present(record, verdict)) record.verdict_json = std::move(*verdict);
    Result<std::string> check = directory.read_sealed(run_file::check, verdict_limit);
    if (present(record, check)) record.check_json = std::move(*check);

    if (present(record, machine))
        take_machine(record, std::move(*machine));
    else if (machine.error().number == ENOENT && !record.verdict_json)
        record.damage.push_back(std::string(run_file::machine) + ": missing");
    const Result<BoxReader> output =
        BoxReader::open(directory.fd(), run_file::output, BoxKind::output);
    if (present(record, output)) take_output(record, *output);
    Result<BoxReader> gpu = BoxReader::open(directory.fd(), run_file::gpu, BoxKind::gpu);
    if (present(record, gpu)) take_gpu(record, std::move(*gpu));
    Result<AgentsRead> agents = read_agents(directory);
    if (present(record, agents)) take_agents(record, std::move(*agents));
    Result<std::vector<CrashRecord>> crashes = read_crashes(directory);
    if (present(record, crashes)) record.crashes = std::move(*crashes);
    record.cells = read_cells(directory);
    return record;
}

Result<RunRecord> read_run(const RunFacts& facts, const BoxFds& boxes) {
    RunRecord record;
    record.id = facts.id;
    record.live = true;
    record.facts = facts;
    const auto open = [&](int fd, BoxKind kind, const char* name) -> std::optional<BoxReader> {
        if (fd < 0) return std::nullopt;
        Result<BoxReader> box = BoxReader::from_fd(fd, kind).context(name);
        if (!present(record, box)) return std::nullopt;
        return std::move(*box);
    };
    if (auto box = open(boxes.machine, BoxKind::machine, run_file::machine))
        take_machine(record, std::move(*box));
    if (auto box = open(boxes.output, BoxKind::output, run_file::output)) take_output(record, *box);
    if (auto box = open(boxes.gpu, BoxKind::gpu, run_file::gpu)) take_gpu(record, std::move(*box));
    if (boxes.agent >= 0) {
        Result<AgentsRead> agents = read_agents(boxes.agent).context(run_file::agent);
        if (present(record, agents)) take_agents(record, std::move(*agents));
    }
    if (boxes.crash >= 0) {
        Result<std::vector<CrashRecord>> crashes =
            read_crashes(boxes.crash).context(run_file::crash);
        if (present(record, crashes)) record.crashes = std::move(*crashes);
    }
    return record;
}

}  // namespace holdfast
