#include <gtest/gtest.h>

#include "core/json/text.h"
#include "core/mapping/encoder.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;

const ColumnType kScalar{};
const ColumnType kText{ValueKind::text, nullptr, ',', {}};
const ColumnType kJson{ValueKind::json, nullptr, ',', {}};

ColumnType array_of(ColumnType element) {
    return {ValueKind::array, std::make_shared<const ColumnType>(std::move(element)), ',', {}};
}
ColumnType row_of(std::vector<ColumnAttribute> attributes) {
    ColumnType type;
    type.kind = ValueKind::composite;
    type.attributes = std::move(attributes);
    return type;
}

/// An encoder under test: fields, a staging plan with their columns (text unless told), and the lines of one page.
struct Fixture {
    const char* fields;
    std::vector<std::pair<std::string, ColumnType>> types;
    StagePlan plan;
    EncoderOptions options;

    Result<RecordEncoder> create() {
        const auto parsed = parse_fields(json::parse(fields)).value();
        for (const Field& field : parsed) {
            for (const std::string& target : field.targets) {
                Column column{target, kText};
                for (const auto& [name, type] : types)
                    if (name == target) column.type = type;
                plan.columns.push_back(column);
            }
        }
        return RecordEncoder::create(parsed, plan, options);
    }
};

Result<StagedPage> encode(Fixture setup, std::string body, RecordFormat format = RecordFormat::json) {
    auto encoder = setup.create();
    EXPECT_TRUE(encoder.ok()) << encoder.error().message;
    return encoder->encode(RecordPage::open(std::move(body), format, std::nullopt, false).value(), 1);
}

Texts lines(const StagedPage& page) {
    Texts list;
    std::size_t begin = 0;
    for (const std::uint32_t end : page.line_ends) {
        EXPECT_EQ(page.copy[end - 1], '\n');
        list.push_back(page.copy.substr(begin, end - 1 - begin));
        begin = end;
    }
    EXPECT_EQ(begin, page.copy.size());
    return list;
}

/// The COPY text of column "x" for one record, or the code and column of its reject.
std::string column(const ColumnType& type, const char* record, const char* source = "v") {
    const std::string fields = json{{"x", source}}.dump();
    const auto page = encode({fields.c_str(), {{"x", type}}, {}, {}}, std::string("[") + record + "]");
    if (!page.ok()) return "error " + page.error().message;
    if (!page->rejects.empty()) return page->rejects[0].code + " " + page->rejects[0].column;
    const std::string line = lines(*page)[0];
    return line.substr(0, line.rfind('\t'));
}

TEST(Encoder, CopiesScalarsWithEveryDigit) {
    for (const char* number : {"1234567890123456789012345678901234567890", "1e400", "-0", "1.50", "0.10E-7"})
        EXPECT_EQ(column(kScalar, (std::string("{\"v\":") + number + "}").c_str()), number);
    EXPECT_EQ(column(kScalar, R"({"v":true})"), "true");
    EXPECT_EQ(column(kText, R"({"v":false})"), "false");
    EXPECT_EQ(column(kScalar, R"({"v":null})"), "\\N");
    EXPECT_EQ(column(kScalar, R"({})"), "\\N");
    EXPECT_EQ(column(kScalar, R"({"v" : 17 })"), "17");
}

TEST(Encoder, DecodesStringsAndEscapesThemForCopy) {
    EXPECT_EQ(column(kText, R"({"v":"a\tb\nc\\d\"e\/\u00e9\ud83d\ude00"})"), "a\\tb\\nc\\\\d\"e/é😀");
    EXPECT_EQ(column(kText, R"({"v":"\\N"})"), "\\\\N");
    EXPECT_EQ(column(kText, R"({"v":""})"), "");
    EXPECT_EQ(column(kText, R"({"v":"\u000a\u005c"})"), "\\n\\\\");
}

TEST(Encoder, PassesObjectsAndArraysAsTheirText) {
    EXPECT_EQ(column(kText, "{\"v\":{\"a\": \"x\\ny\",\n \"b\":[1, 2.0]}}"), "{\"a\": \"x\\\\ny\",\\n \"b\":[1, 2.0]}");
    EXPECT_EQ(column(kJson, R"({"v":[1.10,{"k":null}]})"), "[1.10,{\"k\":null}]");
    EXPECT_EQ(column(kJson, R"({"v":"a\u00e9\"\ud800"})"), R"("a\\u00e9\\"\\ud800")");
    EXPECT_EQ(column(kJson, R"({"v":null})"), "\\N");
    EXPECT_EQ(column(kJson, R"({"v":12})"), "12");
}

