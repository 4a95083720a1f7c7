#include "evidence/gather.h"

#include <gtest/gtest.h>

#include <csignal>

#include "evidence/synthetic_record.h"

namespace holdfast {
namespace {

using synthetic::second;
using synthetic::start;

TEST(Gather, TellsHowTheCommandEnded) {
    RunRecord record = synthetic::run();
    record.end = synthetic::end(5 * second, SIGSEGV | 0x80);
    const Evidence evidence = gather(record, {});
    EXPECT_TRUE(evidence.ended);
    EXPECT_EQ(evidence.exit.signal, SIGSEGV);
    EXPECT_FALSE(evidence.exit.code);
    EXPECT_TRUE(evidence.core_dumped);
    EXPECT_EQ(evidence.end_time, Nanos(5 * second));
    EXPECT_EQ(evidence.main_pid, 100);
    EXPECT_EQ(evidence.run.command.size(), 2U);
}

TEST(Gather, UnknownFiguresStayAbsent) {
    const Evidence evidence = gather(synthetic::run(), {});
    const ProcessEvidence* main = evidence.main();
    ASSERT_NE(main, nullptr);
    EXPECT_FALSE(main->rss);
    EXPECT_FALSE(main->cpu_time);
    EXPECT_FALSE(main->limits.open_files);
    EXPECT_FALSE(main->cgroup);
    EXPECT_FALSE(main->ended);
    EXPECT_FALSE(main->exit);
}

TEST(Gather, ACgroupIsNamedBySlotInTheRecordAndByIndexInTheEvidence) {
    RunRecord record = synthetic::run();
    record.cgroups = {synthetic::cgroup(2, "/a"), synthetic::cgroup(7, "/job/train", 3)};
    record.cgroups[1].record.levels[1].limit = Bytes::mib(512).count;
    record.processes[0].cgroup = 7;
    const Evidence evidence = gather(record, {});
    const CgroupEvidence* cgroup = evidence.cgroup_of(*evidence.main());
    ASSERT_NE(cgroup, nullptr);
    ASSERT_EQ(cgroup->levels.size(), 3U);
    EXPECT_EQ(cgroup->levels[0].path, "/job/train");
    EXPECT_EQ(cgroup->levels[1].path, "/job");
    EXPECT_EQ(cgroup->levels[2].path, "/");
    EXPECT_FALSE(cgroup->levels[0].limit);
    EXPECT_EQ(cgroup->levels[1].limit, Bytes::mib(512));
}

TEST(Gather, TheCommandComesFirstThenTheOthersByAge) {
    RunRecord record = synthetic::run();
    auto late = synthetic::process(300, "late");
    late.first_seen = start + 2 * second;
    auto early = synthetic::process(200, "early");
    early.first_seen = start - second;
    record.processes.insert(record.processes.begin(), {late, early});
    const Evidence evidence = gather(record, {});
    ASSERT_EQ(evidence.processes.size(), 3U);
    EXPECT_EQ(evidence.processes[0].pid, 100);
    EXPECT_EQ(evidence.processes[1].pid, 200);
    EXPECT_EQ(evidence.processes[2].pid, 300);
}

TEST(Gather, TheMainProcessOfAScriptIsTheProgramItRuns) {
    RunRecord record = synthetic::run();
    set_fixed_text(record.processes[0].name, "bash");
    record.processes[0].program = format::ProgramKind::wrapper;
    auto program = synthetic::process(101, "python");
    program.program = format::ProgramKind::python;
    auto cleanup = synthetic::process(102, "rm");
    cleanup.first_seen = start + 9 * second;
    record.processes.push_back(program);
    record.processes.push_back(cleanup);
    EXPECT_EQ(gather(record, {}).main_pid, 101);
}

TEST(Gather, TheMainProcessOfAScriptIsThePythonOfItsPipeline) {
    RunRecord record = synthetic::run();
    set_fixed_text(record.processes[0].name, "bash");
    record.processes[0].program = format::ProgramKind::wrapper;
    auto program = synthetic::process(102, "python");
    program.program = format::ProgramKind::python;
    program.role = format::ProcessRole::helper;
    program.parent = 100;
    auto tee = synthetic::process(103, "tee");
    tee.role = format::ProcessRole::helper;
    tee.parent = 100;
    for (const auto& process : {synthetic::process(101, "mkdir"), program, tee})
        record.processes.push_back(process);
    const Evidence evidence = gather(record, {});
    EXPECT_EQ(evidence.main_pid, 102);
    EXPECT_EQ(evidence.process(102)->role, Role::main);
    EXPECT_EQ(evidence.process(103)->role, Role::helper);
}

TEST(Gather, AProgramThatIsNoWrapperStaysTheMainOne) {
    RunRecord record = synthetic::run();
    set_fixed_text(record.processes[0].name, "trainer");
    record.processes[0].program = format::ProgramKind::other;
    record.processes.push_back(synthetic::process(101, "nvidia-smi"));
    EXPECT_EQ(gather(record, {}).main_pid, 100);
}

TEST(Gather, TheKernelsWordOnAKillStandsInForAStatusNobodyCouldRead) {
    RunRecord record = synthetic::run();
    auto worker = synthetic::process(101, "python");
    worker.ended = start + 3 * second;
    record.processes.push_back(worker);
    format::Event line = synthetic::event(format::EventKind::kernel_log, 3 * second);
    set_event_text(line,
                   "Memory cgroup out of memory: Killed process 101 (python) total-vm:9kB, "
                   "anon-rss:9kB, file-rss:0kB, shmem-rss:0kB, UID:0");
    line.d = start + 3 * second;
    record.events.push_back(line);
    record.facts->in_first_pid_namespace = true;
    const Evidence evidence = gather(record, {});
    ASSERT_NE(evidence.process(101), nullptr);
    ASSERT_TRUE(evidence.process(101)->exit);
    EXPECT_EQ(evidence.process(101)->exit->signal, SIGKILL);
}

TEST(Gather, AnEndWrittenAsAnEventReachesItsProcess) {
    RunRecord record = synthetic::run();
    record.processes.push_back(synthetic::process(101, "python"));
    format::Event known = synthetic::event(format::EventKind::process_ended, 3 * second);
    known.a = 101;
    known.b = SIGKILL;
    format::Event forgotten = known;
    forgotten.a = 555;
    record.events = {known, forgotten};
    const Evidence evidence = gather(record, {});
    EXPECT_EQ(evidence.process(101)->exit->signal, SIGKILL);
    EXPECT_EQ(evidence.process(101)->ended, Nanos(3 * second));
    ASSERT_NE(evidence.process(555), nullptr);
    EXPECT_EQ(evidence.process(555)->exit->signal, SIGKILL);
}

CrashRecord segfault_of(int pid) {
    CrashRecord crash;
    crash.pid = pid;
    crash.signal = SIGSEGV;
    crash.finished = true;
    crash.thread = "python";
    crash.time = Nanos(start + second);
    return crash;
}

TEST(Gather, AWorkerThatCrashedBetweenTwoLooksIsKnownByItsCrash) {
    RunRecord record = synthetic::run();
    record.processes[0].program = format::ProgramKind::python;
    record.crashes = {segfault_of(100), segfault_of(417)};
    record.crashes.push_back(segfault_of(418));
    record.crashes.back().survived = true;  // the program's own handler dealt with it
    const Evidence evidence = gather(record, {});
    ASSERT_EQ(evidence.processes.size(), 2U);
    const ProcessEvidence* worker = evidence.process(417);
    ASSERT_NE(worker, nullptr);
    EXPECT_EQ(worker->role, Role::worker);
    EXPECT_EQ(worker->parent, 100);
    EXPECT_EQ(worker->exit->signal, SIGSEGV);
    EXPECT_EQ(worker->ended, RunTime(second));
}

TEST(Gather, BelowAShellWhatCrashedUnseenIsTheProgram) {
    RunRecord record = synthetic::run();
    record.processes[0].program = format::ProgramKind::wrapper;
    record.crashes = {segfault_of(417)};
    const Evidence evidence = gather(record, {});
    ASSERT_NE(evidence.process(417), nullptr);
    EXPECT_EQ(evidence.process(417)->role, Role::main);
}

TEST(Gather, NamesTheSenderOfASignal) {
    RunRecord record = synthetic::run();
    format::Event term = synthetic::event(format::EventKind::signal, second, "kill 100");
    term.a = SIGTERM;
    term.b = 4321;
    term.c = 1000;
    term.d = 2;
    format::Event absurd = term;
    absurd.a = 1 << 20;
    record.events = {term, absurd};
    const Evidence evidence = gather(record, {});
    ASSERT_EQ(evidence.signals.size(), 1U);
    EXPECT_EQ(evidence.signals[0].number, SIGTERM);
    EXPECT_EQ(evidence.signals[0].sender_pid, 4321);
    EXPECT_EQ(evidence.signals[0].sender, "kill 100");
    EXPECT_FALSE(evidence.signals[0].from_kernel);
    EXPECT_TRUE(evidence.signals[0].whole_group);
}

TEST(Gather, TheHostsLeastFreeMemoryIsOfTheWholeRun) {
    RunRecord record = synthetic::run();
    record.history = {synthetic::sample(0), synthetic::sample(second)};
    record.history[0].mem_available = 50;
    record.history[0].vm_oom_kill = 3;
    record.history[1].mem_available = 10;
    record.samples = {synthetic::sample(2 * second)};
    record.samples[0].mem_available = 40;
    record.samples[0].vm_oom_kill = 4;
    const HostEvidence host = gather(record, {}).host;
    EXPECT_EQ(host.available_least, Bytes{10});
    EXPECT_EQ(host.available_last, Bytes{40});
    EXPECT_EQ(host.oom_kill_first, 3U);
    EXPECT_EQ(host.oom_kill_last, 4U);
}

TEST(Gather, WhatWasPromisedCountsBeforeItIsGivenBack) {
    RunRecord record = synthetic::run();
    record.samples = {synthetic::sample(0), synthetic::sample(4 * second),
                      synthetic::sample(5 * second)};
    record.samples[0].committed = 900;
    record.samples[1].committed = 700;
    record.samples[2].committed = 100;
    EXPECT_EQ(gather(record, {}).host.committed, Bytes{700});
}

TEST(Gather, ReadsTheTracebackInTheOutput) {
    RunRecord record = synthetic::run();
    record.facts->output.kind = OutputCapture::Kind::relay;
    record.output.emplace();
    record.output->text =
        "Traceback (most recent call last):\n  File \"/home/ada/train.py\", line 3, in "
        "<module>\nMemoryError\n";
    record.output->taken = record.output->text.size();
    const Evidence evidence = gather(record, {});
    ASSERT_TRUE(evidence.traceback);
    EXPECT_EQ(evidence.traceback->type, "MemoryError");
    EXPECT_TRUE(evidence.stderr_seen);
}

format::Event not_seen(MissingKind what, std::string_view detail = {}) {
    format::Event event = synthetic::event(format::EventKind::missing, second, detail);
    event.a = static_cast<std::int64_t>(what);
    return event;
}

TEST(Gather, WhatCouldNotBeSeenIsToldOnce) {
    RunRecord record = synthetic::run();
    record.events = {not_seen(MissingKind::kernel_log_closed),
                     not_seen(MissingKind::kernel_log_closed),
                     not_seen(MissingKind::guard_off, "no room")};
    record.damage = {"machine.box: truncated"};
    record.facts->output.kind = OutputCapture::Kind::terminal;
    const Evidence evidence = gather(record, {});
    EXPECT_EQ(evidence.missing[0], (Missing{MissingKind::kernel_log_closed, ""}));
    EXPECT_EQ(evidence.missing[1], (Missing{MissingKind::guard_off, "no room"}));
    EXPECT_EQ(evidence.missing[2],
              (Missing{MissingKind::record_damaged, "machine.box: truncated"}));
    EXPECT_TRUE(is_missing(evidence.missing, MissingKind::stderr_text));
    EXPECT_TRUE(is_missing(evidence.missing, MissingKind::kernel_log));
}

TEST(Gather, AReasonThatNamesTheKernelLogIsNotAboutIt) {
    RunRecord record = synthetic::run();
    record.end = synthetic::end(second, SIGKILL);
    record.events = {not_seen(MissingKind::from_inside, "cannot open /home/kernel log/stderr")};
    const Evidence evidence = gather(record, {});
    EXPECT_TRUE(evidence.kernel_log_complete);
    EXPECT_FALSE(is_missing(evidence.missing, MissingKind::kernel_log));
}

TEST(Gather, ALogThatWasNotReadOrOnlyInPartIsNotComplete) {
    for (const MissingKind what : {MissingKind::kernel_log_closed, MissingKind::kernel_log_cut}) {
        RunRecord record = synthetic::run();
        record.end = synthetic::end(second, SIGKILL);
        record.events = {not_seen(what)};
        EXPECT_FALSE(gather(record, {}).kernel_log_complete);
    }
}

TEST(Gather, ARecordFromBeforeThereWereKindsHasSentences) {
    RunRecord record = synthetic::run();
    record.end = synthetic::end(second, SIGKILL);
    record.events = {not_seen(MissingKind::unsaid, "kernel log not readable by this user")};
    const Evidence evidence = gather(record, {});
    EXPECT_EQ(evidence.missing[0],
              (Missing{MissingKind::kernel_log, "kernel log not readable by this user"}));
    EXPECT_FALSE(evidence.kernel_log_complete);
}

TEST(Gather, AKindOfANewerHoldfastIsToldByItsText) {
    RunRecord record = synthetic::run();
    record.events = {not_seen(MissingKind::other, "no moon")};
    record.events[0].a = 200;
    EXPECT_EQ(gather(record, {}).missing[0], (Missing{MissingKind::other, "no moon"}));
}

TEST(Gather, LivesOnTheMachineBoxAlone) {
    RunRecord record = synthetic::run();
    record.facts.reset();
    record.machine_header->created = start;
    record.end = synthetic::end(second, 0);
    const Evidence evidence = gather(record, {});
    EXPECT_EQ(evidence.exit.code, 0);
    EXPECT_EQ(evidence.end_time, Nanos(second));
    EXPECT_EQ(evidence.main_pid, 100);
}

TEST(Gather, AbsurdRecordsBecomeNothingWorse) {
    RunRecord record = synthetic::run();
    record.facts->started = Nanos(INT64_MAX);
    record.facts->started_wall = Nanos(INT64_MIN);
    record.facts->scheduler.ends_at_wall_seconds = INT64_MAX;
    auto nobody = synthetic::process(-7, "x");
    auto odd = synthetic::process(5, "odd");
    odd.cgroup = INT32_MAX;
    odd.first_seen = INT64_MIN;
    odd.last_seen = INT64_MAX;
    odd.ended = INT64_MAX;
    odd.wait_status = INT32_MAX;
    odd.role = static_cast<format::ProcessRole>(200);
    odd.state = '\x1b';
    record.processes = {nobody, odd};
    auto cgroup = synthetic::cgroup(0, "no slash", 4'000'000'000U);
    cgroup.record.levels[1].components_up = 4'000'000'000U;
    cgroup.record.last_seen = INT64_MIN;
    record.cgroups = {cgroup};
    format::Event moved = synthetic::event(format::EventKind::oom_kill_moved, 0);
    moved.a = std::int64_t{1} << 31U;
    moved.c = 5;
    format::Event text = synthetic::event(format::EventKind::kernel_log, 0, "x");
    text.text_size = ~0U;
    text.d = INT64_MIN;
    record.events = {moved, text};
    const Evidence evidence = gather(record, {});
    ASSERT_EQ(evidence.processes.size(), 1U);
    EXPECT_FALSE(evidence.processes[0].cgroup);
    EXPECT_FALSE(evidence.processes[0].exit);
    EXPECT_FALSE(evidence.processes[0].state);
    EXPECT_EQ(evidence.processes[0].role, Role::helper);
    EXPECT_EQ(evidence.cgroups[0].levels.size(), format::cgroup_levels);
    EXPECT_EQ(evidence.cgroups[0].levels[1].path, "/");
    EXPECT_TRUE(evidence.cgroups[0].kills.empty());
    EXPECT_FALSE(evidence.scheduler.ends_at);
}

}  // namespace
}  // namespace holdfast
