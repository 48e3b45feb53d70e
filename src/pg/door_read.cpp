// sync_connection_read, sync_connection_list, sync_connection_audit: what is stored, as the rules answer.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

#include <algorithm>
#include <map>

#include "pg/border.h"
#include "pg/connections.h"
#include "pg/function_arguments.h"

namespace pg_pull::pg {
namespace {

std::optional<std::string> json_text(const nlohmann::json& value) {
    if (value.is_null()) return std::nullopt;
    return value.dump();
}

std::optional<std::string> array_text(const std::optional<std::vector<std::string>>& list) {
    if (!list) return std::nullopt;
    return array_literal(*list);
}

Datum connection_read(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "connector");
    const std::string organization = arguments.organization(1, "organization");
    const auto package = arguments.optional_package(2, "package");
    TableResult result(fcinfo);
    const Spi spi;
    const Extension extension = Extension::current();
    const Instance instance = address_instance(extension, name, package);
    require_door(extension, instance, organization, current_role());
    require_per_connection(instance);
    const auto row = answering_connection(extension, instance, organization, At::door);
    if (!row) {
        const std::optional<std::string> none;
        result.add({none, organization, none, name, "not_connected", none, none, none, none, none, none});
        return no_value();
    }
    result.add({row->id, row->organization, row->package, row->connector, row->status, row->status_reason,
                json_text(row->account), json_text(row->fields), array_text(row->scopes_granted),
                row->token_expires_text, row->connected_at});
    return no_value();
}

Datum connection_list(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "connector");
    const auto package = arguments.optional_package(1, "package");
    TableResult result(fcinfo);
    const Spi spi;
    const Extension extension = Extension::current();
    const Instance instance = address_instance(extension, name, package);
    const unsigned role = current_role();
    require_use(extension, instance.entry, role);
    require_per_connection(instance);
    const std::optional<std::string> none;
    for (const auto& rows : by_organization(connections_of_name(extension, name))) {
        const std::string& organization = rows.front().organization;
        if (!may_see_organization(extension, organization, role)) continue;
        const std::vector<RowPackage> packages = packages_of(rows);
        const Answering answering = answering_row(instance.facts, instance.package, packages);
        if (answering.answer == Answer::not_connected) continue;
        if (answering.conflict()) {
            const Error error = conflict_error(instance.facts, answering.answer, packages, organization, false);
            result.add({organization, "conflict", none, none, none, none, error.message});
            continue;
        }
        const ConnectionRow& row = rows[answering.row];
        result.add(
            {organization, row.status, row.id, row.package, json_text(row.account), row.token_expires_text, none});
    }
    return no_value();
}

struct Finding {
    const char* finding;
    std::string remedy;
};

bool is_holder(const NameFacts& facts, const std::string& package) {
    return std::find(facts.holders.begin(), facts.holders.end(), package) != facts.holders.end();
}

/// Under two holders: a row that is nobody's keeps each holder without a row of its own from connecting.
Finding finding_of_nobodys_row(const NameFacts& facts, const std::vector<RowPackage>& rows, const RowPackage& row) {
    const bool blocks = std::any_of(facts.holders.begin(), facts.holders.end(), [&](const std::string& holder) {
        return std::find(rows.begin(), rows.end(), RowPackage(holder)) == rows.end();
    });
    const std::string remedy =
        row ? "uninstall one holder, then revoke" : "sync_connection_bind(), or uninstall one holder, then revoke";
    if (blocks) return {"conflict", remedy};
    return {row ? "stale_stamp" : "package_less", remedy};
}

/// Nothing where the row answers the instance that it names.
std::optional<Finding> finding_of(const NameFacts& facts, const std::vector<RowPackage>& rows, const RowPackage& row) {
    const ResolutionState state = resolve_name(facts);
    if (state == ResolutionState::none)
        return Finding{"orphan_name", "declare the connector again, then use or revoke the connection"};
    if (state == ResolutionState::refused) {
        if (row && is_holder(facts, *row)) return std::nullopt;
        return finding_of_nobodys_row(facts, rows, row);
    }
    if (rows.size() > 1) return Finding{"conflict", "revoke, which deletes all of them, and connect again"};
    if (state == ResolutionState::environment) {
        if (!row) return std::nullopt;
        return Finding{"stale_stamp", "it answers the environment's entry; connect again to stamp it so, or revoke it"};
    }
    if (!row) return Finding{"package_less", "sync_connection_backfill() or sync_connection_bind()"};
    if (*row == facts.holders.front()) return std::nullopt;
    return Finding{"would_change_hands", "it answers package " + in_quotes(facts.holders.front()) +
                                             "; connect again to stamp it so, or revoke it"};
}

Datum connection_audit(FunctionCallInfo fcinfo) {
    TableResult result(fcinfo);
    const Spi spi;
    const Extension extension = Extension::current();
    const unsigned role = current_role();
    std::map<std::string, NameFacts> facts_of_name;
    std::map<std::pair<std::string, std::string>, std::vector<ConnectionRow>> groups;
    for (auto& row : all_connections(extension)) groups[{row.connector, row.organization}].push_back(std::move(row));
    for (const auto& [key, rows] : groups) {
        if (!may_see_organization(extension, key.second, role)) continue;
        const auto at = facts_of_name.try_emplace(key.first).first;
        if (at->second.name.empty()) at->second = name_facts(extension, key.first);
        const NameFacts& facts = at->second;
        for (const auto& row : rows) {
            const auto finding = finding_of(facts, packages_of(rows), row.package);
            if (!finding) continue;
            result.add({row.id, row.organization, row.package, row.connector, std::string(to_text(resolve_name(facts))),
                        array_literal(facts.holders), finding->finding, finding->remedy});
        }
    }
    return no_value();
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_connection_read, pg_pull::pg::connection_read)
PG_PULL_FUNCTION(sync_connection_list, pg_pull::pg::connection_list)
PG_PULL_FUNCTION(sync_connection_audit, pg_pull::pg::connection_audit)
