// Catalogue and pages must name the same causes, and a page must answer the five questions.
#include "causes/cause_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/cause.h"

namespace holdfast {
namespace {

constexpr std::array<std::string_view, 5> headings{"## What it means", "## How it is recognised",
                                                   "## What to do", "## Confirm by hand",
                                                   "## Read more"};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

TEST(CausePages, EveryCauseOfTheCatalogueHasAPage) {
    for (const Cause& cause : catalogue)
        EXPECT_TRUE(cause_page(cause.code)) << cause.code << "-" << cause.slug << ".md is missing";
}

TEST(CausePages, EveryPageBelongsToACauseOfTheSameSlug) {
    ASSERT_FALSE(cause_pages().empty());
    for (const CausePage& page : cause_pages()) {
        const auto cause = CauseId::find(page.code);
        ASSERT_TRUE(cause) << page.code << " is not in the catalogue";
        EXPECT_EQ(cause->get().slug, page.slug) << page.code;
    }
}

TEST(CausePages, APageOpensWithItsNameAndAnswersTheFiveQuestionsInOrder) {
    for (const CausePage& page : cause_pages()) {
        const auto lines = lines_of(page.text);
        ASSERT_FALSE(lines.empty()) << page.code;
        EXPECT_EQ(lines.front().substr(0, 2), "# ") << page.code;
        EXPECT_NE(lines.front().find(page.code), std::string_view::npos) << page.code;
        EXPECT_NE(lines.front().find(page.slug), std::string_view::npos) << page.code;
        auto from = lines.begin();
        for (const std::string_view heading : headings) {
            from = std::find(from, lines.end(), heading);
            ASSERT_NE(from, lines.end()) << page.code << " lacks (or has out of order) " << heading;
        }
    }
}

TEST(CausePages, NoQuestionIsLeftWithoutAnAnswer) {
    for (const CausePage& page : cause_pages()) {
        bool after_heading = false;
        for (const std::string_view line : lines_of(page.text)) {
            if (line.empty()) continue;
            const bool heading = line.substr(0, 3) == "## ";
            EXPECT_FALSE(heading && after_heading) << page.code << ": nothing before " << line;
            after_heading = heading;
        }
        EXPECT_FALSE(after_heading) << page.code << " ends with an empty section";
    }
}

TEST(CausePages, AnUnknownCodeHasNoPage) {
    EXPECT_FALSE(cause_page("HF000"));
    EXPECT_FALSE(cause_page(""));
}

}  // namespace
}  // namespace holdfast
