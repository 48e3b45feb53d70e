// sync_connection_set, _bind, _backfill, _claim: writes of the door that need no network, within the caller's transaction.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
}

#include <algorithm>

#include "core/connection/credential_document.h"
#include "core/oauth/fields.h"
#include "pg/border.h"
#include "pg/connections.h"
#include "pg/function_arguments.h"
#include "pg/locks.h"
#include "pg/package_store.h"

namespace pg_pull::pg {
namespace {

/// A reference finds the secrets of the connector's owner: whoever may merely use the connector must not choose among them.
void check_reference(const OwnCredential& credential, const Instance& instance) {
    if (!credential.reference) return;
    require_owner(instance.entry.owner, "connector " + in_quotes(instance.facts.name) +
                                            ", whose owner's secrets \"credential_ref\" refers to");
}

void add_connection(TableResult& result, const ConnectionRow& row) {
    result.add({row.id, row.organization, row.package, row.connector, row.status,
                row.account.is_null() ? std::nullopt : std::optional(row.account.dump())});
}

Datum connection_set(FunctionCallInfo fcinfo) {
    forget_statement("SELECT sync_connection_set(...)");
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "connector");
    const std::string organization = arguments.organization(1, "organization");
    const nlohmann::json document = arguments.document(2, "credential");
    const nlohmann::json fields = arguments.optional_document(3, "fields").value_or(nlohmann::json::object());
    const auto package = arguments.optional_package(4, "package");
    refuse_read_only("sync_connection_set()");
    TableResult result(fcinfo);

    const Spi spi;
    const Extension extension = Extension::current();
    lock_connection(name, organization);
    const Instance instance = address_instance(extension, name, package);
    require_door(extension, instance, organization, current_role());
    require_enabled(extension, instance.package);
    require_per_connection(instance);
    const AuthConfig auth = instance.auth();
    const OwnCredential credential = unwrap(parse_own_credential(auth, document));
    check_reference(credential, instance);
    ConnectionValues values;
    values.fields = unwrap(oauth::check_fields(auth, fields));
    values.connected_by = role_name(current_role());
    const std::string id =
        connect(extension, instance, organization, values, {Secret(), Secret(), pack_credential(credential)});
    add_connection(result, find_connection(extension, id).value());
    return no_value();
}

[[noreturn]] void raise_own_row_exists(const std::string& package, const std::string& name,
                                       const std::string& organization) {
    raise(fail(Reason::own_row_exists, "package " + in_quotes(package) + " already has a connection of organization " +
                                           in_quotes(organization) + " to connector " + in_quotes(name))
              .with_hint("Uninstall one holder, then revoke."));
}

const ConnectionRow& package_less_row(const std::vector<ConnectionRow>& rows, const std::string& name,
                                      const std::string& organization) {
    const auto found = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return !row.package; });
    if (found != rows.end()) return *found;
    const std::string what =
        "connection of organization " + in_quotes(organization) + " to connector " + in_quotes(name);
    if (rows.empty()) raise(fail(Reason::not_connected, "there is no " + what).with_code("PT404"));
    raise(fail(Reason::already_bound, "the " + what + " already names a package")
              .with_detail("It names package " + in_quotes(rows.front().package.value_or("")) +
                           ", and is never moved to another.")
              .with_hint("Revoke it and connect again."));
}

Datum connection_bind(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string organization = arguments.organization(0, "organization");
    const std::string name = arguments.text(1, "connector");
    const std::string package = arguments.package(2, "package");
    refuse_read_only("sync_connection_bind()");
    const Spi spi;
    const Extension extension = Extension::current();
    lock_connection(name, organization);
    const Instance instance = address_instance(extension, name, package);  // a package that does not hold it is refused
    require_owner(instance.entry.owner, "connector " + in_quotes(name));
    require_organization(extension, organization, current_role());
    const auto rows = connections_of(extension, name, organization);
    const ConnectionRow& row = package_less_row(rows, name, organization);
    const auto packages = packages_of(rows);
    if (std::find(packages.begin(), packages.end(), RowPackage(package)) != packages.end())
        raise_own_row_exists(package, name, organization);
    restamp(extension, row, package);
    return call([id = row.id.c_str()] { return DirectFunctionCall1(uuid_in, CStringGetDatum(id)); });
}

/// What backfill does with one package-less row among those of its organization.
std::string backfill_outcome(const NameFacts& facts, const std::vector<RowPackage>& packages) {
    switch (resolve_name(facts)) {
        case ResolutionState::refused:
            return "refused";
        case ResolutionState::one:
            break;
        default:
            return "no_holder";
    }
    const bool own = std::find(packages.begin(), packages.end(), RowPackage(facts.holders.front())) != packages.end();
    return own ? "own_row_exists" : "bound";
}

Datum connection_backfill(FunctionCallInfo fcinfo) {
    refuse_read_only("sync_connection_backfill()");
    TableResult result(fcinfo);
    const Spi spi;
    const Extension extension = Extension::current();
    require_owner(extension.owner, "extension \"pg_pull\"");
    std::vector<std::string> names;
    for (const auto& row : all_connections(extension))
        if (!row.package) names.push_back(row.connector);
    for (const auto& name : locks::sorted_for_locking(names)) {
        locks::lock_connector_name(name, locks::Mode::shared);
        for (const auto& seen : by_organization(connections_of_name(extension, name))) {
            const std::string& organization = seen.front().organization;
            locks::lock_account(name, organization);
            const NameFacts facts = name_facts(extension, name);
            const auto rows = connections_of(extension, name, organization);
            const auto row = std::find_if(rows.begin(), rows.end(), [](const auto& r) { return !r.package; });
            if (row == rows.end()) continue;
            const std::string outcome = backfill_outcome(facts, packages_of(rows));
            std::optional<std::string> holder;
            if (resolve_name(facts) == ResolutionState::one) holder = facts.holders.front();
            if (outcome == "bound") restamp(extension, *row, holder);
            result.add({row->id, organization, name, holder, outcome});
        }
    }
    return no_value();
}

Datum connection_claim(FunctionCallInfo) {
    if (!is_superuser(current_role()))
        raise(Error{Reason::none,
                    "42501",
                    "permission denied to claim the connections",
                    "Only superusers may claim the connections of a copied database.",
                    {}});
    refuse_read_only("sync_connection_claim()");
    const Spi spi;
    const Extension extension = Extension::current();
    catalog_execute(extension,
                    "INSERT INTO " + extension.relation("sync_identity_store") +
                        " AS i (database_oid) VALUES ($1) ON CONFLICT (only_one) DO UPDATE SET "
                        "database_oid = EXCLUDED.database_oid, claimed_at = pg_catalog.now()",
                    {oid(MyDatabaseId)});
    return int8_result(to_int(
        catalog_query(extension, "SELECT pg_catalog.count(*) FROM " + extension.relation("sync_connection_store"))
            .one()));
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_connection_set, pg_pull::pg::connection_set)
PG_PULL_FUNCTION(sync_connection_bind, pg_pull::pg::connection_bind)
PG_PULL_FUNCTION(sync_connection_backfill, pg_pull::pg::connection_backfill)
PG_PULL_FUNCTION(sync_connection_claim, pg_pull::pg::connection_claim)
