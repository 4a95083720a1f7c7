#include <gtest/gtest.h>

#include <csignal>

#include "base/json.h"
#include "base/text.h"
#include "model/every_field.h"
#include "model/json.h"

namespace holdfast {
namespace {

using testing::all_set;
using testing::same;

Statement finding(CauseId cause, Confidence confidence) {
    return Statement{cause,
                     confidence,
                     "it held 497 MiB of 512 MiB",
                     Where{"train.py", 42, "train_step", "losses.append(loss)"},
                     {{"memory.events", "oom_kill 0 -> 1"}},
                     {{"keep the number", "loss.item()"}},
                     Keeper{"history", "list", 1931, Where{"train.py", 28, "main", "h.append(x)"}}};
}

Verdict full_verdict() {
    Verdict v;
    v.run = {"20261115-1",
             "baseline",
             {"python", "größe.py"},
             std::chrono::milliseconds(1794716687120),
             std::chrono::milliseconds(1794716817500),
             "gpu-07"};
    v.outcome = Outcome::died;
    v.exit = {137, SIGKILL};
    v.process = {4242, "rank 3", "python größe.py"};
    v.end = finding("cgroup-oom"_cause, Confidence::certain);
    v.root = finding("host-leak"_cause, Confidence::likely);
    v.choice = "the leak explains the kill";
    v.contributing = {finding("swap-thrash"_cause, Confidence::likely)};
    v.python_stack = {{"MainThread", {{"train.py", 42, "train_step"}}}};
    v.native_stack = {{"libtorch_cpu.so", "at::native::add", 0xfffffffffffffff0U, "add.cpp", 31}};
    v.memory = {
        Bytes::mib(511),
        Bytes::mib(512),
        "container limit",
        {{"train.py", 42, Bytes::mib(300), -4096, Bytes::mib(30)}},
        {{std::chrono::milliseconds(1500), Bytes::mib(80), Bytes::mib(512), Bytes::mib(450)}}};
    v.missing = {"kernel log not readable"};
    v.foretold = {"HF502"};
    return v;
}

Json parsed(const Verdict& verdict) { return *Json::parse(to_json(verdict)); }

TEST(VerdictJson, EveryFieldSurvivesTheRoundTrip) {
    const Verdict verdict = full_verdict();
    ASSERT_TRUE(all_set(verdict)) << "full_verdict() leaves a field at its default";
    const auto back = verdict_from_json(to_json(verdict));
    ASSERT_TRUE(back.ok()) << back.error().text;
    EXPECT_TRUE(same(*back, verdict)) << to_json(*back);
}

TEST(VerdictJson, HasTheShapeOfTheContract) {
    const Json v = parsed(full_verdict());
    EXPECT_EQ(v["schema"], 1);
    EXPECT_EQ(v["run"]["started"], "2026-11-15T04:24:47.120Z");
    EXPECT_EQ(v["run"]["command"], Json::list({"python", "größe.py"}));
    EXPECT_EQ(v["outcome"], "died");
    EXPECT_EQ(v["exit"]["signal"], "SIGKILL");
    EXPECT_EQ(v["process"],
              Json::object({{"pid", 4242}, {"role", "rank 3"}, {"command", "python größe.py"}}));
    EXPECT_EQ(v["end"]["code"], "HF101");
    EXPECT_EQ(v["end"]["slug"], "cgroup-oom");
    EXPECT_EQ(v["end"]["confidence"], "certain");
    EXPECT_EQ(v["end"]["where"]["line"], 42);
    EXPECT_EQ(v["end"]["evidence"][0]["source"], "memory.events");
    EXPECT_EQ(v["root"]["slug"], "host-leak");
    EXPECT_EQ(v["python_stack"][0]["frames"][0]["function"], "train_step");
    EXPECT_EQ(v["native_stack"][0]["symbol"], "at::native::add");
    EXPECT_EQ(v["memory"]["peak_bytes"], 511U << 20U);
    EXPECT_EQ(v["memory"]["top_sites"][0]["live_bytes"], 300U << 20U);
    EXPECT_EQ(v["memory"]["top_sites"][0]["growth_per_step_bytes"], -4096);
    EXPECT_EQ(v["memory"]["top_sites"][0]["error_bytes"], 30U << 20U);
    EXPECT_EQ(v["memory"]["curve"][0]["seconds"], 1.5);
    EXPECT_EQ(v["memory"]["curve"][0]["left_bytes"], 450 << 20);
    EXPECT_EQ(v["missing"][0], "kernel log not readable");
}

bool is_null_at(const Json& object, std::string_view key) {
    return object.find(key) != nullptr && object[key].is_null();
}

TEST(VerdictJson, WhatIsUnknownIsNullAndNeverZero) {
    const Json v = parsed(Verdict{});
    EXPECT_TRUE(v["exit"]["code"].is_null());
    EXPECT_TRUE(v["exit"]["signal"].is_null());
    EXPECT_TRUE(v["run"]["ended"].is_null());
    EXPECT_TRUE(is_null_at(v["end"], "where"));
    EXPECT_TRUE(is_null_at(v["memory"], "peak_bytes"));
    EXPECT_TRUE(is_null_at(v["memory"], "limit_bytes"));
    EXPECT_EQ(v["root"]["slug"], "clean-exit");
    const auto back = verdict_from_json(v.dump());
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(same(*back, Verdict{}));
}

TEST(VerdictJson, EveryCauseOfTheCatalogueSurvives) {
    for (std::size_t i = 0; i < catalogue.size(); ++i) {
        Verdict verdict;
        verdict.end.cause = CauseId::at(i);
        const auto back = verdict_from_json(to_json(verdict));
        ASSERT_TRUE(back.ok()) << catalogue[i].slug;
        EXPECT_EQ(back->end.cause, CauseId::at(i));
    }
}

TEST(VerdictJson, AnUnnamedSignalSurvives) {
    Verdict verdict;
    verdict.exit.signal = 77;
    EXPECT_EQ(verdict_from_json(to_json(verdict))->exit.signal, 77);
}

TEST(VerdictJson, BytesThatAreNotTextDoNotBreakIt) {
    Verdict verdict;
    verdict.run.command = {"\xff\xfe", "\x1b[2Jx", std::string("a\0b", 3)};
    EXPECT_EQ(parsed(verdict)["run"]["command"], Json::list({"??", "x", "a?b"}));
}

TEST(VerdictJson, FieldsOfANewerVersionAreSkipped) {
    Json v = parsed(full_verdict());
    v["end"]["severity"] = Json::list({1, 2, 3});
    EXPECT_TRUE(verdict_from_json(v.dump()).ok());
}

// `path` is "/end/slug"; a number is an index.
std::string error_after(std::string_view path, const Json& value) {
    Json v = parsed(full_verdict());
    Json* node = &v;
    for (const std::string_view step : split(path.substr(1), '/')) {
        const auto index = parse_number<std::size_t>(step);
        node = index ? &(*node)[*index] : &(*node)[step];
    }
    *node = value;
    const auto result = verdict_from_json(v.dump());
    return result.ok() ? "no error" : result.error().text;
}

TEST(VerdictJson, AnErrorNamesItsField) {
    EXPECT_EQ(error_after("/schema", 2), "verdict: schema: expected 1");
    EXPECT_EQ(error_after("/end", nullptr), "verdict: end: expected an object");
    EXPECT_EQ(error_after("/outcome", "gone"),
              "verdict: outcome: expected one of finished, died, stuck, running");
    EXPECT_EQ(error_after("/end/slug", "made-up"), "verdict: end.slug: no such cause");
    EXPECT_EQ(error_after("/end/code", "HF102"),
              "verdict: end.code: does not belong to cgroup-oom");
    EXPECT_EQ(error_after("/exit/signal", "SIGNAL"),
              "verdict: exit.signal: expected the name of a signal");
    EXPECT_EQ(error_after("/exit/code", 1e30), "verdict: exit.code: expected a whole number");
    EXPECT_EQ(error_after("/exit/code", 1LL << 40), "verdict: exit.code: number out of range");
    EXPECT_EQ(error_after("/memory/peak_bytes", -1),
              "verdict: memory.peak_bytes: number out of range");
    EXPECT_EQ(error_after("/python_stack/0/frames/0/file", 7),
              "verdict: python_stack[0].frames[0].file: expected text");
    EXPECT_EQ(error_after("/run/started", "yesterday"),
              "verdict: run.started: expected a time like 2026-11-15T04:24:47.120Z");
    EXPECT_EQ(error_after("/run/started", "2026-02-30T04:24:47Z"),
              "verdict: run.started: expected a time like 2026-11-15T04:24:47.120Z");
}

TEST(VerdictJson, WhatMustBeThereIsMissed) {
    for (const char* key : {"schema", "outcome", "end", "root"}) {
        Json v = parsed(full_verdict());
        v.erase(key);
        const auto result = verdict_from_json(v.dump());
        ASSERT_FALSE(result.ok()) << key;
        EXPECT_EQ(result.error().text, "verdict: " + std::string(key) + ": missing");
    }
}

TEST(VerdictJson, TextThatIsNoDocumentIsAnError) {
    EXPECT_EQ(verdict_from_json("").error().text, "verdict: not valid JSON");
    EXPECT_EQ(verdict_from_json("[]").error().text, "verdict: expected an object");
    EXPECT_EQ(verdict_from_json(std::string(100000, '[')).error().text,
              "verdict: JSON nested too deep");
    EXPECT_EQ(verdict_from_json(std::string((16U << 20U) + 1, ' ')).error().text,
              "verdict: JSON of more than 16 MiB");
}

}  // namespace
}  // namespace holdfast
