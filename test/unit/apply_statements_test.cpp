#include <gtest/gtest.h>

#include "core/apply/distributed.h"
#include "core/apply/foreign.h"
#include "core/apply/ordinary.h"

namespace pg_pull::apply {
namespace {

constexpr const char* kEquals = "OPERATOR(\"pg_catalog\".=)";

/// Key id, columns a and b.
ApplyPlan plan_of(Mode mode) {
    ApplyPlan plan;
    plan.target = "\"public\".\"t\"";
    plan.stage = "pg_temp.\"stage\"";
    plan.seq = "\"n\"";
    plan.mode = mode;
    plan.columns.push_back({"\"id\"", true, false, "", -1});
    plan.columns.push_back({"\"a\"", true, true, "", -1});
    plan.columns.push_back({"\"b\"", true, true, "", -1});
    if (mode != Mode::insert) plan.key.push_back({"\"id\"", kEquals, "int8"});
    return plan;
}

bool has(const Statement& statement, const std::string& part) { return statement.text.find(part) != std::string::npos; }

TEST(QuoteName, DoublesQuotesAndAlwaysQuotes) {
    EXPECT_EQ(quote_name("a"), "\"a\"");
    EXPECT_EQ(quote_name("A \"b\".c"), "\"A \"\"b\"\".c\"");
}

TEST(OrdinaryStatements, InsertModeLooksForNoRows) {
    const auto statement = OrdinaryStatements::store(plan_of(Mode::insert), std::nullopt);
    EXPECT_TRUE(has(statement, "INSERT INTO \"public\".\"t\""));
    EXPECT_FALSE(has(statement, "EXISTS"));
    EXPECT_FALSE(has(statement, "UPDATE"));
    EXPECT_TRUE(statement.parameters.empty());
}

TEST(OrdinaryStatements, UpsertUpdatesOnlyRowsWhoseImageDiffersAndInsertsOnlyMissingOnes) {
    const auto statement = OrdinaryStatements::store(plan_of(Mode::upsert), std::nullopt);
    EXPECT_TRUE(has(statement, "SET \"a\" = s.\"a\", \"b\" = s.\"b\" FROM"));
    EXPECT_TRUE(has(statement,
                    "CAST(ROW(t.\"a\", t.\"b\") AS pg_catalog.record) OPERATOR(pg_catalog.*<>) "
                    "CAST(ROW(s.\"a\", s.\"b\") AS pg_catalog.record)"));
    EXPECT_TRUE(
        has(statement,
            "NOT EXISTS (SELECT FROM \"public\".\"t\" AS t WHERE t.\"id\" OPERATOR(\"pg_catalog\".=) s.\"id\")"));
}

TEST(OrdinaryStatements, UpdateModeNeverInserts) {
    const auto statement = OrdinaryStatements::store(plan_of(Mode::update), std::nullopt);
    EXPECT_TRUE(has(statement, "UPDATE"));
    EXPECT_FALSE(has(statement, "INSERT"));
}

TEST(OrdinaryStatements, WithNothingToCompareExistingRowsStay) {
    ApplyPlan plan = plan_of(Mode::upsert);
    for (auto& column : plan.columns) column.compare = false;
    EXPECT_FALSE(has(OrdinaryStatements::store(plan, std::nullopt), "UPDATE"));
}

TEST(OrdinaryStatements, ColumnsThatAreNotComparedAreStillSet) {
    ApplyPlan plan = plan_of(Mode::upsert);
    plan.columns[2].compare = false;
    const auto statement = OrdinaryStatements::store(plan, std::nullopt);
    EXPECT_TRUE(has(statement, "SET \"a\" = s.\"a\", \"b\" = s.\"b\""));
    EXPECT_TRUE(has(statement, "CAST(ROW(t.\"a\") AS pg_catalog.record)"));
}

TEST(OrdinaryStatements, AbsentPathsKeepTheTargetsValue) {
    ApplyPlan plan = plan_of(Mode::upsert);
    plan.presence = "\"p\"";
    plan.columns[2].presence_bit = 2;
    EXPECT_TRUE(
        has(OrdinaryStatements::store(plan, std::nullopt),
            "\"b\" = CASE WHEN pg_catalog.get_bit(s.\"p\", 2) OPERATOR(pg_catalog.=) 1 THEN s.\"b\" ELSE t.\"b\" END"));
}

TEST(OrdinaryStatements, ARangeIsAParameter) {
    const auto statement = OrdinaryStatements::store(plan_of(Mode::insert), Range{5, 9});
    EXPECT_TRUE(has(statement, "s.\"n\" OPERATOR(pg_catalog.>=) CAST($1 AS pg_catalog.int8)"));
    EXPECT_EQ(statement.parameters, (std::vector<std::optional<std::string>>{"5", "9"}));
}

TEST(OrdinaryStatements, SoftDeletesStampLiveRowsAndUndeleteReturningOnes) {
    ApplyPlan plan = plan_of(Mode::upsert);
    plan.deleted_at = "\"deleted_at\"";
    plan.deleted_at_type = "timestamptz";
    plan.run_start = "2024-01-01T00:00:00+00";
    const auto removed = OrdinaryStatements::remove_absent(plan);
    EXPECT_TRUE(has(
        removed,
        "UPDATE \"public\".\"t\" AS t SET \"deleted_at\" = CAST($1 AS timestamptz) WHERE t.\"deleted_at\" IS NULL"));
    EXPECT_FALSE(has(removed, "DELETE"));
    const auto stored = OrdinaryStatements::store(plan, std::nullopt);
    EXPECT_TRUE(has(stored, "\"deleted_at\" = NULL"));
    EXPECT_TRUE(has(stored, "OR t.\"deleted_at\" IS NOT NULL"));
}

TEST(OrdinaryStatements, AbsenceSeesOnlyTheSlice) {
    ApplyPlan plan = plan_of(Mode::replace);
    plan.scope.push_back({"\"org\"", kEquals, "text", "acme"});
    plan.scope.push_back({"\"part\"", kEquals, "text", std::nullopt});
    for (const auto& statement : {OrdinaryStatements::count_slice(plan), OrdinaryStatements::remove_absent(plan),
                                  OrdinaryStatements::clear_slice(plan), ForeignStatements::remove_absent(plan)}) {
        EXPECT_TRUE(has(statement, ".\"org\" OPERATOR(\"pg_catalog\".=) CAST($1 AS text) AND ")) << statement.text;
        EXPECT_TRUE(has(statement, ".\"part\" IS NULL")) << statement.text;
        EXPECT_EQ(statement.parameters.front(), "acme");
    }
}

TEST(OrdinaryStatements, TombstonesAreNeverStored) {
    ApplyPlan plan = plan_of(Mode::upsert);
    plan.tombstone = "\"gone\"";
    EXPECT_TRUE(has(OrdinaryStatements::store(plan, std::nullopt), "s.\"gone\" IS NOT TRUE"));
    EXPECT_TRUE(has(OrdinaryStatements::remove_tombstones(plan, std::nullopt), "s.\"gone\""));
}

TEST(OrdinaryStatements, KeysOfRefusedRecordsCountAsPresent) {
    ApplyPlan plan = plan_of(Mode::replace);
    plan.kept = "pg_temp.\"kept\"";
    EXPECT_TRUE(
        has(OrdinaryStatements::remove_absent(plan), "UNION ALL SELECT k.\"id\", true FROM pg_temp.\"kept\" AS k"));
}

TEST(ForeignStatements, UseTheFormsThatForeignAndDistributedTablesTake) {
    const ApplyPlan plan = plan_of(Mode::upsert);
    EXPECT_TRUE(has(ForeignStatements::update(plan, std::nullopt),
                    " FROM (SELECT s.* FROM pg_temp.\"stage\" AS s WHERE true) AS s WHERE "));
    EXPECT_TRUE(has(ForeignStatements::insert(plan, std::nullopt), "LEFT JOIN \"public\".\"t\" AS t"));
    EXPECT_TRUE(
        has(ForeignStatements::remove_absent(plan), "(t.\"id\") OPERATOR(\"pg_catalog\".=) ANY (SELECT t2.\"id\""));
    EXPECT_TRUE(ForeignStatements::update(plan_of(Mode::insert), std::nullopt).text.empty());
}

TEST(DistributedStatements, StoreByOnConflictAndReturnWhatChanged) {
    const auto statement = DistributedStatements::store(plan_of(Mode::upsert), std::nullopt, std::nullopt);
    EXPECT_TRUE(
        has(statement, "ON CONFLICT (\"id\") DO UPDATE SET \"a\" = excluded.\"a\", \"b\" = excluded.\"b\" WHERE "));
    EXPECT_TRUE(has(statement, "CAST(ROW(excluded.\"a\", excluded.\"b\") AS pg_catalog.record)"));
    EXPECT_TRUE(statement.text.ends_with(" RETURNING 1"));
    EXPECT_FALSE(has(DistributedStatements::store(plan_of(Mode::insert), std::nullopt, std::nullopt), "ON CONFLICT"));
}

TEST(DistributedStatements, APresencePatternLeavesItsMissingColumnsAlone) {
    ApplyPlan plan = plan_of(Mode::upsert);
    plan.presence = "\"p\"";
    plan.columns[1].presence_bit = 1;
    plan.columns[2].presence_bit = 2;
    const auto statement = DistributedStatements::store(plan, std::nullopt, "110");
    EXPECT_TRUE(has(statement, "DO UPDATE SET \"a\" = excluded.\"a\" WHERE"));
    EXPECT_TRUE(has(statement, "s.\"p\" OPERATOR(pg_catalog.=) CAST($1 AS pg_catalog.varbit)"));
    EXPECT_TRUE(has(DistributedStatements::store(plan, std::nullopt, "100"), "DO NOTHING"));
}

}  // namespace
}  // namespace pg_pull::apply
