// Damaged, truncated and forged boxes: never a crash, never a record nobody wrote.
#include <gtest/gtest.h>

#include <fcntl.h>

#include <functional>
#include <set>
#include <unordered_set>

#include "base/checksum.h"
#include "base/read_file.h"
#include "record/box_layout.h"
#include "record/box_reader.h"
#include "record/box_writer.h"

namespace holdfast {
namespace {

using format::BoxKind;
using format::SectionId;
using Bytewise = std::vector<std::byte>;

const BoxOrigin origin{4242, 777, ""};

Bytewise bytes_of(int fd) {
    const Result<std::string> text = read_tail(fd, box_size_limit);
    EXPECT_TRUE(text);
    const auto bytes = std::as_bytes(std::span(*text));
    return {bytes.begin(), bytes.end()};
}

// A box with this many looks; from 2049 on its rings have wrapped.
Bytewise machine_bytes(int looks = 300) {
    auto box = MachineBox::create(nullptr, origin);
    EXPECT_TRUE(box);
    for (int i = 1; i <= looks; ++i) {
        format::Sample sample{};
        sample.time = i;
        sample.tree_rss = static_cast<std::uint64_t>(i) * 3;
        box->samples.append(sample);
        sample.time *= 1'000'000'000;
        box->history.append(sample);
        format::Event event{};
        event.time = i;
        set_event_text(event, "event " + std::to_string(i));
        box->events.append(event);
        format::Process process{};
        process.pid = i;
        box->processes.put(static_cast<std::size_t>(i) % 256, process);
    }
    box->end.put(0, {});
    return bytes_of(box->fd());
}

template <class T>
std::string image(const T& record) {
    return {reinterpret_cast<const char*>(&record), sizeof(record)};
}

// Every record that was written and may still be in the file, byte by byte.
class Written {
public:
    explicit Written(const Bytewise& whole) {
        auto reader = BoxReader::from_bytes(whole, BoxKind::machine);
        EXPECT_TRUE(reader);
        each(*reader, [&](const std::string& record) { records_.insert(record); });
        // If the newer copy of a table row is damaged, the older one may be read.
        const auto& table = layout::machine[SectionId::processes];
        for (std::size_t i = 0; i < table.capacity * format::table_copies; ++i)
            records_.insert(
                {reinterpret_cast<const char*>(whole.data()) + table.offset + i * table.record_size,
                 table.record_size});
        EXPECT_GT(records_.size(), 1000U);
    }
    // Reads `bytes` as a box and checks every record. Returns how many were accepted.
    std::size_t check(const Bytewise& bytes) const {
        auto reader = BoxReader::from_bytes(bytes, BoxKind::machine);
        if (!reader) {
            EXPECT_FALSE(reader.error().text.empty());
            return 0;
        }
        std::size_t believed = 0;
        each(*reader, [&](const std::string& record) {
            ++believed;
            if (!records_.contains(record)) ADD_FAILURE() << "a record nobody wrote";
        });
        return believed;
    }

private:
    template <class See>
    static void each(BoxReader& reader, See see) {
        for (const auto& r : reader.records<format::Sample>(SectionId::samples)) see(image(r));
        for (const auto& r : reader.records<format::Sample>(SectionId::history)) see(image(r));
        for (const auto& r : reader.records<format::Process>(SectionId::processes)) see(image(r));
        for (const auto& r : reader.records<format::Event>(SectionId::events)) see(image(r));
        for (const auto& r : reader.records<format::End>(SectionId::end)) see(image(r));
    }
    std::unordered_set<std::string> records_;
};

void rewrite_header(Bytewise& bytes, const std::function<void(format::FileHeader&)>& change) {
    format::FileHeader header{};
    std::memcpy(&header, bytes.data(), sizeof(header));
    change(header);
    const auto covered =
        std::as_bytes(std::span(&header, 1)).first(offsetof(format::FileHeader, checksum));
    header.checksum = crc32c(covered);
    std::memcpy(bytes.data(), &header, sizeof(header));
}

std::string error_after(const std::function<void(format::FileHeader&)>& change) {
    static const Bytewise whole = machine_bytes();
    Bytewise bytes = whole;
    rewrite_header(bytes, change);
    const auto reader = BoxReader::from_bytes(std::move(bytes), BoxKind::machine);
    return reader ? "" : reader.error().text;
}

TEST(DamagedBox, TruncatedAtAnyByteOfTheHeader) {
    const Bytewise whole = machine_bytes();
    for (std::size_t size = 0; size < sizeof(format::FileHeader); ++size) {
        const auto reader = BoxReader::from_bytes(
            {whole.begin(), whole.begin() + static_cast<long>(size)}, BoxKind::machine);
        ASSERT_FALSE(reader) << size;
        EXPECT_NE(reader.error().text.find("truncated"), std::string::npos);
    }
}

TEST(DamagedBox, TruncatedAnywhereKeepsOnlyWholeRecords) {
    const Bytewise whole = machine_bytes();
    const Written written(whole);
    const std::size_t all = written.check(whole);
    std::set<std::size_t> sizes{whole.size()};
    for (const format::Section& section : layout::machine.sections)
        for (std::size_t i = 0; i < 70; ++i) sizes.insert(section.offset - 2 + i);
    for (std::size_t size = sizeof(format::FileHeader); size < whole.size(); size += 16'411)
        sizes.insert(size);
    std::size_t before = 0;
    for (const std::size_t size : sizes) {
        const std::size_t believed =
            written.check({whole.begin(), whole.begin() + static_cast<long>(size)});
        EXPECT_GE(believed, before) << size;
        before = believed;
    }
    EXPECT_EQ(before, all);
}

TEST(DamagedBox, TheSmallGpuBoxTruncatedAtEveryByte) {
    auto box = GpuBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    for (std::size_t i = 0; i < 16; ++i) {
        format::Gpu gpu{};
        gpu.index = static_cast<std::uint32_t>(i);
        gpu.used = 100 + i;
        box->gpus.put(i, gpu);
    }
    const Bytewise whole = bytes_of(box->fd());
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        auto reader = BoxReader::from_bytes(
            {whole.begin(), whole.begin() + static_cast<long>(size)}, BoxKind::gpu);
        if (!reader) continue;
        EXPECT_EQ(reader->truncated(), size < whole.size());
        for (const auto& row : reader->rows<format::Gpu>(SectionId::gpus))
            EXPECT_EQ(row.record.used, 100 + row.slot);
        EXPECT_EQ(reader->damaged(), 0U);
    }
}

TEST(DamagedBox, EachBitOfTheHeaderFlippedIsAnError) {
    const Bytewise whole = machine_bytes();
    for (std::size_t bit = 0; bit < sizeof(format::FileHeader) * 8; ++bit) {
        Bytewise bytes(whole.begin(), whole.begin() + format::header_space);
        bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        EXPECT_FALSE(BoxReader::from_bytes(std::move(bytes), BoxKind::machine)) << bit;
    }
}

TEST(DamagedBox, AFlippedBitLosesOneRecordAtMost) {
    Bytewise bytes = machine_bytes();
    const Written written(bytes);
    const std::size_t all = written.check(bytes);
    for (std::size_t at = format::header_space; at < bytes.size(); at += 9'973) {
        const auto flip = static_cast<std::byte>(1U << (at % 8));
        bytes[at] ^= flip;
        EXPECT_GE(written.check(bytes) + 1, all) << at;
        bytes[at] ^= flip;
    }
}

TEST(DamagedBox, ARecordInTheWrongSlotOfARingIsNotBelieved) {
    Bytewise bytes = machine_bytes(2100);
    const auto& ring = layout::machine[SectionId::samples];
    std::byte* first = bytes.data() + ring.offset + sizeof(format::RingHead);
    std::memcpy(first, first + 5 * ring.record_size, ring.record_size);
    auto reader = BoxReader::from_bytes(std::move(bytes), BoxKind::machine);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->records<format::Sample>(SectionId::samples).size(), 2047U);
    EXPECT_EQ(reader->damaged(), 1U);
}

TEST(DamagedBox, AnotherVersionSaysWhatToDo) {
    EXPECT_EQ(error_after([](auto& header) { header.version = 7; }),
              "written by a newer Holdfast (format 7); update holdfast");
    EXPECT_NE(error_after([](auto& header) { header.version = 0; }).find("unknown format"),
              std::string::npos);
}

TEST(DamagedBox, ForgedHeadersWithAGoodChecksumAreRefused) {
    using Header = format::FileHeader;
    constexpr std::uint64_t huge = ~std::uint64_t{0};
    EXPECT_EQ(error_after([](Header&) {}), "");
    for (const auto& forge : std::vector<std::function<void(Header&)>>{
             [](Header& h) { h.kind = BoxKind::gpu; },
             [](Header& h) { h.section_count = 17; },
             [](Header& h) { h.section_count = 0xffffffffU; },
             [](Header& h) { h.file_size = huge; },
             [](Header& h) { h.file_size = 0; },
             [](Header& h) { h.sections[0].offset = huge; },
             [](Header& h) { h.sections[0].offset = huge - 63; },
             [](Header& h) { h.sections[0].offset = 0; },
             [](Header& h) { h.sections[0].offset += 1; },
             [](Header& h) { h.sections[0].capacity = huge; },
             [](Header& h) { h.sections[0].capacity = huge / 2; },
             [](Header& h) { h.sections[0].capacity = 0; },
             [](Header& h) { h.sections[0].capacity = std::uint64_t{1} << 60U; },
             [](Header& h) { h.sections[0].record_size = 0; },
             [](Header& h) { h.sections[0].record_size = 0xffffffffU; },
             [](Header& h) { h.sections[7].offset = h.file_size - 8; },
         })
        EXPECT_NE(error_after(forge), "");
}

TEST(DamagedBox, AForgedRecordSizeHidesTheSection) {
    Bytewise bytes = machine_bytes();
    rewrite_header(bytes, [](auto& header) { header.sections[0].record_size = 8; });
    auto reader = BoxReader::from_bytes(std::move(bytes), BoxKind::machine);
    ASSERT_TRUE(reader);
    EXPECT_TRUE(reader->records<format::Sample>(SectionId::samples).empty());
    EXPECT_FALSE(reader->records<format::Sample>(SectionId::history).empty());
}

TEST(DamagedBox, HugeRingAndOutputIndexesAreClamped) {
    Bytewise bytes = machine_bytes(2100);
    std::memset(bytes.data() + layout::machine[SectionId::samples].offset, 0xff, 8);
    auto reader = BoxReader::from_bytes(std::move(bytes), BoxKind::machine);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->records<format::Sample>(SectionId::samples).size(), 2048U);

