// sync_connector_grant, _ungrant, sync_organization_grant, _ungrant: who may use a connector, and act for an organization.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/function_arguments.h"

namespace pg_pull::pg {
namespace {

struct ConnectorGrant {
    ConnectorRow connector;
    std::string role;
};

ConnectorGrant read_connector_grant(const Extension& extension, const Arguments& arguments) {
    const std::string name = arguments.text(0, "connector");
    std::string role = arguments.name(1, "role");
    const auto package = arguments.optional_package(2, "package");
    ConnectorRow connector = find_entry(extension, name, package);
    require_owner(connector.owner, "connector " + in_quotes(name));
    return {std::move(connector), std::move(role)};
}

Datum connector_grant(FunctionCallInfo fcinfo) {
    refuse_read_only("sync_connector_grant()");
    const Spi spi;
    const Extension extension = Extension::current();
    const ConnectorGrant grant = read_connector_grant(extension, Arguments(fcinfo));
    role_oid(grant.role);
    catalog_execute(extension,
                    "INSERT INTO " + extension.relation("sys_sync_connector_grant") +
                        " (connector_id, role) VALUES ($1, $2::name) ON CONFLICT DO NOTHING",
                    {int8(grant.connector.id), text(grant.role)});
    return no_value();
}

/// The role need not exist any more.
Datum connector_ungrant(FunctionCallInfo fcinfo) {
    refuse_read_only("sync_connector_ungrant()");
    const Spi spi;
    const Extension extension = Extension::current();
    const ConnectorGrant grant = read_connector_grant(extension, Arguments(fcinfo));
    catalog_execute(extension,
                    "DELETE FROM " + extension.relation("sys_sync_connector_grant") +
                        " WHERE connector_id = $1 AND role = $2::name",
                    {int8(grant.connector.id), text(grant.role)});
    return no_value();
}

struct OrganizationGrant {
    std::string organization;
    std::string role;
};

OrganizationGrant read_organization_grant(const Extension& extension, const Arguments& arguments) {
    OrganizationGrant grant{arguments.organization(0, "organization"), arguments.name(1, "role")};
    require_owner(extension.owner, "extension \"pg_pull\"");
    return grant;
}

Datum organization_grant(FunctionCallInfo fcinfo) {
    refuse_read_only("sync_organization_grant()");
    const Spi spi;
    const Extension extension = Extension::current();
    const OrganizationGrant grant = read_organization_grant(extension, Arguments(fcinfo));
    role_oid(grant.role);
    catalog_execute(extension,
                    "INSERT INTO " + extension.relation("sys_sync_organization_grant") +
                        " (organization_id, role) VALUES ($1, $2::name) ON CONFLICT DO NOTHING",
                    {text(grant.organization), text(grant.role)});
    return no_value();
}

Datum organization_ungrant(FunctionCallInfo fcinfo) {
    refuse_read_only("sync_organization_ungrant()");
    const Spi spi;
    const Extension extension = Extension::current();
    const OrganizationGrant grant = read_organization_grant(extension, Arguments(fcinfo));
    catalog_execute(extension,
                    "DELETE FROM " + extension.relation("sys_sync_organization_grant") +
                        " WHERE organization_id = $1 AND role = $2::name",
                    {text(grant.organization), text(grant.role)});
    return no_value();
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_connector_grant, pg_pull::pg::connector_grant)
PG_PULL_FUNCTION(sync_connector_ungrant, pg_pull::pg::connector_ungrant)
PG_PULL_FUNCTION(sync_organization_grant, pg_pull::pg::organization_grant)
PG_PULL_FUNCTION(sync_organization_ungrant, pg_pull::pg::organization_ungrant)
