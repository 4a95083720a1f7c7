#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace holdfast {
namespace {

std::string again(std::string_view text) {
    const auto json = Json::parse(text);
    return json ? json->dump() : json.error().text;
}

TEST(Json, ReadsAndWritesTheSame) {
    for (const char* text :
         {"null", "true", "[]", "{}", "[1,-2,3.5,1e+300,\"x\"]", R"({"b":1,"a":{"c":[null]}})",
          "18446744073709551615", "-9223372036854775808",
          "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"", R"("\"\\\b\f\n\r\t\u0001")"})
        EXPECT_EQ(again(text), text);
    EXPECT_EQ(again(" { \"a\" : [ 1 , 2 ] } \n"), R"({"a":[1,2]})");
    EXPECT_EQ(again(R"("\u00e4\ud83d\ude00\/")"), "\"\xC3\xA4\xF0\x9F\x98\x80/\"");
    EXPECT_EQ(again("[1.0,1E2,18446744073709551616]"), "[1.0,100.0,1.8446744073709552e+19]");
    EXPECT_EQ(again("1e-9999"), "0.0");
}

TEST(Json, RefusesWhatIsNotJson) {
    for (const std::string text : {"",
                                   " ",
                                   "nul",
                                   "[1,]",
                                   "{\"a\"}",
                                   "{\"a\":}",
                                   "{a:1}",
                                   "[1 2]",
                                   "01",
                                   "1.",
                                   ".5",
                                   "+1",
                                   "-",
                                   "1e",
                                   "nan",
                                   "1e999",
                                   "\"",
                                   "\"\\x\"",
                                   "\"\\ud800\"",
                                   "\"\\ud800\\u0041\"",
                                   "\"\\udc00\"",
                                   "\"\n\"",
                                   "\"\xFF\"",
                                   "\"\xC0\x80\"",
                                   "\"\xED\xA0\x80\"",
                                   "1 2",
                                   "[",
                                   "{"})
        EXPECT_EQ(again(text), "not valid JSON") << text;
}

TEST(Json, BoundsItsDepth) {
    EXPECT_EQ(again(std::string(100'000, '[')), "JSON nested too deep");
    EXPECT_TRUE(Json::parse("[[]]", 2).ok());
    EXPECT_FALSE(Json::parse("[[]]", 1).ok());
}

TEST(Json, GivesValuesOnlyOfTheirKind) {
    const Json json = *Json::parse(R"({"n":7,"m":-7,"r":0.5,"t":"x","b":false,"l":[1,"y"]})");
    EXPECT_EQ(json["n"].natural(), 7U);
    EXPECT_EQ(json["n"].integer(), 7);
    EXPECT_EQ(json["n"].number(), 7.0);
    EXPECT_EQ(json["m"].natural(), std::nullopt);
    EXPECT_EQ(json["m"].integer(), -7);
    EXPECT_EQ(json["r"].integer(), std::nullopt);
    EXPECT_EQ(json["t"].number(), std::nullopt);
    EXPECT_EQ(*json["t"].text(), "x");
    EXPECT_EQ(json["b"].truth(), false);
    EXPECT_EQ(json["l"][1], "y");
    EXPECT_TRUE(json["l"][9].is_null());
    EXPECT_TRUE(json["no"]["such"]["path"].is_null());
    EXPECT_TRUE(json["t"].items().empty());
    EXPECT_EQ(Json(UINT64_MAX).integer(), std::nullopt);
}

TEST(Json, IsBuiltAndChanged) {
    Json json;
    json["b"] = 1;
    json["a"]["inner"] = true;
    json["b"] = "two";
    json["list"].push_back(Json::object({{"k", nullptr}}));
    EXPECT_EQ(json.dump(), R"({"b":"two","a":{"inner":true},"list":[{"k":null}]})");
    json.erase("a");
    EXPECT_EQ(json.dump(1), "{\n \"b\": \"two\",\n \"list\": [\n  {\n   \"k\": null\n  }\n ]\n}");
    EXPECT_EQ(Json::list().dump(2), "[]");
    EXPECT_EQ(Json(1), Json(1U));
    EXPECT_EQ(Json(1), Json(1.0));
}

TEST(Json, TheLastOfTwoMembersCounts) {
    Json json = *Json::parse(R"({"a":1,"a":2})");
    EXPECT_EQ(json["a"], 2);
    json["a"] = 3;
    EXPECT_EQ(Json::parse(json.dump())->find("a")->natural(), 3U);
}

TEST(Json, WritesWhatJsonHasNoWordFor) {
    EXPECT_EQ(Json(std::nan("")).dump(), "null");
    EXPECT_EQ(Json("a\xFF z").dump(), "\"a\xEF\xBF\xBD z\"");
}

}  // namespace
}  // namespace holdfast