    auto box = OutputBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    box->append("hello");
    const Bytewise good = bytes_of(box->fd());
    for (const std::uint64_t index :
         {~std::uint64_t{0}, std::uint64_t{1} << 63U, std::uint64_t{65536}, std::uint64_t{0}}) {
        Bytewise bad = good;
        std::memcpy(bad.data() + layout::output[SectionId::output].offset, &index, sizeof(index));
        auto output = BoxReader::from_bytes(std::move(bad), BoxKind::output);
        ASSERT_TRUE(output);
        EXPECT_LE(output->output().text.size(), format::output_capacity);
    }
}

TEST(DamagedBox, TruncatedOutputKeepsOnlyWhatJoinsTheEnd) {
    auto box = OutputBox::create(nullptr, origin);
    ASSERT_TRUE(box);
    box->append(std::string(60'000, 'a') + std::string(10'000, 'b'));  // 4464 bytes past the wrap
    Bytewise bytes = bytes_of(box->fd());
    bytes.resize(format::header_space + sizeof(format::OutputHead) + 30'000);
    auto reader = BoxReader::from_bytes(bytes, BoxKind::output);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->output().text, std::string(4464, 'b'));
    bytes.resize(format::header_space + sizeof(format::OutputHead) + 2'000);
    reader = BoxReader::from_bytes(bytes, BoxKind::output);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->output().text, "");
}

TEST(DamagedBox, WhatIsNoFileOrTooLargeIsAnError) {
    EXPECT_FALSE(BoxReader::open(AT_FDCWD, "/dev/zero", BoxKind::machine));
    EXPECT_FALSE(BoxReader::open(AT_FDCWD, "/proc/self", BoxKind::machine));
    const auto missing = BoxReader::open(AT_FDCWD, "/no/such/box", BoxKind::machine);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().number, ENOENT);
    auto file = MappedFile::anonymous("huge", box_size_limit + 1);
    ASSERT_TRUE(file);
    EXPECT_FALSE(BoxReader::from_fd(file->fd(), BoxKind::machine));
}

}  // namespace
}  // namespace holdfast
