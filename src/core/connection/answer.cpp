#include "core/connection/answer.h"

#include <algorithm>
#include <numeric>

namespace pg_pull {
namespace {

bool holds(const NameFacts& facts, const std::string& package) {
    return std::find(facts.holders.begin(), facts.holders.end(), package) != facts.holders.end();
}

bool is_nobodys(const NameFacts& facts, const RowPackage& row) { return !row || !holds(facts, *row); }

Answering under_two_holders(const NameFacts& facts, const RowPackage& instance, const std::vector<RowPackage>& rows) {
    if (instance) {
        const auto own = std::find(rows.begin(), rows.end(), instance);
        if (own != rows.end()) return {Answer::row, static_cast<std::size_t>(own - rows.begin())};
    }
    const bool stray =
        std::any_of(rows.begin(), rows.end(), [&](const RowPackage& row) { return is_nobodys(facts, row); });
    return {stray ? Answer::nobodys : Answer::not_connected, 0};
}

}  // namespace

Answering answering_row(const NameFacts& facts, const RowPackage& instance, const std::vector<RowPackage>& rows) {
    if (resolve_name(facts) == ResolutionState::refused) return under_two_holders(facts, instance, rows);
    if (rows.empty()) return {Answer::not_connected, 0};
    return {rows.size() == 1 ? Answer::row : Answer::two_rows, 0};
}

ConnectStep connect_step(const NameFacts& facts, const RowPackage& instance, const std::vector<RowPackage>& rows) {
    const Answering answering = answering_row(facts, instance, rows);
    if (answering.conflict()) return {ConnectStep::Kind::refuse, 0, answering.answer};
    if (answering.answer == Answer::row) return {ConnectStep::Kind::adopt, answering.row, {}};
    return {};
}

RevokeStep revoke_step(const NameFacts& facts, const RowPackage& instance, const std::vector<RowPackage>& rows) {
    const Answering answering = answering_row(facts, instance, rows);
    RevokeStep step;
    if (answering.answer == Answer::nobodys) step.refused = true;
    if (answering.answer == Answer::row) step.rows = {answering.row};
    if (answering.answer == Answer::two_rows) {
        step.rows.resize(rows.size());
        std::iota(step.rows.begin(), step.rows.end(), std::size_t{0});
    }
    return step;
}

OrganizationChoice choose_organization(const NameFacts& facts, const RowPackage& instance,
                                       const std::vector<std::vector<RowPackage>>& rows_by_organization) {
    OrganizationChoice choice;
    for (std::size_t i = 0; i < rows_by_organization.size(); ++i) {
        const Answering answering = answering_row(facts, instance, rows_by_organization[i]);
        if (answering.answer == Answer::not_connected) continue;
        if (choice.kind != OrganizationChoice::Kind::none) return {OrganizationChoice::Kind::several, 0};
        choice.kind = answering.conflict() ? OrganizationChoice::Kind::one_in_conflict : OrganizationChoice::Kind::one;
        choice.organization = i;
    }
    return choice;
}

Error conflict_error(const NameFacts& facts, Answer conflict, const std::vector<RowPackage>& rows,
                     const std::string& organization, bool at_dispatch) {
    const std::string name = '"' + facts.name + '"';
    const std::string who = '"' + organization + '"';
    Error error = fail(Reason::connection_conflict,
                       "no single connection to connector " + name + " answers for organization " + who);
    if (at_dispatch) error.sqlstate = "PT503";
    const bool package_less = std::any_of(rows.begin(), rows.end(), [](const RowPackage& row) { return !row; });
    if (conflict == Answer::two_rows) {
        error.detail = std::to_string(rows.size()) + " stored connections could answer.";
        error.hint = "Revoke the connection, which deletes them all, and connect again.";
        return error;
    }
    error.detail = "More than one package declares the connector, and a stored connection names none of them.";
    error.hint = package_less
                     ? "Give it to one of them with sync_connection_bind(), or uninstall one holder, then revoke."
                     : "Uninstall one holder, then revoke.";
    return error;
}

}  // namespace pg_pull
