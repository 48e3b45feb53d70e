// The statements that the postgres and fdw sources send, and the pages that they make of the rows.

#include <gtest/gtest.h>

#include <map>

#include "source/fdw/check.h"
#include "source/postgres/connection_error.h"
#include "source/postgres/read_statement.h"
#include "source/postgres/row_pages.h"

namespace pg_pull::postgres {
namespace {

using nlohmann::json;

constexpr unsigned bool_oid = 16;
constexpr unsigned int8_oid = 20;
constexpr unsigned text_oid = 25;
constexpr unsigned int4_array_oid = 1007;
constexpr unsigned timestamptz_oid = 1184;
constexpr unsigned jsonb_oid = 3802;

const std::vector<RemoteColumn> remote = {{"id", int8_oid, 'N'},   {"name", text_oid, 'S'},
                                          {"done", bool_oid, 'B'}, {"at", timestamptz_oid, 'D'},
                                          {"doc", jsonb_oid, 'U'}, {"nums", int4_array_oid, 'A'}};

/// A request with its fields and the staging plan that they give.
struct Reading {
    explicit Reading(std::string_view config, const std::map<std::string, ValueKind>& kinds = {}) {
        fields = parse_fields(json::parse(config)).value();
        for (const Field& field : fields)
            for (const std::string& target : field.targets) {
                Column column{target, {}};
                column.type.kind = kinds.contains(target) ? kinds.at(target) : ValueKind::scalar;
                if (column.type.kind == ValueKind::array) column.type.element = std::make_shared<ColumnType>();
                plan.columns.push_back(std::move(column));
            }
        encoding.values = {"acme", "7", "2026-01-01T00:00:00+00"};
        request.connector = "shop";
        request.fields = &fields;
        request.plan = &plan;
        request.encoding = &encoding;
    }

    void start_from(const std::string& field, WatermarkValue value) {
        request.watermark.emplace();
        request.watermark->field = parse_path(field).value();
        encoding.watermark_field = request.watermark->field;
        plan.watermark = true;
        request.watermark_start = std::move(value);
    }

    Result<ReadStatement> statement(const json& source = {{"table", "orders"}}) {
        return read_statement(request, parse_database_source(source).value(), remote, true);
    }
    std::string condition() { return watermark_condition(request, remote).value().value_or("none"); }

