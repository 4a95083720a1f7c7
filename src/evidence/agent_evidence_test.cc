// What gather() makes of the records of agents and of the crash handler.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "evidence/gather.h"
#include "evidence/synthetic_record.h"
#include "record/agent_slot_builder.h"

namespace holdfast {
namespace {

using synthetic::second;
using testing::SlotBuilder;

SlotBuilder main_slot() { return SlotBuilder(100, synthetic::start + 1); }

Evidence told(const SlotBuilder& slot, RunRecord record = synthetic::run()) {
    record.end = synthetic::end(10 * second, 1 << 8);
    record.agents.push_back(*read_agent_slot(slot.bytes()));
    return gather(record, {});
}

SlotBuilder throwing(std::string_view type, bool in_main_thread) {
    SlotBuilder slot = main_slot();
    format::AgentException& thrown = slot->exceptions[0];
    thrown.in_main_thread = in_main_thread ? 1 : 0;
    std::memcpy(thrown.type, type.data(), type.size());
    std::memcpy(thrown.message, "no room", 7);
    std::memcpy(thrown.causes, "KeyError: 'x'\nOSError: y", 24);
    thrown.frames[0] = slot.frame("lib.py", "inner", 3);
    thrown.frames[1] = slot.frame("train.py", "main", 42);
    thrown.frame_count = 2;
    thrown.time = synthetic::start + 9 * second;
    return slot;
}

TEST(AgentWords, AnExceptionIsKnownWithoutStderr) {
    const Evidence e = told(throwing("MemoryError", true));
    ASSERT_TRUE(e.traceback);
    EXPECT_TRUE(e.traceback->recorded);
    EXPECT_TRUE(e.traceback->ends_the_output);
    EXPECT_EQ(e.traceback->type, "MemoryError");
    ASSERT_EQ(e.traceback->frames.size(), 2U);
    EXPECT_EQ(e.traceback->frames.front().line, 42);  // outermost first
    ASSERT_EQ(e.agents.size(), 1U);
    ASSERT_EQ(e.agents[0].exceptions.size(), 1U);
    EXPECT_EQ(e.agents[0].exceptions[0].causes.size(), 2U);
}

TEST(AgentWords, AThreadsExceptionDoesNotEndTheProgram) {
    EXPECT_FALSE(told(throwing("MemoryError", false)).traceback);
}

TEST(AgentWords, AnotherProcesssExceptionIsNotTheMainOnes) {
    SlotBuilder slot = throwing("MemoryError", true);
    slot->pid = 201;
    EXPECT_FALSE(told(slot).traceback);
}

TEST(AgentWords, NameTheSenderOfASignalToAnotherProcess) {
    SlotBuilder slot = main_slot();
    slot->pid = 201;
    slot->signals[0] = {synthetic::start + 9 * second, SIGTERM, 0, 77, 1000, "python"};
    slot->signals_written = 1;
    const Evidence e = told(slot);
    EXPECT_TRUE(e.signals.empty());
    ASSERT_EQ(e.agents.size(), 1U);
    ASSERT_EQ(e.agents[0].signals.size(), 1U);
    EXPECT_EQ(e.agents[0].signals[0].number, SIGTERM);
    EXPECT_EQ(e.agents[0].signals[0].sender_pid, 77);
}

TEST(AgentWords, NameTheSenderOfASignal) {
    SlotBuilder slot = main_slot();
    slot->signals[0] = {synthetic::start + 9 * second, SIGTERM, 0, 77, 1000, "bash"};
    const Evidence e = told(slot);
    ASSERT_EQ(e.signals.size(), 1U);
    EXPECT_EQ(e.signals[0].sender, "bash");
    EXPECT_EQ(e.signals[0].sender_pid, 77);
}

TEST(AgentWords, ASignalThatTheSupervisorPassedOnIsNotTwo) {
    SlotBuilder slot = main_slot();
    slot->signals[0] = {synthetic::start + 9 * second, SIGTERM, 0, 99, 1000, "holdfast run"};
    RunRecord record = synthetic::run();
    auto event = synthetic::event(format::EventKind::signal, 9 * second, "bash");
    event.a = SIGTERM;
    event.b = 77;
    record.events.push_back(event);
    const Evidence e = told(slot, record);
    ASSERT_EQ(e.signals.size(), 1U);
    EXPECT_EQ(e.signals[0].sender_pid, 77);
}

TEST(AgentWords, TellWhatCouldNotBeSeen) {
    SlotBuilder slot = main_slot();
    slot->python_major = 3;
    slot->python_minor = 9;
    slot->python_micro = 1;
    slot->python_flags = 0;  // the agent could not read lines
    RunRecord record = synthetic::run();
    record.agents_refused = 3;
    const std::vector<Missing> missing = told(slot, record).missing;
    const auto lacks = [&](const Missing& sought) {
        return std::find(missing.begin(), missing.end(), sought) != missing.end();
    };
    EXPECT_TRUE(lacks({MissingKind::lines_of_python, "3.9.1"}));
    EXPECT_TRUE(lacks({MissingKind::processes_refused, "3"}));
}

TEST(AgentWords, StepsExitAndVersionAreTold) {
    SlotBuilder slot = main_slot();
    slot->steps.count = 50;
    slot->steps.first_nonfinite_step = 31;
    slot->exit.kind = format::AgentExitKind::os_exit;
    slot->exit.status = 3;
    slot->exit.stack = SlotBuilder::stack({slot.frame("train.py", "stop", 8)});
    slot->exit.time = synthetic::start + 9 * second;
    const AgentEvidence agent = told(slot).agents.at(0);
    EXPECT_EQ(agent.python, "3.11.7");
    EXPECT_EQ(agent.steps.first_nonfinite, 31U);
    ASSERT_TRUE(agent.exit);
    EXPECT_EQ(agent.exit->frames.at(0).line, 8);
}

TEST(AgentWords, ACrashKeepsItsStacks) {
    RunRecord record = synthetic::run();
    CrashRecord crash;
    crash.pid = 100;
    crash.signal = SIGSEGV;
    crash.code = 1;
    crash.time = Nanos(synthetic::start + 9 * second);
    crash.instruction = {std::byte{0x0f}, std::byte{0x0b}};
    crash.exception_type = "St13runtime_error";
    crash.python = {{100, "MainThread", {{9, "lib.py", "inner"}, {42, "train.py", "main"}}}};
    crash.native = "7f00\tlibfoo.so\tbar\t10\t\n";
    record.crashes.push_back(crash);
    const Evidence e = told(main_slot(), record);
    ASSERT_EQ(e.crashes.size(), 1U);
    const CrashEvidence& seen = e.crashes[0];
    EXPECT_EQ(seen.time, std::chrono::seconds(9));
    EXPECT_EQ(seen.instruction, "0f 0b");
    EXPECT_EQ(seen.exception_type, "std::runtime_error");
    ASSERT_EQ(seen.python.size(), 1U);
    EXPECT_EQ(seen.python[0].frames.front().line, 42);
    ASSERT_EQ(seen.native.size(), 1U);
    EXPECT_EQ(seen.native[0].library, "libfoo.so");
}

}  // namespace
}  // namespace holdfast