TEST(Encoder, MakesArrayLiterals) {
    EXPECT_EQ(column(array_of(kScalar), R"({"v":[1,2.50,null,true]})"), "{1,2.50,NULL,true}");
    EXPECT_EQ(column(array_of(kText), R"({"v":["a,b","c\"d","e\\f","NULL","","{x}"]})"),
              R"({"a,b","c\\"d","e\\\\f","NULL","","{x}"})");
    EXPECT_EQ(column(array_of(kText), R"({"v":[]})"), "{}");
    EXPECT_EQ(column(array_of(kScalar), R"({"v":[[1,2],[3,4]]})"), "{{1,2},{3,4}}");
    EXPECT_EQ(column(array_of(kJson), R"({"v":[{"a":"b"},[1],"s",2,null]})"),
              R"({"{\\"a\\":\\"b\\"}","[1]","\\"s\\"",2,NULL})");
    EXPECT_EQ(column(array_of(kText), R"({"v":[{"a":1}]})"), R"({"{\\"a\\":1}"})");
    EXPECT_EQ(column(array_of(kText), R"({"v":"{a,b}"})"), "{a,b}");
    ColumnType boxes = array_of(kScalar);
    boxes.delimiter = ';';
    EXPECT_EQ(column(boxes, R"~({"v":["(1,1),(0,0)","(2,2),(1,1)"]})~"), R"~({"(1,1),(0,0)";"(2,2),(1,1)"})~");
    EXPECT_EQ(column(array_of(array_of(kScalar)), R"({"v":[[1,2],"{3}"]})"), R"({"{1,2}","{3}"})");
}

TEST(Encoder, MakesRowLiterals) {
    const ColumnType row =
        row_of({{"a", kScalar}, {"b", kText}, {"c", array_of(kText)}, {"d", row_of({{"x", kText}})}, {"e", kJson}});
    EXPECT_EQ(column(row, R"({"v":{"b":"q\"r, s","a":1,"c":["u","v w"],"d":{"x":"y"},"e":{"k":1},"other":9}})"),
              R"~((1,"q\\"r, s","{\\"u\\",\\"v w\\"}","(\\"y\\")","{\\"k\\":1}"))~");
    EXPECT_EQ(column(row, R"({"v":{"b":null,"b":"last","b":""}})"), "(,\"\",,,)");
    EXPECT_EQ(column(row, R"({"v":{}})"), "(,,,,)");
    EXPECT_EQ(column(row, R"~({"v":"(1,2,,,)"})~"), "(1,2,,,)");
    EXPECT_EQ(column(array_of(row_of({{"a", kText}})), R"({"v":[{"a":"x"},null]})"), R"~({"(\\"x\\")",NULL})~");
}

TEST(Encoder, RejectsWhatNoLiteralCanBeMadeOf) {
    EXPECT_EQ(column(array_of(kText), R"({"v":{}})"), "22P02 x");
    EXPECT_EQ(column(array_of(kText), R"({"v":1})"), "22P02 x");
    EXPECT_EQ(column(row_of({{"a", kText}}), R"({"v":[1]})"), "22P02 x");
    EXPECT_EQ(column(array_of(row_of({{"a", kText}})), R"({"v":[1]})"), "22P02 x");
}

TEST(Encoder, RejectsTextThatTheServerCannotHold) {
    EXPECT_EQ(column(kText, R"({"v":"a\u0000b"})"), "22P05 x");
    EXPECT_EQ(column(kText, R"({"v":"a\ud800"})"), "22P05 x");
    EXPECT_EQ(column(array_of(kText), R"({"v":["\u0000"]})"), "22P05 x");
    EXPECT_EQ(column(row_of({{"a", kText}}), R"({"v":{"a":"\udc00"}})"), "22P05 x");
    EXPECT_EQ(column(kJson, R"({"v":"\u0000"})"), R"("\\u0000")");
    EXPECT_EQ(column(kText, R"({"v":1,"unused":"\u0000"})"), "1");
}