    std::vector<Field> fields;
    StagePlan plan;
    EncoderOptions encoding;
    SourceRequest request;
};

WatermarkValue at_midnight() { return {WatermarkType::timestamptz, parse_timestamp("2026-01-02T00:00:00Z")->time, {}}; }

TEST(TableName, IsFoldedAndQuotedAsInSql) {
    EXPECT_EQ(parse_table_name("Orders").value(), "\"orders\"");
    EXPECT_EQ(parse_table_name("shop.orders_2$").value(), "\"shop\".\"orders_2$\"");
    EXPECT_EQ(parse_table_name("\"My Shop\".\"a.\"\"b\"\"\"").value(), "\"My Shop\".\"a.\"\"b\"\"\"");
    EXPECT_EQ(parse_table_name("db.shop.straße").value(), "\"db\".\"shop\".\"straße\"");
}

TEST(TableName, IsNothingElse) {
    for (const char* text :
         {"", ".", "a.", "a..b", "a b", "1a", "a;drop table b", "a\"b", "\"a", "\"\"", "a.b.c.d", "a--", "f()"})
        EXPECT_FALSE(parse_table_name(text).ok()) << text;
}

TEST(QuotedText, ReadsTheSameInEverySetting) {
    EXPECT_EQ(quote_text("it's"), "'it''s'");
    EXPECT_EQ(quote_text("a\\'b"), " E'a\\\\''b'");
}

TEST(DatabaseSource, HasATableOrAQuery) {
    EXPECT_FALSE(parse_database_source(json::object()).ok());
    EXPECT_FALSE(parse_database_source({{"table", "a"}, {"query", "b"}}).ok());
    EXPECT_FALSE(parse_database_source({{"tables", "a"}}).ok());
    EXPECT_FALSE(parse_database_source({{"query", " ; "}}).ok());
    EXPECT_EQ(parse_database_source({{"query", "SELECT 1 ;\n"}}).value().query, "SELECT 1");
}

TEST(DatabaseSource, HasNoPages) {
    EXPECT_TRUE(check_database_source({{"table", "a"}}, nullptr).ok());
    EXPECT_TRUE(check_database_source({{"table", "a"}}, {{"type", "none"}}).ok());
    EXPECT_FALSE(check_database_source({{"table", "a"}}, {{"type", "page"}}).ok());
}

TEST(FdwConnector, HasNoConfiguration) {
    EXPECT_TRUE(fdw::check_connector(json::object(), nullptr).ok());
    EXPECT_TRUE(fdw::check_connector(nullptr, {{"type", "none"}}).ok());
    EXPECT_FALSE(fdw::check_connector({{"conninfo", "x"}}, nullptr).ok());
    EXPECT_FALSE(fdw::check_connector(nullptr, {{"type", "basic"}, {"credential_ref", "x"}}).ok());
    EXPECT_EQ(fdw::provider.open, nullptr);
}

TEST(ReadStatement, TakesColumnsAsTheyAreWhereNoFieldNeedsMore) {
    Reading reading(R"({"id": "id", "title": "name", "org": "$organization"})", {{"title", ValueKind::text}});
    reading.plan.record = true;
    const auto statement = reading.statement({{"table", "shop.orders"}, {"where", "id > 1 -- all"}}).value();
    EXPECT_TRUE(statement.lines);
    EXPECT_EQ(statement.select,
              "SELECT pg_pull_q.\"id\", 'acme', pg_pull_q.\"name\", pg_catalog.row_to_json(pg_pull_q) FROM "
              "(SELECT \"id\", \"name\" FROM \"shop\".\"orders\" WHERE (\nid > 1 -- all\n)) AS pg_pull_q");
    EXPECT_EQ(statement.unread, (std::vector<std::string>{"done", "at", "doc", "nums"}));
}

TEST(ReadStatement, GivesTheEncoderWhatOnlyItCanRead) {
    for (const char* fields : {R"({"rec": "$record"})", R"({"deep": "doc.a"})",
                               R"([{"source": "id", "target": "t", "transform": "epoch", "params": {"unit": "s"}}])"}) {
        Reading reading(fields);
        const auto statement = reading.statement().value();
        EXPECT_FALSE(statement.lines) << fields;
        EXPECT_TRUE(statement.select.starts_with("SELECT pg_catalog.row_to_json(pg_pull_q) FROM ("))
            << statement.select;
    }
    Reading tombstones(R"({"id": "id"})");
    tombstones.plan.tombstone = true;
    EXPECT_FALSE(tombstones.statement().value().lines);
}

TEST(ReadStatement, ReadsNoMoreThanTheFieldsNeed) {
    EXPECT_NE(Reading(R"({"deep": "doc.a"})").statement().value().select.find("(SELECT \"doc\" FROM"),
              std::string::npos);
    EXPECT_NE(Reading(R"({"rec": "$record"})").statement().value().select.find("\"id\", \"name\", \"done\""),
              std::string::npos);
    EXPECT_TRUE(Reading(R"({"rec": "$rest"})").statement().value().unread.empty());
}

TEST(ReadStatement, GivesEachColumnWhatTheEncoderWould) {
    const auto select = [](const char* source, ValueKind kind) {
        Reading reading(json{{"c", source}}.dump(), {{"c", kind}});
        const auto statement = reading.statement().value();
        if (!statement.lines) return std::string("json");
        return statement.select.substr(7, statement.select.find(" FROM (") - 7);
    };
    EXPECT_EQ(select("done", ValueKind::text), "(pg_pull_q.\"done\")::pg_catalog.text");
    EXPECT_EQ(select("at", ValueKind::scalar), "pg_pull_q.\"at\"");
    EXPECT_EQ(select("at", ValueKind::text), "(pg_catalog.to_json(pg_pull_q.\"at\") OPERATOR(pg_catalog.#>>) '{}')");
    EXPECT_EQ(select("nums", ValueKind::array), "pg_pull_q.\"nums\"");
    EXPECT_EQ(select("nums", ValueKind::json), "pg_catalog.to_json(pg_pull_q.\"nums\")");
    EXPECT_EQ(select("nums", ValueKind::text),
              "(pg_catalog.to_json(pg_pull_q.\"nums\") OPERATOR(pg_catalog.#>>) '{}')");
    EXPECT_EQ(select("doc", ValueKind::json), "pg_pull_q.\"doc\"");
    EXPECT_EQ(select("doc", ValueKind::array), "json");
    EXPECT_EQ(select("name", ValueKind::composite), "json");
}

TEST(ReadStatement, WritesConstantsIntoTheStatement) {
    Reading reading(R"([{"target": "a", "transform": "constant", "params": {"value": "it's \\"}},
                        {"target": "b", "transform": "constant", "params": {"value": null}},
                        {"target": "c", "transform": "constant", "params": {"value": "x"}}])",
                    {{"c", ValueKind::json}});
    const auto statement = reading.statement().value();
    EXPECT_TRUE(statement.lines);
    EXPECT_TRUE(statement.select.starts_with("SELECT  E'it''s \\\\', NULL, '\"x\"' FROM (SELECT  FROM"))
        << statement.select;
}

