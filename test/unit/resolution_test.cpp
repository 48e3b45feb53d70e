#include "core/connection/resolution.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pg_pull {
namespace {

using Stamps = std::vector<std::optional<std::string>>;
constexpr auto kNone = std::nullopt;

struct Case {
    std::vector<std::string> holders;
    Stamps entries;
    std::optional<std::string> package;
    std::string expected;  ///< index of the entry, or the reason of the refusal
};

std::string outcome(const Case& c) {
    const auto answer = address_entry(NameFacts{"crm", c.holders, c.entries}, c.package);
    if (!answer.ok()) return std::string(info(answer.error().reason).name);
    return std::to_string(*answer);
}

std::string print(const Case& c) {
    std::string text = "holders:";
    for (const auto& h : c.holders) text += " " + h;
    text += " entries:";
    for (const auto& e : c.entries) text += " " + e.value_or("none");
    return text + " package: " + c.package.value_or("not said");
}

TEST(Resolution, StateFollowsTheHoldersAndOnlyThenTheEntries) {
    const auto state = [](std::vector<std::string> holders, Stamps entries) {
        return to_text(resolve_name(NameFacts{"crm", std::move(holders), std::move(entries)}));
    };
    EXPECT_EQ(state({}, {}), "none");
    EXPECT_EQ(state({}, {kNone}), "environment");
    EXPECT_EQ(state({}, {"__runtime__"}), "environment");
    EXPECT_EQ(state({}, {"p"}), "environment");  // an import holds nothing
    EXPECT_EQ(state({"p"}, {}), "one");
    EXPECT_EQ(state({"p"}, {kNone}), "one");
    EXPECT_EQ(state({"p"}, {"p", kNone}), "one");
    EXPECT_EQ(state({"p", "q"}, {}), "refused");
    EXPECT_EQ(state({"p", "q"}, {"p", "q"}), "refused");
    EXPECT_EQ(state({"p", "q", "r"}, {"p"}), "refused");
}

TEST(Resolution, TheDoorAddressesEntriesByTheTable) {
    const std::vector<Case> table = {
        // nobody holds the name
        {{}, {}, kNone, "connector_not_registered"},
        {{}, {kNone}, kNone, "0"},
        {{}, {"__runtime__"}, kNone, "0"},
        {{}, {"p"}, kNone, "0"},
        {{}, {kNone, "__runtime__"}, kNone, "name_ambiguous"},
        {{}, {kNone, "p"}, kNone, "name_ambiguous"},
        {{}, {"p", "q"}, kNone, "name_ambiguous"},
        {{}, {kNone}, "p", "connector_not_registered"},
        {{}, {"p"}, "p", "connector_not_registered"},
        {{}, {"__runtime__"}, "__runtime__", "connector_not_registered"},
        // one holds it
        {{"p"}, {}, kNone, "connector_not_registered"},
        {{"p"}, {"p"}, kNone, "0"},
        {{"p"}, {kNone, "p"}, kNone, "1"},
        {{"p"}, {"p", kNone}, kNone, "0"},
        {{"p"}, {"q", "p"}, kNone, "1"},
        {{"p"}, {"__runtime__", kNone, "p"}, kNone, "2"},
        {{"p"}, {kNone}, kNone, "0"},
        {{"p"}, {"q"}, kNone, "0"},
        {{"p"}, {"__runtime__"}, kNone, "0"},
        {{"p"}, {kNone, "q"}, kNone, "name_ambiguous"},
        {{"p"}, {"p", kNone}, "p", "0"},
        {{"p"}, {kNone, "p"}, "p", "1"},
        {{"p"}, {"__runtime__", "p"}, "p", "1"},
        {{"p"}, {"__runtime__"}, "p", "0"},
        {{"p"}, {kNone}, "p", "connector_not_registered"},  // the environment's is not addressable by a package
        {{"p"}, {"p", "q"}, "q", "connector_not_registered"},
        {{"p"}, {"p"}, "__runtime__", "connector_not_registered"},
        // two hold it
        {{"p", "q"}, {}, kNone, "name_ambiguous"},
        {{"p", "q"}, {"p"}, kNone, "name_ambiguous"},
        {{"p", "q"}, {"p", "q"}, kNone, "name_ambiguous"},
        {{"p", "q"}, {kNone}, kNone, "name_ambiguous"},
        {{"p", "q"}, {"p", "q", kNone}, kNone, "name_ambiguous"},
        {{"p", "q"}, {"p", "q"}, "p", "0"},
        {{"p", "q"}, {"p", "q"}, "q", "1"},
        {{"p", "q"}, {"p", "q", kNone}, "q", "1"},
        {{"p", "q"}, {"p"}, "q", "connector_not_registered"},
        {{"p", "q"}, {"p", "__runtime__"}, "q", "connector_not_registered"},
        {{"p", "q"}, {"p", "q", "r"}, "r", "connector_not_registered"},
    };
    for (const auto& c : table) EXPECT_EQ(outcome(c), c.expected) << print(c);
}

/// The door in other words: filter what could be meant, then see whether exactly one is left.
std::string restated(const Case& c) {
    const auto holds = [&](const std::string& p) { return std::count(c.holders.begin(), c.holders.end(), p) > 0; };
    if (!c.package && c.holders.size() >= 2) return "name_ambiguous";
    if (c.package && !holds(*c.package)) return "connector_not_registered";
    const std::optional<std::string> wanted =
        c.package ? c.package : (c.holders.empty() ? std::optional<std::string>() : std::optional(c.holders[0]));
    std::vector<std::size_t> exact, unstamped, all;
    for (std::size_t i = 0; i < c.entries.size(); ++i) {
        all.push_back(i);
        if (wanted && c.entries[i] == wanted) exact.push_back(i);
        if (c.entries[i] == std::optional<std::string>("__runtime__")) unstamped.push_back(i);
    }
    if (!exact.empty()) return std::to_string(exact[0]);
    const auto& left = c.package ? (c.holders.size() == 1 ? unstamped : exact) : all;
    if (left.empty()) return "connector_not_registered";
    return left.size() == 1 ? std::to_string(left[0]) : "name_ambiguous";
}

TEST(Resolution, TheDoorAgreesWithAPlainRestatementOnEveryCombination) {
    const Stamps stamps = {kNone, "__runtime__", "p", "q", "r"};
    const Stamps packages = {kNone, "__runtime__", "p", "q", "r"};
    int cases = 0;
    for (int held = 0; held < 8; ++held)
        for (int declared = 0; declared < 32; ++declared)
            for (const auto& package : packages) {
                Case c;
                for (int i = 0; i < 3; ++i)
                    if (held >> i & 1) c.holders.push_back(std::string(1, static_cast<char>('p' + i)));
                for (std::size_t i = 0; i < stamps.size(); ++i)
                    if (declared >> i & 1) c.entries.push_back(stamps[i]);
                c.package = package;
                EXPECT_EQ(outcome(c), restated(c)) << print(c);
                ++cases;
            }
    EXPECT_EQ(cases, 8 * 32 * 5);
}

TEST(Resolution, AnUnstampedEntryBelongsToTheOnlyHolder) {
    const NameFacts none{"crm", {}, {"__runtime__"}}, one{"crm", {"p"}, {"__runtime__"}},
        two{"crm", {"p", "q"}, {"__runtime__"}};
    EXPECT_EQ(instance_package(none, "__runtime__"), kNone);
    EXPECT_EQ(instance_package(one, "__runtime__"), "p");
    EXPECT_EQ(instance_package(two, "__runtime__"), kNone);
    for (const auto* facts : {&none, &one, &two}) {
        EXPECT_EQ(instance_package(*facts, kNone), kNone);
        EXPECT_EQ(instance_package(*facts, "x"), "x");
    }
}

TEST(Resolution, RefusalsNameConnectorAndPackages) {
    const auto ambiguous = address_entry(NameFacts{"crm", {"p", "q"}, {"p", "q"}}, kNone);
    ASSERT_FALSE(ambiguous.ok());
    EXPECT_EQ(ambiguous.error().code(), "PT409");
    EXPECT_EQ(ambiguous.error().message, "connector \"crm\" is declared by more than one package");
    EXPECT_EQ(ambiguous.error().detail, "It is declared by \"p\", \"q\".");
    const auto other = address_entry(NameFacts{"crm", {"p"}, {"p"}}, "x");
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().code(), "PT404");
    EXPECT_EQ(other.error().message, "package \"x\" does not declare connector \"crm\"");
    EXPECT_EQ(other.error().hint, "It is declared by \"p\".");
}

}  // namespace
}  // namespace pg_pull
