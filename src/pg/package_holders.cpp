#include "pg/package_holders.h"
#include "pg/revocation.h"

#include "core/connection/answer.h"
#include "pg/catalog.h"
#include "pg/connection_store.h"
#include "pg/function_arguments.h"
#include "pg/locks.h"

namespace pg_pull::pg {
namespace {

std::string stamp_text(const RowPackage& package) {
    return package ? "package " + in_quotes(*package) : std::string("no package");
}

void warn_of_two_rows(const std::string& name, const std::vector<ConnectionRow>& rows) {
    std::string detail;
    for (const auto& row : rows)
        detail.append(detail.empty() ? "" : " ")
            .append("Connection " + row.id + " names " + stamp_text(row.package) + ".");
    warning("more than one connection to connector " + in_quotes(name) + " could answer for organization " +
                in_quotes(rows.front().organization) + ", so none was given to a package",
            detail, "Bind or revoke them.");
}

/// What a name without two holders hands its rows to.
std::string successor(const NameFacts& facts) {
    if (!facts.holders.empty()) return "package " + in_quotes(facts.holders.front());
    return "the connector of that name without a package";
}

}  // namespace

void lock_holders(std::vector<std::string> names) {
    for (const auto& name : locks::sorted_for_locking(std::move(names)))
        locks::lock_connector_name(name, locks::Mode::exclusive);
}

int stamp_before_second_holder(const Extension& extension, const std::string& name) {
    const NameFacts facts = name_facts(extension, name);
    if (facts.holders.size() != 1) return 0;
    const std::string& holder = facts.holders.front();
    int stamped = 0;
    for (const auto& rows : by_organization(connections_of_name(extension, name))) {
        const Answering answering = answering_row(facts, holder, packages_of(rows));
        if (answering.conflict()) warn_of_two_rows(name, rows);
        if (answering.answer != Answer::row || rows[answering.row].package == holder) continue;
        restamp(extension, rows[answering.row], holder);
        ++stamped;
    }
    return stamped;
}

void tell_what_changed_hands(const Extension& extension, const std::string& name, const std::string& package) {
    const NameFacts facts = name_facts(extension, name);
    // under two holders each goes on with its own; with neither holder nor entry nobody is answered
    if (facts.holders.size() > 1 || (facts.holders.empty() && facts.entries.empty())) return;
    for (const auto& rows : by_organization(connections_of_name(extension, name))) {
        const std::string organization = in_quotes(rows.front().organization);
        if (rows.size() > 1) {
            notice("more than one connection to connector " + in_quotes(name) + " could answer for organization " +
                       organization + " from now on, so none does",
                   {}, "Revoke the connection, which deletes them all, and connect again.");
            continue;
        }
        const RowPackage& stamp = rows.front().package;
        if (!facts.holders.empty() && stamp == facts.holders.front()) continue;  // it answered that package before
        if (facts.holders.empty() && stamp && *stamp != package) continue;       // nor did it answer what is gone
        notice("the connection of organization " + organization + " to connector " + in_quotes(name) + " answers " +
               successor(facts) + " from now on");
    }
}

void revoke_rows_of(const Extension& extension, const std::string& name, const std::string& package) {
    const NameFacts facts = name_facts(extension, name);
    for (const auto& rows : by_organization(connections_of_name(extension, name))) {
        const RevokeStep step = revoke_step(facts, package, packages_of(rows));
        if (step.refused) continue;
        std::vector<ConnectionRow> answering;
        for (const std::size_t i : step.rows) answering.push_back(rows[i]);
        if (const auto entry = entry_with_stamp(extension, name, package)) revoke_rows(extension, *entry, answering);
    }
}

}  // namespace pg_pull::pg