TEST(ReadStatement, NamesAColumnThatIsNotThere) {
    const auto statement = Reading(R"({"id": "nr"})").statement();
    ASSERT_FALSE(statement.ok());
    EXPECT_EQ(statement.error().code(), "42703");
    EXPECT_NE(statement.error().message.find("\"nr\""), std::string::npos);
    EXPECT_NE(statement.error().detail.find("\"name\""), std::string::npos);
}

TEST(ReadStatement, LimitsAPreviewAndGivesItRecords) {
    Reading reading(R"({"id": "id"})");
    reading.request.max_records = 5;
    const auto statement = reading.statement().value();
    EXPECT_FALSE(statement.lines);
    EXPECT_NE(statement.select.find(" LIMIT 5)"), std::string::npos);
}

TEST(ReadStatement, OrdersByAWatermarkThatIsSaidToAscend) {
    Reading reading(R"({"at": "at"})");
    reading.start_from("at", at_midnight());
    EXPECT_EQ(reading.statement().value().select.find("ORDER BY"), std::string::npos);
    reading.request.watermark->order = WatermarkConfig::Order::asc;
    EXPECT_NE(reading.statement().value().select.find(" ORDER BY \"at\")"), std::string::npos);
}

TEST(WatermarkCondition, LooksFiveMinutesBackUnlessToldOtherwise) {
    Reading reading(R"({"at": "at"})");
    reading.start_from("at", at_midnight());
    EXPECT_EQ(reading.condition(), "\"at\" >= '2026-01-01T23:55:00Z'");
    reading.request.watermark->lookback_given = true;
    EXPECT_EQ(reading.condition(), "\"at\" >= '2026-01-02T00:00:00Z'");
    reading.request.watermark->lookback.days = 1;
    EXPECT_EQ(reading.condition(), "\"at\" >= '2026-01-01T00:00:00Z'");
}

TEST(WatermarkCondition, TakesTheInitialValueAsItIs) {
    Reading reading(R"({"at": "at"})");
    reading.start_from("at", at_midnight());
    reading.request.full = true;
    EXPECT_EQ(reading.condition(), "\"at\" >= '2026-01-02T00:00:00Z'");
}

