#include "core/mapping/suggest.h"

#include <gtest/gtest.h>

namespace pg_pull {
namespace {

TEST(Suggest, TypesComeFromAllValuesSeen) {
    const auto result = suggest({R"({"id": 1, "price": 1, "at": "2024-01-01", "ok": true, "tags": ["a"], "n": null})",
                                 R"({"id": 2, "price": 1.5, "at": "2024-01-01T10:00:00Z", "ok": false, "tags": []})"},
                                "public.t");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->create_table,
              "CREATE TABLE public.t (\n    \"id\" bigint PRIMARY KEY,\n    \"price\" numeric,\n"
              "    \"at\" timestamptz,\n    \"ok\" boolean,\n    \"tags\" jsonb,\n    \"n\" text\n);");
    EXPECT_EQ(result->key, std::vector<std::string>{"id"});
}

TEST(Suggest, RepeatedIdIsNoKey) {
    const auto result = suggest({R"({"id": 1})", R"({"id": 1})"}, "t");
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->key.empty());
}

TEST(Suggest, TimeOfChangeIsTheWatermark) {
    const auto result =
        suggest({R"({"id": 1, "createdAt": "2024-01-01T00:00:00Z", "updatedAt": "2024-01-02T00:00:00Z"})"}, "t");
    ASSERT_TRUE(result.ok());
    ASSERT_TRUE(result->watermark.has_value());
    EXPECT_EQ(result->watermark->at("field"), "updatedAt");
    EXPECT_EQ(result->fields.dump(), R"({"id":"id","created_at":"createdAt","updated_at":"updatedAt"})");
}

TEST(Suggest, KeysThatLookLikePathsAreWrittenAsPointers) {
    const auto result = suggest({R"({"a.b": 1, "$x": 2, "c/d": 3})"}, "t");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->fields.dump(), R"({"a_b":"/a.b","x":"/$x","c_d":"c/d"})");
}

TEST(Suggest, ColumnNamesStayApartAndWithinSixtyThreeBytes) {
    const std::string stem(80, 'k');
    EXPECT_NE(column_name(stem + "1"), column_name(stem + "2"));
    EXPECT_LE(column_name(stem).size(), 63U);
    const auto result = suggest({R"({"a b": 1, "a-b": 2})"}, "t");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->fields.dump(), R"({"a_b":"a b","a_b_2":"a-b"})");
}

TEST(Suggest, NothingToLearnFromIsRefused) {
    EXPECT_FALSE(suggest({}, "t").ok());
    EXPECT_EQ(suggest({"[1]"}, "t").error().reason, Reason::record_not_object);
}

}  // namespace
}  // namespace pg_pull
