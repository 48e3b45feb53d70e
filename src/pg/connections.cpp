#include "pg/connections.h"

#include <algorithm>

#include "pg/border.h"
#include "pg/locks.h"

namespace pg_pull::pg {

AuthConfig Instance::auth() const { return unwrap(parse_auth(entry.auth)); }

Instance instance_of_entry(const Extension& extension, ConnectorRow entry) {
    Instance instance;
    instance.facts = name_facts(extension, entry.name);
    instance.package = instance_package(instance.facts, entry.package);
    instance.entry = std::move(entry);
    return instance;
}

Instance address_instance(const Extension& extension, const std::string& name,
                          const std::optional<std::string>& package, Visible visible) {
    AddressedEntry addressed = address_connector(extension, name, package, visible);
    RowPackage of = instance_package(addressed.facts, addressed.entry.package);
    return {std::move(addressed.entry), std::move(of), std::move(addressed.facts)};
}

std::optional<Instance> instance_of(const Extension& extension, const std::string& name, const RowPackage& package) {
    const NameFacts facts = name_facts(extension, name);
    const auto entry_of = [&](const std::optional<std::string>& stamp) -> std::optional<Instance> {
        auto entry = entry_with_stamp(extension, name, stamp);
        if (!entry || instance_package(facts, entry->package) != package) return std::nullopt;
        return Instance{std::move(*entry), package, facts};
    };
    if (auto own = entry_of(package)) return own;
    return entry_of(std::string(kRuntimePackage));
}

std::optional<ConnectionRow> answering_connection(const Extension& extension, const Instance& instance,
                                                  const std::string& organization, At at) {
    auto rows = connections_of(extension, instance.facts.name, organization);
    const std::vector<RowPackage> packages = packages_of(rows);
    const Answering answering = answering_row(instance.facts, instance.package, packages);
    if (answering.conflict())
        raise(conflict_error(instance.facts, answering.answer, packages, organization, at == At::dispatch));
    if (answering.answer == Answer::not_connected) return std::nullopt;
    return std::move(rows[answering.row]);
}

void lock_connection(const std::string& name, const std::string& organization) {
    locks::lock_connector_name(name, locks::Mode::shared);
    locks::lock_account(name, organization);
}

std::string connect(const Extension& extension, const Instance& instance, const std::string& organization,
                    const ConnectionValues& values, const ConnectionSecrets& secrets) {
    const auto rows = connections_of(extension, instance.facts.name, organization);
    const std::vector<RowPackage> packages = packages_of(rows);
    const ConnectStep step = connect_step(instance.facts, instance.package, packages);
    if (step.kind == ConnectStep::Kind::refuse)
        raise(conflict_error(instance.facts, step.conflict, packages, organization, false));
    const KeyRing ring = ring_for_connections(extension);
    if (step.kind == ConnectStep::Kind::adopt) {
        adopt_connection(extension, ring, rows[step.row], instance.package, values, secrets);
        return rows[step.row].id;
    }
    return insert_connection(extension, ring, organization, instance.package, instance.facts.name, values, secrets);
}

std::vector<ConnectionRow> rows_to_revoke(const Extension& extension, const Instance& instance,
                                          const std::string& organization) {
    const auto rows = connections_of(extension, instance.facts.name, organization);
    const std::vector<RowPackage> packages = packages_of(rows);
    const RevokeStep step = revoke_step(instance.facts, instance.package, packages);
    if (step.refused) raise(conflict_error(instance.facts, Answer::nobodys, packages, organization, false));
    if (step.rows.empty())
        raise(fail(Reason::not_connected, "organization " + in_quotes(organization) +
                                              " is not connected to connector " + in_quotes(instance.facts.name))
                  .with_code("PT404"));
    std::vector<ConnectionRow> answering;
    for (const std::size_t index : step.rows) answering.push_back(rows[index]);
    return answering;
}

bool may_see_organization(const Extension& extension, const std::string& organization, unsigned role) {
    const Rows rows =
        catalog_query(extension,
                      "SELECT pg_catalog.pg_has_role($1, $2, 'USAGE') OR EXISTS (SELECT FROM " +
                          extension.relation("sys_sync_organization_grant") +
                          " g JOIN pg_catalog.pg_roles r ON r.rolname = g.role WHERE g.organization_id = $3 AND "
                          "pg_catalog.pg_has_role($1, r.oid, 'USAGE'))",
                      {oid(role), oid(extension.owner), text(organization)});
    return to_bool(rows.one());
}

void require_organization(const Extension& extension, const std::string& organization, unsigned role) {
    if (may_see_organization(extension, organization, role)) return;
    raise(Error{Reason::none,
                "42501",
                "permission denied for organization " + in_quotes(organization),
                {},
                "Let the role act for it with sync_organization_grant()."});
}

void require_door(const Extension& extension, const Instance& instance, const std::string& organization,
                  unsigned role) {
    require_use(extension, instance.entry, role);
    require_organization(extension, organization, role);
}

void require_per_connection(const Instance& instance) {
    if (instance.auth().per_connection) return;
    raise(fail(Reason::invalid_configuration,
               "connector " + in_quotes(instance.facts.name) + " takes no connections of organizations")
              .with_detail("Its auth has \"per\": \"connector\": the credential is its own.")
              .with_hint("Declare it with \"per\": \"connection\" if each organization brings its own."));
}

std::string only_organization(const Extension& extension, const Instance& instance, unsigned role) {
    require_use(extension, instance.entry, role);
    const auto groups = by_organization(connections_of_name(extension, instance.facts.name));
    std::vector<std::vector<RowPackage>> packages;
    for (const auto& rows : groups) packages.push_back(packages_of(rows));
    const OrganizationChoice choice = choose_organization(instance.facts, instance.package, packages);
    const std::string name = in_quotes(instance.facts.name);
    if (choice.kind == OrganizationChoice::Kind::none)
        raise(fail(Reason::not_connected, "no organization is connected to connector " + name)
                  .with_hint("Connect one with sync_connection_begin() or sync_connection_set()."));
    if (choice.kind == OrganizationChoice::Kind::several)
        raise(fail(Reason::organization_ambiguous, "more than one organization is connected to connector " + name)
                  .with_hint("Name the organization."));
    const auto& rows = groups[choice.organization];
    const std::string organization = rows.front().organization;
    // a refusal names no organization that the caller may not see
    if (!may_see_organization(extension, organization, role))
        raise(Error{Reason::none,
                    "42501",
                    "permission denied for the organization that is connected to connector " + name,
                    {},
                    "Let the role act for it with sync_organization_grant()."});
    if (choice.kind == OrganizationChoice::Kind::one_in_conflict) {
        const Answering answering = answering_row(instance.facts, instance.package, packages[choice.organization]);
        raise(conflict_error(instance.facts, answering.answer, packages[choice.organization], organization, true));
    }
    return organization;
}

}  // namespace pg_pull::pg