TEST(Encoder, FindsValuesByPath) {
    const char* record = R"({"a":{"b":{"c":1},"l":[10,{"n":"x"}]},"a/b":2,"\u0061c":3,"l":[1,2]})";
    EXPECT_EQ(column(kText, record, "a.b.c"), "1");
    EXPECT_EQ(column(kText, record, "a.l.0"), "10");
    EXPECT_EQ(column(kText, record, "a.l.1.n"), "x");
    EXPECT_EQ(column(kText, record, "/a~1b"), "2");
    EXPECT_EQ(column(kText, record, "ac"), "3");
    EXPECT_EQ(column(array_of(kScalar), record, "l"), "{1,2}");
    for (const char* absent : {"a.b.c.d", "l.2", "l.x", "a.l.01", "a.l.1.n.0", "z"})
        EXPECT_EQ(column(kText, record, absent), "\\N") << absent;
}

TEST(Encoder, GathersTheValuesOfAWildcard) {
    const char* record =
        R"({"labels":[{"name":"a b"},{"id":1},{"name":null},{"name":"c"}],"one":{"x":{"n":1},"y":{"n":2}}})";
    EXPECT_EQ(column(array_of(kText), record, "labels.*.name"), "{\"a b\",NULL,\"c\"}");
    EXPECT_EQ(column(kJson, record, "labels.*.name"), R"(["a b", null, "c"])");
    EXPECT_EQ(column(kText, record, "labels.*.name"), R"(["a b", null, "c"])");
    EXPECT_EQ(column(array_of(kScalar), record, "one.*.n"), "{1,2}");
    EXPECT_EQ(column(array_of(kText), R"({"labels":[]})", "labels.*.name"), "{}");
    EXPECT_EQ(column(array_of(kText), R"({"labels":null})", "labels.*.name"), "\\N");
    EXPECT_EQ(column(array_of(kText), R"({"labels":3})", "labels.*.name"), "\\N");
    EXPECT_EQ(column(array_of(kText), R"({})", "labels.*.name"), "\\N");
}

TEST(Encoder, LetsTheLastOfARepeatedKeyWin) {
    EXPECT_EQ(column(kText, R"({"v":1,"v":2})"), "2");
    EXPECT_EQ(column(kText, R"({"v":1,"v":null})"), "\\N");
    EXPECT_EQ(column(kText, R"({"u":{"v":1},"u":{"w":2}})", "u.v"), "\\N");
    EXPECT_EQ(column(kText, R"({"u":{"v":1},"u":3})", "u.v"), "\\N");
    EXPECT_EQ(column(kText, R"({"u":[{"v":1}],"u":[]})", "u.0.v"), "\\N");
    EXPECT_EQ(column(kText, R"({"u":{"v":1,"\u0076":5}})", "u.v"), "5");
    EXPECT_EQ(column(array_of(kText), R"({"l":[{"n":1,"n":2}],"l":[{"n":3,"n":4}]})", "l.*.n"), "{4}");
}

TEST(Encoder, ChecksUnusedValuesToo) {
    for (const char* record : {R"({"b":tru,"v":1})", R"({"b":01,"v":1})", R"({"b":"\x","v":1})", R"({"b":[1,],"v":1})",
                               R"({"b":{"c"},"v":1})", R"({"v":-})", R"({"v":1.})"}) {
        const auto page = encode({R"({"x":"v"})", {}, {}, {}}, std::string("[{\"v\":0},") + record + "]");
        ASSERT_FALSE(page.ok()) << record;
        EXPECT_EQ(page.error().reason, Reason::upstream_not_ok);
        EXPECT_NE(page.error().detail.find("record 2"), std::string::npos) << page.error().detail;
    }
}

TEST(Encoder, FailsThePageWhereARecordIsNoObject) {
    const auto page = encode({R"({"x":"v"})", {}, {}, {}}, R"([{"v":1},"id"])");
    ASSERT_FALSE(page.ok());
    EXPECT_EQ(page.error().reason, Reason::record_not_object);
    EXPECT_EQ(page.error().message, "record 2 of page 1 is not a JSON object");
    EXPECT_EQ(page.error().detail, "It is a string.");
}

