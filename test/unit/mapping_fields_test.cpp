#include <gtest/gtest.h>

#include "core/mapping/fields.h"
#include "core/mapping/predicate.h"

namespace pg_pull {
namespace {

using nlohmann::json;

Result<std::vector<Field>> parse(const char* text) { return parse_fields(json::parse(text)); }
Error refusal(const char* text) {
    auto result = parse(text);
    EXPECT_FALSE(result.ok()) << text;
    return result.ok() ? Error{} : std::move(result).error();
}

TEST(Fields, ReadsTheObjectForm) {
    const auto fields =
        parse(R"({"id": "id", "author": "user.login", "raw": "$record", "org": "$organization"})").value();
    ASSERT_EQ(fields.size(), 4U);
    EXPECT_EQ(fields[0].targets, std::vector<std::string>{"author"});  // nlohmann sorts keys
    EXPECT_EQ(fields[0].sources[0].path.text, "user.login");
    EXPECT_EQ(fields[2].sources[0].pseudo, Pseudo::organization);
    EXPECT_EQ(fields[3].sources[0].pseudo, Pseudo::record);
    EXPECT_EQ(fields[3].transform, Transform::none);
    EXPECT_TRUE(fields[3].compare);
}

TEST(Fields, ReadsEveryTransform) {
    const auto fields = parse(R"([
        {"source": "a", "target": "t1"},
        {"target": "t2", "transform": "constant", "params": {"value": [1, "x"]}},
        {"source": "a", "target": "t3", "transform": "map", "params": {"value_map": {"x": 1, "y": null}}, "compare": false},
        {"source": "n", "target": ["t4", "t5"], "transform": "split", "params": {"separator": ","}},
        {"source": ["a", "b"], "target": "t6", "transform": "join"},
        {"source": "c", "target": "t7", "transform": "lookup", "params": {"table": "s.t", "match": "code", "return": "id"}},
        {"source": "e", "target": "t8", "transform": "epoch", "params": {"unit": "ms"}},
        {"target": "t9", "transform": "sql", "params": {"expression": "t1 + 1"}},
        {"source": "/a~1b", "target": "t10", "transform": "sql", "params": {"expression": "t10 + 1"}},
        {"target": "t11", "transform": "constant", "params": {"value": null}},
        {"target": "t12", "transform": "constant", "params": {"value": "x"}}
    ])")
                            .value();
    ASSERT_EQ(fields.size(), 11U);
    EXPECT_EQ(fields[1].constant, "[1,\"x\"]");
    EXPECT_EQ(fields[2].value_map.size(), 2U);
    EXPECT_FALSE(fields[2].compare);
    EXPECT_EQ(fields[3].targets, (std::vector<std::string>{"t4", "t5"}));
    EXPECT_EQ(fields[3].separator, ",");
    EXPECT_EQ(fields[4].sources.size(), 2U);
    EXPECT_EQ(fields[4].separator, " ");
    EXPECT_EQ(fields[5].lookup_table + fields[5].lookup_match + fields[5].lookup_return, "s.tcodeid");
    EXPECT_EQ(fields[6].epoch_unit, EpochUnit::ms);
    EXPECT_TRUE(fields[7].sources.empty());
    EXPECT_EQ(fields[8].sources[0].path.steps, std::vector<std::string>{"a/b"});
    EXPECT_EQ(fields[9].constant, std::nullopt);
    EXPECT_EQ(fields[10].constant, "x");
}

TEST(Fields, NamesTheNearestOfWhatIsNotKnown) {
    const Error key = refusal(R"([{"sorce": "a", "target": "t"}])");
    EXPECT_EQ(key.reason, Reason::unknown_key);
    EXPECT_EQ(key.message, "entry 1 of \"fields\" has no key \"sorce\"");
    EXPECT_NE(key.hint.find("\"source\""), std::string::npos);
    EXPECT_NE(refusal(R"([{"source": "a", "target": "t", "transform": "epoc"}])").hint.find("\"epoch\""),
              std::string::npos);
    EXPECT_NE(refusal(R"({"t": "$recrod"})").hint.find("\"$record\""), std::string::npos);
    EXPECT_EQ(refusal(R"([{"source": "a", "target": "t", "transform": "epoch", "params": {"units": "s"}}])").reason,
              Reason::unknown_key);
    EXPECT_EQ(refusal(R"([{"source": "a", "target": "t", "params": {"value": 1}}])").reason, Reason::unknown_key);
}

TEST(Fields, RefusesJavascriptAsUnsupported) {
    const Error error =
        refusal(R"([{"source": "a", "target": "t", "transform": "javascript", "params": {"code": "x"}}])");
    EXPECT_EQ(error.reason, Reason::unsupported_transform);
    EXPECT_EQ(error.code(), "0A000");
}

TEST(Fields, RefusesWhatCannotBeUsed) {
    for (const char* text :
         {"{}",
          "[]",
          "null",
          "\"x\"",
          R"({"t": 1})",
          R"({"t": ["a"]})",
          R"({"t": ""})",
          R"({"": "a"})",
          R"({"t": "a..b"})",
          "[1]",
          R"([{"target": "t"}])",
          R"([{"source": "a"}])",
          R"([{"source": "a", "target": 1}])",
          R"([{"source": "a", "target": []}])",
          R"([{"source": ["a", "b"], "target": "t"}])",
          R"([{"source": "a", "target": ["t", "u"]}])",
          R"([{"source": "a", "target": "t"}, {"source": "b", "target": "t"}])",
          R"([{"source": "a", "target": ["t", "t"], "transform": "split"}])",
          R"([{"source": "a", "target": "t", "compare": 1}])",
          R"([{"source": "a", "target": "t", "transform": 1}])",
          R"([{"source": "a", "target": "t", "transform": "upper"}])",
          R"([{"target": "t", "transform": "constant"}])",
          R"([{"source": "a", "target": "t", "transform": "constant", "params": {"value": 1}}])",
          R"([{"source": "a", "target": "t", "transform": "map"}])",
          R"([{"source": "a", "target": "t", "transform": "map", "params": {"value_map": []}}])",
          R"([{"source": "a", "target": "t", "transform": "split", "params": {"separator": ""}}])",
          R"([{"source": "a", "target": "t", "transform": "lookup", "params": {"table": "t", "match": "m"}}])",
          R"([{"source": "a", "target": "t", "transform": "epoch", "params": {"unit": "min"}}])",
          R"([{"target": "t", "transform": "sql", "params": {"expression": ""}}])",
          R"([{"source": "a", "target": "t", "params": 1}])"})
        EXPECT_FALSE(parse(text).ok()) << text;
}

bool fits_document(const char* predicates, const char* document) {
    return holds(parse_predicates(json::parse(predicates), "deleted_when").value(), json::parse(document));
}

TEST(Predicates, CompareByTypeAndValue) {
    EXPECT_TRUE(fits_document(R"({"path": "a.b", "equals": "x"})", R"({"a": {"b": "x"}})"));
    EXPECT_FALSE(fits_document(R"({"path": "a", "equals": "1"})", R"({"a": 1})"));
    EXPECT_TRUE(fits_document(R"({"path": "a", "equals": 1})", R"({"a": 1.0})"));
    EXPECT_TRUE(fits_document(R"({"path": "a", "in": [true, "y"]})", R"({"a": "y"})"));
    EXPECT_FALSE(fits_document(R"({"path": "a", "in": []})", R"({"a": "y"})"));
    EXPECT_TRUE(fits_document(R"({"path": "a", "equals": {"b": [1]}})", R"({"a": {"b": [1]}})"));
}

TEST(Predicates, TakeNullForAbsent) {
    for (const char* document : {R"({"a": null})", "{}"}) {
        EXPECT_TRUE(fits_document(R"({"path": "a", "exists": false})", document));
        EXPECT_FALSE(fits_document(R"({"path": "a", "exists": true})", document));
        EXPECT_TRUE(fits_document(R"({"path": "a", "equals": null})", document));
        EXPECT_FALSE(fits_document(R"({"path": "a", "equals": 0})", document));
    }
    EXPECT_TRUE(fits_document(R"({"path": "a", "exists": true})", R"({"a": false})"));
    EXPECT_FALSE(fits_document(R"({"path": "a", "equals": null})", R"({"a": 0})"));
}

TEST(Predicates, MustAllHoldAndNeedOneValueOfAWildcard) {
    const char* both = R"([{"path": "a", "equals": 1}, {"path": "b", "exists": true}])";
    EXPECT_TRUE(fits_document(both, R"({"a": 1, "b": 2})"));
    EXPECT_FALSE(fits_document(both, R"({"a": 1})"));
    EXPECT_TRUE(fits_document(R"({"path": "e.*.code", "equals": 7})", R"({"e": [{"code": 6}, {"code": 7}]})"));
    EXPECT_FALSE(fits_document(R"({"path": "e.*.code", "exists": true})", R"({"e": [{}, {"code": null}]})"));
}

TEST(Predicates, RefuseWhatCannotBeUsed) {
    for (const char* text :
         {"{}", "[]", "1", R"({"path": "a"})", R"({"equals": 1})", R"({"path": "a", "equals": 1, "in": [1]})",
          R"({"path": "a", "in": 1})", R"({"path": "a", "exists": "yes"})", R"({"path": "", "exists": true})",
          R"({"path": "a", "eq": 1})"})
        EXPECT_FALSE(parse_predicates(json::parse(text), "deleted_when").ok()) << text;
}

}  // namespace
}  // namespace pg_pull
