#include "jupyter/last_words.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/json.h"

namespace holdfast {
namespace {

format::Event signal_event(int number, int sender) {
    format::Event event{};
    event.kind = format::EventKind::signal;
    event.a = number;
    event.b = sender;
    return event;
}

Verdict killed_by(int signal) {
    Verdict verdict;
    verdict.outcome = Outcome::died;
    verdict.end.cause = verdict.root.cause = "killed"_cause;
    verdict.exit.signal = signal;
    return verdict;
}

TEST(LastWords, ASignalFromWhoeverStartedUsWasAskedFor) {
    EXPECT_TRUE(was_asked_for(killed_by(SIGTERM), {signal_event(SIGTERM, 10)}, 10));
}

TEST(LastWords, ASignalFromAnybodyElseWasNot) {
    EXPECT_FALSE(was_asked_for(killed_by(SIGTERM), {signal_event(SIGTERM, 11)}, 10));
    EXPECT_FALSE(was_asked_for(killed_by(SIGSEGV), {signal_event(SIGINT, 10)}, 10));
    EXPECT_FALSE(was_asked_for(killed_by(SIGKILL), {}, 10));
}

TEST(LastWords, AKernelThatLeavesWithAStatusWhenItIsInterruptedWasAskedTo) {
    Verdict verdict = killed_by(SIGINT);
    verdict.end.cause = verdict.root.cause = "interrupted"_cause;
    verdict.exit = {.code = 1, .signal = std::nullopt};
    EXPECT_TRUE(was_asked_for(verdict, {signal_event(SIGINT, 10)}, 10));
    EXPECT_FALSE(was_asked_for(verdict, {signal_event(SIGINT, 11)}, 10));
}

TEST(LastWords, AShutdownRequestIsEnough) {
    Verdict verdict = killed_by(SIGKILL);
    verdict.end.cause = verdict.root.cause = "shut-down"_cause;
    EXPECT_TRUE(was_asked_for(verdict, {}, 10));
}

TEST(LastWords, OnlyRunningCellsWait) {
    CellsRead read;
    read.cells = {{false, 1, "", "", "{\"msg_id\":\"a\"}", {}},
                  {true, 2, "", "", "{\"msg_id\":\"b\"}", {"00ff"}},
                  {true, 3, "", "", "", {}}};
    const auto waiting = waiting_cells(read);
    ASSERT_EQ(waiting.size(), 1U);
    EXPECT_EQ(waiting[0].count, 2);
    const Json json = *Json::parse(words_json(
        "/run/k.json",
        {.headline = "died", .error = "why", .lines = {"l"}, .html = {}, .plain = {}}, read));
    EXPECT_EQ(json["requests"].size(), 1U);
    EXPECT_EQ(json["requests"][0]["header"]["msg_id"], "b");
    EXPECT_EQ(json["evalue"], "died");
    EXPECT_EQ(json["error"], "why");
    EXPECT_EQ(json["connection_file"], "/run/k.json");
}

}  // namespace
}  // namespace holdfast
