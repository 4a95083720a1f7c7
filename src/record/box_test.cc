// Round trips through real files: what is written can be read, rings wrap, the history is thinned.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "base/read_file.h"
#include "record/box_layout.h"
#include "record/box_reader.h"
#include "record/box_writer.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

using format::BoxKind;
using format::SectionId;

const BoxOrigin origin{4242, 777, "01234567-89ab-cdef-0123-456789abcdef"};

format::Sample sample(std::int64_t time, std::uint64_t usage) {
    format::Sample sample{};
    sample.time = time;
    sample.cgroup_usage = usage;
    sample.tree_rss = usage / 2;
    sample.mem_total = format::unknown;
    return sample;
}

BoxReader read_back(const MachineBox& box) {
    Result<BoxReader> reader = BoxReader::from_fd(box.fd(), BoxKind::machine);
    EXPECT_TRUE(reader) << reader.error().text;
    return std::move(*reader);
}

TEST(MachineBox, HeaderTellsWhoWroteIt) {
    auto box = MachineBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    const BoxReader reader = read_back(*box);
    EXPECT_EQ(reader.header().writer_pid, 4242);
    EXPECT_EQ(reader.header().writer_start_ticks, 777U);
    EXPECT_EQ(reader.header().boot_id[0], 0x01);
    EXPECT_EQ(reader.header().boot_id[15], 0xef);
    EXPECT_EQ(reader.header().file_size, layout::machine.size);
    EXPECT_FALSE(reader.truncated());
}

TEST(MachineBox, AFreshBoxHoldsNothingAndNoDamage) {
    auto box = MachineBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    BoxReader reader = read_back(*box);
    EXPECT_TRUE(reader.records<format::Sample>(SectionId::samples).empty());
    EXPECT_TRUE(reader.records<format::Process>(SectionId::processes).empty());
    EXPECT_EQ(reader.damaged(), 0U);
}

TEST(MachineBox, EveryKindOfRecordComesBack) {
    auto box = MachineBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    box->samples.append(sample(1, 2));
    format::Process process{};
    process.pid = 7;
    set_fixed_text(process.command, "python train.py");
    box->processes.put(255, process);
    format::Cgroup cgroup{};
    cgroup.level_count = 3;
    box->cgroups.put(2, cgroup);
    format::Event event{};
    event.kind = format::EventKind::missing;
    set_event_text(event, "hello");
    box->events.append(event);
    format::Disk disk{};
    disk.free = 5;
    box->disks.put(0, disk);
    format::Neighbour neighbour{};
    neighbour.rss = 6;
    box->neighbours.put(11, neighbour);
    format::End end{};
    end.wait_status = 9;
    box->end.put(0, end);

    BoxReader reader = read_back(*box);
    ASSERT_EQ(reader.records<format::Sample>(SectionId::samples).size(), 1U);
    EXPECT_EQ(known(reader.records<format::Sample>(SectionId::samples)[0].mem_total), std::nullopt);
    const auto processes = reader.rows<format::Process>(SectionId::processes);
    ASSERT_EQ(processes.size(), 1U);
    EXPECT_EQ(processes[0].slot, 255U);
    EXPECT_EQ(fixed_text(processes[0].record.command), "python train.py");
    ASSERT_EQ(reader.rows<format::Cgroup>(SectionId::cgroups).size(), 1U);
    EXPECT_EQ(reader.rows<format::Cgroup>(SectionId::cgroups)[0].slot, 2U);
    ASSERT_EQ(reader.records<format::Event>(SectionId::events).size(), 1U);
    EXPECT_EQ(event_text(reader.records<format::Event>(SectionId::events)[0]), "hello");
    EXPECT_EQ(reader.records<format::Disk>(SectionId::disks).at(0).free, 5U);
    EXPECT_EQ(reader.records<format::Neighbour>(SectionId::neighbours).at(0).rss, 6U);
    EXPECT_EQ(reader.records<format::End>(SectionId::end).at(0).wait_status, 9);
    EXPECT_EQ(reader.damaged(), 0U);
}

TEST(RingWriter, KeepsTheNewestInOrderWhenItWraps) {
    auto box = MachineBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    for (int i = 0; i < 5000; ++i) box->samples.append(sample(i, 0));
    const auto samples = read_back(*box).records<format::Sample>(SectionId::samples);
    ASSERT_EQ(samples.size(), 2048U);
    for (std::size_t i = 0; i < samples.size(); ++i)
        EXPECT_EQ(samples[i].time, static_cast<std::int64_t>(5000 - 2048 + i));
}

