#include "present/plan_picture.h"

#include <gtest/gtest.h>

#include <regex>

#include "present/page_rules.h"
#include "present/plan_page.h"

namespace holdfast {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

fit::Plan plan_of(std::uint64_t capacity_mib) {
    fit::Plan plan;
    plan.batch = 64;
    plan.capacity = {capacity_mib * mib};
    plan.peak_reserved = {900 * mib};
    plan.fits = capacity_mib >= 1000;
    plan.margin = (static_cast<std::int64_t>(capacity_mib) - 1000) * static_cast<std::int64_t>(mib);
    plan.band = 0.02;
    plan.largest_batch = 71;
    plan.anatomy.weights = {300 * mib};
    plan.anatomy.activations = {600 * mib};
    plan.anatomy.context = {100 * mib};
    plan.anatomy.activations_by_place = {
        {"layer<script>\x1b[31m&\"'", "/home/me/train.py", 12, {600 * mib}}};
    fit::HostFacts facts;
    facts.arrays = {50 * mib};
    facts.batch_tensors = {{mib}};
    facts.workers = 2;
    plan.host = fit::host_memory(facts);
    return plan;
}

std::vector<double> widths(const std::string& svg, const std::string& colour) {
    std::vector<double> found;
    const std::regex pattern("width=\"([0-9.]+)\" height=\"30.0\" fill=\"" + colour + "\"");
    for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at)
        found.push_back(std::stod((*at)[1]));
    return found;
}

TEST(PlanPicture, PartsAreAsLongAsTheirShares) {
    const std::string svg = plan_svg(plan_of(2000));
    EXPECT_EQ(widths(svg, "#3b6fd4"), std::vector<double>{96});   // 300 of 2000 of 640
    EXPECT_EQ(widths(svg, "#e8710a"), std::vector<double>{192});  // 600 of 2000
    EXPECT_NE(svg.find("Batch 64 fits: 1000 MiB of 1.95 GiB"), std::string::npos);
    EXPECT_NE(svg.find("<line x1=\"660.0\""), std::string::npos);
}

TEST(PlanPicture, TheBarIsWhatIsNeededWhenThatIsMore) {
    const std::string svg = plan_svg(plan_of(500));
    EXPECT_EQ(widths(svg, "#e8710a"), std::vector<double>{384});  // 600 of 1000
    EXPECT_NE(svg.find("<line x1=\"340.0\""), std::string::npos);
    EXPECT_NE(svg.find("does not fit"), std::string::npos);
}

TEST(PlanHeadline, NeverSaysThatMoreFitsThanThereIs) {
    fit::Plan plan = plan_of(500);
    plan.fits = true;
    plan.margin = -500;
    EXPECT_EQ(plan_headline(plan),
              "Batch 64 only just fits 500 MiB: on a larger GPU it would reserve 1000 MiB");
}

TEST(PlanPicture, NamesFromTheProgramAreText) {
    for (const std::string& drawn : {plan_svg(plan_of(2000)), plan_html(plan_of(2000))}) {
        EXPECT_EQ(drawn.find("<script"), std::string::npos);
        EXPECT_EQ(drawn.find('\x1b'), std::string::npos);
        EXPECT_NE(drawn.find("layer&lt;script&gt;"), std::string::npos);
    }
}

TEST(PlanPage, FitsEveryWidthAndHasNoColoursUnasked) {
    for (const int width : {40, 60, 80, 100})
        for (const bool unicode : {true, false})
            for (const bool colour : {true, false}) {
                const Style style{.width = width, .colour = colour, .unicode = unicode};
                EXPECT_EQ(testing::broken_rule(plan_page(plan_of(500), style), style), "");
            }
    EXPECT_NE(plan_page(plan_of(500), Style{.colour = true}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace holdfast