TEST(Encoder, FillsPseudoSources) {
    Fixture setup{
        R"([{"source":"$record","target":"r"},{"source":"$rest","target":"rest"},{"source":"$organization","target":"o"},
                    {"source":"$run_id","target":"i"},{"source":"$pulled_at","target":"p"},{"source":"a.b","target":"ab"}])",
        {{"r", kJson}, {"rest", kJson}},
        {},
        {}};
    setup.options.values = {"org\t1", "42", "2024-01-01T00:00:00+00"};
    const auto page = encode(setup, "[{\"a\": {\"b\":1}, \"c\" : 1.0,\"d\":\"x\"}, {\"a\":1}]");
    EXPECT_EQ(lines(*page), (Texts{"{\"a\": {\"b\":1}, \"c\" : 1.0,\"d\":\"x\"}\t{\"c\" : 1.0, "
                                   "\"d\":\"x\"}\torg\\t1\t42\t2024-01-01T00:00:00+00\t1\t1",
                                   "{\"a\":1}\t{}\torg\\t1\t42\t2024-01-01T00:00:00+00\t\\N\t2"}));
    EXPECT_TRUE(page->unmapped_keys.empty());
}

TEST(Encoder, TransformsValues) {
    const Fixture setup{R"([
        {"target":"c","transform":"constant","params":{"value":"a\tb"}},
        {"target":"cj","transform":"constant","params":{"value":"a"}},
        {"target":"cn","transform":"constant","params":{"value":null}},
        {"target":"ca","transform":"constant","params":{"value":[1,2]}},
        {"source":"m","target":"m","transform":"map","params":{"value_map":{"open":1,"2":"two","true":null}}},
        {"source":"n","target":["n1","n2"],"transform":"split"},
        {"source":["a","b","l.*"],"target":"j","transform":"join","params":{"separator":"-"}},
        {"source":"e","target":"e","transform":"epoch"},
        {"source":"k","target":"k","transform":"lookup","params":{"table":"t","match":"m","return":"r"}},
        {"target":"s","transform":"sql","params":{"expression":"1"}},
        {"source":"k","target":"s2","transform":"sql","params":{"expression":"s2"}}])",
                        {{"cj", kJson}, {"ca", array_of(kScalar)}},
                        {},
                        {}};
    const auto page = encode(setup, R"([
        {"m":"open","n":" Ada  Lovelace King ","a":"x","b":7,"l":["p","",null,"q"],"e":1.5,"k":"K"},
        {"m":2,"n":"Plato","a":"","e":"-1","k":null},
        {"m":true,"n":null,"b":true},
        {"m":"other","n":"","l":[]}])");
    ASSERT_TRUE(page.ok());
    const std::string constants = "a\\tb\t\"a\"\t\\N\t{1,2}\t";
    EXPECT_EQ(lines(*page),
              (Texts{constants + "1\tAda\tLovelace King\tx-7-p-q\t1970-01-01 00:00:01.500000+00\tK\t\\N\tK\t1",
                     constants + "two\tPlato\t\\N\t\\N\t1969-12-31 23:59:59.000000+00\t\\N\t\\N\t\\N\t2",
                     constants + "\\N\t\\N\t\\N\ttrue\t\\N\t\\N\t\\N\t\\N\t3",
                     constants + "other\t\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t4"}));
}

TEST(Encoder, RejectsEpochsThatAreNone) {
    const auto page = encode({R"([{"source":"e","target":"t","transform":"epoch"}])", {}, {}, {}},
                             R"([{"e":"soon"},{"e":1e30},{"e":{}},{"e":0}])");
    ASSERT_EQ(page->rejects.size(), 3U);
    EXPECT_EQ(page->rejects[0].code, "22007");
    EXPECT_EQ(page->rejects[1].code, "22008");
    EXPECT_EQ(page->rejects[2].code, "22007");
    EXPECT_EQ(page->lines(), 1U);
}

