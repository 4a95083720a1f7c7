#include "model/cause.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace holdfast {
namespace {

TEST(Cause, CodesAscendAndSlugsAreUnique) {
    std::set<std::string_view> slugs;
    for (std::size_t i = 0; i < catalogue.size(); ++i) {
        if (i > 0) {
            EXPECT_LT(catalogue[i - 1].code, catalogue[i].code);
        }
        EXPECT_TRUE(slugs.insert(catalogue[i].slug).second) << catalogue[i].slug;
        EXPECT_EQ(catalogue[i].code.size(), 5U);
        EXPECT_FALSE(catalogue[i].meaning.empty());
    }
}

TEST(Cause, EveryRowIsFoundByCodeInAnyCaseAndBySlug) {
    for (std::size_t i = 0; i < catalogue.size(); ++i) {
        const CauseId row = CauseId::at(i);
        EXPECT_EQ(CauseId::find(row->code), row);
        EXPECT_EQ(CauseId::find("hf" + std::string(row->code.substr(2))), row);
        EXPECT_EQ(CauseId::find(row->slug), row);
    }
}

TEST(Cause, ColumnsNameCausesOfTheCatalogue) {
    for (const Cause& row : catalogue) {
        for (const std::string_view slug : row.explained_by)
            EXPECT_TRUE(CauseId::find(slug)) << row.slug << ": " << slug;
        for (const std::string_view slug : row.yields_to)
            EXPECT_TRUE(slug == "*" || CauseId::find(slug)) << row.slug << ": " << slug;
    }
}

TEST(Cause, NoTwoEndsAreEquallyGeneral) {
    std::set<int> seen;
    for (const Cause& row : catalogue) {
        if (row.generality == 0) continue;
        EXPECT_EQ(row.kind, Cause::Kind::end) << row.slug;
        EXPECT_TRUE(seen.insert(row.generality).second) << row.slug;
    }
}

TEST(Cause, WhatIsNotInTheCatalogueIsNotFound) {
    for (const char* word : {"", "HF", "HF1", "HF999", "HF1011", "101", "cgroup", "cgroup-oom "})
        EXPECT_EQ(CauseId::find(word), std::nullopt) << word;
}

TEST(Cause, ALiteralNamesItsRow) {
    static_assert("cgroup-oom"_cause->code == "HF101");
    EXPECT_EQ("unknown-kill"_cause->code, "HF909");
}

}  // namespace
}  // namespace holdfast
