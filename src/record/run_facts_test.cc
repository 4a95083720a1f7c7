#include "record/run_facts.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

RunFacts example() {
    RunFacts facts;
    facts.id = "20261115-042447-123-4242";
    facts.name = "Überlauf 実験 1";
    facts.command = {"python", "my train.py", "--name", "a\"b\\c\n"};
    facts.cwd = "/home/me/my project";
    facts.host = "node7";
    facts.kernel = "6.1.0";
    facts.holdfast_version = "0.1.0";
    facts.boot_id = "01234567-89ab-cdef-0123-456789abcdef";
    facts.started = Nanos(123456789012345);
    facts.started_wall = Nanos(1794716687123000000);
    facts.supervisor_pid = 4242;
    facts.supervisor_start_ticks = 18446744073709551615U;
    facts.command_pid = 4243;
    facts.command_start_ticks = 99;
    facts.in_first_pid_namespace = true;
    facts.overcommit_mode = 0;
    facts.max_map_count = 65530;
    facts.cpu_count = 1.5;
    facts.scheduler = {"slurm", "77_3", 1794720000};
    facts.output = {OutputCapture::Kind::file, "/tmp/err log", 2049, 77, 12};
    return facts;
}

// The example's JSON with a piece replaced. Fails if the piece is missing.
std::string with(const std::string& from, const std::string& to) {
    std::string text = to_json(example());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(RunFacts, ComeBackAsTheyWere) {
    const Result<RunFacts> back = run_facts_from_json(to_json(example()));
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(*back, example());
}

TEST(RunFacts, UnknownStaysUnknown) {
    RunFacts facts = example();
    facts.overcommit_mode.reset();
    facts.max_map_count.reset();
    facts.scheduler = {};
    facts.output = {};
    const Result<RunFacts> back = run_facts_from_json(to_json(facts));
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(*back, facts);
    EXPECT_EQ(back->overcommit_mode, std::nullopt);
}

TEST(RunFacts, StaySmallWhateverTheCommand) {
    RunFacts facts = example();
    facts.command.assign(100'000, std::string(50, '"'));
    facts.command[0] = std::string(3'000'000, '\\');
    for (std::string* text : {&facts.name, &facts.cwd, &facts.host, &facts.kernel, &facts.boot_id,
                              &facts.holdfast_version, &facts.output.path, &facts.scheduler.kind,
                              &facts.scheduler.job_id, &facts.id})
        *text = std::string(100'000, '"');
    const std::string text = to_json(facts);
    EXPECT_LE(text.size(), run_facts_limit);
    const Result<RunFacts> back = run_facts_from_json(text);
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->command.back(), "...");
    EXPECT_TRUE(back->command[0].ends_with("..."));
}

TEST(RunFacts, ManySmallArgumentsFitToo) {
    RunFacts facts = example();
    facts.command.assign(5000, "\"");
    const Result<RunFacts> back = run_facts_from_json(to_json(facts));
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->command.back(), "...");
}

TEST(RunFacts, BytesThatAreNoTextAreMadeSafe) {
    RunFacts facts = example();
    facts.command = {"python", "\xff\xfe bad", "\x1b[31mred"};
    const Result<RunFacts> back = run_facts_from_json(to_json(facts));
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->command, (std::vector<std::string>{"python", "?? bad", "red"}));
}

TEST(RunFacts, WrongInputIsOneLineThatSaysWhat) {
    const struct {
        std::string text, says;
    } cases[] = {
        {"", "not a JSON object"},
        {"[]", "not a JSON object"},
        {"{", "not a JSON object"},
        {std::string(60'000, '['), "not a JSON object"},
        {"{}", "schema"},
        {with("\"schema\": 1", "\"schema\": 7"), "newer Holdfast (schema 7); update holdfast"},
        {with("\"schema\": 1", "\"schema\": \"1\""), "'schema'"},
        {with("\"id\"", "\"ix\""), "'id' is missing"},
        {with("\"id\": \"", "\"id\": 3, \"x\": \""), "'id' is not a text"},
        {with("\"supervisor_pid\": 4242", "\"supervisor_pid\": -4"), "'supervisor_pid'"},
        {with("\"supervisor_pid\": 4242", "\"supervisor_pid\": 1e300"), "'supervisor_pid'"},
        {with("\"supervisor_pid\": 4242", "\"supervisor_pid\": 99999999999"), "'supervisor_pid'"},
        {with("\"inode\": 77", "\"inode\": -1"), "'inode'"},
        {with("\"cpu_count\": 1.5", "\"cpu_count\": -1"), "'cpu_count'"},
        {with("\"cpu_count\": 1.5", "\"cpu_count\": []"), "'cpu_count'"},
        {with("\"kind\": \"file\"", "\"kind\": \"floppy\""), "'kind'"},
        {with("\"in_first_pid_namespace\": true", "\"in_first_pid_namespace\": 1"), "namespace"},
        {with("\"python\"", "{}"), "'command'"},
        {std::string(run_facts_limit + 1, ' '), "larger"},
    };
    for (const auto& wrong : cases) {
        const Result<RunFacts> facts = run_facts_from_json(wrong.text);
        ASSERT_FALSE(facts) << wrong.says;
        EXPECT_NE(facts.error().text.find(wrong.says), std::string::npos) << facts.error().text;
        EXPECT_EQ(facts.error().text.find('\n'), std::string::npos);
    }
}

TEST(RunFacts, TruncatedAnywhereIsAnErrorNotACrash) {
    const std::string whole = to_json(example());
    for (std::size_t size = 0; size + 2 < whole.size(); ++size)
        EXPECT_FALSE(run_facts_from_json(whole.substr(0, size))) << size;
}

}  // namespace
}  // namespace holdfast
