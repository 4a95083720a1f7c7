#include <gtest/gtest.h>

#include <csignal>

#include "base/json.h"
#include "model/every_field.h"
#include "model/json.h"

namespace holdfast {
namespace {

using testing::all_set;
using testing::same;

constexpr RunTime at(int nanos) { return RunTime(nanos); }

ProcessEvidence full_process() {
    ProcessEvidence p;
    p.pid = 4242;
    p.parent = 4200;
    p.role = Role::rank;
    p.rank = 3;
    p.name = "python";
    p.command = "python train.py --token ***";
    p.python = true;
    p.wrapper = true;
    p.first_seen = at(-5);
    p.last_seen = at(7);
    p.ended = at(8);
    p.exit = ExitStatus{1, SIGKILL};
    p.cgroup = 1;
    p.state = 'D';
    p.rss = Bytes{11};
    p.rss_peak = Bytes{12};
    p.anon = Bytes{13};
    p.shmem = Bytes{14};
    p.swap = Bytes{15};
    p.virtual_size = Bytes{16};
    p.threads = 17;
    p.open_files = 18;
    p.open_files_peak = 19;
    p.threads_peak = 20;
    p.mappings = 21;
    p.cpu_time = at(22);
    p.major_faults = 23;
    p.wait_channel = "futex_wait_queue";
    p.limits = {Bytes{1}, Bytes{2}, Bytes{3}, 4, 5, 6, 7};
    return p;
}

CgroupEvidence full_cgroup() {
    CgroupLevel level{"/job", Bytes{1}, Bytes{2},  Bytes{3},  Bytes{4}, 5,  6,  7,  8,
                      9,      10,       Bytes{11}, Bytes{12}, 13,       14, 15, 16, true};
    return {2,        {level}, {{at(1), at(2), 3, 4}}, Bytes{5}, Bytes{6}, Bytes{7}, Bytes{8},
            {31, 32}, "oomd 1"};
}

AgentEvidence full_agent() {
    const GrowthSeen growth{Bytes{1}, 20, 1.5, 0.25, 2.5, 8};
    const std::vector<Frame> frames{{"train.py", 42, "main"}};
    AgentEvidence a;
    a.pid = 4242;
    a.taken = at(1);
    a.ended = at(2);
    a.python = "3.11.7";
    a.lines_readable = true;
    a.place_time = at(3);
    a.no_line_since = at(2);
    a.place = frames;
    a.exit = ExitCallEvidence{at(4), ExitCallEvidence::How::os_exit, 3, frames};
    a.exceptions = {{at(5), true, "MainThread", "OSError", "No space", {"ValueError: x"}, frames}};
    a.notes = {{NoteEvidence::Kind::framework, at(6), 1, 2, "torch 2.11.0"}};
    a.signals = {{at(7), SIGTERM, 812, 1000, "torchrun train.py", true, true}};
    a.steps = {7, 2,   "torch optimizer", at(1), at(9), at(3), at(4), at(5), at(6),
               4, 0.5, Bytes{8},          growth};
    a.live = Bytes{9};
    a.peak = Bytes{10};
    a.memory = MemoryHistory{frames,
                             {{at(7), 8, Bytes{9}, Bytes{10}}},
                             at(11),
                             {{{1},
                               true,
                               true,
                               true,
                               true,
                               true,
                               Bytes{1},
                               Bytes{2},
                               Bytes{3},
                               Bytes{4},
                               5,
                               {Bytes{6}}}},
                             {{at(12), 13, Bytes{14}}}};
    a.sites = {{frames, Bytes{1}, Bytes{2}, Bytes{3}, true, true, Bytes{4}, 6, growth, 5}};
    a.leak = LeakEvidence{frames, Bytes{5}, Bytes{2}, true, true, growth};
    a.guard = GuardEvidence{
        3, 4, {RefusalEvidence::Kind::too_large, Nanos(7), Bytes{1}, Bytes{2}, Bytes{3}, frames}};
    a.keepers = {{at(8), "self.history", "list", "train.py", 1931, Bytes{7}, Bytes{6}, true, true,
                  28, true}};
    a.launches = LaunchesEvidence{
        at(8), true, true, true, {{"nll_loss_forward", Frame{"train.py", 42, "main"}, true, 3}}};
    return a;
}

CrashEvidence full_crash() {
    CrashEvidence c;
    c.pid = 4242;
    c.thread = "worker";
    c.time = at(7);
    c.signal = SIGSEGV;
    c.code = 1;
    c.finished = c.survived = c.in_stack_guard = c.frames_repeat = c.near_null = true;
    c.in_allocator = true;
    c.sender_pid = 77;
    c.sender_uid = 1000;
    c.address = 0xfffffffffffffff0U;
    c.native = {{"libfoo.so", "bar()", 16, "foo.cc", 3}};
    c.python = {{"MainThread", {{"train.py", 42, "main"}}}};
    c.instruction = "62 f1";
    c.exception_type = "std::runtime_error";
    c.exception_what = "no";
    c.abort_text = "free(): invalid pointer";
    c.unread = "last words";
    c.library = "libfoo.so";
    c.runtimes = {"libgomp.so.1"};
    c.mapped_file = "/data/x";
    c.shared = {{"libfoo.so", 2}};
    return c;
}

StallEvidence full_stall() {
    WaitingThread thread{4243,
                         "Thread-1",
                         'S',
                         WaitKind::lock,
                         true,
                         true,
                         true,
                         true,
                         "futex",
                         "futex_wait_queue",
                         "pipe:[7]",
                         4244,
                         {"libgomp.so.1 gomp_team_end"},
                         {{"train.py", 42, "main"}}};
    StallEvidence stall;
    stall.since = at(1);
    stall.seen = at(2);
    stall.told = at(3);
    stall.moved = at(4);
    stall.busy = stall.inside_only = true;
    stall.in_loop = 3;
    stall.steps = 7;
    stall.last_step = at(5);
    stall.usual = at(6);
    stall.longest = at(7);
    stall.cpu = at(8);
    stall.processes = {{4242, true, {thread}}};
    return stall;
}

Evidence full_evidence() {
    Evidence e;
    e.run = {"20261115-1", "baseline", {"python", "train.py"}, at(1), at(2), "gpu-07"};
    e.holdfast_version = "0.1.0";
    e.main_pid = 4242;
    e.ended = e.supervisor_lost = e.command_alive = e.core_dumped = true;
    e.kernel_log_complete = true;
    e.exit = {1, SIGTERM};
    e.end_time = at(9);
    e.processes = {full_process()};
    e.cgroups = {full_cgroup()};
    e.host = {Bytes{1}, Bytes{2}, Bytes{3}, Bytes{4}, Bytes{5}, Bytes{6}, Bytes{7},
              2,        9,        10,       11,       12.5,     true};
    e.pressure = {1.5, 2.5, 3.5, 6.5, 4.5, 5.5, at(60)};
    e.disks = {{"working directory", "/data", "ext4", Bytes{1}, Bytes{2}, Bytes{3}, 4}};
    e.neighbours = {{77, "chrome", "chrome --tabs", Bytes{5}, true}};
    e.kernel_log = {{KernelLogEntry::Kind::gpu_fault,
                     at(3),
                     4242,
                     "python",
                     "CONSTRAINT_MEMCG",
                     "/job",
                     "/job/a",
                     Bytes{1},
                     Bytes{2},
                     Bytes{3},
                     Bytes{4},
                     79,
                     "the line",
                     {{78, "eater", Bytes{5}}}}};
    e.signals = {{at(4), SIGTERM, 1, 1000, "bash", true, true}};
    e.gpus = {
        {1, "H200", Bytes{1}, Bytes{2}, Bytes{3}, 50, 60, 7, true, {{9, Bytes{8}, "x", true}}}};
    e.agents = {full_agent()};
    e.crashes = {full_crash()};
    e.stacks = {{4242, at(8), {{"MainThread", {{"train.py", 42, "main"}}}}}};
    e.stalls = {full_stall()};
    e.scheduler = {"slurm", "123", at(5)};
    e.stderr_tail = "Traceback:\n\tgröße";
    e.stderr_seen = true;
    e.traceback = TracebackText{{{"train.py", 42, "main"}}, "OSError", "No space", true, true};
    e.memory = {Bytes{1},
                Bytes{2},
                "container limit",
                {{"a.py", 3, Bytes{4}, 5, Bytes{6}}},
                {{at(123456789), Bytes{6}, Bytes{7}, Bytes{5}}}};
    e.missing = {{MissingKind::from_inside, "no disk"}};
    return e;
}

TEST(EvidenceJson, EveryFieldSurvivesTheRoundTrip) {
    const Evidence evidence = full_evidence();
    ASSERT_TRUE(all_set(evidence)) << "full_evidence() leaves a field at its default";
    const auto back = evidence_from_json(to_json(evidence));
    ASSERT_TRUE(back.ok()) << back.error().text;
    EXPECT_TRUE(same(*back, evidence)) << to_json(*back);
}

TEST(EvidenceJson, WhatCouldNotBeSeenIsLeftOutAndStaysAbsent) {
    Evidence evidence;
    evidence.processes = {ProcessEvidence{}};
    const Json e = *Json::parse(to_json(evidence));
    EXPECT_FALSE(e["processes"][0].find("rss"));
    EXPECT_FALSE(e["host"].find("total"));
    EXPECT_FALSE(e.find("traceback"));
    const auto back = evidence_from_json(e.dump());
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(same(*back, evidence));
}

TEST(EvidenceJson, ExtremeNumbersAreKeptExactly) {
    Evidence evidence;
    evidence.host.total = Bytes{UINT64_MAX};
    evidence.end_time = RunTime::min();
    evidence.run.started_wall = RunTime::max();
    const auto back = evidence_from_json(to_json(evidence));
    ASSERT_TRUE(back.ok()) << back.error().text;
    EXPECT_TRUE(same(*back, evidence));
}

TEST(EvidenceJson, AShortRecordingMeansTheRestWasNotSeen) {
    const auto evidence = evidence_from_json(R"({"schema": 1, "exit": {"signal": "SIGKILL"}})");
    ASSERT_TRUE(evidence.ok()) << evidence.error().text;
    EXPECT_EQ(evidence->exit.signal, SIGKILL);
    EXPECT_EQ(evidence->main_pid, std::nullopt);
}

std::string error_of(const std::string& fields) {
    const auto result = evidence_from_json("{\"schema\": 1, " + fields + "}");
    return result.ok() ? "no error" : result.error().text;
}

TEST(EvidenceJson, AnErrorNamesItsField) {
    EXPECT_EQ(error_of(R"("cgroups": [{"levels": [{}, {"limit": "512M"}]}])"),
              "evidence: cgroups[0].levels[1].limit: expected a number");
    EXPECT_EQ(error_of(R"("processes": {})"), "evidence: processes: expected a list");
    EXPECT_EQ(error_of(R"("processes": [{"role": "boss"}])"),
              "evidence: processes[0].role: expected one of main, worker, rank, helper");
    EXPECT_EQ(error_of(R"("processes": [{"state": "Run"}])"),
              "evidence: processes[0].state: expected one character");
    EXPECT_EQ(error_of(R"("ended": 1)"), "evidence: ended: expected true or false");
    EXPECT_EQ(error_of(R"("end_time": 9223372036854775808)"),
              "evidence: end_time: number out of range");
}

TEST(EvidenceJson, AnOldRecordingHasSentencesForWhatWasMissing) {
    const auto evidence = evidence_from_json(
        R"({"schema": 1, "missing": ["kernel log not readable by this user",
            "a Python hook failed: /home/ada/stderr/x.py: kernel log", {"what": "pressure"}]})");
    ASSERT_TRUE(evidence.ok()) << evidence.error().text;
    EXPECT_EQ(evidence->missing,
              (std::vector<Missing>{
                  {MissingKind::kernel_log, "kernel log not readable by this user"},
                  {MissingKind::other, "a Python hook failed: /home/ada/stderr/x.py: kernel log"},
                  {MissingKind::pressure, ""}}));
}

TEST(EvidenceJson, AMistypedFieldIsNotTakenForUnseen) {
    EXPECT_EQ(error_of(R"("host": {"avialable_last": 1})"),
              "evidence: host.avialable_last: unknown field");
}

}  // namespace
}  // namespace holdfast