TEST(Encoder, AddsThePlansOwnColumns) {
    Fixture setup{
        R"([{"source":"id","target":"id"},{"source":"u.name","target":"n"},{"source":["a","b"],"target":"j","transform":"join"},
                    {"target":"c","transform":"constant","params":{"value":1}}])",
        {},
        {},
        {}};
    setup.plan.record = setup.plan.presence = setup.plan.tombstone = setup.plan.watermark = true;
    setup.options.watermark_field = parse_path("at").value();
    setup.options.deleted_when =
        parse_predicates(json::parse(R"([{"path":"state","equals":"gone"},{"path":"tags.*","in":[1,2]}])"),
                         "deleted_when")
            .value();
    const auto page = encode(setup, R"([{"id":1,"u":{"name":null},"at":"\u0032x","state":"gone","tags":[0,2]},
        {"id":2,"u":null,"b":1,"at":1.50,"state":"gone"},{"u":{},"at":null}])");
    EXPECT_EQ(lines(*page),
              (Texts{"1\t\\N\t\\N\t1\t1\t{\"id\":1,\"u\":{\"name\":null},\"at\":\"\\\\u0032x\",\"state\":\"gone\","
                     "\"tags\":[0,2]}\t1101\tt\t2x",
                     "2\t\\N\t1\t1\t2\t{\"id\":2,\"u\":null,\"b\":1,\"at\":1.50,\"state\":\"gone\"}\t1111\tf\t1.50",
                     "\\N\t\\N\t\\N\t1\t3\t{\"u\":{},\"at\":null}\t0001\tf\t\\N"}));
}

TEST(Encoder, DescribesRejectsWithTheirKey) {
    Fixture setup{R"({"id":"id","t":"t"})", {{"id", kScalar}}, {}, {}};
    setup.plan.key = {"id"};
    const auto page = encode(setup,
                             "[{\"id\":1,\"t\":\"a\"},{\"id\":\"k\\t2\",\"t\":\"\\u0000\"},{\"id\":3,\"t\":\"\xff\"},"
                             "{\"id\":\"\xff\"},{\"t\":\"\\u0000\"},{\"id\":6}]");
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(lines(*page), (Texts{"1\ta\t1", "6\t\\N\t6"}));
    EXPECT_EQ(page->ordinals, (std::vector<std::uint32_t>{1, 6}));
    ASSERT_EQ(page->rejects.size(), 4U);
    const Reject& nul = page->rejects[0];
    EXPECT_EQ(nul.raw.json, "{\"id\":\"k\\t2\",\"t\":\"\\u0000\"}");
    EXPECT_EQ(nul.raw.bytes, std::nullopt);
    EXPECT_EQ(nul.key, "k\t2");
    EXPECT_EQ(nul.column, "t");
    EXPECT_EQ(nul.code, "22P05");
    EXPECT_EQ(nul.page, 1);
    EXPECT_EQ(nul.ordinal, 2);
    const Reject& bytes = page->rejects[1];
    EXPECT_EQ(bytes.raw.bytes, "{\"id\":3,\"t\":\"\xff\"}");
    EXPECT_EQ(bytes.raw.json, std::nullopt);
    EXPECT_EQ(bytes.code, "22021");
    EXPECT_EQ(bytes.key, "3");
    EXPECT_EQ(page->rejects[2].key, std::nullopt);
    EXPECT_EQ(page->rejects[3].key, std::nullopt);
    EXPECT_EQ(page->raw(1).json, "{\"id\":6}");
}

TEST(Encoder, GivesKeysOfSeveralColumnsAsAnArray) {
    Fixture setup{R"({"a":"a","b":"b","t":"t"})", {}, {}, {}};
    setup.plan.key = {"b", "a"};
    const auto page = encode(setup, R"([{"a":"x\"y","b":2,"t":"\u0000"},{"a":1,"t":"\u0000"}])");
    EXPECT_EQ(page->rejects[0].key, R"(["2", "x\"y"])");
    EXPECT_EQ(page->rejects[1].key, std::nullopt);
}

TEST(Encoder, RejectsDamagedLinesAndGoesOn) {
    const auto page =
        encode({R"({"id":"id"})", {}, {}, {}}, "{\"id\":1}\n{\"id\":\n{\"id\":3}\n{\"id\":4", RecordFormat::ndjson);
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(lines(*page), (Texts{"1\t1", "3\t3"}));
    ASSERT_EQ(page->rejects.size(), 2U);
    EXPECT_EQ(page->rejects[0].code, "22P02");
    EXPECT_EQ(page->rejects[1].raw.bytes, "{\"id\":4");
    EXPECT_EQ(page->rejects[1].ordinal, 4);
}

