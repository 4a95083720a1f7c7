#include "loader/line_index.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace holdfast::loader {
namespace {

TEST(LineIndex, LinesAreFoundHoweverFarApartTheMarksLie) {
    char name[] = "/tmp/holdfast-lines-XXXXXX";
    const UniqueFd fd(::mkstemp(name));
    std::string text;
    constexpr std::uint64_t lines = 1000;
    for (std::uint64_t i = 0; i < lines; ++i)
        text += std::string(i % 13, 'x') + std::to_string(i) + "\n";
    ASSERT_EQ(::write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    // From a mark for each line to one for very many.
    for (const std::uint64_t share : {64U << 10U, 4096U, 1024U, 160U}) {
        auto arena = Arena::make(Bytes::mib(1), false);
        ASSERT_TRUE(arena);
        const auto index = LineIndex::build(*arena, {name, name}, {}, share, 8);
        ASSERT_TRUE(index) << share;
        ASSERT_EQ(index->count(), 2 * lines);
        std::vector<std::byte> room(index->scratch() + cache_line);
        std::vector<std::uint64_t> wanted;
        for (std::uint64_t i = 0; i < 2 * lines; ++i) wanted.push_back(i);
        for (std::uint64_t i = 0; i < 2 * lines; ++i) wanted.push_back(i * 37 % (2 * lines));
        Scratch scratch(room);
        LineIndex::Cursor cursor(*index, scratch, PageCache::keep);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto line = cursor.line(wanted, i);
            ASSERT_TRUE(line);
            const std::uint64_t number = wanted[i] % lines;
            ASSERT_EQ(*line, std::string(number % 13, 'x') + std::to_string(number));
        }
    }
    ::unlink(name);
}

}  // namespace
}  // namespace holdfast::loader