TEST(WatermarkCondition, FitsTheTypeOfTheColumn) {
    Reading number(R"({"id": "id"})");
    number.start_from("id", {WatermarkType::integer, {}, "-5"});
    EXPECT_EQ(number.condition(), "\"id\" >= (-5)");
    Reading number_in_text(R"({"name": "name"})");
    number_in_text.start_from("name", {WatermarkType::numeric, {}, "12345678901234567890.5"});
    EXPECT_EQ(number_in_text.condition(), "\"name\"::pg_catalog.numeric >= (12345678901234567890.5)");
    Reading text(R"({"name": "name"})");
    text.start_from("name", {WatermarkType::text, {}, "it's"});
    EXPECT_EQ(text.condition(), "\"name\"::pg_catalog.text COLLATE \"C\" >= 'it''s'");
    Reading time_in_text(R"({"name": "name"})");
    time_in_text.start_from("name", at_midnight());
    EXPECT_EQ(time_in_text.condition(),
              "\"name\"::pg_catalog.timestamptz >= '2026-01-01T23:55:00Z'::pg_catalog.timestamptz");
}

TEST(WatermarkCondition, LooksBackInNumbersAndTextsThatAreTimes) {
    Reading epoch(R"({"id": "id"})");
    epoch.start_from("id", {WatermarkType::integer, {}, "1000000"});
    epoch.request.watermark->format.type = WatermarkFormat::Type::epoch;
    EXPECT_EQ(epoch.condition(), "\"id\" >= (999700)");
    Reading text(R"({"name": "name"})");
    text.start_from("name", {WatermarkType::text, {}, "2026-01-02T00:00:00Z"});
    EXPECT_EQ(text.condition(), "\"name\"::pg_catalog.text COLLATE \"C\" >= '2026-01-01T23:55:00Z'");
}

TEST(WatermarkCondition, RefusesAPathIntoAColumn) {
    Reading reading(R"({"at": "at"})");
    reading.start_from("doc.at", at_midnight());
    EXPECT_FALSE(watermark_condition(reading.request, remote).ok());
}

TEST(WatermarkCondition, JoinsTheConditionOfTheMapping) {
    Reading reading(R"({"id": "id"})");
    reading.start_from("id", {WatermarkType::integer, {}, "5"});
    const auto statement = reading.statement({{"query", "SELECT * FROM orders;"}, {"where", "a OR b"}}).value();
    EXPECT_EQ(statement.select,
              "SELECT pg_pull_q.\"id\", (pg_pull_q.\"id\")::pg_catalog.text FROM (SELECT \"id\" FROM (\nSELECT * FROM "
              "orders\n) AS "
              "pg_pull_b WHERE (\na OR b\n) AND \"id\" >= (5)) AS pg_pull_q");
}

StagePlan plan_of(std::vector<std::string> names) {
    StagePlan plan;
    for (auto& name : names) plan.columns.push_back({std::move(name), {}});
    return plan;
}

TEST(LinePages, PutTheSequenceBehindTheColumns) {
    LinePages pages(plan_of({"a", "b"}));
    pages.add("1\tx\\ty\n");
    pages.add("\\N\t\n");
    EXPECT_EQ(pages.take(1).copy, "1\tx\\ty\t1\n\\N\t\t2\n");
    EXPECT_TRUE(pages.empty());
    pages.add("3\tz\n");
    const StagedPage second = pages.take(2);
    EXPECT_EQ(second.copy, "3\tz\t3\n");
    EXPECT_EQ(second.number, 2);
    EXPECT_EQ(second.ordinals, std::vector<std::uint32_t>{1});
    EXPECT_EQ(second.line_ends, std::vector<std::uint32_t>{6});
}

TEST(LinePages, PutThePlansOwnColumnsInOrder) {
    StagePlan plan = plan_of({"a", "b"});
    plan.record = plan.presence = plan.watermark = true;
    LinePages pages(plan);
    pages.add("1\tx\t{\"a\":1}\t2026\n");
    StagedPage page = pages.take(1);
    EXPECT_EQ(page.copy, "1\tx\t1\t{\"a\":1}\t11\t2026\n");
    EXPECT_EQ(page.raw(0).json, "{\"a\":1}");
    plan.record = plan.watermark = false;
    LinePages presence(plan);
    presence.add("1\tx\n");
    EXPECT_EQ(presence.take(1).copy, "1\tx\t1\t11\n");
}

