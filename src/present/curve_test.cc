#include "present/curve.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "present/hostile_verdicts.h"
#include "present/page_rules.h"

namespace holdfast {
namespace {

std::string drawn(const MemorySummary& memory, const Style& style = {}, int width = 30) {
    std::string picture;
    for (const std::string& line : draw_curve(memory, style, width)) picture += line + '\n';
    return picture;
}

MemorySummary ramp() {
    MemorySummary memory;
    memory.limit = memory.peak = Bytes::mib(512);
    memory.limit_name = "container limit";
    for (int i = 0; i <= 20; ++i)
        memory.curve.push_back({std::chrono::seconds(i),
                                Bytes{Bytes::mib(512).count * static_cast<std::uint64_t>(i) / 20},
                                {}});
    return memory;
}

TEST(Curve, ARampReachesItsLimit) {
    EXPECT_EQ(drawn(ramp()),
              " 512 MiB ╌╌╌╌╌ container limit\n"
              "                         ▂▃▅▆█\n"
              "                    ▂▃▅▆██████\n"
              " 256 MiB       ▂▃▅▆███████████\n"
              "          ▂▃▅▆████████████████\n"
              "       0 └─ last 20.0 s ──────\n");
}

TEST(Curve, IsAsciiWhereTheTerminalIs) {
    EXPECT_EQ(drawn(ramp(), {80, false, false}, 44),
              " 512 MiB ------------------- container limit\n"
              "                                    ....:::#\n"
              "                            ...::::#########\n"
              " 256 MiB           ....:::##################\n"
              "           ...::::##########################\n"
              "       0 +- last 20.0 s ----- peak 512 MiB -\n");
}

TEST(Curve, NothingSeenDrawsNothing) {
    EXPECT_TRUE(draw_curve({}, {}, 60).empty());
    EXPECT_TRUE(draw_curve(ramp(), {}, 12).empty());  // no room
}

TEST(Curve, OneLookIsAFlatPicture) {
    MemorySummary memory;
    memory.curve = {{Nanos(5), Bytes::mib(3), {}}};
    EXPECT_EQ(drawn(memory, {}, 24),
              "   3 MiB ███████████████\n"
              "         ███████████████\n"
              " 1.5 MiB ███████████████\n"
              "         ███████████████\n"
              "       0 └─ one look ───\n");
}

TEST(Curve, AHighPointBetweenTwoLowOnesIsNotLost) {
    MemorySummary memory;
    memory.limit = Bytes{100};
    for (int i = 0; i < 1000; ++i)
        memory.curve.push_back({Nanos(i), Bytes{i == 500 ? 100U : 10U}, {}});
    const auto lines = draw_curve(memory, {}, 30);
    EXPECT_NE(lines[1].find("█"), std::string::npos) << lines[1];
}

TEST(Curve, AFarAwayLimitIsNamedAndNotDrawn) {
    MemorySummary memory = ramp();
    memory.limit = Bytes::gib(512);
    const std::string picture = drawn(memory, {}, 68);
    EXPECT_EQ(picture.find("╌"), std::string::npos);
    EXPECT_NE(picture.find("container limit 512 GiB"), std::string::npos) << picture;
}

TEST(Curve, AnyPointsFitTheWidth) {
    testing::HostileVerdicts hostile(7);
    for (int i = 0; i < 15; ++i) {
        const MemorySummary memory = hostile.memory();
        testing::for_each_style([&](const Style& style) {
            const std::string picture = drawn(memory, style, style.width);
            if (!picture.empty()) {
                EXPECT_EQ(testing::broken_rule(picture, style), "") << picture;
            }
        });
    }
}

}  // namespace
}  // namespace holdfast
