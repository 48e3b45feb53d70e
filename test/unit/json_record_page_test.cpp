#include <gtest/gtest.h>

#include "core/json/record_page.h"
#include "core/json/scan.h"

namespace pg_pull {
namespace {

std::optional<Path> path(const char* text) {
    if (text == nullptr) return std::nullopt;
    return parse_path(text).value();
}

Result<RecordPage> open(std::string body, const char* records_path = nullptr, bool may_be_absent = false) {
    return RecordPage::open(std::move(body), RecordFormat::json, path(records_path), may_be_absent);
}

std::vector<std::string> records(const RecordPage& page) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < page.size(); ++i) list.emplace_back(page.record(i));
    return list;
}

using Texts = std::vector<std::string>;

TEST(RecordPage, TakesAnArrayBodyAsTheRecords) {
    const auto page = open(" [ {\"a\" : 1} ,\n{\"b\":[1, 2]}, 3 ,\"x\", null, [ 1 ] ] \n");
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(records(*page), (Texts{"{\"a\" : 1}", "{\"b\":[1, 2]}", "3", "\"x\"", "null", "[ 1 ]"}));
    EXPECT_EQ(page->envelope(), nlohmann::json::array());
    EXPECT_EQ(open("[]")->size(), 0U);
}

TEST(RecordPage, TakesAnObjectBodyAsOneRecord) {
    const auto page = open("\n{\"a\":1} ");
    EXPECT_EQ(records(*page), Texts{"{\"a\":1}"});
    EXPECT_EQ(page->envelope()["a"], 1);
}

TEST(RecordPage, FollowsThePathAndKeepsTheRestAsEnvelope) {
    const auto page = open(R"({"meta":{"next":"c1","n":1e400},"data":{"items":[{"id":1},{"id":2}],"total":2},"x":[9]})",
                           "data.items");
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(records(*page), (Texts{"{\"id\":1}", "{\"id\":2}"}));
    EXPECT_EQ(page->envelope(),
              nlohmann::json::parse(R"({"meta":{"next":"c1","n":"1e400"},"data":{"items":[],"total":2},"x":[9]})"));
    EXPECT_EQ(records(*open(R"([{"items":[1]},{"items":[2]}])", "1.items")), Texts{"2"});
    EXPECT_EQ(records(*open(R"({"a/b":[1]})", "/a~1b")), Texts{"1"});
    EXPECT_EQ(records(*open(R"({"\u0061":[1]})", "a")), Texts{"1"});
}

TEST(RecordPage, LetsTheLastOfARepeatedKeyWin) {
    EXPECT_EQ(records(*open(R"({"items":[1],"items":[2,3]})", "items")), (Texts{"2", "3"}));
    EXPECT_EQ(open(R"({"items":[1],"items":null})", "items")->size(), 0U);
    EXPECT_FALSE(open(R"({"d":{"items":[1]},"d":{}})", "d.items").ok());
}

TEST(RecordPage, CollectsSeveralArraysThroughAWildcard) {
    const auto page = open(R"({"data":[{"items":[1,2]},{"other":0},{"items":null},{"items":[3]}]})", "data.*.items");
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(records(*page), (Texts{"1", "2", "3"}));
    EXPECT_EQ(page->envelope()["data"][3]["items"], nlohmann::json::array());
    EXPECT_EQ(records(*open(R"({"data":{"x":[1],"y":[2],"x":[3]}})", "data.*")), (Texts{"2", "3"}));
    EXPECT_EQ(open(R"({"data":[]})", "data.*.items")->size(), 0U);
    EXPECT_FALSE(open(R"({"data":[{"other":1}]})", "data.*.items").ok());
}

TEST(RecordPage, TakesNullForNoRecords) {
    const auto page = open(R"({"users":null,"next":null})", "users");
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->size(), 0U);
    EXPECT_FALSE(page->path_was_absent());
    EXPECT_EQ(open(" null ")->size(), 0U);
}

TEST(RecordPage, ListsTheKeysThatAreThereWhereThePathIsAbsent) {
    const auto page = open(R"({"data":{"users":[],"tot\u0061l":1}})", "data.items");
    ASSERT_FALSE(page.ok());
    EXPECT_EQ(page.error().reason, Reason::records_not_array);
    EXPECT_EQ(page.error().code(), "22000");
    EXPECT_EQ(page.error().message, "the answer holds no list of records at \"data.items\"");
    EXPECT_EQ(page.error().detail, "What is at \"data\" has no \"items\"; it has the keys \"users\", \"total\".");
    EXPECT_EQ(open(R"({"a":1})", "b").error().detail, "The answer has no \"b\"; it has the keys \"a\".");
    EXPECT_EQ(open(R"({"data":null})", "data.items").error().detail,
              "What is at \"data\" is null, which has no \"items\".");
    EXPECT_EQ(open("[1]", "items").error().detail, "The answer is an array, which has no \"items\".");
}

TEST(RecordPage, TakesAnAbsentPathForNoRecordsWhereToldTo) {
    const auto page = open(R"({"next":"x"})", "items", true);
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->size(), 0U);
    EXPECT_TRUE(page->path_was_absent());
    EXPECT_EQ(page->envelope()["next"], "x");
    EXPECT_FALSE(open(R"({"items":{}})", "items", true).ok());
}