TEST(LinePages, GiveTheRecordBackFromTheLine) {
    LinePages pages(plan_of({"a", "b\"c", "d"}));
    pages.add("1\tx\\ty\\\\\\n\"\t\\N\n");
    pages.add("\tü\t0\n");
    StagedPage page = pages.take(1);
    const StagedPage moved = std::move(page);
    EXPECT_EQ(json::parse(*moved.raw(0).json), json::parse(R"({"a":"1","b\"c":"x\ty\\\n\"","d":null})"));
    EXPECT_EQ(json::parse(*moved.raw(1).json), json::parse(R"({"a":"","b\"c":"ü","d":"0"})"));
}

TEST(LinePages, AreFullByRowsOrBytes) {
    LinePages rows(plan_of({"a"}));
    for (std::size_t i = 0; i < page_rows; ++i) {
        EXPECT_FALSE(rows.full());
        rows.add("1\n");
    }
    EXPECT_TRUE(rows.full());
    LinePages bytes(plan_of({"a"}));
    bytes.add(std::string(page_bytes, 'x') + "\n");
    EXPECT_TRUE(bytes.full());
}

TEST(RecordPages, AreOneArrayThatKeepsLineBreaks) {
    RecordPages pages;
    pages.add_copied("{\"a\":{\\n \"b\":\"c\\\\n\"}}\n");
    pages.add_copied("{\"a\":2}\n");
    EXPECT_EQ(pages.take(), "[{\"a\":{\n \"b\":\"c\\n\"}},{\"a\":2}]");
    EXPECT_TRUE(pages.empty());
    pages.add("{}");
    EXPECT_EQ(pages.take(), "[{}]");
}

TEST(RemoteFailure, CarriesAllThatTheRemoteSaid) {
    Redactor redactor;
    redactor.add(Secret("hunter2canary"));
    const Error error =
        remote_failure("read from connector \"x\"",
                       {"22012", "division by zero", "of hunter2canary", "do not", "SQL function f"}, redactor);
    EXPECT_EQ(error.reason, Reason::upstream_not_ok);
    EXPECT_EQ(error.code(), "22012");
    EXPECT_EQ(error.message, "could not read from connector \"x\"");
    EXPECT_EQ(error.detail,
              "Remote error 22012: division by zero. Remote detail: of ***. Remote context: SQL function f.");
    EXPECT_EQ(error.hint, "Remote hint: do not");
}

TEST(RemoteFailure, IsNeverTakenForACancelOfOurOwn) {
    const Redactor redactor;
    EXPECT_EQ(
        remote_failure("x", {"57014", "canceling statement due to statement timeout", "", "", ""}, redactor).code(),
        "08006");
    EXPECT_EQ(remote_failure("x", {"53100", "disk full", "", "", ""}, redactor).code(), "08006");
}

TEST(ConnectFailure, TellsAnAnswerFromSilence) {
    const Redactor redactor;
    const Error silent = connect_failure(
        "connect", "connection to server at \"h\" (::1), port 1 failed: Connection refused\n", redactor);
    EXPECT_EQ(silent.reason, Reason::network);
    EXPECT_NE(silent.detail.find("at \"h\" (::1), port 1"), std::string::npos);
    const Error refused = connect_failure("connect",
                                          "connection to server at \"h\", port 1 failed: FATAL:  28P01: password "
                                          "authentication failed\nLOCATION:  auth_failed, auth.c:335\n",
                                          redactor);
    EXPECT_EQ(refused.reason, Reason::upstream_not_ok);
    EXPECT_EQ(refused.code(), "28P01");
    EXPECT_EQ(refused.detail.find("LOCATION"), std::string::npos);
    const Error starting =
        connect_failure("connect", "x failed: FATAL:  57P03: the database system is starting up\n", redactor);
    EXPECT_EQ(starting.reason, Reason::network);
    EXPECT_EQ(starting.code(), "08006");
}

}  // namespace
}  // namespace pg_pull::postgres
