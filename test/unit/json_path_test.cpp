#include <gtest/gtest.h>

#include "core/json/keys.h"
#include "core/json/last_value.h"
#include "core/json/lookup.h"
#include "core/json/path.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Path path(std::string_view text) { return parse_path(text).value(); }

TEST(JsonPath, SplitsDottedPathsAndPointers) {
    EXPECT_EQ(path("user.login").steps, (std::vector<std::string>{"user", "login"}));
    EXPECT_FALSE(path("user.login").pointer);
    EXPECT_EQ(path("/a~1b/m~0n//x").steps, (std::vector<std::string>{"a/b", "m~n", "", "x"}));
    EXPECT_TRUE(path("/").pointer);
    EXPECT_EQ(path("/").steps, std::vector<std::string>{""});
    EXPECT_EQ(path("/~01").steps, std::vector<std::string>{"~1"});
}

TEST(JsonPath, RefusesWhatNamesNothing) {
    for (const char* text : {"", ".", "a.", ".a", "a..b", "/~", "/a~2"}) {
        const auto result = parse_path(text);
        ASSERT_FALSE(result.ok()) << text;
        EXPECT_EQ(result.error().reason, Reason::invalid_configuration);
        EXPECT_NE(result.error().message.find(std::string("\"") + text + "\""), std::string::npos);
    }
}

TEST(JsonPath, StarIsAWildcardOnlyInDottedPaths) {
    EXPECT_TRUE(path("labels.*.name").has_wildcard());
    EXPECT_FALSE(path("/labels/*/name").has_wildcard());
}

TEST(JsonLookup, FindsByKeyIndexAndWildcard) {
    const json document =
        json::parse(R"({"a":{"0":"key"},"list":[{"n":1},{"m":2},{"n":3}],"*":"star","map":{"x":{"n":7}}})");
    EXPECT_EQ(*find_value(document, path("a.0")), "key");
    EXPECT_EQ(*find_value(document, path("list.2.n")), 3);
    EXPECT_EQ(*find_value(document, path("/list/2/n")), 3);
    EXPECT_EQ(*find_value(document, path("/*")), "star");
    EXPECT_EQ(*find_value(document, path("list.*.m")), 2);
    EXPECT_EQ(*find_value(document, path("map.*.n")), 7);
    for (const char* absent : {"a.1", "list.3", "list.02.n", "list.-1", "list.x", "a.0.x", "list.*.z", "nothing"})
        EXPECT_EQ(find_value(document, path(absent)), nullptr) << absent;
}

TEST(JsonLookup, GivesScalarsAsText) {
    EXPECT_EQ(scalar_text("x\"y"), "x\"y");
    EXPECT_EQ(scalar_text(9007199254740993), "9007199254740993");
    EXPECT_EQ(scalar_text(true), "true");
    EXPECT_EQ(scalar_text(nullptr), std::nullopt);
    EXPECT_EQ(scalar_text(json::array()), std::nullopt);
}

TEST(JsonLastValue, KeepsEveryDigit) {
    const std::string record = R"( {"id": 12345678901234567890123456789012345678901, "n": {"x": -0, "s": "\u00e4\n"},
        "t": false, "z": null, "o": {}, "bad": "\u0000", "id2": 1, "id2": 1e400} )";
    EXPECT_EQ(record_value(record, path("id")), "12345678901234567890123456789012345678901");
    EXPECT_EQ(record_value(record, path("n.x")), "-0");
    EXPECT_EQ(record_value(record, path("n.s")), "ä\n");
    EXPECT_EQ(record_value(record, path("t")), "false");
    EXPECT_EQ(record_value(record, path("id2")), "1e400");
    for (const char* absent : {"z", "o", "bad", "missing", "id.x"})
        EXPECT_EQ(record_value(record, path(absent)), std::nullopt) << absent;
    EXPECT_EQ(record_value(R"({"id": 1)", path("id")), std::nullopt);
    EXPECT_EQ(record_value("", path("id")), std::nullopt);
}

TEST(JsonKeys, NamesTheNearestKnownKey) {
    EXPECT_EQ(nearest_key("base_ulr", {"base_url", "headers"}), "base_url");
    EXPECT_EQ(nearest_key("Headers", {"base_url", "headers"}), "headers");
    EXPECT_EQ(nearest_key("frobnicate", {"base_url", "headers"}), "");
    EXPECT_EQ(nearest_key("", {"a"}), "");
    EXPECT_EQ(nearest_key("xyz", {"id"}), "");
}

TEST(JsonKeys, RefusesUnknownKeysWithAHint) {
    EXPECT_TRUE(check_keys(json{{"param", 1}}, "pagination", {"param", "start"}).ok());
    const auto result = check_keys(json{{"parm", 1}}, "pagination", {"param", "start"});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason, Reason::unknown_key);
    EXPECT_EQ(result.error().code(), "22023");
    EXPECT_EQ(result.error().message, "pagination has no key \"parm\"");
    EXPECT_NE(result.error().hint.find("\"param\""), std::string::npos);
    EXPECT_EQ(check_keys(json::array(), "pagination", {}).error().reason, Reason::invalid_configuration);
}

}  // namespace
}  // namespace pg_pull