TEST(RecordPage, RefusesWhatIsNoArrayAtThePath) {
    for (const char* body : {R"({"items":{"id":1}})", R"({"items":"x"})", R"({"items":0})", R"({"items":true})"})
        EXPECT_EQ(open(body, "items").error().reason, Reason::records_not_array) << body;
    EXPECT_EQ(open(R"({"items":"x"})", "items").error().detail, "What is there is a string.");
    EXPECT_EQ(open("\"x\"").error().detail, "The answer is a string.");
}

TEST(RecordPage, RefusesBodiesThatAreNoJson) {
    for (const char* body :
         {"", "  ", "<html>", "[{\"a\":1}", "[{\"a\":1}]]", "[1] x", "{\"a\":1} {}", "[1,]", "[1 2]", "{\"a\":[1}",
          "{\"a\"", "[\"abc", "[{\"a\":1},{\"a\":2}", "nul", "[1]\xff", "tru", "[\"a\":{},1]"}) {
        const auto page = open(body);
        if (page.ok() && std::string(body) == "{\"a\":[1}") continue;
        ASSERT_FALSE(page.ok()) << body;
        EXPECT_EQ(page.error().reason, Reason::upstream_not_ok) << body;
        EXPECT_NE(page.error().detail.find("At byte "), std::string::npos) << body;
    }
    EXPECT_EQ(open("{\"next\":tru,\"items\":[]}", "items").error().detail, "At byte 8 the text is no JSON.");
    EXPECT_EQ(open("[{\"a\":1},{\"b\":2}").error().detail, "At byte 16 the text ends too early.");
    EXPECT_EQ(open("{\"items\":[{\"a\":1}],\"x\":01}", "items").error().detail, "At byte 24 the text is no JSON.");
}

TEST(RecordPage, SkipsAByteOrderMark) { EXPECT_EQ(records(*open("\xEF\xBB\xBF[1]")), Texts{"1"}); }

TEST(RecordPage, LosesOnlyTheRecordWithBytesThatAreNotUtf8) {
    const auto page = open("{\"n\":\"ok\",\"items\":[{\"a\":\"\xC3\xA9\"},{\"a\":\"\xE9!\"},{\"a\":1}]}", "items");
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->size(), 3U);
    EXPECT_FALSE(page->is_damaged(0));
    EXPECT_TRUE(page->is_damaged(1));
    EXPECT_FALSE(page->is_damaged(2));
    EXPECT_EQ(page->record(1), "{\"a\":\"\xE9!\"}");
    const auto broken = open("{\"n\":\"\xE9\",\"items\":[1]}", "items");
    ASSERT_FALSE(broken.ok());
    EXPECT_EQ(broken.error().detail, "At byte 6 the text is not UTF-8.");
}

TEST(RecordPage, SurvivesDeepNesting) {
    const std::string deep = std::string(2000000, '[') + std::string(2000000, ']');
    EXPECT_TRUE(open("{\"items\":[" + deep + "]}", "items").ok());
    EXPECT_FALSE(open("{\"items\":[],\"x\":" + deep + "}", "items").ok());
    EXPECT_FALSE(open(std::string(1000000, '[')).ok());
    EXPECT_FALSE(open("{\"items\":" + std::string(1000000, '{'), "items").ok());
}

Result<RecordPage> open_lines(std::string body) {
    return RecordPage::open(std::move(body), RecordFormat::ndjson, std::nullopt, false);
}

TEST(RecordPage, ReadsOneRecordALine) {
    const auto page = open_lines("{\"a\":1}\r\n\n  \t\n {\"b\":\"x\\ny\"} \n3");
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(records(*page), (Texts{"{\"a\":1}", "{\"b\":\"x\\ny\"}", "3"}));
    EXPECT_TRUE(page->envelope().is_null());
    EXPECT_EQ(open_lines("")->size(), 0U);
}

TEST(RecordPage, MarksLinesThatAreNoJsonAsDamaged) {
    const auto page = open_lines("{\"a\":1}\n{\"a\":}\n{\"a\":\"\xff\"}\n{\"a\":2}\n{\"a\":");
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->size(), 5U);
    const std::vector<bool> damaged{page->is_damaged(0), page->is_damaged(1), page->is_damaged(2), page->is_damaged(3),
                                    page->is_damaged(4)};
    EXPECT_EQ(damaged, (std::vector<bool>{false, true, true, false, true}));
}

TEST(RecordPage, IsReadThroughManyPagesByOneParser) {
    for (int i = 0; i < 200; ++i) {
        std::string body = "[";
        for (int j = 0; j < i; ++j) body += (j > 0 ? ",{\"i\":" : "{\"i\":") + std::to_string(j) + "}";
        const auto page = open(body + "]");
        ASSERT_TRUE(page.ok());
        ASSERT_EQ(page->size(), static_cast<std::size_t>(i));
        if (i > 0) {
            EXPECT_EQ(page->record(page->size() - 1), "{\"i\":" + std::to_string(i - 1) + "}");
        }
    }
}

TEST(RecordPage, KeyWithinAnArrayIsNoJson) {
    EXPECT_FALSE(
        RecordPage::open(R"({"a":["id":2}],"next":"c"})", RecordFormat::json, parse_path("a").value(), false).ok());
}

}  // namespace
}  // namespace pg_pull