TEST(TableWriter, ReplacesAndClearsRows) {
    auto box = MachineBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    for (int pid = 1; pid <= 5; ++pid) {
        format::Process process{};
        process.pid = pid;
        box->processes.put(3, process);
        const auto rows = read_back(*box).rows<format::Process>(SectionId::processes);
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows[0].record.pid, pid);
    }
    box->processes.clear(3);
    EXPECT_TRUE(read_back(*box).rows<format::Process>(SectionId::processes).empty());
    box->processes.put(256, {});
    box->processes.clear(999);
    EXPECT_TRUE(read_back(*box).rows<format::Process>(SectionId::processes).empty());
}

TEST(HistoryWriter, CoversTheWholeRunInOrderAndKeepsThePeak) {
    auto box = MachineBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    constexpr std::int64_t second = 1'000'000'000;
    constexpr int looks = 100'000;
    for (int i = 0; i < looks; ++i)
        box->history.append(sample(i * second / 10, i == 31'415 ? 9999 : 100));
    BoxReader reader = read_back(*box);
    const auto history = reader.records<format::Sample>(SectionId::history);
    EXPECT_EQ(reader.damaged(), 0U);
    EXPECT_EQ(history.size(), box->history.used());
    ASSERT_GE(history.size(), 512U);
    EXPECT_LE(history.size(), 1024U);
    EXPECT_LT(history.front().time, 60 * second);
    EXPECT_GT(history.back().time, (looks / 10 - 60) * second);
    int peaks = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
        if (history[i].cgroup_usage == 9999) ++peaks;
        if (i > 0) {
            EXPECT_LT(history[i - 1].time, history[i].time);
        }
    }
    EXPECT_EQ(peaks, 1);
}

TEST(HistoryWriter, DyingAnywhereWhileThinningLosesNothing) {
    const auto filled = [](int looks) {
        auto box = MachineBox::create(nullptr, origin);
        EXPECT_TRUE(box);
        for (int i = 1; i <= looks; ++i)
            box->history.append(
                sample(i * 1'000'000'000LL, static_cast<std::uint64_t>(i == 700 ? 9999 : i % 7)));
        const auto text = read_tail(box->fd(), box_size_limit);
        EXPECT_TRUE(text);
        const auto bytes = std::as_bytes(std::span(*text));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    const auto before = filled(1024);
    const auto after = filled(1025);
    const std::size_t slots = layout::machine[SectionId::history].offset + sizeof(format::RingHead);
    // The writer had merged `done` slots and was writing the next one.
    for (std::size_t done = 0; done < 512; done += 7) {
        auto torn = before;
        const std::size_t size = done * sizeof(format::Sample) + 100;
        std::memcpy(torn.data() + slots, after.data() + slots, size);
        auto reader = BoxReader::from_bytes(std::move(torn), BoxKind::machine);
        ASSERT_TRUE(reader);
        const auto history = reader->records<format::Sample>(SectionId::history);
        EXPECT_LE(reader->damaged(), 1U);
        int peaks = 0;
        for (std::size_t i = 0; i < history.size(); ++i) {
            if (history[i].cgroup_usage == 9999) ++peaks;
            if (i > 0) {
                ASSERT_LT(history[i - 1].time, history[i].time) << done;
                ASSERT_LE(history[i].time - history[i - 1].time, 4'000'000'000) << done;
            }
        }
        EXPECT_EQ(peaks, 1) << done;
    }
}

TEST(HistoryWriter, UnknownUsageIsNotThePeak) {
    auto box = MachineBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    box->history.append(sample(0, 50));
    format::Sample blind = sample(1, format::unknown);
    blind.tree_rss = format::unknown;
    box->history.append(blind);
    const auto history = read_back(*box).records<format::Sample>(SectionId::history);
    ASSERT_EQ(history.size(), 1U);
    EXPECT_EQ(history[0].cgroup_usage, 50U);
}

TEST(OutputBox, KeepsTheTail) {
    auto box = OutputBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    const auto tail = [&] {
        auto reader = BoxReader::from_fd(box->fd(), BoxKind::output);
        EXPECT_TRUE(reader);
        return reader->output();
    };
    box->append("Traceback\n");
    box->delivered(4);
    EXPECT_EQ(tail().text, "Traceback\n");
    EXPECT_EQ(tail().taken, 10U);
    EXPECT_EQ(tail().delivered, 4U);

    std::string all = "Traceback\n";
    for (int i = 0; all.size() < 300'000; ++i) {
        const std::string line = "line " + std::to_string(i) + "\n";
        box->append(line);
        all += line;
    }
    const OutputTail later = tail();
    EXPECT_EQ(later.taken, all.size());
    EXPECT_EQ(later.text.size(), format::output_capacity - format::output_chunk);
    EXPECT_TRUE(all.ends_with(later.text));

    const std::string flood(1'000'000, 'x');
    box->append(flood);
    box->append("end");
    EXPECT_TRUE(tail().text.ends_with("xxend"));
    EXPECT_EQ(tail().taken, all.size() + flood.size() + 3);
}

TEST(GpuBox, RoundTrip) {
    auto box = GpuBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    format::Gpu gpu{};
    gpu.used_peak = 80;
    box->gpus.put(15, gpu);
    auto reader = BoxReader::from_fd(box->fd(), BoxKind::gpu);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->records<format::Gpu>(SectionId::gpus).at(0).used_peak, 80U);
}

TEST(FixedText, IsCutBetweenCharactersAndNeverReadBeyondTheField) {
    char field[8];
    set_fixed_text(field, "12345678");
    EXPECT_EQ(fixed_text(field), "12345678");
    set_fixed_text(field, "123456789");
    EXPECT_EQ(fixed_text(field), "12345...");
    set_fixed_text(field, "1234éééé");
    EXPECT_EQ(fixed_text(field), "1234...");
    set_fixed_text(field, "x");
    EXPECT_EQ(fixed_text(field), "x");
    format::Event event{};
    event.text_size = 0xffffffffU;
    EXPECT_LE(event_text(event).size(), sizeof(event.text));
}

// Fills the history and the rings as fast as it can until it is killed.
[[noreturn]] void write_for_ever(MachineBox& box) {
    for (std::int64_t i = 1;; ++i) {
        const auto mark = static_cast<std::uint64_t>(i);
        box.samples.append(sample(i, mark));
        box.history.append(sample(i * 1'000'000'000, mark));
        format::Process process{};
        process.pid = static_cast<std::int32_t>(i % 1'000'000);
        process.rss = process.rss_peak = mark;
        box.processes.put(0, process);
    }
}

TEST(KilledWriter, LeavesWholeRecordsAndLosesAtMostOne) {
    for (int round = 0; round < 10; ++round) {
        auto box = MachineBox::create(nullptr, origin);
        ASSERT_TRUE(box);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) write_for_ever(*box);
        const auto written = [&] {
            const auto samples = read_back(*box).records<format::Sample>(SectionId::samples);
            return samples.empty() ? 0 : samples.back().time;
        };
        while (written() < 2000 + 337 * round) ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));

        BoxReader reader = read_back(*box);
        const auto samples = reader.records<format::Sample>(SectionId::samples);
        ASSERT_GE(samples.size(), 1999U);
        for (const format::Sample& s : samples)
            EXPECT_EQ(s.cgroup_usage, static_cast<std::uint64_t>(s.time));
        const auto processes = reader.records<format::Process>(SectionId::processes);
        ASSERT_EQ(processes.size(), 1U) << "the row before must survive";
        EXPECT_EQ(processes[0].rss, processes[0].rss_peak);
        EXPECT_LE(reader.damaged(), 1U);
        const auto history = reader.records<format::Sample>(SectionId::history);
        EXPECT_GE(history.size(), 511U);
        for (std::size_t i = 0; i < history.size(); ++i) {
            EXPECT_EQ(history[i].time,
                      static_cast<std::int64_t>(history[i].cgroup_usage) * 1'000'000'000);
            if (i > 0) {
                EXPECT_LT(history[i - 1].time, history[i].time);
            }
        }
    }
}

TEST(MachineBox, SecondBoxInOneRunIsAnError) {
    const TemporaryDirectory home;
    RunHome run_home;
    run_home.candidates.push_back({home / "h", false});
    auto run = RunDirectory::create(run_home, "20261115-042447-123-1");
    ASSERT_TRUE(run) << run.error().text;
    ASSERT_TRUE(MachineBox::create(&*run, origin));
    const auto second = MachineBox::create(&*run, origin);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().number, EEXIST);
}

}  // namespace
}  // namespace holdfast