TEST(Encoder, RejectsRecordsThatAreTooDeep) {
    for (const unsigned depth : {600U, 1000000U}) {
        const std::string deep = std::string(depth, '[') + std::string(depth, ']');
        const std::string body = "{\"id\":1,\"x\":" + deep + "}\n{\"id\":2}";
        const auto page = encode({R"({"id":"id"})", {}, {}, {}}, body, RecordFormat::ndjson);
        ASSERT_TRUE(page.ok());
        ASSERT_EQ(page->rejects.size(), 1U);
        EXPECT_EQ(page->rejects[0].code, "54001");
        EXPECT_TRUE(page->rejects[0].raw.bytes.has_value());
        EXPECT_EQ(page->lines(), 1U);
    }
}

TEST(Encoder, ReportsUnmappedKeysOnceARun) {
    Fixture setup{R"({"id":"id","n":"user.name"})", {}, {}, {}};
    setup.plan.tombstone = true;
    setup.options.deleted_when =
        parse_predicates(json::parse(R"({"path":"gone","exists":true})"), "deleted_when").value();
    auto encoder = setup.create();
    const auto run = [&encoder](const char* body) {
        return encoder->encode(RecordPage::open(body, RecordFormat::json, std::nullopt, false).value(), 1)
            ->unmapped_keys;
    };
    EXPECT_EQ(run(R"([{"id":1,"new":1,"user":{"x":1},"gone":1},{"new":2,"\u00e9":1}])"), (Texts{"new", "é"}));
    EXPECT_EQ(run(R"([{"id":1,"new":1,"other":1}])"), Texts{"other"});
    std::string many = "[{";
    for (int i = 0; i < 3000; ++i) many += "\"k" + std::to_string(i) + "\":1,";
    EXPECT_EQ(run((many + "\"id\":1}]").c_str()).size(), 1000U - 3U);
}

TEST(Encoder, NumbersRecordsOverAllPages) {
    Fixture setup{R"({"id":"id"})", {}, {}, {}};
    auto encoder = setup.create();
    const auto run = [&encoder](const char* body, std::int64_t number) {
        return encoder->encode(RecordPage::open(body, RecordFormat::json, std::nullopt, false).value(), number).value();
    };
    EXPECT_EQ(lines(run(R"([{"id":"a"},{"id":"\u0000"}])", 1)), Texts{"a\t1"});
    const StagedPage second = run(R"([{"id":"b"}])", 2);
    EXPECT_EQ(lines(second), Texts{"b\t3"});
    EXPECT_EQ(second.number, 2);
}

TEST(Encoder, RefusesAPlanThatDoesNotFitTheFields) {
    const auto fields = parse_fields(json::parse(R"({"a":"a"})")).value();
    StagePlan plan;
    EXPECT_EQ(RecordEncoder::create(fields, plan, {}).error().reason, Reason::invalid_configuration);
    plan.columns = {{"a", kText}, {"b", kText}};
    EXPECT_EQ(RecordEncoder::create(fields, plan, {}).error().message, "no field fills the staged column \"b\"");
    plan.columns.pop_back();
    EXPECT_TRUE(RecordEncoder::create(fields, plan, {}).ok());
    plan.key = {"k"};
    EXPECT_FALSE(RecordEncoder::create(fields, plan, {}).ok());
    plan.key.clear();
    plan.columns[0].type = ColumnType{ValueKind::array, nullptr, ',', {}};
    EXPECT_FALSE(RecordEncoder::create(fields, plan, {}).ok());
}

TEST(Encoder, KeepsTheOrderOfThePlan) {
    const auto fields =
        parse_fields(
            json::parse(R"([{"source":"n","target":["p","q"],"transform":"split"},{"source":"i","target":"i"}])"))
            .value();
    StagePlan plan;
    plan.columns = {{"q", kText}, {"i", kText}, {"p", kText}};
    auto encoder = RecordEncoder::create(fields, plan, {});
    ASSERT_TRUE(encoder.ok());
    const auto page =
        encoder->encode(RecordPage::open(R"([{"i":1,"n":"a b"}])", RecordFormat::json, std::nullopt, false).value(), 1);
    EXPECT_EQ(page->copy, "b\t1\ta\t1\n");
}

}  // namespace
}  // namespace pg_pull
