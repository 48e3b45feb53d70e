#include "core/connection/answer.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace pg_pull {
namespace {

using Rows = std::vector<RowPackage>;
constexpr auto kNone = std::nullopt;

std::string outcome(std::vector<std::string> holders, const RowPackage& instance, const Rows& rows) {
    const Answering a = answering_row(NameFacts{"crm", std::move(holders), {}}, instance, rows);
    switch (a.answer) {
        case Answer::not_connected:
            return "not connected";
        case Answer::row:
            return "row " + std::to_string(a.row);
        case Answer::two_rows:
            return "two rows";
        case Answer::nobodys:
            return "nobody's";
    }
    return "";
}

TEST(Answer, WithAtMostOneHolderTheOnlyRowAnswersWhateverItNames) {
    const std::vector<std::vector<std::string>> at_most_one_holder = {{}, {"p"}};
    for (const auto& holders : at_most_one_holder) {
        for (const RowPackage& instance : Rows{kNone, "p"}) {
            EXPECT_EQ(outcome(holders, instance, {}), "not connected");
            EXPECT_EQ(outcome(holders, instance, {kNone}), "row 0");
            EXPECT_EQ(outcome(holders, instance, {"p"}), "row 0");
            EXPECT_EQ(outcome(holders, instance, {"former"}), "row 0");
            EXPECT_EQ(outcome(holders, instance, {"p", kNone}), "two rows");
            EXPECT_EQ(outcome(holders, instance, {"former", "p"}), "two rows");
        }
    }
}

TEST(Answer, UnderTwoHoldersOnlyTheOwnRowAnswers) {
    const std::vector<std::string> holders = {"p", "q"};
    EXPECT_EQ(outcome(holders, "p", {}), "not connected");
    EXPECT_EQ(outcome(holders, "p", {"p"}), "row 0");
    EXPECT_EQ(outcome(holders, "p", {"q", "p"}), "row 1");
    EXPECT_EQ(outcome(holders, "p", {kNone, "p"}), "row 1");  // even if a stray package-less row exists
    EXPECT_EQ(outcome(holders, "p", {"former", "p"}), "row 1");
    EXPECT_EQ(outcome(holders, "p", {"q"}), "not connected");  // only other holders' rows
    EXPECT_EQ(outcome(holders, "p", {kNone}), "nobody's");
    EXPECT_EQ(outcome(holders, "p", {"former"}), "nobody's");
    EXPECT_EQ(outcome(holders, "p", {"q", kNone}), "nobody's");
}

TEST(Answer, AnInstanceWithoutPackageHasNoOwnRowUnderTwoHolders) {
    const std::vector<std::string> holders = {"p", "q"};
    EXPECT_EQ(outcome(holders, kNone, {kNone}), "nobody's");
    EXPECT_EQ(outcome(holders, kNone, {"p"}), "not connected");
    EXPECT_EQ(outcome(holders, kNone, {}), "not connected");
}

TEST(Answer, ConnectAdoptsInsertsOrRefuses) {
    using Kind = ConnectStep::Kind;
    const NameFacts one{"crm", {"p"}, {}};
    const NameFacts two{"crm", {"p", "q"}, {}};
    EXPECT_EQ(connect_step(one, "p", {}).kind, Kind::insert);
    EXPECT_EQ(connect_step(one, "p", {kNone}).kind, Kind::adopt);
    EXPECT_EQ(connect_step(one, "p", {kNone, "p"}).kind, Kind::refuse);
    EXPECT_EQ(connect_step(two, "p", {"q"}).kind, Kind::insert);
    EXPECT_EQ(connect_step(two, "p", {kNone}).kind, Kind::refuse);
    EXPECT_EQ(connect_step(two, "p", {kNone}).conflict, Answer::nobodys);
}

TEST(Answer, RevokeTakesEveryAnsweringRow) {
    const NameFacts one{"crm", {"p"}, {}};
    const NameFacts two{"crm", {"p", "q"}, {}};
    EXPECT_EQ(revoke_step(one, "p", {kNone, "p"}).rows, (std::vector<std::size_t>{0, 1}));
    EXPECT_TRUE(revoke_step(one, "p", {}).rows.empty());
    EXPECT_EQ(revoke_step(two, "p", {"q", "p"}).rows, std::vector<std::size_t>{1});
    EXPECT_TRUE(revoke_step(two, "p", {kNone}).refused);
    EXPECT_TRUE(revoke_step(two, "p", {"q"}).rows.empty());
}

TEST(Answer, ExactlyOneConnectedOrganizationIsChosen) {
    using Kind = OrganizationChoice::Kind;
    const NameFacts one{"crm", {"p"}, {}};
    EXPECT_EQ(choose_organization(one, "p", {}).kind, Kind::none);
    EXPECT_EQ(choose_organization(one, "p", {{"p"}}).kind, Kind::one);
    EXPECT_EQ(choose_organization(one, "p", {{"p"}, {"p"}}).kind, Kind::several);
    EXPECT_EQ(choose_organization(one, "p", {{"p", kNone}}).kind, Kind::one_in_conflict);
    EXPECT_EQ(choose_organization(one, "p", {{"p"}, {"p", kNone}}).kind, Kind::several);  // one in conflict counts
    const NameFacts two{"crm", {"p", "q"}, {}};
    const auto choice = choose_organization(two, "p", {{"q"}, {"p"}});
    EXPECT_EQ(choice.kind, Kind::one);
    EXPECT_EQ(choice.organization, 1U);
}

/// The rules once more, as plainly as they can be said, and slowly.
std::string restated(const std::vector<std::string>& holders, const RowPackage& instance, const Rows& rows) {
    if (holders.size() < 2) {
        if (rows.empty()) return "not connected";
        return rows.size() == 1 ? "row 0" : "two rows";
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (instance.has_value() && rows[i].has_value() && *rows[i] == *instance) return "row " + std::to_string(i);
    for (const auto& row : rows) {
        if (!row.has_value()) return "nobody's";
        if (std::count(holders.begin(), holders.end(), *row) == 0) return "nobody's";
    }
    return "not connected";
}

TEST(Answer, RandomCasesAgreeWithThePlainRestatement) {
    std::mt19937 random(20261130);
    const std::vector<std::string> names = {"p", "q", "r", "s"};
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::string> holders;
        Rows rows;
        for (const auto& name : names) {
            if (random() % 3 == 0) holders.push_back(name);
            if (random() % 3 == 0) rows.emplace_back(name);
        }
        if (random() % 3 == 0) rows.emplace_back(kNone);
        std::shuffle(rows.begin(), rows.end(), random);
        const RowPackage instance = random() % 4 == 0 ? RowPackage{} : RowPackage{names[random() % names.size()]};
        ASSERT_EQ(outcome(holders, instance, rows), restated(holders, instance, rows));
    }
}

TEST(Answer, ConflictOffersBindOnlyForARowWithoutPackage) {
    const NameFacts two{"crm", {"p", "q"}, {}};
    EXPECT_NE(conflict_error(two, Answer::nobodys, {kNone}, "org", false).hint.find("sync_connection_bind"),
              std::string::npos);
    EXPECT_EQ(conflict_error(two, Answer::nobodys, {"former"}, "org", false).hint.find("bind"), std::string::npos);
    EXPECT_EQ(conflict_error(two, Answer::nobodys, {kNone}, "org", false).code(), "PT409");
    EXPECT_EQ(conflict_error(two, Answer::nobodys, {kNone}, "org", true).code(), "PT503");
}

}  // namespace
}  // namespace pg_pull
